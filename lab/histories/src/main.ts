/** `npm run lab -- histories --seeds 1000 --steps 300` plays random histories and checks the laws after every step. */
import "@crossdock/cli/NodeVersion"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import { StorageMemory } from "@crossdock/storage-memory"
import * as CommandLine from "@crossdock/system-tests/CommandLine"
import * as Verdict from "@crossdock/system-tests/Verdict"
import { Cause, Effect, Exit, type Scope } from "effect"
import * as Databases from "./Databases.ts"
import * as History from "./History.ts"

const postgresServer = Effect.acquireRelease(
  Effect.promise(() => PostgresServer.start()),
  ({ stop }) => Effect.promise(stop)
)

const names = ["memory", "sqlite", "postgres"] as const

type Name = (typeof names)[number]

/** Makes an empty storage on each database. */
const storages: Readonly<Record<Name, Effect.Effect<Databases.Made, never, Scope.Scope>>> = {
  memory: Effect.succeed(Effect.succeed({ storage: StorageMemory.layer })),
  sqlite: Effect.succeed(Databases.sqlite),
  postgres: Effect.map(postgresServer, ({ url }) => Databases.postgres(url))
}

interface Options {
  readonly from: number
  readonly seeds: number
  readonly steps: number
}

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}

const playAll = (name: Name, { from, seeds, steps }: Options) =>
  Effect.gen(function* () {
    const made = yield* storages[name]
    const began = performance.now()
    const faults: Array<string> = []
    let aborted = 0
    for (let seed = from; seed < from + seeds; seed++) {
      const play = Effect.flatMap(made, ({ places, storage }) => History.play(storage, { seed, steps, places }))
      const exit = yield* Effect.exit(Effect.scoped(play))
      if (Exit.isSuccess(exit)) aborted += exit.value.aborts.count
      else faults.push(`${name}: ${messageOf(exit.cause)}`)
    }
    const whole = `${seeds - faults.length} of ${seeds} break no law`
    return { faults, figure: `${whole}, ${aborted} writes were aborted, ${Verdict.secondsSince(began)}` }
  }).pipe(Effect.scoped)

CommandLine.main({
  name: "histories",
  does:
    "Plays random histories over all services on each storage. Some writes are aborted while they run, and sent again. When it " +
    "passes, no step of any history broke a law, and each aborted write happened wholly or not at all. A seed that " +
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
