/**
 * The items of a shipment, and how their units and amounts divide.
 */
import { Money } from "@crossdock/kernel"
import { LineAmounts, type QcReason } from "@crossdock/returns"

/**
 * One line of a shipment. Amounts are in minor units: `esp` and `mrp` are for one unit; `discount`, `couponDiscount`,
 * `deliveryCharge` and `taxAmount` are for all units `ordered`. Source: docs/reference/orders.md#totals.
 */
export interface ShipmentItem {
  /** 20 digits; a cancelled part and a return keep the id of the line they come from. */
  readonly id: string
  readonly externalLineId: string | null
  readonly sku: string
  /** The storage's own key of the size that was sold, `Level.sizeId`. Items of earlier releases lack it. */
  readonly sizeId?: number
  readonly title: string
  readonly hsCode: string | null
  readonly ordered: number
  readonly cancelled: number
  /** Those of the cancelled units that became a shipment of their own. */
  readonly splitOff: number
  /** Units on the sale's invoice; a later cancellation does not change them. */
  readonly invoiced: number
  readonly mrp: Money.MinorUnits | null
  readonly esp: Money.MinorUnits
  readonly discount: Money.MinorUnits
  readonly couponDiscount: Money.MinorUnits
  readonly deliveryCharge: Money.MinorUnits
  /** Percent. */
  readonly taxRate: number | null
  readonly taxAmount: Money.MinorUnits
  /** The tax of the units of the order's line that come before these, so that each part of the tax divides exactly. */
  readonly taxBefore: Money.MinorUnits
  /** Units that came back and passed quality check, and those that did not. */
  readonly good: number
  readonly bad: number
  readonly qcReasons: ReadonlyArray<QcReason>
  /** Reason codes of failed units that are not in the table, as they were sent. */
  readonly unmappedReasons: ReadonlyArray<string>
  /** The serial numbers on the sale's invoice; of a return, those on its credit note. */
  readonly imei: ReadonlyArray<string>
  /** Those on the credit note of a sale that came back or was cancelled. Only its recording sets them. */
  readonly creditedImei?: ReadonlyArray<string>
  /** Grams of one unit when it was ordered, if known. Lines of earlier releases lack it. */
  readonly weight?: number | null
  /** Why the customer sent it back, in the marketplace's words. */
  readonly returnReason: string | null
}

/**
 * The line without the units that became a shipment of their own, and with the amounts of the other units, cancelled or
 * not.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Money } from "@crossdock/kernel"
 * import { remaining, slice } from "@crossdock/shipments"
 * import { shipmentItem } from "@crossdock/shipments/testing"
 *
 * // One of three units was cancelled; the discount of 1.00 divides into 33, 33 and 34 paise.
 * const line = shipmentItem({ ordered: 3, discount: Money.minorUnits(100), cancelled: 1, splitOff: 1 })
 * const part = slice(line, 0, 1)
 * const rest = remaining(line)
 *
 * deepStrictEqual([part.ordered, rest.ordered], [1, 2])
 * deepStrictEqual([part.discount, rest.discount], [33, 67])
 * ```
 */
export const remaining = (item: ShipmentItem): ShipmentItem =>
  item.splitOff === 0 ? item : partOf(item, item.splitOff, item.ordered - item.splitOff)

const partOf = (item: ShipmentItem, before: number, count: number): ShipmentItem => ({
  ...item,
  ...LineAmounts.amountsOf(item, before, count),
  ordered: count,
  cancelled: 0,
  splitOff: 0,
  taxBefore: Money.minorUnits(item.taxBefore + LineAmounts.amountsUpTo(item, before).taxAmount)
})

/**
 * `count` units of a line as a line of their own, after the first `before` units. The amounts of all slices of a line add
 * up to the line's, to the last minor unit, and no slice is negative if the line is not. Source:
 * docs/reference/shipments.md#amounts.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Money } from "@crossdock/kernel"
 * import { slice } from "@crossdock/shipments"
 * import { shipmentItem } from "@crossdock/shipments/testing"
 *
 * const line = shipmentItem({ ordered: 3, discount: Money.minorUnits(100) })
 * const discounts = [0, 1, 2].map((before) => slice(line, before, 1).discount)
 * deepStrictEqual(discounts, [33, 33, 34])
 * ```
 */
export const slice = (item: ShipmentItem, before: number, count: number): ShipmentItem => ({
  ...partOf(item, before, count),
  invoiced: 0,
  good: 0,
  bad: 0,
  qcReasons: [],
  unmappedReasons: [],
  imei: []
})
