import { Money } from "@crossdock/kernel"
import { LineAmounts } from "@crossdock/returns"
import { describe } from "@effect/vitest"
import { assertTrue, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"
import { prop } from "../../kernel/test/prop.ts"

const share = FastCheck.double({ min: 0, max: 1, noNaN: true })

/** Lines with discounts at most their price and tax at most their total; and portions of their units. */
const divided = FastCheck.record({
  counts: FastCheck.array(FastCheck.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 }),
  esp: FastCheck.nat(10 ** 9),
  charge: FastCheck.nat(10 ** 6),
  shares: FastCheck.tuple(share, share, share)
}).map(({ charge, counts, esp, shares: [first, second, third] }) => {
  const ordered = counts.reduce((sum, count) => sum + count, 0)
  const gross = esp * ordered + charge
  const discount = Math.floor(gross * first)
  const couponDiscount = Math.floor((gross - discount) * second)
  const line = {
    ordered,
    esp: Money.minorUnits(esp),
    discount: Money.minorUnits(discount),
    couponDiscount: Money.minorUnits(couponDiscount),
    deliveryCharge: Money.minorUnits(charge),
    taxAmount: Money.minorUnits(Math.floor((gross - discount - couponDiscount) * third))
  }
  return { counts, line }
})

const amounts = ["discount", "couponDiscount", "deliveryCharge", "taxAmount"] as const

describe("The amounts of the portions of a line", () => {
  prop("add up to the line's, and none is negative", [divided], ([{ counts, line }]) => {
    const sums = { discount: 0, couponDiscount: 0, deliveryCharge: 0, taxAmount: 0 }
    let before = 0
    for (const count of counts) {
      const portion = LineAmounts.amountsOf(line, before, count)
      for (const amount of amounts) {
        assertTrue(portion[amount] >= 0)
        sums[amount] += portion[amount]
      }
      before += count
    }
    for (const amount of amounts) strictEqual(sums[amount], line[amount])
  })

  prop("have no more discount than price, and no more tax than total", [divided], ([{ line }]) => {
    for (let units = 0; units <= line.ordered; units++) {
      const upTo = LineAmounts.amountsUpTo(line, units)
      const total = line.esp * units + upTo.deliveryCharge - upTo.discount - upTo.couponDiscount
      assertTrue(total >= 0 && upTo.taxAmount <= total)
    }
  })
})
