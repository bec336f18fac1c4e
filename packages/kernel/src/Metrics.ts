/**
 * Every metric of a host. docs/reference/metrics.md is generated from this file. A label has few possible values, such as route
 * templates or codes, and the code knows all of them. A value is never an id, SKU, company or text from a caller.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Metrics } from "@crossdock/kernel"
 * import { Effect, Metric } from "effect"
 *
 * const billing = Metrics.queueEntries.at({ queue: "billing" })
 * await Effect.runPromise(Metric.update(billing, 3))
 * deepStrictEqual(await Effect.runPromise(Metric.value(billing)), { value: 3 })
 * ```
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"

/** A metric and its labels. `at` returns a series: keep it, since a call of `at` costs more than counting. */
export interface Declared<Input, Label extends string> {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly labels: ReadonlyArray<Label>
  readonly unit: string
  readonly meaning: string
  readonly at: (values: Readonly<Record<Label, string>>) => Metric.Metric<Input, unknown>
}

type Facts<Label extends string> = Pick<Declared<never, Label>, "unit" | "meaning"> & {
  readonly labels?: ReadonlyArray<Label>
}

const declared: Array<Declared<never, string>> = []

/** Every metric, in the order of this file. */
export const all: ReadonlyArray<Declared<never, string>> = declared

const declare = <Input, State, Label extends string>(
  metric: Metric.Metric<Input, State>,
  type: Declared<Input, Label>["type"],
  { labels = [], meaning, unit }: Facts<Label>
): Declared<Input, Label> => {
  const series = new Map<string, Metric.Metric<Input, unknown>>()
  const at = (values: Readonly<Record<Label, string>>) => {
    let key = ""
    for (const label of labels) key += `${values[label]}\n`
    const known = series.get(key)
    if (known !== undefined) return known
    const made = Metric.withAttributes(metric, values)
    series.set(key, made)
    return made
  }
  const one = { name: metric.id, type, labels, unit, meaning, at }
  declared.push(one as unknown as Declared<never, string>)
  return one
}

const counter = <Label extends string = never>(name: string, facts: Facts<Label>) =>
  declare(Metric.counter(name, { description: facts.meaning, incremental: true }), "counter", facts)

const gauge = <Label extends string = never>(name: string, facts: Facts<Label>) =>
  declare(Metric.gauge(name, { description: facts.meaning }), "gauge", facts)

const histogram = <Label extends string = never>(
  name: string,
  boundaries: ReadonlyArray<number>,
  facts: Facts<Label>
) => declare(Metric.histogram(name, { description: facts.meaning, boundaries }), "histogram", facts)

/** Bucket limits up to 10 seconds, within which every request is answered. */
const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Bucket limits up to three days, after which a notification is abandoned. */
const deliverySeconds = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 10_800, 86_400, 259_200]

export const requests = counter("crossdock_http_requests_total", {
  labels: ["method", "route", "status", "code"],
  unit: "requests",
  meaning: "Answered requests. `route` is the route's template, or none. `code` is the code of the error body, or OK"
})

export const requestDuration = histogram("crossdock_http_request_duration_seconds", requestSeconds, {
  labels: ["method", "route"],
  unit: "seconds",
  meaning: "Time from the arrival of a request to its answer"
})

export const rejectedRecords = counter("crossdock_records_rejected_total", {
  labels: ["route", "code"],
  unit: "records",
  meaning: "Rejected records in bulk requests that as a whole were answered with 200"
})

export const writeRestarts = counter("crossdock_write_restarts_total", {
  labels: ["operation"],
  unit: "attempts",
  meaning:
    "Writes that started again, because another write changed the same rows first, or because they had to lock further rows. Shipments.move locks further rows when a report is for a return"
})

export const transactionWait = histogram("crossdock_transaction_wait_seconds", requestSeconds, {
  unit: "seconds",
  meaning: "Time that a transaction waited to begin: for a connection of the pool or, on SQLite, for the previous write"
})

export const queueEntries = gauge("crossdock_queue_entries", {
  labels: ["queue"],
  unit: "entries, at most 10,000",
  meaning: "Pending entries of the database's queues. Every host on the database reports the same number"
})

export const queueAge = gauge("crossdock_queue_oldest_age_seconds", {
  labels: ["queue"],
  unit: "seconds",
  meaning: "Age of the oldest pending entry of a queue; 0 if the queue is empty"
})

export const deadLetters = gauge("crossdock_dead_letters", {
  unit: "dead letters, at most 10,000",
  meaning: "Notifications that were given up, until they are resent or deleted"
})

