import { Directory, type Integration } from "@crossdock/access"
import { PaymentProviderTest } from "@crossdock/billing"
import { Host, orThrow } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { CompanyId } from "@crossdock/kernel"
import type { LocationMapping, Registration } from "@crossdock/marketplaces"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { StorageSql } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Logger, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"

const setup = { principal: { kind: "system", id: "setup" }, requestId: null } as const
const password = "correct horse battery"

const integration = (id: string, companyId: CompanyId): Integration => ({
  kind: "integration",
  id,
  integrationId: id,
  companyId,
  locations: null,
  stockPolicy: "set"
})

/** Three hosts on a PostgreSQL database. */
const hostsOn = (url: Redacted.Redacted, storage: typeof StorageSql.layer = StorageSql.layer) => {
  const host = Effect.promise(() =>
    Host.make({
      storage: Layer.provide(storage, Layer.orDie(Postgres.layer(url))),
      runtime: Node.runtime({ passwordCost: { logN: 4, blockSize: 8, parallel: 1 } }),
      payments: PaymentProviderTest.layer,
      publicUrl: "https://shop.example",
      tokenSecret: Redacted.make("0123456789abcdef0123456789abcdef"),
      addressOf: () => "192.0.2.1",
      workers: false,
      observability: Logger.layer([])
    })
  )
  return Effect.forEach(Array.from({ length: 3 }), () =>
    Effect.acquireRelease(host, ({ dispose }) => Effect.promise(dispose))
  )
}

const database = PostgresDatabase.make(inject("postgres"))

/** Three hosts on a PostgreSQL database of their own. */
const hosts = Effect.flatMap(database, (url) => hostsOn(url))

/**
 * The outcomes of calls that have all begun, one after the other, before what `lock` locks is free: each begins when those before wait for
 * a lock.
 */
