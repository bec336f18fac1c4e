/** Announces committed events to readers of this host and, on PostgreSQL, of other hosts. After a crash, readers poll. */
import { type EventWatchers, eventWatchers } from "@crossdock/audit"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

export class EventAnnouncements extends Context.Service<
  EventAnnouncements,
  {
    readonly watch: EventWatchers["watch"]
    readonly announce: (companies: ReadonlyArray<number>) => Effect.Effect<void>
  }
>()("@crossdock/storage-sql/EventAnnouncements") {}

const channel = "crossdock_events"

interface Listening {
  readonly listen: (
    channel: string
  ) => Effect.Effect<Queue.Dequeue<{ readonly payload: string }, SqlError>, SqlError, Scope.Scope>
}

const canListen = (sql: SqlClient): sql is SqlClient & Listening =>
  Predicate.hasProperty(sql, "listen") && sql.onDialectOrElse({ orElse: () => false, pg: () => true })

/**
 * How long announcements are collected after a notification. The next notification contains all of them. If each
 * transaction notified, PostgreSQL would commit them one after the other.
 */
const gathering = Duration.millis(10)

/** The maximum number of companies in a notification. A notification has at most 8,000 bytes. */
const companiesAtOnce = 400

/** Sends pending announcements as one notification. It writes nothing, so its commit doesn't have to reach the disk. */
const broadcast = (sql: SqlClient, announced: Queue.Dequeue<number>, self: string) =>
  Effect.gen(function* () {
    const companies = new Set(yield* Queue.takeBetween(announced, 1, companiesAtOnce))
    yield* sql`SELECT set_config('synchronous_commit', 'off', true), pg_notify(${channel}, ${[...companies, self].join()})`
    yield* Effect.sleep(gathering)
  }).pipe(Effect.ignore({ log: "Debug" }), Effect.forever)

/** Receives the announcements of other hosts on a separate connection. After a failure, watchers poll. */
const listening = (sql: Listening, watchers: EventWatchers, self: string) =>
  Effect.gen(function* () {
    const received = yield* sql.listen(channel)
    yield* watchers.wakeAll
    return yield* Effect.forever(
      Effect.flatMap(Queue.take(received), ({ payload }) =>
        payload.endsWith(self) ? Effect.void : watchers.wake(payload.split(",").map(Number))
      )
    )
  }).pipe(Effect.scoped, Effect.tapError(Effect.logDebug), Effect.retry(Schedule.spaced("1 second")))

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const watchers = yield* eventWatchers
  if (!canListen(sql)) return EventAnnouncements.of({ watch: watchers.watch, announce: watchers.wake })
  const scope = yield* Effect.scope
  const announced = yield* Queue.unbounded<number>()
  // Identifies this host's own notifications. The host skips them, because its readers have already been notified.
  const self = crypto.randomUUID()
  yield* Effect.forkIn(broadcast(sql, announced, self), scope)
  const listener = yield* Effect.cached(Effect.forkIn(listening(sql, watchers, self), scope))
  return EventAnnouncements.of({
    watch: (company) => Effect.andThen(listener, watchers.watch(company)),
    announce: (companies) => Effect.andThen(watchers.wake(companies), Queue.offerAll(announced, companies))
  })
})

export const layer = Layer.effect(EventAnnouncements, make)
