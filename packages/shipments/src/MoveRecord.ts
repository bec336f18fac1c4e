/**
 * What the audit trail keeps of a move: its command and its events. Source: docs/reference/audit.md#automatic.
 */
import { type Bulk, required } from "@crossdock/kernel"
import * as Result from "effect/Result"
import type { BatchChanges } from "./MoveBatch.ts"
import type { ShipmentItem } from "./Shipment.ts"
import type { ShipmentCommand } from "./ShipmentCommand.ts"
import type { ShipmentEvent } from "./ShipmentEvent.ts"
import type { StockFault } from "./StockMoves.ts"

const never = () => false

/** A reason that is no code is free text, which may name a person. */
const isCode = (reason: unknown): boolean => typeof reason === "number" || /^\d{1,9}$/.test(String(reason))

/**
 * When the trail keeps the value of a field, or an element of its list: always, unless the field is free text or contains some.
 * A record's body can't be erased, so only the shipment keeps free text. Source: docs/reference/audit.md#personal-data.
 */
const freeTexts: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["remark", never],
  ["dpLocation", never],
  ["reason", never],
  ["signedInvoice", never],
  ["qrCode", never],
  ["reasonCode", isCode],
  ["unmapped", isCode]
])

const fieldWithoutFreeText = ([name, value]: readonly [string, unknown]): ReadonlyArray<readonly [string, unknown]> => {
  const isKept = freeTexts.get(name)
  if (value === null) return []
  if (isKept === undefined) return [[name, withoutFreeText(value)]]
  if (Array.isArray(value)) return [[name, value.filter(isKept)]]
  return isKept(value) ? [[name, value]] : []
}

/** Drops fields that are null and free text. */
const withoutFreeText = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  return Array.isArray(value)
    ? value.map(withoutFreeText)
    : Object.fromEntries(Object.entries(value).flatMap(fieldWithoutFreeText))
}

/** A command as it was sent, without free text, and without the id for a shipment that it may not have created. */
export const commandRecord = (command: ShipmentCommand): unknown =>
  withoutFreeText({ ...command, partId: null, newShipmentId: null })

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
 * An event with all that is needed to derive the shipment after it from the shipment before it. A shipment that it created
 * appears as its id and its units.
 */
export const eventRecord = (event: ShipmentEvent): unknown => withoutFreeText(eventFields(event))

/** The outcomes of a bulk, each with the index of its request. */
export type Outcomes = ReadonlyArray<readonly [index: number, outcome: Result.Result<unknown, Bulk.Rejection>]>

/** The audit record of a bulk. `requested` are its commands, in the order of `outcomes`. */
export const batchRecord = (
  requested: ReadonlyArray<{ readonly record: { readonly shipmentId: string }; readonly command: ShipmentCommand }>,
  outcomes: Outcomes,
  changes: BatchChanges,
  faults: ReadonlyArray<StockFault>
) => ({
  // A rejected request is kept as its shipment's id alone: it changed nothing, and it may be large.
  request: requested.map(({ command, record }, nth) =>
    Result.isSuccess(required(outcomes[nth], "the outcome of a move")[1])
      ? [record.shipmentId, commandRecord(command)]
      : [record.shipmentId]
  ),
  response: outcomes.map(([index, outcome]) => [index, Result.isSuccess(outcome) ? "ok" : outcome.failure.code]),
  before: changes.updates.map(({ before }) => [before.id, before.status]),
  after: [
    ...changes.updates.map(({ after }) => [after.id, after.status, ...changes.events(after.id).map(eventRecord)]),
    ...changes.inserts.map(({ id, status }) => [id, status])
  ],
  ...(faults.length > 0 ? { faults } : {})
})
