/**
 * Port: the events of each company, and how far each group of consumers has come.
 */
import type { CompanyId, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import type { EventBatch } from "./CompanyEvent.ts"
import type { Consumer } from "./EventConsumer.ts"

/**
 * Batches as they were read. `last` is the number of the company's last event, kept or not, as of this read; 0 before the
 * first and for an unknown company.
 */
export interface EventPage {
  readonly last: number
  readonly batches: ReadonlyArray<EventBatch>
}

/**
 * Laws: a company's events are those that `AuditLog.append` wrote with its records, in the order of commits. A batch never
 * changes, and only the oldest can be dropped. Of several hosts that save the consumer that they read, one succeeds.
 */
export class EventLog extends Context.Service<
  EventLog,
  {
    /**
     * The kept batches with an event after number `after`, ascending: as few as have the `limit` events that follow it (or those
     * up to a jump of their numbers), and the oldest if none of these is kept any more.
     */
    readonly read: (company: CompanyId, after: number, limit: number) => Effect.Effect<EventPage, StorageError>
    /** The companies whose last event isn't the one that the group's cursor is at, ascending. */
    readonly pending: (group: string) => Effect.Effect<ReadonlyArray<CompanyId>, StorageError>
    /** Undefined when the group has never worked on this company. */
    readonly consumer: (group: string, company: CompanyId) => Effect.Effect<Consumer | undefined, StorageError>
    /** Fails with `StaleWrite` when the stored consumer has another version (0: none is stored); else raises it by one. */
    readonly saveConsumer: (consumer: Consumer) => Effect.Effect<void, StaleWrite | StorageError>
    /**
     * Drops a company's oldest batches from before a time in epoch milliseconds, at most about `limit`, and returns how
     * many; 0 when no company has any left.
     */
    readonly drop: (before: number, limit: number) => Effect.Effect<number, StorageError>
    /**
     * Raises the number of a company's last event from `from` to `to`, so that the next one has the number after it; fails with
     * `StaleWrite` when the last one isn't `from`. Only a feed whose database was restored jumps, see `FeedRestored`.
     */
    readonly jump: (company: CompanyId, from: number, to: number) => Effect.Effect<void, StaleWrite | StorageError>
    /**
     * Begins to watch for events, and returns the effect that ends when any of the company (null: of any company) may have
     * been committed since it last ended. Not every storage sees the commits of other processes, and none promises to: a
     * reader also looks from time to time.
     */
    readonly watch: (company: CompanyId | null) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  }
>()("@crossdock/audit/EventLog") {}

/** Wakes the readers of events in one process. Storages fill `EventLog.watch` with it. */
export interface EventWatchers {
  readonly watch: typeof EventLog.Service.watch
  /** Wakes those who watch one of these companies. */
  readonly wake: (companies: Iterable<number>) => Effect.Effect<void>
  /** Wakes everybody, as when an announcement may have been lost. */
  readonly wakeAll: Effect.Effect<void>
}

/** In place of a company: all of them. */
const any = 0

/** No readers yet. */
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
