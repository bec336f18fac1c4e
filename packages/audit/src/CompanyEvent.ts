/**
 * The events of a company's change feed, and their port. An event is the typed fact of a change. Domains define its types, and
 * a host combines them. Source: docs/reference/events.md.
 */
import { type CompanyId, frozen, type StaleWrite, type Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Consumer } from "./EventConsumer.ts"

/**
 * An event before it has its number. `data` is plain JSON of ids, codes, quantities, statuses and amounts, never personal data:
 * nothing must be erased from a feed.
 */
export interface EventDraft {
  /** Such as `shipment.moved`. */
  readonly type: string
  /** The version of `data`. Within a version fields are only added. */
  readonly version: number
  readonly data: unknown
}

/**
 * An event. A company's events are numbered 1, 2, 3 … in commit order; company and number identify it for ever. `change` is the
 * number of the company's change and its audit record, `at` its time in epoch milliseconds.
 */
export interface CompanyEvent extends EventDraft {
  readonly companyId: CompanyId
  readonly number: number
  readonly change: number
  readonly at: number
}

/** The stored events of one change; `first` is the first one's number. */
export interface EventBatch {
  readonly companyId: CompanyId
  readonly first: number
  readonly change: number
  readonly at: number
  readonly drafts: ReadonlyArray<EventDraft>
}

/** The number of a batch's last event. */
export const lastOf = ({ drafts, first }: EventBatch): number => first + drafts.length - 1

/** A batch's events with a number above `after`. */
export const eventsAfter = (
  { at, change, companyId, drafts, first }: EventBatch,
  after: number
): ReadonlyArray<CompanyEvent> => {
  const passed = Math.max(0, after - first + 1)
  return drafts.slice(passed).map(({ data, type, version }, at_) => ({
    companyId,
    number: first + passed + at_,
    change,
    at,
    type,
    version,
    data
  }))
}

/** A type of event in one version. `data` describes its payload, which is plain JSON. */
export interface EventType<Type extends string = string, Version extends number = number, Data = unknown> {
  readonly type: Type
  readonly version: Version
  /** When it happens, as a sentence. */
  readonly description: string
  readonly data: Schema.Codec<Data>
  readonly example: Data
}

export type AnyEventType = Pick<EventType, "type" | "version" | "description">

/** An event of a known type, so that its `data` is typed. */
export type EventOf<Known extends AnyEventType> =
  Known extends EventType<infer Type, infer Version, infer Data>
    ? Omit<CompanyEvent, "type" | "version" | "data"> & {
        readonly type: Type
        readonly version: Version
        readonly data: Data
      }
    : never

/** A type of event, in version 1 unless the definition names another. */
export const define = <const Type extends string, Data, const Version extends number = 1>(
  definition: Omit<EventType<Type, Version, Data>, "version"> & { readonly version?: Version }
): EventType<Type, Version, Data> =>
  Object.freeze({ version: 1 as Version, ...definition, example: frozen(definition.example) as Data })

/** An event of this type, for a change to write. */
export const draft = <Data>({ type, version }: EventType<string, number, Data>, data: Data): EventDraft => ({
  type,
  version,
  data
})

/**
 * Makes a function that types an event, or returns undefined for types and versions of later releases, which readers skip.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { CompanyEvent } from "@crossdock/audit"
 * import { CompanyId } from "@crossdock/kernel"
 * import { Schema } from "effect"
 *
 * const renamed = CompanyEvent.define({
 *   type: "company.renamed",
 *   version: 1,
 *   description: "The company has another name.",
 *   data: Schema.Struct({ name: Schema.String }),
 *   example: { name: "Example Traders" }
 * })
 * const knownOf = CompanyEvent.knowing([renamed])
 * const event = { companyId: CompanyId.make(1), number: 1, change: 1, at: 0, type: "company.renamed", version: 1 }
 * strictEqual(knownOf({ ...event, data: { name: "Example Traders" } })?.data.name, "Example Traders")
 * ```
 */
