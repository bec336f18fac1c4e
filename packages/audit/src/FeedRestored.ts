/** Continues the feed of a restored database with higher numbers. Source: docs/reference/events.md#restored-backups. */
import type { Caller } from "@crossdock/access"
import type { CompanyId, Stored } from "@crossdock/kernel"
import { frozen } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AuditRecord } from "./AuditChain.ts"
import * as CompanyEvent from "./CompanyEvent.ts"
import * as CompanyWrite from "./CompanyWrite.ts"

export const restored = CompanyEvent.define({
  type: "feed.restored",
  description:
    "The database was restored from an older copy. Events between number `after` and this one are lost, with their changes. Every endpoint receives this event, even if its types don't include it.",
  data: Schema.Struct({ after: Schema.Int.annotate({ description: "The number of the last event in the copy." }) }),
  example: { after: 12 }
})

export const types = /* @__PURE__ */ frozen([restored] as const)

/**
 * The number of the event before a batch. After a jump, it isn't `first` − 1.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyEvent, FeedRestored } from "@crossdock/audit"
 * import { CompanyId } from "@crossdock/kernel"
 *
 * const batch = { companyId: CompanyId.make(1), first: 1_767_225_600_000_000, change: 5, at: 0 }
 * const jump = { ...batch, drafts: [CompanyEvent.draft(FeedRestored.restored, { after: 12 })] }
 * const other = { ...batch, drafts: [{ type: "price.changed", version: 1, data: {} }] }
 * deepStrictEqual([jump, other].map(FeedRestored.numberBefore), [12, 1_767_225_599_999_999])
 * ```
 */
export const numberBefore = ({ drafts: [draft], first }: CompanyEvent.EventBatch): number =>
  draft?.type === restored.type ? (draft.data as typeof restored.data.Type).after : first - 1

const entity = { type: "company", action: "restored" } as const

/** Whether `restart` wrote this audit record. It is the first record that the lost database didn't have. */
export const isRestore = ({ action, entityType }: Pick<AuditRecord, "entityType" | "action">): boolean =>
  entityType === entity.type && action === entity.action

/**
 * Makes a company's event numbers jump. Call it once after each restore, before any other write. Readers then continue
 * with a `feed.restored` event, or get `CursorOutOfRange`.
 */
export const restart = (
  caller: Caller,
  companyId: CompanyId
): Stored<void, never, CompanyWrite.CompanyWrite | CompanyEvent.EventLog> =>
  Effect.gen(function* () {
    const { run } = yield* CompanyWrite.CompanyWrite
    const log = yield* CompanyEvent.EventLog
    yield* run(caller, {
      // This write locks nothing but the company's row, so `load` may lock it early.
      load: Effect.gen(function* () {
        const { last } = yield* log.read(companyId, Number.MAX_SAFE_INTEGER, 1)
        // The time in microseconds exceeds every number used so far, since no company has a million events a second for long.
        yield* log.jump(companyId, last, Math.max(last, (yield* Clock.currentTimeMillis) * 1_000 - 1))
        return last
      }),
      decide: (last) => {
        const events = [CompanyEvent.draft(restored, { after: last })]
        const save = () => Effect.succeed({ logs: { request: null, response: { lastEvent: last } }, events })
        const change = { companyId, entity: { ...entity, id: String(companyId) }, save }
        return Effect.succeed({ answer: undefined, changes: [change] })
      }
    })
  })
