/**
 * The sale's invoice and the credit note: invoiceUpdate.
 */

import { unitsLeft } from "@crossdock/returns"
import * as Result from "effect/Result"
import type { Rejection } from "../Rejection.ts"
import { logistics, type Shipment } from "../Shipment.ts"
import type { CreditNote, InvoiceSale } from "../ShipmentCommand.ts"
import type { InvoiceRecorded } from "../ShipmentEvent.ts"
import { transitions } from "../Transitions.ts"
import type { Decision } from "./Decision.ts"
import { moved } from "./Evolve.ts"
import { permit } from "./Permit.ts"
import { rejectOperation, rejectRecord } from "./Reject.ts"

const by = "seller"

/**
 * Self-ship needs no courier, so its shipment goes on to dp_assigned at once; both steps stand in the history.
 */
export const invoiceSale = (shipment: Shipment, command: InvoiceSale, at: number): Decision =>
  Result.gen(function* () {
    const { to } = yield* permit(shipment, "invoiceSale", { by })
    const recorded = yield* record(shipment, command, "invoiceSale", "sale", at)
    const invoiced = [recorded, moved(to, at)]
    return logistics(shipment) === "seller"
      ? [...invoiced, moved(transitions.bag_invoiced.assignCourier.to, at)]
      : invoiced
  })

/**
 * A cancelled shipment keeps its status.
 */
export const creditNote = (shipment: Shipment, command: CreditNote, at: number): Decision =>
  Result.gen(function* () {
    const { to } = yield* permit(shipment, "creditNote", { by })
    const recorded = yield* record(shipment, command, "creditNote", "return", at)
    return to === shipment.status ? [recorded] : [recorded, moved(to, at)]
  })

/**
 * What would be lost of an item if it were recorded: every line is invoiced once, with all of its units.
 */
const faultOf = (
  itemId: string,
  imei: ReadonlyArray<string>,
  isRepeated: boolean,
  units: number,
  quantity: number
): string | undefined => {
  if (isRepeated) return `item ${itemId} is named twice`
  if (quantity !== units) return `item ${itemId} has ${units} units, not ${quantity}`
  if (imei.length > units) return `item ${itemId} has more serial numbers than units`
  return new Set(imei).size < imei.length ? `item ${itemId} has a serial number twice` : undefined
}

const record = (
  shipment: Shipment,
  command: InvoiceSale | CreditNote,
  operation: "invoiceSale" | "creditNote",
  kind: "sale" | "return",
  at: number
): Result.Result<InvoiceRecorded, Rejection> => {
  const own = new Map(shipment.items.map((item) => [item.id, item]))
  const named = new Set<string>()
  for (const { imei, itemId, quantity } of command.items) {
    const item = own.get(itemId)
    if (item === undefined) {
      const because = `${JSON.stringify(itemId)} is no item of it`
      return Result.fail(rejectOperation(shipment, operation, by, "notFound", because))
    }
    const units = Math.max(unitsLeft(item), item.invoiced)
    const fault = faultOf(itemId, imei, named.has(itemId), units, quantity ?? units)
    if (fault !== undefined) return Result.fail(rejectRecord(shipment, by, fault))
    named.add(itemId)
  }
  return Result.succeed({
    _tag: "InvoiceRecorded",
    at,
    kind,
    invoice: { ...command.invoice, at },
    imei: command.items.map(({ imei, itemId }) => ({ itemId, imei })),
    packages: command.packages
  })
}
