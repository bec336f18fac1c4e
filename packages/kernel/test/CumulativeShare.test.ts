import { cumulativeShare } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"

describe("The share of an amount", () => {
  it("that the first parts have is rounded towards 0, and the whole has all of it", () => {
    deepStrictEqual(
      [0, 1, 2, 3].map((part) => cumulativeShare(100, part, 3)),
      [0, 33, 66, 100]
    )
    strictEqual(cumulativeShare(-100, 2, 3), -66)
  })

  it("is exact where a product of numbers would not be", () => {
    strictEqual(
      cumulativeShare(9_007_199_254_740_991, 9_007_199_254_740_989, 9_007_199_254_740_991),
      9_007_199_254_740_989
    )
  })

  it("is 0 of nothing", () => {
    strictEqual(cumulativeShare(100, 0, 0), 0)
  })
})