export const eventDeadLetters = gauge("crossdock_event_dead_letters", {
  unit: "dead letters, at most 10,000",
  meaning: "Webhooks of events that were given up, until they are resent or deleted"
})

export const databaseSize = gauge("crossdock_database_size_bytes", {
  unit: "bytes",
  meaning: "Size of the database on its disk"
})

export const lastBackup = gauge("crossdock_last_backup_timestamp_seconds", {
  unit: "seconds since 1970",
  meaning: "When the newest backup by `crossdock backup` began; absent before the first backup"
})

export const backlogRead = gauge("crossdock_backlog_read_timestamp_seconds", {
  unit: "seconds since 1970",
  meaning:
    "When the queues, dead letters and size were last read. While the database doesn't answer, these metrics keep their values"
})

export const notifications = counter("crossdock_notifications_total", {
  labels: ["outcome"],
  unit: "notifications",
  meaning:
    "Tries to send a stock notification, by outcome: accepted, rejected, dead (given up), or lost (another host took over)"
})

export const notificationDelay = histogram("crossdock_notification_delay_seconds", deliverySeconds, {
  unit: "seconds",
  meaning: "Time from the oldest stock change of a notification until a marketplace accepted it"
})

export const workerFailures = counter("crossdock_worker_failures_total", {
  labels: ["worker"],
  unit: "failures",
  meaning: "Failures of background work, by worker"
})

export const workerLastSuccess = gauge("crossdock_worker_last_success_timestamp_seconds", {
  labels: ["worker"],
  unit: "seconds since 1970",
  meaning: "When each worker last finished a pass with no failure outstanding"
})

export const clockAhead = gauge("crossdock_clock_ahead_seconds", {
  unit: "seconds",
  meaning:
    "How far the host's clock is ahead of the clock of PostgreSQL's server; negative if it is behind. It is read each minute"
})

export const eventLoopDelay = gauge("crossdock_event_loop_delay_seconds", {
  labels: ["quantile"],
  unit: "seconds",
  meaning: "How late the process's event loop was since the last reading: 0.5, 0.99 and 1 (the longest)"
})

export const residentMemory = gauge("crossdock_process_resident_memory_bytes", {
  unit: "bytes",
  meaning: "Resident memory of the process"
})

export const cpuTime = counter("crossdock_process_cpu_seconds_total", {
  unit: "seconds",
  meaning: "CPU time of the process, of all threads"
})

export const poolInUse = gauge("crossdock_pool_connections_in_use", {
  unit: "connections",
  meaning:
    "Connections of the PostgreSQL pool that transactions use. When all DATABASE_POOL connections are in use, further transactions wait"
})

export const release = gauge("crossdock_release_info", {
  labels: ["release"],
  unit: "1",
  meaning: "The host's release"
})

/** Readings of a process. A reading is an effect that sets gauges. */
export interface Readings {
  /** Registers a reading until the scope ends. Its failures are logged. */
  readonly add: (reading: Effect.Effect<void, unknown>) => Effect.Effect<void, never, Scope.Scope>
  /** Repeats readings older than 5 seconds. It returns within half a second, and slower readings continue. */
  readonly refresh: Effect.Effect<void>
}

const freshMillis = 5_000
const readingLimit = "500 millis"

/** Starts the reading at most every 5 seconds, once at a time. A concurrent call waits for the reading that runs. */
const throttled = (reading: Effect.Effect<void, unknown>, scope: Scope.Scope): Effect.Effect<void> => {
  let began = Number.NEGATIVE_INFINITY
  let running: Fiber.Fiber<void> | undefined
  const logged = Effect.catchCause(reading, (cause) => Effect.logWarning("Gauges could not be read", cause)).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        running = undefined
      })
    )
  )
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (running === undefined && Math.abs(now - began) >= freshMillis) {
      began = now
      const fiber = yield* Effect.forkIn(logged, scope)
      running = fiber
    }
    if (running !== undefined) yield* Effect.timeoutOption(Fiber.await(running), readingLimit)
  })
}

const noReadings = (): Readings => {
  const readings = new Set<Effect.Effect<void>>()
  return {
    add: (reading) =>
      Effect.flatMap(Effect.scope, (scope) => {
        const own = throttled(reading, scope)
        return Effect.acquireRelease(
          Effect.sync(() => readings.add(own)),
          () => Effect.sync(() => readings.delete(own))
        )
      }),
    refresh: Effect.suspend(() => Effect.forEach(readings, (one) => one, { concurrency: "unbounded", discard: true }))
  }
}

/** The gauges that are read on demand, such as the lengths of a database's queues. By default a process has one registry. */
export const Gauges = Context.Reference<Readings>("@crossdock/kernel/Gauges", { defaultValue: noReadings })
