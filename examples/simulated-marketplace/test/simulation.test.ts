import * as Simulation from "@crossdock/example-simulated-marketplace/Simulation"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"

const skus = ["85123A", "71053", "84406B", "84029G", "84029E"]

describe("Marketplaces that sell the same scarce stock at once", () => {
  it("sell no unit twice, lose no order, and believe in the end what is so", async () => {
    const report = await Effect.runPromise(
      Simulation.run({
        database: "sqlite",
        hosts: 1,
        disturb: false,
        marketplaces: 3,
        orders: 40,
        rate: 0,
        skus,
        stock: 12,
        shipped: 5,
        returned: 2
      })
    )
    deepStrictEqual(report.differences, [])
    strictEqual(report.accepted + (report.rejected.INSUFFICIENT_STOCK ?? 0), 120)
    deepStrictEqual(Object.keys(report.rejected), ["INSUFFICIENT_STOCK"])
    deepStrictEqual([report.delivered, report.returned], [15, 6])
    assertTrue(report.good > 0 && report.bad > 0, "units came back good and bad")
    assertTrue(report.notifications > 0)
  })
})
