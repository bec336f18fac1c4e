/**
 * The seller's part before the bag leaves: confirm, cancel, pack, dispatch.
 */

import { type Portion, unitsByItem, unitsLeft } from "@crossdock/returns"
import * as Result from "effect/Result"
import { lineTotal } from "../AmountDue.ts"
import { beginShipment, noMeta, type ReportMeta, type Shipment } from "../Shipment.ts"
import type { Cancel, Confirm, Dispatch } from "../ShipmentCommand.ts"
import { remaining, slice } from "../ShipmentItem.ts"
import type { Decision } from "./Decision.ts"
import { moved } from "./Evolve.ts"
import { permit } from "./Permit.ts"
import { portions } from "./Portions.ts"

const by = "seller"

export const confirm = (shipment: Shipment, command: Confirm, at: number): Decision =>
  Result.gen(function* () {
    const units = yield* portions(shipment, "confirm", command.items)
    const { to } = yield* permit(shipment, "confirm", { by, units })
    return [moved(to, at)]
  })

export const pack = (shipment: Shipment, at: number): Decision =>
  permit(shipment, "pack", { by }).pipe(Result.map(({ to }) => [moved(to, at)]))

export const dispatch = (shipment: Shipment, command: Dispatch, at: number): Decision =>
  Result.gen(function* () {
    const units = command.items === null ? undefined : yield* portions(shipment, "dispatch", command.items)
    const { to } = yield* permit(shipment, "dispatch", units === undefined ? { by } : { by, units })
    return [moved(to, at)]
  })

/**
 * Everything that is left, or a part, which becomes a shipment of its own.
 */
export const cancel = (shipment: Shipment, command: Cancel, at: number): Decision =>
  Result.gen(function* () {
    const units = yield* portions(shipment, "cancel", command.items)
    const cancelled = unitsByItem(units)
    const whole = shipment.items.every((item) => unitsLeft(item) <= (cancelled.get(item.id) ?? 0))
    const { to } = yield* permit(shipment, whole ? "cancel" : "cancelPart", { by, units })
    const reasons = new Set(command.items.flatMap(({ reasonCode }) => reasonCode ?? []))
    const meta = { ...noMeta, remark: reasons.size === 0 ? null : [...reasons].join(", ") }
    return whole
      ? [moved(to, at, meta)]
      : [{ _tag: "PartCancelled", at, created: partOf(shipment, command.partId, units, at, meta) }]
  })

const partOf = (
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
  // The part stands behind the lines that are left.
  const left = shipment.items.map((item) => {
    const quantity = cancelled.get(item.id) ?? 0
    return lineTotal(remaining({ ...item, splitOff: item.splitOff + quantity }))
  })
  const linesBefore = left.reduce((sum, one) => sum + one, shipment.linesBefore)
  return {
    ...beginShipment({ ...shipment, id, items, linesBefore }, at, "cancelled_seller", meta),
    forwardId: shipment.id
  }
}
