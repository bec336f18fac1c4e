/**
 * The sale's invoice and the credit note. Source: docs/reference/shipments.md#invoice-update.
 */
import { unitsLeft } from "@crossdock/returns"
import * as Result from "effect/Result"
import type { ItemFault, Rejection } from "../Rejection.ts"
import { logistics, type Shipment } from "../Shipment.ts"
import type { CommandResult, CreditNote, InvoiceSale } from "../ShipmentCommand.ts"
import { type InvoiceRecorded, moved } from "../ShipmentEvent.ts"
import { transitions } from "../Transitions.ts"
import { permitOperation, unknownItem } from "./Permit.ts"
import { type Reason, rejectOperation } from "./Reject.ts"

const by = "seller"

/**
 * Self-ship needs no courier, so its shipment goes on to dp_assigned at once; the history has both steps.
 */
export const invoiceSale = (shipment: Shipment, command: InvoiceSale, at: number): CommandResult =>
  Result.gen(function* () {
    const { to } = yield* permitOperation(shipment, "invoiceSale", { by })
    const recorded = yield* recordInvoice(shipment, command, "invoiceSale", "sale", at)
    const invoiced = [recorded, moved(to, at)]
    return logistics(shipment) === "seller"
      ? [...invoiced, moved(transitions.bag_invoiced.assignCourier.to, at)]
      : invoiced
  })

/**
 * A cancelled shipment keeps its status.
 */
export const creditNote = (shipment: Shipment, command: CreditNote, at: number): CommandResult =>
  Result.gen(function* () {
    const { to } = yield* permitOperation(shipment, "creditNote", { by })
    const recorded = yield* recordInvoice(shipment, command, "creditNote", "return", at)
    return to === shipment.status ? [recorded] : [recorded, moved(to, at)]
  })

const invalid = (item: string, field: ItemFault["field"], because: string, advice: string): Reason => ({
  as: "invalidRecord",
  because: `item ${item} ${because}`,
  advice,
  about: { item, field }
})

/**
 * What is wrong with an item of an invoice, if anything: an item is invoiced once, with all its units. Source:
 * docs/reference/shipments.md#invoice-items.
 */
const invalidItem = (
  itemId: string,
  imei: ReadonlyArray<string>,
  isRepeated: boolean,
  units: number,
  quantity: number
): Reason | undefined => {
  if (isRepeated) return invalid(itemId, "item", "appears twice", "Send each item once.")
  if (quantity !== units) {
    return invalid(
      itemId,
      "quantity",
      `has ${units} unit${units === 1 ? "" : "s"}, not ${quantity}`,
      "Send all units of an item, or leave it out."
    )
  }
  if (imei.length > units) {
    return invalid(
      itemId,
      "imei",
      `has ${units} unit${units === 1 ? "" : "s"} and ${imei.length} serial numbers`,
      "Send at most one for each unit."
    )
  }
  return new Set(imei).size < imei.length
    ? invalid(itemId, "imei", "has a serial number twice", "Send each serial number once.")
    : undefined
}

const recordInvoice = (
  shipment: Shipment,
  command: InvoiceSale | CreditNote,
  operation: "invoiceSale" | "creditNote",
  kind: "sale" | "return",
  at: number
): Result.Result<InvoiceRecorded, Rejection> => {
  const rejected = (reason: Reason) => Result.fail(rejectOperation(shipment, operation, by, reason))
  const own = new Map(shipment.items.map((item) => [item.id, item]))
  const named = new Set<string>()
  for (const { imei, itemId, quantity } of command.items) {
    const item = own.get(itemId)
    if (item === undefined) return rejected(unknownItem(itemId))
    const units = Math.max(unitsLeft(item), item.invoiced)
    const reason = invalidItem(itemId, imei, named.has(itemId), units, quantity ?? units)
    if (reason !== undefined) return rejected(reason)
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