const whileLocked = <A>(url: Redacted.Redacted, lock: string, calls: ReadonlyArray<() => Promise<A>>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const waiting = sql`SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    const begun = yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql.unsafe(lock)
        const begun: Array<Promise<A>> = []
        for (const call of calls) {
          begun.push(call())
          yield* Effect.repeat(Effect.andThen(sql`SELECT pg_stat_clear_snapshot()`, waiting), {
            until: ({ length }) => length === begun.length
          })
        }
        return begun
      })
    )
    return yield* Effect.promise(() => Promise.all(begun))
  }).pipe(Effect.provide(Layer.fresh(Layer.orDie(Postgres.layer(url)))))

const company = { id: CompanyId.make(1), name: "Company 1", legalName: "Company 1" }
const itsRow = `SELECT 1 FROM crossdock_companies WHERE id = ${company.id} FOR UPDATE`

const nameOf = (nth: number) => `Company ${nth}`
const location = (currency: string) => ({ code: "BLR1", name: "Bengaluru", currency, handlingHours: 24, address: null })

describe("Registrations at the same moment on three hosts", () => {
  it.live("give a username to one company alone, which signs in with its own password", () =>
    Effect.gen(function* () {
      const all = yield* hosts
      const ids = Array.from({ length: 12 }, (_, nth) => CompanyId.make(nth + 1))
      const on = (nth: number) => Effect.fromNullishOr(all[nth % all.length]).pipe(Effect.orDie)
      for (const id of ids) {
        const { services } = yield* on(0)
        const company = { id, name: nameOf(id), legalName: nameOf(id) }
        yield* Effect.promise(() => services.companies.register(setup, company, []))
      }
      for (const round of [1, 2, 3, 4, 5]) {
        const username = `shop-${round}`
        const outcomes = yield* Effect.forEach(
          ids,
          (id) =>
            Effect.flatMap(on(id), ({ services }) =>
              Effect.promise(() => services.accounts.register(setup, integration(username, id), `${password} ${id}`))
            ),
          { concurrency: "unbounded" }
        )
        strictEqual(outcomes.filter(({ ok }) => ok).length, 1)
        const rejected = outcomes.flatMap((one) => (one.ok ? [] : [one.error]))
        deepStrictEqual(
          rejected.map((error) => error._tag === "AccountRejected" && error.violations.map(({ code }) => code)),
          Array(11).fill(["USERNAME_TAKEN"])
        )
        const owner = ids[outcomes.findIndex(({ ok }) => ok)]
        const { handler } = yield* on(0)
        const signIn = new Request("https://shop.example/aggregator/v1/token", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ username, password: `${password} ${owner}` })
        })
        strictEqual((yield* Effect.promise(() => handler(signIn))).status, 200)
      }
    })
  )

  it.live("never give a location another currency than it has", () =>
    Effect.gen(function* () {
      const all = yield* hosts
      for (const round of [1, 2, 3, 4, 5]) {
        const id = CompanyId.make(round)
        const company = { id, name: nameOf(round), legalName: nameOf(round) }
        const currencies = ["INR", "USD", "EUR", "GBP", "JPY", "AED"]
        const outcomes = yield* Effect.forEach(
          currencies,
          (currency, nth) =>
            Effect.flatMap(Effect.orDie(Effect.fromNullishOr(all[nth % all.length])), ({ services }) =>
              Effect.promise(() => services.companies.register(setup, company, [location(currency)]))
            ),
          { concurrency: "unbounded" }
        )
        strictEqual(outcomes.filter(({ ok }) => ok).length, 1)
        const found = yield* Effect.promise(async () => all[0]?.services.companies.find(id))
        assertTrue(found?.ok === true)
        deepStrictEqual(
          found.value.locations.map(({ currency }) => currency),
          [currencies[outcomes.findIndex(({ ok }) => ok)]]
        )
      }
    })
  )

  it.live("give each new password of an account a generation of its own, so that it ends all tokens before it", () =>
    Effect.gen(function* () {
      const url = yield* database
      const [first, second] = yield* hostsOn(url)
      assertTrue(first !== undefined && second !== undefined)
      const registered = Effect.promise(async () => {
        await first.services.companies.register(setup, company, [])
        return first.services.accounts.register(setup, integration("shop", company.id), password)
      })
      strictEqual((yield* registered).ok, true)
      const key = { kind: "integration", companyId: company.id, username: "shop" } as const
      const outcomes = yield* whileLocked(
        url,
        itsRow,
        [first, second].map(
          ({ services }, nth) =>
            () =>
              services.accounts.setPassword(setup, key, `${password} ${nth}`)
        )
      )
      deepStrictEqual(
        outcomes.map(({ ok }) => ok),
        [true, true]
      )
      const generation = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT generation FROM crossdock_accounts`)
      deepStrictEqual(yield* Effect.provide(generation, Layer.orDie(Postgres.layer(url))), [{ generation: 3 }])
    })
  )

  it.live("leave an operator disabled whose password changes meanwhile", () =>
    Effect.gen(function* () {
      const url = yield* database
      const [first, second] = yield* hostsOn(url)
      assertTrue(first !== undefined && second !== undefined)
      const disable = () => first.services.accounts.putOperator("asha", { enabled: false })
      const change = () => second.services.accounts.putOperator("asha", { password: `${password} 2` })
      const row = "SELECT 1 FROM crossdock_accounts WHERE kind = 'operator' FOR UPDATE"
      const stored = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`SELECT generation, enabled FROM crossdock_accounts`
      ).pipe(Effect.provide(Layer.orDie(Postgres.layer(url))))
      for (const calls of [
        [disable, change],
        [change, disable]
      ]) {
        yield* Effect.promise(() => orThrow(first.services.accounts.putOperator("asha", { password, enabled: true })))
        const [{ generation } = { generation: 0 }] = yield* stored
        const outcomes = yield* whileLocked(url, row, calls)
        deepStrictEqual(
          outcomes.map(({ ok }) => ok),
          [true, true]
        )
        deepStrictEqual(yield* stored, [{ generation: Number(generation) + 2, enabled: 0 }])
      }
    })
  )

  it.live("never give a location another currency, in a directory that stores no company that stays as it is", () =>
    Effect.gen(function* () {
      const url = yield* database
      const own = Layer.effect(
        Directory,
        Effect.map(Directory, (directory) => ({
          ...directory,
          putCompanies: (companies) =>
            Effect.flatMap(directory.companies, (known) => {
              const stored = new Set(known.map((one) => JSON.stringify(one)))
              const other = companies.filter((one) => !stored.has(JSON.stringify(one)))
              return other.length === 0 ? Effect.void : directory.putCompanies(other)
            })
        }))
      )
      const [first, second] = yield* hostsOn(url, Layer.provideMerge(own, StorageSql.layer))
      assertTrue(first !== undefined && second !== undefined)
      yield* Effect.promise(() => first.services.companies.register(setup, company, []))
      const outcomes = yield* whileLocked(
        url,
        itsRow,
        [[first, "INR"] as const, [second, "USD"] as const].map(
          ([{ services }, currency]) =>
            () =>
              services.companies.register(setup, company, [location(currency)])
        )
      )
      deepStrictEqual(
        outcomes.map(
          (one) => one.ok || (one.error._tag === "CompanyRejected" && one.error.violations.map(({ code }) => code))
        ),
        [true, ["CURRENCY_MISMATCH"]]
      )
    })
  )

  it.live("report a new company once", () =>
    Effect.gen(function* () {
      const url = yield* database
      const [first, second] = yield* hostsOn(url)
      assertTrue(first !== undefined && second !== undefined)
      yield* whileLocked(
        url,
        "LOCK TABLE crossdock_locations IN SHARE MODE",
        [first, second].map(
          ({ services }) =>
            () =>
              services.companies.register(setup, company, [location("INR")])
        )
      )
      const events = yield* Effect.promise(() => orThrow(first.services.events.read(company.id, 0, 10)))
      deepStrictEqual(
        events.map(({ data }) => data),
        [
          { isNew: true, locations: ["BLR1"] },
          { isNew: false, locations: ["BLR1"] }
        ]
      )
    })
  )

  it.live("leave no location of a closed company open, also if its mapping began before it was closed", () =>
    Effect.gen(function* () {
      const url = yield* database
      const [first, second] = yield* hostsOn(url)
      assertTrue(first !== undefined && second !== undefined)
      yield* Effect.promise(() => first.services.companies.register(setup, company, [location("INR")]))
      yield* whileLocked<unknown>(url, itsRow, [
        () => first.services.companies.close(setup, company.id),
        () => second.services.marketplaces.register(setup, mandi("mandi"))
      ])
      deepStrictEqual(yield* openMappings(url), { mandi: 0 })
    })
  )
})

