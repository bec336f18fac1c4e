/** Port: figures about a database's pending work for all companies. Operators read them. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { frozen } from "./Invariant.ts"
import * as Metrics from "./Metrics.ts"
import type { Stored } from "./StorageError.ts"
import { OwnTransactionOnly } from "./Transaction.ts"

/**
 * The queues. They count, in this order: channels with an unaccepted notification, agreements with a due invoice, open
 * invoices with a due collection, late consumer groups per company, and endpoints with events to receive.
 */
export const queues = /* @__PURE__ */ frozen(["notifications", "billing", "payments", "events", "endpoints"] as const)

export type Queue = (typeof queues)[number]

/** A queue's number of entries, at most 10,000. `oldest` is the oldest entry's time in epoch milliseconds, or null. */
export interface Pending {
  readonly entries: number
  readonly oldest: number | null
}

export interface Figures {
  readonly queues: Readonly<Record<Queue, Pending>>
  /** The numbers of undeliverable stock notifications and of undeliverable event webhooks. */
  readonly deadLetters: { readonly stock: number; readonly events: number }
  /** The size of the database in bytes. It is null if the storage can't measure it. */
  readonly databaseBytes: number | null
  /** The time when the last backup by `crossdock backup` began, in epoch milliseconds. It is null before the first backup. */
  readonly lastBackup: number | null
}

/** Entries are counted up to this number, which bounds the cost of a reading. */
export const maxCounted = 10_000

/** Reads a database's figures at `now` (epoch milliseconds). It is undefined for a storage without figures, like memory. */
export const Backlog = Context.Reference<{ readonly read: (now: number) => Stored<Figures> } | undefined>(
  "@crossdock/kernel/Backlog",
  { defaultValue: () => undefined }
)

const set = (gauge: Metrics.Declared<number, never>, value: number) => Metric.update(gauge.at({}), value)

const report = (figures: Figures, now: number) =>
  Effect.gen(function* () {
    for (const queue of queues) {
      const { entries, oldest } = figures.queues[queue]
      yield* Metric.update(Metrics.queueEntries.at({ queue }), entries)
      yield* Metric.update(Metrics.queueAge.at({ queue }), oldest === null ? 0 : Math.max(0, now - oldest) / 1000)
    }
    yield* set(Metrics.deadLetters, figures.deadLetters.stock)
    yield* set(Metrics.eventDeadLetters, figures.deadLetters.events)
    if (figures.databaseBytes !== null) yield* set(Metrics.databaseSize, figures.databaseBytes)
    if (figures.lastBackup !== null) yield* set(Metrics.lastBackup, figures.lastBackup / 1000)
    yield* set(Metrics.backlogRead, now / 1000)
  })

/** Updates the gauges of queues, dead letters and database size until the layer's scope ends. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const backlog = yield* Backlog
    const gauges = yield* Metrics.Gauges
    if (backlog === undefined) return
    yield* gauges.add(
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* report(yield* backlog.read(now), now)
      }).pipe(Effect.provideService(OwnTransactionOnly, true))
    )
  })
)
