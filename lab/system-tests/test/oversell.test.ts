import { join } from "node:path"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Redacted, Scope } from "effect"
import { inject } from "vitest"
import { temporaryFolder } from "../../../packages/http/test/TemporaryFolder.ts"
import { orderOf } from "../src/demo/Sample.ts"
import { useHost } from "./TestHost.ts"

interface Listing {
  readonly data: ReadonlyArray<{ readonly quantity: number; readonly reserved: number; readonly sellable: number }>
}

/** The storages and their numbers of runs; in memory, all runs are equal. `simulate` and `races` of the lab have more orders. */
const storages = [
  { name: "SQLite", runs: 4, databaseUrl: (folder: string) => `sqlite:${join(folder, "oversell.db")}` },
  { name: "PostgreSQL", runs: 3, databaseUrl: () => freshPostgres() },
  { name: "memory", runs: 1, databaseUrl: () => "memory:" }
] as const

/** A separate database on the run's server, which ends with it. */
const freshPostgres = () =>
  Effect.map(PostgresDatabase.make(inject("postgres")), Redacted.value).pipe(
    Scope.provide(Effect.runSync(Scope.make())),
    Effect.runPromise
  )

describe.each(storages)("stock under concurrent orders, on $name", ({ databaseUrl, runs }) => {
  const folder = temporaryFolder()
  const host = useHost(async () => ({ databaseUrl: await databaseUrl(folder) }))
  const sku = "85123A"

  for (let run = 1; run <= runs; run++) {
    it(`accepts exactly 100 of 200 concurrent one-unit orders for 100 units, run ${run}`, async () => {
      const before = await host.acme.call<Listing>("GET", `/ims/v3/listings?skus=${sku}`)
      const reserved = before.body.data[0]?.reserved ?? 0
      await host.acme.call("PUT", "/ims/v3/inventory", [{ location_id: "BLR1", sku, quantity: reserved + 100 }])
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, nth) =>
          host.bazaar.call<{ readonly code?: string }>(
            "POST",
            "/order/api/v1/bazaar/create",
            orderOf(
              {
                invoice: `${run}-${nth}`,
                cancellation: false,
                date: "2010-12-01T00:00:00Z",
                country: "India",
                lines: [{ sku, quantity: 1, unitPrice: "1.00" }]
              },
              0
            )
          )
        )
      )
      strictEqual(answers.filter(({ status }) => status === 200).length, 100)
      const rejected = answers.filter(({ status }) => status !== 200)
      deepStrictEqual(
        new Set(rejected.map(({ body, status }) => `${status} ${body.code}`)),
        new Set(["409 INSUFFICIENT_STOCK"])
      )
      const after = await host.acme.call<Listing>("GET", `/ims/v3/listings?skus=${sku}`)
      deepStrictEqual(
        after.body.data.map(({ quantity, reserved, sellable }) => ({ quantity, reserved, sellable })),
        [{ quantity: reserved + 100, reserved: reserved + 100, sellable: 0 }]
      )
    })
  }
})