const mandi = (slug: string): Registration.Registration => ({
  slug,
  name: slug,
  currency: "INR",
  password,
  locations: [{ companyId: company.id, location: "BLR1", code: "M-1" }],
  skus: null,
  buffers: [],
  webhook: null
})

/** How many locations each marketplace can order from. */
const openMappings = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* sql<{
      slug: string
      body: string
    }>`SELECT slug, body FROM crossdock_marketplaces ORDER BY slug`
    return Object.fromEntries(
      found.map(({ body, slug }) => {
        const { closedCompanies = [], locations } = JSON.parse(body)
        return [slug, locations.filter(({ companyId }: LocationMapping) => !closedCompanies.includes(companyId)).length]
      })
    )
  }).pipe(Effect.provide(Layer.orDie(Postgres.layer(url))))

describe("A company that is closed", () => {
  it.live("is closed as far as it can be when a marketplace can't be registered as it is", () =>
    Effect.gen(function* () {
      const url = yield* database
      const [host] = yield* hostsOn(url)
      assertTrue(host !== undefined)
      const { companies, marketplaces } = host.services
      yield* Effect.promise(async () => {
        await companies.register(setup, company, [location("INR")])
        for (const slug of ["a", "b"]) await marketplaces.register(setup, mandi(slug))
      })
      // It can't be registered without a password now.
      const spoil = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`DELETE FROM crossdock_accounts WHERE username = 'a'`
      )
      yield* Effect.provide(spoil, Layer.orDie(Postgres.layer(url)))
      const closed = yield* Effect.promise(() => companies.close(setup, company.id))
      assertTrue(!closed.ok && closed.error._tag === "RegistrationRejected")
      deepStrictEqual(yield* openMappings(url), { a: 1, b: 0 })
    })
  )
})
