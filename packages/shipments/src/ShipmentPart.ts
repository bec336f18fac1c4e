/** Divides a shipment: a cancelled part and a return become shipments. Source: docs/reference/shipments.md#amounts. */
import * as Money from "@crossdock/kernel/Money"
import { LineAmounts, type Portion, unitsByItem } from "@crossdock/returns"
import { beginShipment, lineTotal, type ReportMeta, type Shipment, type ShipmentItem } from "./Shipment.ts"

/**
 * The line without the units that became another shipment. Cancelled units that didn't become one remain in it.
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

/** A line of `count` units after the first `before`. Slices add up exactly. Source: docs/reference/shipments.md#amounts. */
export const slice = (item: ShipmentItem, before: number, count: number): ShipmentItem => ({
  ...partOf(item, before, count),
  invoiced: 0,
  good: 0,
  bad: 0,
  qcReasons: [],
  unmappedReasons: [],
  imei: []
})

/** The position of a part among the order's lines: directly after `items`, so that the shares of a payment add up. */
export const placeAfter = ({ linesBefore, unitsBefore = 0 }: Shipment, items: ReadonlyArray<ShipmentItem>) => ({
  linesBefore: items.reduce((sum, one) => sum + lineTotal(one), linesBefore),
  unitsBefore: items.reduce((sum, one) => sum + one.ordered, unitsBefore)
})

/** The cancelled units as a shipment. In their line, they follow units that were cancelled earlier. */
export const cancelledPart = (
  shipment: Shipment,
  id: string,
  units: ReadonlyArray<Portion>,
  at: number,
  meta: ReportMeta
): Shipment => {
  const cancelled = unitsByItem(units)
  const items = shipment.items.flatMap((item) => {
    const quantity = cancelled.get(item.id) ?? 0
    return quantity === 0 ? [] : [{ ...slice(item, item.cancelled, quantity), cancelled: quantity }]
  })
  // Among the order's lines, the lines of the part follow those that remain.
  const left = shipment.items.map((item) => {
    const quantity = cancelled.get(item.id) ?? 0
    return remaining({ ...item, splitOff: item.splitOff + quantity })
  })
  return {
    ...beginShipment({ ...shipment, id, items, ...placeAfter(shipment, left) }, at, "cancelled_seller", meta),
    forwardId: shipment.id
  }
}

/** The items after a part was cancelled. The part's units remain in `ordered`, and are counted as cancelled and split off. */
export const withoutPart = (items: ReadonlyArray<ShipmentItem>, part: Pick<Shipment, "items">) => {
  const units = new Map(part.items.map(({ id, ordered }) => [id, ordered]))
  return items.map((item) => {
    const cancelled = units.get(item.id)
    return cancelled === undefined
      ? item
      : { ...item, cancelled: item.cancelled + cancelled, splitOff: item.splitOff + cancelled }
  })
}
