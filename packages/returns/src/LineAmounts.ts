/** Divides the amounts of a line among its units, exactly to the minor unit. Source: docs/reference/shipments.md#amounts. */
import * as Money from "@crossdock/kernel/Money"

/** The amounts of a line in minor units. `esp` is for one unit. The other amounts are for all `ordered` units. */
export interface LineAmounts {
  readonly ordered: number
  readonly esp: Money.MinorUnits
  readonly discount: Money.MinorUnits
  readonly couponDiscount: Money.MinorUnits
  readonly deliveryCharge: Money.MinorUnits
  readonly taxAmount: Money.MinorUnits
}

type Divided = Pick<LineAmounts, "discount" | "couponDiscount" | "deliveryCharge" | "taxAmount">

/** The amounts of the first `units` units of a line, in minor units. Source: docs/reference/shipments.md#amounts. */
export const amountsUpTo = (line: LineAmounts, units: number): Divided => {
  const { couponDiscount, deliveryCharge, discount, esp, ordered, taxAmount } = line
  const charge = Money.cumulativeShare(deliveryCharge, units, ordered)
  const [gross, wholeGross] = [esp * units + charge, esp * ordered + deliveryCharge]
  const wholeReduction = discount + couponDiscount
  const reduction = Money.cumulativeShare(wholeReduction, gross, wholeGross)
  const ofDiscount = Money.cumulativeShare(discount, reduction, wholeReduction)
  return {
    deliveryCharge: Money.minorUnits(charge),
    discount: Money.minorUnits(ofDiscount),
    couponDiscount: Money.minorUnits(reduction - ofDiscount),
    taxAmount: Money.minorUnits(Money.cumulativeShare(taxAmount, gross - reduction, wholeGross - wholeReduction))
  }
}

/**
 * The amounts of the `count` units after the first `before` units. Over all portions, they add up to the line's amounts.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Money } from "@crossdock/kernel"
 * import { LineAmounts } from "@crossdock/returns"
 *
 * const zero = Money.minorUnits(0)
 * const [esp, discount] = [Money.minorUnits(100), Money.minorUnits(10)]
 * const line = { ordered: 3, esp, discount, couponDiscount: zero, deliveryCharge: zero, taxAmount: zero }
 * const shares = [0, 1, 2].map((before) => LineAmounts.amountsOf(line, before, 1).discount)
 * deepStrictEqual(shares, [3, 3, 4])
 * ```
 */
export const amountsOf = (line: LineAmounts, before: number, count: number): Divided => {
  const [from, to] = [amountsUpTo(line, before), amountsUpTo(line, before + count)]
  const between = (amount: keyof Divided) => Money.minorUnits(to[amount] - from[amount])
  return {
    discount: between("discount"),
    couponDiscount: between("couponDiscount"),
    deliveryCharge: between("deliveryCharge"),
    taxAmount: between("taxAmount")
  }
}
