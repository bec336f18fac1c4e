import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { orderOf } from "../src/demo/Sample.ts"
import { temporaryFolder, useHost } from "./TestHost.ts"

interface Listing {
  readonly data: ReadonlyArray<{ readonly quantity: number; readonly reserved: number; readonly sellable: number }>
}

describe("stock under many orders at once", () => {
  const folder = temporaryFolder()
  const host = useHost(() => ({ databaseUrl: `sqlite:${join(folder, "oversell.db")}` }))
  const sku = "85123A"

  for (let run = 1; run <= 10; run++) {
    it(`of 200 concurrent one-unit orders on 100 units exactly 100 are accepted, run ${run} of 10`, async () => {
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
      const refused = answers.filter(({ status }) => status !== 200)
      deepStrictEqual(
        new Set(refused.map(({ body, status }) => `${status} ${body.code}`)),
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
