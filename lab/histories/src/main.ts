/**
 * `npm run lab -- histories --seeds 1000 --steps 300 --database memory`: random histories over all services, checked against the laws
 * after every step; `--help` says more.
 */
import "@crossdock/cli/NodeVersion"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import { StorageMemory } from "@crossdock/storage-memory"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import * as CommandLine from "@crossdock/system-tests/CommandLine"
import * as Verdict from "@crossdock/system-tests/Verdict"
import { Cause, Effect, Exit, Layer } from "effect"
import * as History from "./History.ts"

const postgresServer = Effect.acquireRelease(
  Effect.promise(() => PostgresServer.start()),
  ({ stop }) => Effect.promise(stop)
)

const postgresOn = (server: string) =>
  StorageSql.layer.pipe(
    Layer.provide(Layer.unwrap(Effect.map(PostgresDatabase.make(server), (url) => Postgres.layer(url))))
  )

/** Of each database, a layer that begins empty whenever it is built. */
const storages = {
  memory: Effect.succeed(StorageMemory.layer),
  sqlite: Effect.succeed(Layer.provide(StorageSql.layer, BetterSqlite3.layer(":memory:"))),
  postgres: Effect.map(postgresServer, ({ url }) => postgresOn(url))
} as const

const names = ["memory", "sqlite", "postgres"] as const

interface Options {
  readonly from: number
  readonly seeds: number
  readonly steps: number
}

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}

const playAll = (name: (typeof names)[number], { from, seeds, steps }: Options) =>
  Effect.gen(function* () {
    const storage = yield* storages[name]
    const began = performance.now()
    const faults: Array<string> = []
    for (let seed = from; seed < from + seeds; seed++) {
      const exit = yield* Effect.exit(Effect.scoped(History.play(storage, { seed, steps })))
      if (Exit.isFailure(exit)) faults.push(`${name}: ${messageOf(exit.cause)}`)
    }
    return { faults, figure: `${seeds - faults.length} of ${seeds} break no law, ${Verdict.secondsSince(began)}` }
  }).pipe(Effect.scoped)

CommandLine.main({
  name: "histories",
  does:
    "Plays random histories over all services on each storage. When it passes, no step of any history broke a law. A seed that " +
    "failed is played again with --from SEED --seeds 1.",
  options: {
    from: CommandLine.whole("from", 1, "the first seed"),
    seeds: CommandLine.whole("seeds", 100, "histories on each storage"),
    steps: CommandLine.whole("steps", 300, "steps of each history"),
    database: CommandLine.choice("database", [...names, "all"], "all", "the storage")
  },
  run: ({ database, ...options }) =>
    Effect.gen(function* () {
      const chosen = names.filter((name) => database === "all" || name === database)
      const figures: Record<string, string | number> = { "steps of each": options.steps, "first seed": options.from }
      const faults: Array<string> = []
      for (const name of chosen) {
        const played = yield* playAll(name, options)
        figures[name] = played.figure
        faults.push(...played.faults)
      }
      return { claim: "random histories break no law", figures, faults }
    })
})
