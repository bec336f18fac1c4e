import { AgreementReplacement, type Invoice } from "@crossdock/billing"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"

const item = (type: Invoice.ItemType, amount: number): Invoice.Item => ({
  type,
  name: type,
  description: null,
  amount,
  period: { start: 0, end: 1 },
  planId: null
})

const items = [item("subscription", 30_000), item("discount", -3_000), item("usage", 70), item("credit", -7_000)]

describe("An invoice of a replaced agreement", () => {
  it("credits the unused part of what was paid for its period, at most of the price less the discount", () => {
    const june = { start: Date.UTC(2026, 5, 1), end: Date.UTC(2026, 6, 1) }
    const half = Date.UTC(2026, 5, 16)
    deepStrictEqual(
      [0, 10_000, 27_000, 60_000].map((paid) => AgreementReplacement.unused({ items, period: june }, paid, half)),
      [0, 5_000, 13_500, 13_500]
    )
    deepStrictEqual(
      [june.start - 1, june.end].map((at) => AgreementReplacement.unused({ items, period: june }, 27_000, at)),
      [27_000, 0]
    )
    strictEqual(AgreementReplacement.unused({ items: [item("usage", 70)], period: june }, 70, half), 0)
  })
})
