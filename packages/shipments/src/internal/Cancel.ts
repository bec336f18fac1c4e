/**
 * The seller cancels units of a shipment: all that are left, or a part. Source: docs/reference/shipments.md#cancel.
 */
import { type Portion, unitsByItem, unitsLeft } from "@crossdock/returns"
import * as Result from "effect/Result"
import { placeAfter } from "../AmountDue.ts"
import { beginShipment, noMeta, type ReportMeta, type Shipment } from "../Shipment.ts"
import type { Cancel, CommandResult } from "../ShipmentCommand.ts"
import { moved } from "../ShipmentEvent.ts"
import { remaining, slice } from "../ShipmentItem.ts"
import { namedPortions, permitOperation } from "./Permit.ts"

export const cancel = (shipment: Shipment, command: Cancel, at: number): CommandResult =>
  Result.gen(function* () {
    const units = yield* namedPortions(shipment, "cancel", command.items)
    const cancelled = unitsByItem(units)
    const isWhole = shipment.items.every((item) => unitsLeft(item) <= (cancelled.get(item.id) ?? 0))
    const { to } = yield* permitOperation(shipment, isWhole ? "cancel" : "cancelPart", { by: "seller", units })
    const reasons = new Set(command.items.flatMap(({ reasonCode }) => reasonCode ?? []))
    const meta = { ...noMeta, remark: reasons.size === 0 ? null : [...reasons].join(", ") }
    return isWhole
      ? [moved(to, at, meta)]
      : [{ _tag: "PartCancelled", at, created: cancelledPart(shipment, command.partId, units, at, meta) }]
  })

/**
 * The cancelled units as a shipment of their own.
 */
const cancelledPart = (
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
  // Among the order's lines, the part's come after those that are left.
  const left = shipment.items.map((item) => {
    const quantity = cancelled.get(item.id) ?? 0
    return remaining({ ...item, splitOff: item.splitOff + quantity })
  })
  return {
    ...beginShipment({ ...shipment, id, items, ...placeAfter(shipment, left) }, at, "cancelled_seller", meta),
    forwardId: shipment.id
  }
}
