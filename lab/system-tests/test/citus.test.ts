/** The laws of storages on tables distributed by Citus, if it is installed: `npm run lab -- citus`. */
import { readFileSync } from "node:fs"
import * as Seed from "@crossdock/storage-laws"
import { everyLaw } from "@crossdock/storage-laws/EveryLaw"
import { Distribution, Migrations, StorageSql } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it, layer } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Exit, Fiber, Layer, Redacted, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Api from "../src/Api.ts"
import * as CitusServers from "../src/CitusServers.ts"
import * as HostProcess from "../src/HostProcess.ts"
import * as Random from "../src/Random.ts"
import * as Laws from "../src/races/Laws.ts"
import * as Races from "../src/races/Races.ts"

/** The laws that Citus can't keep, by port, and why. */
const broken: Readonly<Record<string, string>> = {
  "ShipmentStore: an id is used once: a second insert is stale and leaves nothing, whose ever the first is":
    "A unique index contains the company, so two companies can insert the same id. Only the randomness of ids prevents this",
  "ShipmentStore: of many who insert one id at once exactly one wins, the others are stale":
    "A unique index contains the company, so two companies can insert the same id at the same time",
  "ShipmentStore: inside a transaction totals count its writes so far, whenever they are read":
    "SET CONSTRAINTS doesn't reach the workers, so totals are updated only at the commit",
  "EventEndpointStore: of several who change a locked page each reads what those before it wrote":
    "One query can't lock rows on several workers, so only one of several concurrent `rotate-secret secrets-key` commands succeeds"
}

const distributed = Layer.unwrap(
  Effect.map(Effect.orDie(CitusServers.make(2)), ({ url }) => Layer.orDie(Postgres.layer(Redacted.make(url))))
)

const placed = Layer.effectDiscard(
  Effect.andThen(Effect.scoped(Layer.build(Migrations.layer)), Distribution.distribute)
)

const storage = Seed.Seed.layer.pipe(
  Layer.provideMerge(StorageSql.layer),
  Layer.provide(placed),
  Layer.provide(distributed)
)

const guide = readFileSync(new URL("../../../docs/guides/growing.md", import.meta.url), "utf8")

describe("Tables that Citus distributes by company", () => {
  it("have the exceptions that the guide lists", () => {
    const lines = Object.entries(broken).map(([law, why]) => `| ${law} | ${why} |`)
    deepStrictEqual(
      lines.filter((line) => !guide.includes(line)),
      []
    )
  })
})

/** Each table's rows as a number and a digest. */
const rowsOf = (url: string) =>
  Effect.gen(function* () {
    const count = (table: string) =>
      `SELECT '${table}' AS name, count(*) AS rows, md5(string_agg(t::text, ',' ORDER BY t::text COLLATE "C")) AS digest
        FROM ${table} t`
    return (yield* CitusServers.on(url, ...Object.keys(Distribution.placements).map(count))).flat()
  })

/** A release's migration: two new tables, and a distributed table's trigger. */
const withoutLastMigration = [
  "BEGIN",
  Distribution.withTriggers,
  "DROP TRIGGER crossdock_shipments_deleted ON crossdock_shipments",
  "DROP FUNCTION crossdock_count_deleted",
  "DROP TABLE crossdock_archived_orders",
  "DROP TABLE crossdock_archived_numbers",
  "DELETE FROM crossdock_migrations WHERE migration_id = 20",
  "COMMIT"
]

const undistributed = (url: string) =>
  SqlClient.SqlClient.pipe(
    Effect.flatMap(Distribution.unplaced),
    Effect.provide(Postgres.layer(Redacted.make(url), { maxConnections: 1 })),
    Effect.orDie
  )

