import { describe, it } from "@effect/vitest"
import { assertTrue } from "@effect/vitest/utils"
import * as Orders from "../src/growing/Orders.ts"
import * as Sellers from "../src/growing/Sellers.ts"

describe("The orders of a measurement", () => {
  it("have lines whose SKUs are independent of each other, as the pages are that they change", () => {
    const skus = 1000
    const numbers = new Map(Array.from({ length: skus }, (_, nth) => [Sellers.skuOf(nth), nth]))
    const distances = Array.from({ length: 100 }, () => {
      const [first, second] = Orders.orderOf([0], skus).shipments[0]?.lines ?? []
      const at = (sku = "") => numbers.get(sku) ?? Number.NaN
      return (at(second?.sku) - at(first?.sku) + skus) % skus
    })
    assertTrue(new Set(distances).size > 50, String(distances))
  })
})
