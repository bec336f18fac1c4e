import { type ChargeDraft, type LineDraft, oneTimeCharge, subscriptionCharge } from "@crossdock/billing"
import { Money } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Result } from "effect"

const line = (amount: number, more: Partial<LineDraft> = {}): LineDraft => ({
  name: "Line",
  term: null,
  pricing: "one_time",
  price: { amount, currency: "INR" },
  interval: null,
  cap: null,
  metadata: null,
  isTest: false,
  trialDays: null,
  ...more
})

const draft = (lines: ReadonlyArray<LineDraft>): ChargeDraft => ({
  name: "Charge",
  returnUrl: "https://seller.example",
  isTest: false,
  trialDays: null,
  lines
})

const places = (charge: ReturnType<typeof subscriptionCharge>) =>
  Result.isSuccess(charge) ? [] : charge.failure.violations.map(({ code, path }) => `${path} ${code}`)

describe("The sum of a charge", () => {
  const most = Money.largestTotal / 100
  const tooMuch = ["/line_items OUT_OF_RANGE"]

  it("has at most 15 digits, so that an invoice shows it exactly", () => {
    const huge = 90_071_992_547_409.9
    deepStrictEqual(places(subscriptionCharge(draft([line(huge), line(huge), line(1.01)]))), tooMuch)
    deepStrictEqual(places(subscriptionCharge(draft([line(most - 1), line(1)]))), [])
    deepStrictEqual(places(subscriptionCharge(draft([line(most - 1), line(1.01)]))), tooMuch)
    deepStrictEqual(places(oneTimeCharge(draft([line(huge)]))), ["/charge/price/amount OUT_OF_RANGE"])
  })

  it("counts usage by its cap, and the tax on all", () => {
    const usage = (cap: number) => line(1, { pricing: "usage", cap })
    deepStrictEqual(places(subscriptionCharge(draft([usage(most - 5), line(5)]))), [])
    deepStrictEqual(places(subscriptionCharge(draft([usage(most - 5), line(5.01)]))), tooMuch)
    const tax = { name: "GST", hundredths: 1_800 }
    deepStrictEqual(places(subscriptionCharge(draft([line(8_474_576_271_186.43)]), tax)), [])
    deepStrictEqual(places(subscriptionCharge(draft([line(8_474_576_271_186.44)]), tax)), tooMuch)
  })
})
