import { PriceList } from "@crossdock/billing"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"

describe("The percentage of a coupon", () => {
  it("has at most two decimals, every one of which counts", () => {
    const hundredths = Array.from({ length: 10_000 }, (_, nth) => nth + 1)
    deepStrictEqual(
      hundredths.filter((one) => !PriceList.isPercent(Number((one / 100).toFixed(2)))),
      []
    )
    deepStrictEqual([0, -1, 100.01, 0.001, 1.005, 33.333, Number.NaN].map(PriceList.isPercent), Array(7).fill(false))
  })
})
