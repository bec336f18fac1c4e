/**
 * A feed that goes on after its database was restored from an older copy. The copy doesn't know the numbers that were given
 * out after it was made, so its numbers jump: none is used twice. Source: docs/reference/events.md#restored-backups.
 */
import type { Caller } from "@crossdock/access"
import type { CompanyId, StorageError } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AuditRecord } from "./AuditChain.ts"
import * as CompanyEvent from "./CompanyEvent.ts"
import { EventLog } from "./CompanyEvent.ts"
import * as CompanyWrite from "./CompanyWrite.ts"

export const restored = CompanyEvent.define({
  type: "feed.restored",
  version: 1,
  description:
    "The database was restored from an older copy. Events after number `after` and before this one are lost, with the changes that they report. Every endpoint receives it, whatever types it asks for.",
  data: Schema.Struct({
    after: Schema.Int.annotate({ description: "The number of the last event in the copy." })
  }),
  example: { after: 12 }
})

/** All types. */
export const types = [restored] as const

/**
 * The number of the event before a batch. Behind a jump it isn't the number before the batch's first one.
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

/**
 * The number of the first event behind the jump: the time in microseconds, which is above every number that was given out
 * before, since no company has a million events a second for long.
 */
export const numberAfter = (last: number, now: number): number => Math.max(last + 1, now * 1_000)

const entity = { type: "company", action: "restored" } as const

/**
 * Whether an audit record is that of a restore: the first one that the lost database doesn't have in the same place.
 */
export const isRestore = ({ action, entityType }: Pick<AuditRecord, "entityType" | "action">): boolean =>
  entityType === entity.type && action === entity.action

/**
 * Lets the numbers of a company's feed jump, once after each restore and before anything else is written. Readers that had
 * read no more than the copy has go on with a `feed.restored` event; all others get `CursorOutOfRange`.
 */
export const restart = (
  caller: Caller,
  companyId: CompanyId
): Effect.Effect<void, StorageError, CompanyWrite.CompanyWrite | EventLog> =>
  Effect.gen(function* () {
    const { run } = yield* CompanyWrite.CompanyWrite
    const log = yield* EventLog
    yield* run(caller, {
      // The company's row alone is locked, so that it may be locked before anything is decided.
      load: Effect.gen(function* () {
        const { last } = yield* log.read(companyId, Number.MAX_SAFE_INTEGER, 1)
        yield* log.jump(companyId, last, numberAfter(last, yield* Clock.currentTimeMillis) - 1)
        return last
      }),
      decide: (last) =>
        Effect.succeed({
          answer: undefined,
          changes: [
            {
              companyId,
              entity: { ...entity, id: String(companyId) },
              save: () =>
                Effect.succeed({
                  logs: { request: null, response: { lastEvent: last } },
                  events: [CompanyEvent.draft(restored, { after: last })]
                })
            }
          ]
        })
    })
  })
