import * as Storage from "@crossdock/cli/Storage"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { describe, it } from "@effect/vitest"
import { assertTrue, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Option, Redacted, Scope } from "effect"
import { inject } from "vitest"
import * as Pgbouncer from "../../../packages/storage-sql/test/Pgbouncer.ts"
import { orderOf } from "../src/demo/Sample.ts"
import { useHost } from "./TestHost.ts"

const suite = () => {
  const scope = Effect.runSync(Scope.make())
  const run = <A>(effect: Effect.Effect<A, never, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
  let [direct, pooler] = ["", ""]
  const host = useHost(async () => {
    direct = Redacted.value(await run(PostgresDatabase.make(inject("postgres"))))
    pooler = await run(Pgbouncer.make(direct, 4))
    return { databaseUrl: direct, databasePooler: Option.some(pooler), databasePool: 20 }
  })
  const sku = "85123A"

  it("accepts exactly 100 of 200 concurrent orders for 100 units, with 4 sessions of the server", async () => {
    await host.acme.call("PUT", "/ims/v3/inventory", [{ location_id: "BLR1", sku, quantity: 100 }])
    const line = { sku, quantity: 1, unitPrice: "1.00" }
    const order = (nth: number) =>
      orderOf(
        { invoice: `P${nth}`, cancellation: false, date: "2010-12-01T00:00:00Z", country: "India", lines: [line] },
        0
      )
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, nth) => host.bazaar.call("POST", "/order/api/v1/bazaar/create", order(nth)))
    )
    strictEqual(answers.filter(({ status }) => status === 200).length, 100)
    strictEqual(answers.filter(({ status }) => status === 409).length, 100)
  })

  it("does not start when DATABASE_URL is the pooler, and says which setting it belongs to", async () => {
    const failure = await Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(Storage.layer(pooler)))))
    assertTrue(/^DATABASE_URL leads to a pooler .*, and DATABASE_POOLER_URL to the pooler$/.test(failure.message))
  })
}

describe("A host behind pgbouncer in transaction mode", () => {
  if (Pgbouncer.program !== undefined) suite()
  else it.skip("pgbouncer is not installed here: apt-get install pgbouncer", () => {})
})
