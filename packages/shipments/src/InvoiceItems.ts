/** The items of invoices and credit notes. Source: docs/reference/shipments.md#invoice-items. */
import { unitsLeft } from "@crossdock/returns"
import * as Result from "effect/Result"
import type { Rules } from "./LifecycleTable.ts"
import { rejectOperation, unknownItem } from "./MoveCheck.ts"
import type { ItemFault, Rejection, RejectionReason } from "./RejectionCodes.ts"
import type { Shipment } from "./Shipment.ts"
import type { CreditNote, InvoiceSale } from "./ShipmentCommand.ts"
import type { InvoiceRecorded } from "./ShipmentEvent.ts"

const invalid = (item: string, field: ItemFault["field"], because: string, advice: string): RejectionReason => ({
  as: "invalidRecord",
  because: `item ${item} ${because}`,
  advice,
  about: { item, field }
})

/** The reason to reject an invoice's item, if there is one. Source: docs/reference/shipments.md#invoice-items. */
const invalidItem = (
  itemId: string,
  imei: ReadonlyArray<string>,
  isRepeated: boolean,
  units: number,
  quantity: number
): RejectionReason | undefined => {
  if (isRepeated) return invalid(itemId, "item", "appears twice", "Send each item once.")
  const has = `has ${units} unit${units === 1 ? "" : "s"}`
  if (quantity !== units)
    return invalid(itemId, "quantity", `${has}, not ${quantity}`, "Send all units of an item, or leave it out.")
  if (imei.length > units)
    return invalid(itemId, "imei", `${has} and ${imei.length} serial numbers`, "Send at most one for each unit.")
  return new Set(imei).size < imei.length
    ? invalid(itemId, "imei", "has a serial number twice", "Send each serial number once.")
    : undefined
}

/** The event of an invoice or a credit note, or the rejection of its first invalid item. */
export const recordInvoice = (
  shipment: Shipment,
  command: InvoiceSale | CreditNote,
  rules: Rules
): Result.Result<InvoiceRecorded, Rejection> => {
  const isSale = command._tag === "InvoiceSale"
  const operation = isSale ? "invoiceSale" : "creditNote"
  const rejected = (reason: RejectionReason) =>
    Result.fail(rejectOperation(shipment, operation, { by: "seller", rules }, reason))
  const itemsById = new Map(shipment.items.map((item) => [item.id, item]))
  const named = new Set<string>()
  for (const { imei, itemId, quantity } of command.items) {
    const item = itemsById.get(itemId)
    if (item === undefined) return rejected(unknownItem(itemId, [...itemsById.keys()]))
    const units = Math.max(unitsLeft(item), item.invoiced)
    const reason = invalidItem(itemId, imei, named.has(itemId), units, quantity ?? units)
    if (reason !== undefined) return rejected(reason)
    named.add(itemId)
  }
  return Result.succeed({
    _tag: "InvoiceRecorded",
    at: rules.at,
    kind: isSale ? "sale" : "return",
    invoice: { ...command.invoice, at: rules.at },
    imei: command.items.map(({ imei, itemId }) => ({ itemId, imei })),
    packages: command.packages
  })
}
