/** A coordinator and workers of Citus on this machine. They need an installed PostgreSQL with Citus. */
import { existsSync, globSync } from "node:fs"
import { join } from "node:path"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { Effect, Redacted } from "effect"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"

/** The folder of a PostgreSQL with Citus. It is `CROSSDOCK_CITUS`, or the folder of an installed package. */
export const installed: string | undefined = [
  process.env.CROSSDOCK_CITUS ?? "",
  ...globSync("/usr/lib/postgresql/*")
].find(
  (folder) => folder !== "" && existsSync(join(folder, "bin/postgres")) && existsSync(join(folder, "lib/citus.so"))
)

export const missing =
  "Citus is not installed here: install it for a PostgreSQL, and set CROSSDOCK_CITUS to the folder that has bin/postgres and lib/citus.so"

/** The settings of each server. Moving a shard needs `wal_level=logical`. Distributed commits are prepared transactions. */
const settings = [
  "shared_preload_libraries=citus",
  "max_prepared_transactions=200",
  "max_connections=300",
  "wal_level=logical",
  "citus.node_conninfo=sslmode=disable",
  "citus.shard_count=12",
  // Each connection is a new process of the worker, so a query of all shards must not open more connections.
  "citus.max_adaptive_executor_pool_size=1",
  // The prepared transactions of a restarted worker are recovered at once instead of after a minute.
  "citus.recover_2pc_interval=1s"
]

export interface CitusServers {
  /** The address of the coordinator's database. */
  readonly url: string
  readonly coordinator: PostgresServer.PostgresServer
  readonly workers: ReadonlyArray<PostgresServer.PostgresServer>
}

const database = "crossdock"

const at = (url: string, name: string): string => {
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}

export const on = (url: string, ...statements: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.forEach(statements, (one) => sql.unsafe<object>(one))).pipe(
    Effect.provide(Postgres.layer(Redacted.make(url), { maxConnections: 1 })),
    Effect.orDie
  )

const server = (options: PostgresServer.Options) =>
  Effect.gen(function* () {
    const started = yield* Effect.acquireRelease(
      Effect.promise(() => PostgresServer.start(options)),
      ({ stop }) => Effect.promise(stop)
    )
    yield* on(started.url, `CREATE DATABASE ${database}`)
    yield* on(at(started.url, database), "CREATE EXTENSION citus")
    return started
  })

/** Starts a coordinator with `count` workers, perhaps none. The servers end with the scope. */
export const make = (
  count: number,
  options: PostgresServer.Options = {}
): Effect.Effect<CitusServers, Error, Scope.Scope> =>
  Effect.gen(function* () {
    if (installed === undefined) return yield* Effect.fail(new Error(missing))
    const start = server({ survivesCrash: true, ...options, native: installed, settings })
    const [coordinator, ...workers] = yield* Effect.all([start, ...Array.from({ length: count }, () => start)], {
      concurrency: "unbounded"
    })
    const url = at(coordinator.url, database)
    const { hostname, port } = new URL(url)
    yield* on(
      url,
      `SELECT citus_set_coordinator_host('${hostname}', ${port})`,
      ...(count === 0 ? [`SELECT citus_set_node_property('${hostname}', ${port}, 'shouldhaveshards', true)`] : []),
      ...workers.map((worker) => `SELECT citus_add_node('${hostname}', ${new URL(worker.url).port})`)
    )
    return { url, coordinator, workers }
  })
