/**
 * Writes packages/storage-sql/test/fixtures/database-<last migration>.json, a filled database that a test upgrades.
 * Run it before a release, because later programs no longer write that schema.
 *
 * The arguments are the seed of the history, its number of steps, and optionally the number of an earlier migration with the
 * same tables on SQLite, for the name of the file. The rows have the columns of SQLite, which PostgreSQL has too.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Directory, SignInAttempts } from "@crossdock/access"
import { Billing, BillingLedger, BillingRun, BillingStore, PaymentProviderTest } from "@crossdock/billing"
import * as History from "@crossdock/histories/History"
import * as World from "@crossdock/histories/World"
import { Idempotency } from "@crossdock/kernel"
import { Pricing } from "@crossdock/pricing"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Migrations from "@crossdock/storage-sql/Migrations"
import Database from "better-sqlite3"
import { Clock, Effect, Layer, Result } from "effect"
import { read } from "../packages/storage-sql/test/fixtures/Reads.ts"

const seed = Number(process.argv[2] ?? 2)
const steps = Number(process.argv[3] ?? 90)

const folder = mkdtempSync(join(tmpdir(), "crossdock-fixture-"))
const file = join(folder, "fixture.db")
const storage = Layer.provide(StorageSql.layer, BetterSqlite3.layer(file))
const world = await Effect.runPromise(Effect.scoped(History.play(storage, { seed, steps })))

const day = 86_400_000
const [company] = World.companies
const seller = World.seller(company)

const plan = {
  id: "basic",
  name: "Basic",
  description: "Basic, by the month",
  amount: 99_900,
  currency: "INR",
  interval: "month",
  trialDays: 0,
  productSuite: null,
  isActive: true,
  limits: {
    application: { enabled: true, hardLimit: 5, softLimit: 5 },
    marketplace: { enabled: true },
    otherPlatform: { enabled: true },
    team: { limit: -1 },
    products: { bulk: true, limit: 100 },
    extensions: { enabled: true, limit: -1 },
    integrations: { enabled: true, limit: -1 }
  },
  createdAt: world.now,
  modifiedAt: world.now
}

const account = {
  username: "seller-1",
  passwordHash: "none",
  enabled: true,
  generation: 1,
  sandbox: false,
  principal: seller.principal
}

const coupon = {
  code: "TEN",
  reduction: { kind: "percent", hundredths: 1000 },
  plans: null,
  startsAt: null,
  endsAt: null,
  maxUses: 3
}

const more = Effect.gen(function* () {
  const [directory, attempts] = [yield* Directory, yield* SignInAttempts.SignInAttempts]
  yield* directory.putAccounts([account])
  yield* directory.secret("tokens", "a secret of the fixture")
  yield* attempts.add(["integration:seller-1"], world.now, 0)
  const keys = yield* Idempotency.Idempotency
  const answer = { status: 200, contentType: "application/json", body: "{}" }
  const times = { claimedUntil: world.now, expiresAt: world.now + day }
  const key = { principal: "integration:seller-1", method: "PUT", path: "/ims/v3/inventory", key: "key-1" }
  yield* keys.put(key, { fingerprint: "print", owner: "a", answer, ...times }, undefined)
  const { setPrices } = yield* Pricing.Pricing
  const price = { location: "L1", mrp: 800, esp: 500, currency: "INR" }
  yield* setPrices(
    seller,
    ["P1-S", "P1-M"].map((sku) => Result.succeed({ sku, ...price }))
  )
  const store = yield* BillingStore
  yield* store.putPlans([plan])
  yield* store.putCoupons([coupon])
  yield* store.putExtensions([{ id: "ext1", name: "Extension 1", companies: null }])
  const [billing, run] = [yield* Billing.Billing, yield* BillingRun.BillingRun]
  const detail = { name: "Kaveri Traders", email: "bills@example.com", billingAddress: { city: "Bengaluru" } }
  yield* billing.putCustomer(seller, company, { uniqueId: null, detail })
  yield* billing.activate(seller, company, { planId: "basic", uniqueId: null, coupon: "TEN" })
  yield* run.bill
  yield* run.collect
  world.now += 32 * day
  yield* run.bill
})

const clock = {
  currentTimeMillisUnsafe: () => world.now,
  currentTimeMillis: Effect.sync(() => world.now),
  currentTimeNanosUnsafe: () => BigInt(world.now) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(world.now) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => BigInt(world.now) * 1_000_000n,
  monotonicTimeNanos: Effect.sync(() => BigInt(world.now) * 1_000_000n),
  sleep: () => Effect.void
}

const services = Layer.mergeAll(Billing.layer, BillingRun.layer, Pricing.layer).pipe(
  Layer.provideMerge(Layer.merge(BillingLedger.layer, PaymentProviderTest.layer)),
  Layer.provideMerge(World.services(storage))
)
await Effect.runPromise(more.pipe(Effect.provide(services), Effect.provideService(Clock.Clock, clock)))

const reads = await Effect.runPromise(Effect.provide(read, storage))

const database = new Database(file, { readonly: true })
// Counts of shipments aren't in the file, because the database counts stored shipments itself.
const names = database
  .prepare(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'crossdock\\_%' ESCAPE '\\'
     AND name NOT IN ('crossdock_migrations', 'crossdock_shipment_counts') ORDER BY name`
  )
  .all()
const tables = names.flatMap(({ name }) => {
  const read = database.prepare(`SELECT * FROM ${name}`)
  const columns = read.columns().map(({ name: column, type }) => [column, type])
  const rows = read.raw().all()
  return rows.length === 0 ? [] : [{ name, columns, rows }]
})
database.close()
rmSync(folder, { recursive: true })

const last = Object.keys(Migrations.migrations).at(-1)
const version = process.argv[4] ?? last.slice(0, 4)
const target = new URL(`../packages/storage-sql/test/fixtures/database-${version}.json`, import.meta.url)
const text = JSON.stringify({ version, now: world.now, reads, tables })
writeFileSync(fileURLToPath(target), `${text}\n`)
process.stdout.write(
  `${text.length} characters, ${tables.map(({ name, rows }) => `${name} ${rows.length}`).join(", ")}\n`
)