/** Ends the session that waits for a lock on the last table, when all others are distributed. */
const endHalfWay = (url: string, distribute: () => Promise<unknown>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const locked = Effect.gen(function* () {
      yield* sql`LOCK TABLE crossdock_sign_in_failures IN ROW EXCLUSIVE MODE`
      const distributing = yield* Effect.forkChild(Effect.exit(Effect.tryPromise(distribute)))
      // From this session, which would end if it were idle.
      yield* Effect.andThen(
        sql`SELECT pg_stat_clear_snapshot()::text`,
        sql`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND query LIKE '%sign_in_failures%'`
      ).pipe(Effect.repeat({ until: (ended) => ended.length > 0, schedule: Schedule.spaced("50 millis") }))
      return yield* Fiber.join(distributing)
    })
    return yield* sql.withTransaction(locked)
  }).pipe(Effect.provide(Postgres.layer(Redacted.make(url), { maxConnections: 1 })), Effect.orDie)

interface Found {
  readonly check: string
  readonly state: string
  readonly says: string
}

const story = Effect.gen(function* () {
  const { url, workers } = yield* CitusServers.make(2)
  const environment = { DATABASE_URL: url, SANDBOX: "day", LOG_LEVEL: "none" }
  const run = (...args: ReadonlyArray<string>) => HostProcess.crossdock(environment, args)
  const done = (...args: ReadonlyArray<string>) => Effect.promise(() => run(...args))
  /** Tests' servers don't wait for the disk, so doctor always fails; its findings are JSON. */
  const doctor = Effect.map(Effect.flip(Effect.tryPromise({ try: () => run("doctor"), catch: String })), (text) => {
    const found: ReadonlyArray<Found> = JSON.parse(text.slice(text.indexOf("["), text.lastIndexOf("]") + 1))
    return found.filter(({ check }) => ["shards", "distribution", "everything else"].includes(check))
  })
  const stated = Effect.map(doctor, (found) => found.map(({ check, state }) => `${check} ${state}`))

  yield* Effect.scoped(HostProcess.scoped(environment))
  const rows = yield* rowsOf(url)
  deepStrictEqual(yield* stated, [])

  deepStrictEqual(Exit.isFailure(yield* endHalfWay(url, () => run("migrate", "--distribute"))), true)
  deepStrictEqual(yield* undistributed(url), Object.keys(Distribution.placements))
  deepStrictEqual(yield* rowsOf(url), rows)

  yield* done("migrate", "--distribute")
  yield* done("migrate", "--distribute")
  deepStrictEqual(yield* undistributed(url), [])
  deepStrictEqual(yield* rowsOf(url), rows)
  yield* done("audit", "verify")
  deepStrictEqual(yield* done("stock", "verify"), [])
  const [shards] = yield* doctor
  deepStrictEqual(shards?.says.match(/has \d+ shards?/g)?.sort(), ["has 0 shards", "has 6 shards", "has 6 shards"])

  yield* CitusServers.on(url, ...withoutLastMigration)
  yield* done("migrate")
  deepStrictEqual(yield* stated, ["shards ok"])

  const host = yield* HostProcess.scoped(environment)
  const sides = yield* Effect.promise(async () => ({
    seller: await Api.seller(host.url),
    marketplace: await Api.marketplace(host.url)
  }))
  const played = yield* Effect.promise(async () => {
    await Races.stock(sides, 100_000)
    return Races.run([sides], 60, Random.make(1), "AFTER")
  })
  deepStrictEqual(yield* Effect.promise(() => Laws.faults(url, played.acknowledged)), [])

  yield* Effect.promise(() => workers[0]?.stop() ?? Promise.resolve())
  deepStrictEqual(yield* stated, ["shards fault", "everything else warning"])
}).pipe(Effect.scoped)

if (CitusServers.installed === undefined) describe.skip(CitusServers.missing, () => it("is not tried", () => {}))
else {
  describe("crossdock migrate --distribute", () => {
    it.live("keeps all rows, is done as a whole or not at all, and places what later migrations add", () => story, {
      timeout: 180_000
    })
  })

  layer(storage, { timeout: "2 minutes", excludeTestServices: true })("Storage laws: Citus with two workers", (it) => {
    for (const { port, sentence, shown } of everyLaw) {
      const law = `${port}: ${sentence}`
      it.effect(law, () =>
        law in broken ? Effect.map(Effect.exit(shown), (exit) => deepStrictEqual(Exit.isFailure(exit), true)) : shown
      )
    }
  })
}
