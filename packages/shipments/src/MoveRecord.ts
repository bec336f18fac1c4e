/**
 * What the audit trail keeps of moves: what was asked, and all that came of it.
 */
import type { ShipmentCommand } from "./ShipmentCommand.ts"
import type { ShipmentEvent } from "./ShipmentEvent.ts"
import type { ShipmentItem } from "./ShipmentItem.ts"

/**
 * What names a person, or may, being free text: the signed invoice, its QR code, remarks and a customer's own reason. A
 * record's body can't be erased, so they stay with the shipment alone.
 */
const naming: ReadonlySet<string> = new Set(["signedInvoice", "qrCode", "remark"])

/**
 * Without what is empty, and without what names a person.
 */
const lean = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(lean)
  const kept = Object.entries(value).filter(([name, inner]) => inner !== null && !naming.has(name))
  return Object.fromEntries(kept.map(([name, inner]) => [name, lean(inner)]))
}

/**
 * A command as it was asked, without the id for a shipment that it may not have begun.
 */
export const commandRecord = (command: ShipmentCommand): unknown => {
  switch (command._tag) {
    case "Cancel":
      return lean({ ...command, partId: null })
    case "InitiateReturn":
      return lean({
        ...command,
        newShipmentId: null,
        items: command.items?.map(({ reason, ...line }) => line) ?? null
      })
    default:
      return lean(command)
  }
}

const unitsOf = (items: ReadonlyArray<ShipmentItem>) =>
  items.map(({ id, ordered }) => ({ itemId: id, quantity: ordered }))

const eventFields = (event: ShipmentEvent): object => {
  switch (event._tag) {
    case "Moved":
      return { moved: event.to, ...event.meta }
    case "PartCancelled":
      return { cancelled: event.created.id, status: event.created.status, items: unitsOf(event.created.items) }
    case "InvoiceRecorded":
      return { invoiced: event.kind, ...event.invoice, imei: event.imei, packages: event.packages }
    case "CourierNamed":
      return { courier: event.courier }
    case "ReturnOpened":
      return { returned: event.created.id, returnId: event.created.returnId, items: unitsOf(event.created.items) }
    case "QualityChecked":
      return { checked: event.bad ? "bad" : "good", items: event.items }
    case "LockChanged":
      return { locked: event.locked }
  }
}

/**
 * An event with all that is needed to know, from the shipment before it, the shipment after it. A shipment that it began is
 * named by its id, with the units that went into it.
 */
export const eventRecord = (event: ShipmentEvent): unknown => lean(eventFields(event))
