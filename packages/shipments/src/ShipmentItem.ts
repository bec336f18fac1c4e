/**
 * The lines of a shipment and how their units and amounts divide.
 */
import { Money } from "@crossdock/kernel"
import { LineAmounts, type QcReason } from "@crossdock/returns"

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

/**
 * `count` units of a line as a line of their own, `before` units having gone before them. The amounts of all slices of a
 * line add up to the line's, to the last minor unit; of a line that is not negative none is.
 */
export const slice = (item: ShipmentItem, before: number, count: number): ShipmentItem => ({
  ...item,
  ...LineAmounts.amountsOf(item, before, count),
  ordered: count,
  cancelled: 0,
  splitOff: 0,
  invoiced: 0,
  taxBefore: Money.minorUnits(item.taxBefore + LineAmounts.amountsUpTo(item, before).taxAmount),
  good: 0,
  bad: 0,
  qcReasons: [],
  unmappedReasons: [],
  imei: []
})
