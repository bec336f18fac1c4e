import type { Integration } from "@crossdock/access"
import { PaymentProviderTest } from "@crossdock/billing"
import { Host } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { CompanyId } from "@crossdock/kernel"
import * as PostgresDatabase from "@crossdock/storage-laws/PostgresDatabase"
import type {} from "@crossdock/storage-laws/PostgresGlobalSetup"
import { StorageSql } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Logger, Redacted } from "effect"
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

/** Three hosts on a PostgreSQL database of their own. */
const hosts = Effect.gen(function* () {
  const url = yield* PostgresDatabase.make(inject("postgres"))
  const host = Effect.promise(() =>
    Host.make({
      storage: Layer.provide(StorageSql.layer, Layer.orDie(Postgres.layer(url))),
      runtime: Node.runtime({ passwordCost: { logN: 4, blockSize: 8, parallel: 1 } }),
      payments: PaymentProviderTest.layer,
      publicUrl: "https://shop.example",
      tokenSecret: Redacted.make("0123456789abcdef0123456789abcdef"),
      addressOf: () => "192.0.2.1",
      workers: false,
      observability: Logger.layer([])
    })
  )
  return yield* Effect.forEach(Array.from({ length: 3 }), () =>
    Effect.acquireRelease(host, ({ dispose }) => Effect.promise(dispose))
  )
})

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
})
