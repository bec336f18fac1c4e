/** The events of a company's change feed, and the port that stores them. Source: docs/reference/events.md. */
import { type CompanyId, frozen, type StaleWrite, type Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Consumer } from "./EventConsumer.ts"

/** An event before it has a number. `data` is plain JSON and never contains personal data. */
export interface EventDraft {
  /** The type of the event, such as `shipment.moved`. */
  readonly type: string
  /** The version of `data`. Within a version, fields are only added. */
  readonly version: number
  readonly data: unknown
}

/**
 * An event. A company's events are numbered from 1 in the order of commits. `at` is in epoch milliseconds.
 * `change` is the number of the company's change and of its audit record.
 */
export interface CompanyEvent extends EventDraft {
  readonly companyId: CompanyId
  readonly number: number
  readonly change: number
  readonly at: number
}

/** The stored events of one change. `first` is the number of the first event. */
export interface EventBatch {
  readonly companyId: CompanyId
  readonly first: number
  readonly change: number
  readonly at: number
  readonly drafts: ReadonlyArray<EventDraft>
}

/** The number of the last event of a batch. */
export const lastOf = ({ drafts, first }: EventBatch): number => first + drafts.length - 1

/** The events of a batch whose numbers are above `after`. */
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

/** A type of event in one version. `data` is the schema of its payload, which is plain JSON. */
export interface EventType<Type extends string = string, Version extends number = number, Data = unknown> {
  readonly type: Type
  readonly version: Version
  /** A sentence that says when the event happens. */
  readonly description: string
  readonly data: Schema.Codec<Data>
  readonly example: Data
}

export type AnyEventType = Pick<EventType, "type" | "version" | "description">

/** An event of a known type. Its `data` is typed. */
export type EventOf<Known extends AnyEventType> =
  Known extends EventType<infer Type, infer Version, infer Data>
    ? Omit<CompanyEvent, "type" | "version" | "data"> & {
        readonly type: Type
        readonly version: Version
        readonly data: Data
      }
    : never

/** Defines a type of event. Its version is 1 unless the definition has another. */
export const define = <const Type extends string, Data, const Version extends number = 1>(
  definition: Omit<EventType<Type, Version, Data>, "version"> & { readonly version?: Version }
): EventType<Type, Version, Data> =>
  Object.freeze({ version: 1 as Version, ...definition, example: frozen(definition.example) as Data })

/** Makes an event of this type for a change to write. */
export const draft = <Data>({ type, version }: EventType<string, number, Data>, data: Data): EventDraft => ({
  type,
  version,
  data
})

/**
 * Makes a function that gives an event its type, or undefined for types and versions of later releases.
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
  // Our own code wrote the event, so its data has the type.
  return (event: CompanyEvent): EventOf<Known> | undefined =>
    known.has(`${event.type} ${event.version}`) ? (event as unknown as EventOf<Known>) : undefined
}

/** The batches of a read. `last` is the number of the company's last event, even if dropped, or 0 before the first. */
export interface EventPage {
  readonly last: number
  readonly batches: ReadonlyArray<EventBatch>
}

/** Port: stores the events that `AuditStore.append` received, in the order of commits. A batch never changes. */
export class EventLog extends Context.Service<
  EventLog,
  {
    /**
     * Batches with events after number `after`, in order: at least those of the next `limit` events, or of all events up to a
     * jump in the numbers. If the next batch is after a jump, at least that batch.
     */
    readonly read: (company: CompanyId, after: number, limit: number) => Stored<EventPage>
    /** The companies whose last event isn't at the group's cursor, sorted by id. */
    readonly pending: (group: string) => Stored<ReadonlyArray<CompanyId>>
    /** The consumer of a group for a company. The result is undefined if the group has never worked on this company. */
    readonly consumer: (group: string, company: CompanyId) => Stored<Consumer | undefined>
    /** Saves a consumer and adds 1 to its version. Fails with `StaleWrite` if the stored version (0 if none) is another. */
    readonly saveConsumer: (consumer: Consumer) => Stored<void, StaleWrite>
    /** Drops about `limit` batches of one company, older than `before` (epoch milliseconds). Returns how many. */
    readonly drop: (before: number, limit: number) => Stored<number>
    /** Raises the number of the company's last event from `from` to `to`. Fails with `StaleWrite` if it isn't `from` now. */
    readonly jump: (company: CompanyId, from: number, to: number) => Stored<void, StaleWrite>
    /**
     * Watches a company, or all companies if null. The returned effect, which can be run again, ends when events may have
     * been committed. A storage may miss commits of other processes, so readers must poll too.
     */
    readonly watch: (company: CompanyId | null) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  }
>()("@crossdock/audit/EventLog") {}

/** Wakes the readers of events in one process. Storages make their `EventLog.watch` from it. */
export interface EventWatchers {
  readonly watch: typeof EventLog.Service.watch
  readonly wake: (companies: Iterable<number>) => Effect.Effect<void>
  /** Wakes all readers, for example after an announcement may have been lost. */
  readonly wakeAll: Effect.Effect<void>
}

const any = 0

/** Makes an empty registry of readers that wait for events. */
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
