import { AgreementReplacement, Invoice } from "@crossdock/billing"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { company } from "./Fixtures.ts"

const period = { start: 0, end: 1 }
const of = { companyId: company, agreementId: "a", index: 0, period, currency: "INR" }

const item = (type: Invoice.ItemType, amount: number): Invoice.Item => ({
  type,
  name: type,
  description: null,
  amount,
  period,
  planId: null
})

const items = [item("subscription", 30_000), item("discount", -3_000), item("usage", 70), item("credit", -7_000)]

describe("An invoice", () => {
  it("shows the sum before discount, credit and tax, and taxes what is left", () => {
    const gst = { name: "GST", hundredths: 1_800 }
    const { items: all, subtotal, total } = Invoice.draft(of, items, gst)
    deepStrictEqual(all, [...items, { ...item("tax", 3_613), name: "GST" }])
    deepStrictEqual([subtotal, total], [30_070, 23_683])
  })

  it("has no item for a tax of nothing, and none without a tax", () => {
    const free = [item("subscription", 30_000), item("credit", -30_000)]
    deepStrictEqual(Invoice.draft(of, free, { name: "GST", hundredths: 1_800 }), {
      ...of,
      items: free,
      subtotal: 30_000,
      total: 0
    })
    deepStrictEqual(Invoice.draft(of, items, null), { ...of, items, subtotal: 30_070, total: 20_070 })
  })

  it("says what its credits paid, which discounts are not", () => {
    deepStrictEqual(
      [AgreementReplacement.credited({ items }), AgreementReplacement.credited({ items: [] })],
      [7_000, 0]
    )
  })

  it("is payable again at once when its payment was rejected, and only then", () => {
    const payments = [
      { state: "none", attempts: 0, nextAt: 30 },
      { state: "asked", attempts: 1, nextAt: 30 },
      { state: "failed", attempts: 1, nextAt: 30 },
      { state: "failed", attempts: 4, nextAt: null }
    ] as const
    const retried = Invoice.retriedAt<Pick<Invoice.Invoice, "modifiedAt" | "payment">>(
      payments.map((payment) => ({ payment, modifiedAt: 0 })),
      7
    )
    deepStrictEqual(
      retried,
      [1, 4].map((attempts) => ({ payment: { state: "failed", attempts, nextAt: 7 }, modifiedAt: 7 }))
    )
  })

  it("has a number of six digits or more in its year", () => {
    deepStrictEqual(
      [42, 1_234_567].map((nth) => Invoice.numberText(2026, nth)),
      ["INV-2026-000042", "INV-2026-1234567"]
    )
    strictEqual(Invoice.sum([]), 0)
  })
})