export const knowing = <Known extends AnyEventType>(types: ReadonlyArray<Known>) => {
  const known = new Set(types.map(({ type, version }) => `${type} ${version}`))
  // Our own code wrote the event, with the data of its type.
  return (event: CompanyEvent): EventOf<Known> | undefined =>
    known.has(`${event.type} ${event.version}`) ? (event as unknown as EventOf<Known>) : undefined
}

/** Read batches. `last` is the number of the company's last event now, kept or not; 0 without one. */
export interface EventPage {
  readonly last: number
  readonly batches: ReadonlyArray<EventBatch>
}

/**
 * Laws: a company's events are those of `AuditStore.append` with its records, in commit order. A batch never changes; only the
 * oldest can be dropped. If several hosts save the consumer that they read, one succeeds.
 */
export class EventLog extends Context.Service<
  EventLog,
  {
    /**
     * The kept batches with an event after number `after`, ascending: enough for the `limit` next events (or those up to a jump
     * of numbers), and the oldest batch if none of these is kept.
     */
    readonly read: (company: CompanyId, after: number, limit: number) => Stored<EventPage>
    /** The companies whose last event isn't at the group's cursor, ascending. */
    readonly pending: (group: string) => Stored<ReadonlyArray<CompanyId>>
    /** Undefined if the group has never worked on this company. */
    readonly consumer: (group: string, company: CompanyId) => Stored<Consumer | undefined>
    /** Fails with `StaleWrite` if the stored consumer has another version (0: none is stored); else raises it by one. */
    readonly saveConsumer: (consumer: Consumer) => Stored<void, StaleWrite>
    /** Drops about `limit` of a company's oldest batches from before a time (epoch milliseconds); returns their number. */
    readonly drop: (before: number, limit: number) => Stored<number>
    /**
     * Raises a company's last number from `from` to `to`; the next event follows. Fails with `StaleWrite` if the last one isn't
     * `from`. Only the feed of a restored database jumps, see `FeedRestored`.
     */
    readonly jump: (company: CompanyId, from: number, to: number) => Stored<void, StaleWrite>
    /**
     * Begins to watch for events. The returned effect ends when events of the company (null: any) may have been committed since
     * it last ended. No storage promises to see other processes' commits: readers also poll.
     */
    readonly watch: (company: CompanyId | null) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  }
>()("@crossdock/audit/EventLog") {}

/** Wakes the readers of events in one process. Storages fill `EventLog.watch` with it. */
export interface EventWatchers {
  readonly watch: typeof EventLog.Service.watch
  readonly wake: (companies: Iterable<number>) => Effect.Effect<void>
  /** For example when an announcement may have been lost. */
  readonly wakeAll: Effect.Effect<void>
}

/** In place of a company: all of them. */
const any = 0

/** An empty registry of readers that wait for events. */
export const eventWatchers: Effect.Effect<EventWatchers> = Effect.sync(() => {
  const latches = new Map<number, Set<Latch.Latch>>()

  const open = (companies: Iterable<number>) => {
    for (const company of companies) for (const latch of latches.get(company) ?? []) latch.openUnsafe()
  }

  const watch = (company: CompanyId | null) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const key = company ?? any
        const latch = Latch.makeUnsafe(false)
        latches.set(key, (latches.get(key) ?? new Set()).add(latch))
        return { key, latch }
      }),
      ({ key, latch }) =>
        Effect.sync(() => {
          const others = latches.get(key)
          others?.delete(latch)
          if (others?.size === 0) latches.delete(key)
        })
    ).pipe(Effect.map(({ latch }) => Effect.andThen(latch.await, Effect.asVoid(latch.close))))

  return {
    watch,
    wake: (companies) => Effect.sync(() => open([...companies, any])),
    wakeAll: Effect.sync(() => open([...latches.keys()]))
  }
})
