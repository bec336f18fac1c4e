/**
 * How the amounts of a line divide among its units, so that no minor unit is lost or added.
 */
import { cumulativeShare, Money } from "@crossdock/kernel"

/**
 * `esp` is one unit's price; the other amounts are the whole line's, for all units `ordered`. All in minor units.
 */
export interface LineAmounts {
  readonly ordered: number
  readonly esp: Money.MinorUnits
  readonly discount: Money.MinorUnits
  readonly couponDiscount: Money.MinorUnits
  readonly deliveryCharge: Money.MinorUnits
  readonly taxAmount: Money.MinorUnits
}

type Divided = Pick<LineAmounts, "discount" | "couponDiscount" | "deliveryCharge" | "taxAmount">

/**
 * The amounts of the first `units` of a line. Each amount is shared in proportion to what it is a part of: the charge to
 * the units, the discounts to price and charge, the tax to what is left to pay. So for any number of units, no discount
 * exceeds its price and no tax exceeds its total.
 */
export const amountsUpTo = (line: LineAmounts, units: number): Divided => {
  const { couponDiscount, deliveryCharge, discount, esp, ordered, taxAmount } = line
  const charge = cumulativeShare(deliveryCharge, units, ordered)
  const [gross, wholeGross] = [esp * units + charge, esp * ordered + deliveryCharge]
  const wholeReduction = discount + couponDiscount
  const reduction = cumulativeShare(wholeReduction, gross, wholeGross)
  const ofDiscount = cumulativeShare(discount, reduction, wholeReduction)
  return {
    deliveryCharge: Money.minorUnits(charge),
    discount: Money.minorUnits(ofDiscount),
    couponDiscount: Money.minorUnits(reduction - ofDiscount),
    taxAmount: Money.minorUnits(cumulativeShare(taxAmount, gross - reduction, wholeGross - wholeReduction))
  }
}

/**
 * The amounts of `count` units that come after the first `before`. The amounts of all portions of a line add up to the
 * line's, to the last minor unit; if the line has no negative amount, no portion has one.
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
