/**
 * What the audit trail keeps of moves: what was asked, and all that came of it.
 */
import type { ShipmentCommand } from "./ShipmentCommand.ts"
import type { ShipmentEvent } from "./ShipmentEvent.ts"
import type { ShipmentItem } from "./ShipmentItem.ts"

/**
 * The signed invoice and its QR code name the buyer: the trail can't be erased, so they stay out of it.
 */
const naming: ReadonlySet<string> = new Set(["signedInvoice", "qrCode"])

/**
 * Without what is empty, and without what names a person.
 */
const lean = (fields: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== null && !naming.has(name)))

export const asked = (command: ShipmentCommand): unknown =>
  "invoice" in command ? { ...lean(command), invoice: lean(command.invoice) } : lean(command)

const unitsOf = (items: ReadonlyArray<ShipmentItem>) =>
  items.map(({ id, ordered, returnReason }) => lean({ itemId: id, quantity: ordered, reason: returnReason }))

/**
 * An event as the trail tells it: with the shipments before it, all that is needed to know what they are after it. A
 * shipment that it began stands there by its id and the units that went into it.
 */
export const told = (event: ShipmentEvent): unknown => {
  switch (event._tag) {
    case "Moved":
      return { moved: event.to, ...lean(event.meta) }
    case "PartCancelled":
      return { cancelled: event.created.id, status: event.created.status, items: unitsOf(event.created.items) }
    case "InvoiceRecorded":
      return { invoiced: event.kind, ...lean(event.invoice), imei: event.imei, ...lean({ packages: event.packages }) }
    case "CourierNamed":
      return { courier: lean(event.courier) }
    case "ReturnOpened":
      return { returned: event.created.id, returnId: event.created.returnId, items: unitsOf(event.created.items) }
    case "QualityChecked":
      return { checked: event.bad ? "bad" : "good", items: event.items }
    case "LockChanged":
      return { locked: event.locked }
  }
}
