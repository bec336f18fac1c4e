/** Compares the host's clock with the database's. If the host's is ahead, other hosts see tokens from the future. */
import { Instant, Metrics, type Stored } from "@crossdock/kernel"
import { DatabaseFacts } from "@crossdock/storage-sql"
import { Clock, Context, Effect, Layer, Metric, Schedule } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

/** The time of the database's server in epoch milliseconds. Null if the database has no clock of its own. */
export const DatabaseClock = Context.Reference<Stored<number | null>>("@crossdock/cli/DatabaseClock", {
  defaultValue: () => Effect.succeed(null)
})

export const layer = Layer.effect(
  DatabaseClock,
  Effect.map(SqlClient, (sql) =>
    DatabaseFacts.server.pipe(
      Effect.map(({ now }) => now),
      Effect.provideService(SqlClient, sql)
    )
  )
)

/** Compares the clocks once. The database's time is compared with the middle of the time that its reading took. */
const compare = Effect.gen(function* () {
  const before = yield* Clock.currentTimeMillis
  const theirs = yield* yield* DatabaseClock
  if (theirs === null) return
  const ahead = (before + (yield* Clock.currentTimeMillis)) / 2 - theirs
  yield* Metric.update(Metrics.clockAhead.at({}), ahead / 1000)
  if (Math.abs(ahead) > Instant.tokenLeeway)
    yield* Effect.logWarning(
      `This host's clock is ${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? "ahead of" : "behind"} the database's: synchronise both machines with a time server`
    )
})

/** Compares the clocks at the host's start and then every minute. */
export const watch = Layer.effectDiscard(
  Effect.forkScoped(
    compare.pipe(
      Effect.catchCause((cause) => Effect.logDebug("The database's clock could not be read", cause)),
      Effect.repeat(Schedule.spaced("1 minute"))
    )
  )
)
