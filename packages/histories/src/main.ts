/**
 * `npm run histories`: random histories over all services, checked against the laws after every step.
 *
 * `--seeds 1000 --steps 300 --storage memory` (or `sqlite`, `postgres`, `all`); `--from 17` starts with seed 17.
 */
import "@crossdock/example-node-server/NodeVersion"
import * as PostgresDatabase from "@crossdock/storage-laws/PostgresDatabase"
import * as PostgresServer from "@crossdock/storage-laws/PostgresServer"
import { StorageMemory } from "@crossdock/storage-memory"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { Cause, Effect, Exit, Layer } from "effect"
import * as CommandLine from "./CommandLine.ts"
import * as History from "./History.ts"

const values = CommandLine.read({
  from: { type: "string", default: "1" },
  seeds: { type: "string", default: "100" },
  steps: { type: "string", default: "300" },
  storage: { type: "string", default: "all" }
})

const whole = (name: "from" | "seeds" | "steps") => CommandLine.whole(name, values[name])
const [from, seeds, steps] = [whole("from"), whole("seeds"), whole("steps")]

const postgres = (server: string) =>
  StorageSql.layer.pipe(
    Layer.provide(Layer.unwrap(Effect.map(PostgresDatabase.make(server), (url) => Postgres.layer(url))))
  )

const storages = {
  memory: () => StorageMemory.layer,
  sqlite: () => Layer.provide(StorageSql.layer, BetterSqlite3.layer(":memory:")),
  postgres
} as const

type Name = keyof typeof storages

const all = Object.keys(storages) as ReadonlyArray<Name>
const chosen = values.storage === "all" ? all : all.filter((name) => name === values.storage)

if (chosen.length === 0) {
  CommandLine.reject(`--storage must be memory, sqlite, postgres or all, not ${JSON.stringify(values.storage)}`)
}

const say = (line: string) => process.stdout.write(`${line}\n`)

let broken = 0
const server = chosen.includes("postgres") ? await PostgresServer.start() : undefined
for (const name of chosen) {
  const began = performance.now()
  let failed = 0
  for (let seed = from; seed < from + seeds; seed++) {
    const played = History.play(storages[name](server?.url ?? ""), { seed, steps })
    const exit = await Effect.runPromiseExit(Effect.scoped(played))
    if (Exit.isSuccess(exit)) continue
    failed++
    const error = Cause.squash(exit.cause)
    say(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
  const seconds = (performance.now() - began) / 1000
  say(`${name}: ${seeds - failed} of ${seeds} histories of ${steps} steps break no law, ${seconds.toFixed(0)} s`)
  broken += failed
}
await server?.stop()
process.exit(broken === 0 ? 0 : 1)
