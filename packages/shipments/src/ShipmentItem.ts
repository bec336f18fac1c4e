/**
 * The lines of a shipment and how their units and amounts divide.
 */
import { Money } from "@crossdock/kernel"
import { share } from "./CumulativeShare.ts"
import type { QcReason } from "./QcReason.ts"

/**
 * One line of a shipment. `esp` and `mrp` are one unit's, in minor units; `discount`, `couponDiscount`, `deliveryCharge`
 * and `taxAmount` are the whole line's, for all units `ordered` (contract, section 7).
 */
export interface ShipmentItem {
  /** 20 digits; a cancelled part and a return keep the id of the line they come from. */
  readonly id: string
  readonly externalLineId: string | null
  readonly sku: string
  readonly title: string
  readonly hsCode: string | null
  readonly ordered: number
  readonly cancelled: number
  /** Of those cancelled, the units that are a shipment of their own. */
  readonly splitOff: number
  /** Units that the sale's invoice is for; a cancellation after it leaves them. */
  readonly invoiced: number
  readonly mrp: Money.MinorUnits | null
  readonly esp: Money.MinorUnits
  readonly discount: Money.MinorUnits
  readonly couponDiscount: Money.MinorUnits
  readonly deliveryCharge: Money.MinorUnits
  /** Percent. */
  readonly taxRate: number | null
  readonly taxAmount: Money.MinorUnits
  /** The tax of those units of the order's line that come before these: by it each part of the tax divides exactly. */
  readonly taxBefore: Money.MinorUnits
  /** Units that came back and passed quality check, and those that did not. */
  readonly good: number
  readonly bad: number
  readonly qcReasons: ReadonlyArray<QcReason>
  /** Reason codes of failed units that are none of the documents', as they were given. */
  readonly unmappedReasons: ReadonlyArray<string>
  readonly imei: ReadonlyArray<string>
  /** Why the customer sent it back, in the marketplace's words. */
  readonly returnReason: string | null
}

/**
 * So many units of one line.
 */
export interface Portion {
  readonly itemId: string
  readonly quantity: number
}

/**
 * The units of each line that portions name, in all.
 */
export const unitsByItem = (portions: ReadonlyArray<Portion>): ReadonlyMap<string, number> => {
  const units = new Map<string, number>()
  for (const { itemId, quantity } of portions) units.set(itemId, (units.get(itemId) ?? 0) + quantity)
  return units
}

/**
 * Units left after cancellations.
 */
export const unitsLeft = (item: ShipmentItem): number => item.ordered - item.cancelled

/**
 * Units that are neither cancelled nor settled by quality check.
 */
export const unitsUnsettled = (item: ShipmentItem): number => unitsLeft(item) - item.good - item.bad

/**
 * The line without the units that are a shipment of their own, and with the amounts of the others: also when these were
 * cancelled in the end, they are what was cancelled here.
 */
export const remaining = (item: ShipmentItem): ShipmentItem =>
  item.splitOff === 0
    ? item
    : {
        ...slice(item, item.splitOff, item.ordered - item.splitOff),
        invoiced: item.invoiced,
        good: item.good,
        bad: item.bad,
        qcReasons: item.qcReasons,
        unmappedReasons: item.unmappedReasons,
        imei: item.imei
      }

type Amounts = Pick<ShipmentItem, "discount" | "couponDiscount" | "deliveryCharge" | "taxAmount">

/**
 * What the first units of a line bear of its amounts. Each amount is shared in proportion to what it is a part of: the
 * charge to the units, the discounts to price and charge, the tax to what is left to pay. So whatever units a slice has,
 * no discount is more than its price and no tax more than its total.
 */
const amountsUpTo = (item: ShipmentItem, units: number): Amounts => {
  const { couponDiscount, deliveryCharge, discount, esp, ordered, taxAmount } = item
  const charge = share(deliveryCharge, units, ordered)
  const [gross, wholeGross] = [esp * units + charge, esp * ordered + deliveryCharge]
  const wholeReduction = discount + couponDiscount
  const reduction = share(wholeReduction, gross, wholeGross)
  const ofDiscount = share(discount, reduction, wholeReduction)
  return {
    deliveryCharge: Money.MinorUnits.make(charge),
    discount: Money.MinorUnits.make(ofDiscount),
    couponDiscount: Money.MinorUnits.make(reduction - ofDiscount),
    taxAmount: Money.MinorUnits.make(share(taxAmount, gross - reduction, wholeGross - wholeReduction))
  }
}

/**
 * `count` units of a line as a line of their own, `before` units having gone before them. The amounts of all slices of a
 * line add up to the line's, to the last minor unit; of a line that is not negative none is.
 */
export const slice = (item: ShipmentItem, before: number, count: number): ShipmentItem => {
  const [from, to] = [amountsUpTo(item, before), amountsUpTo(item, before + count)]
  const between = (amount: keyof Amounts) => Money.MinorUnits.make(to[amount] - from[amount])
  return {
    ...item,
    ordered: count,
    cancelled: 0,
    splitOff: 0,
    invoiced: 0,
    discount: between("discount"),
    couponDiscount: between("couponDiscount"),
    deliveryCharge: between("deliveryCharge"),
    taxAmount: between("taxAmount"),
    taxBefore: Money.MinorUnits.make(item.taxBefore + from.taxAmount),
    good: 0,
    bad: 0,
    qcReasons: [],
    unmappedReasons: [],
    imei: []
  }
}
