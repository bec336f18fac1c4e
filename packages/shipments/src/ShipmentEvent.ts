/** The events of a shipment. A move has one or more events, in order. `at` is in epoch milliseconds. */
import { QualityCheck, unitsLeft } from "@crossdock/returns"
import type * as Result from "effect/Result"
import type { Rules } from "./LifecycleTable.ts"
import type { Rejection } from "./RejectionCodes.ts"
import type { Courier, Invoice, Package, ReportMeta, Shipment, ShipmentItem } from "./Shipment.ts"
import { noMeta } from "./Shipment.ts"
import type { ShipmentCommand } from "./ShipmentCommand.ts"
import { withoutPart } from "./ShipmentPart.ts"
import { type AddedStatus, type AnyStatus, isCancelled } from "./ShipmentStatus.ts"

interface Event<Tag> {
  readonly _tag: Tag
  readonly at: number
}

/** The shipment reached a status. Each such event is one entry of the history. */
export interface Moved extends Event<"Moved"> {
  readonly to: AnyStatus
  readonly meta: ReportMeta
  /** The data of the status, if the host added the status. */
  readonly added?: AddedStatus
}

/** Some units were cancelled and became the shipment `created`. */
export interface PartCancelled extends Event<"PartCancelled"> {
  readonly created: Shipment
}

/** The sale's invoice or the credit note was recorded. */
export interface InvoiceRecorded extends Event<"InvoiceRecorded"> {
  readonly kind: "sale" | "return"
  readonly invoice: Invoice
  readonly imei: ReadonlyArray<{ readonly itemId: string; readonly imei: ReadonlyArray<string> }>
  readonly packages: ReadonlyArray<Package> | null
}

/** The shipment got a courier, which replaces any earlier one. */
export interface CourierNamed extends Event<"CourierNamed"> {
  readonly courier: Courier
}

/** The customer returns units of this delivered shipment. The units are now the shipment `created`. */
export interface ReturnOpened extends Event<"ReturnOpened"> {
  readonly created: Shipment
}

/** Returned units were checked. */
export interface QualityChecked extends Event<"QualityChecked"> {
  readonly quality: QualityCheck.Quality
  readonly items: ReadonlyArray<QualityCheck.CheckedUnits>
}

/** The shipment was locked or unlocked. */
export interface LockChanged extends Event<"LockChanged"> {
  readonly locked: boolean
}

/** Any event of a shipment. */
export type ShipmentEvent =
  | Moved
  | PartCancelled
  | InvoiceRecorded
  | CourierNamed
  | ReturnOpened
  | QualityChecked
  | LockChanged

/** The events of a command, or its rejection. A repeated command has no events. */
export type Decision = Result.Result<ReadonlyArray<ShipmentEvent>, Rejection>

/** The event of reaching the status `to`. */
export const reached = ({ at, lifecycle }: Rules, to: AnyStatus, meta: ReportMeta = noMeta): Moved => {
  const added = lifecycle.added[to]
  return { _tag: "Moved", at, to, meta, ...(added === undefined ? {} : { added }) }
}

const eachItem = <C extends { readonly itemId: string }>(
  items: ReadonlyArray<ShipmentItem>,
  changes: ReadonlyArray<C>,
  change: (item: ShipmentItem, change: C) => ShipmentItem
): ReadonlyArray<ShipmentItem> => {
  const byItem = new Map(changes.map((one) => [one.itemId, one]))
  return items.map((item) => {
    const found = byItem.get(item.id)
    return found === undefined ? item : change(item, found)
  })
}

const changeOf = (shipment: Shipment, event: ShipmentEvent): Partial<Shipment> => {
  switch (event._tag) {
    case "Moved": {
      const { dpLocation, estimatedDeliveryDate, promisedDeliveryDate, reasonCode, remark } = event.meta
      return {
        status: event.to,
        ...(event.added === undefined && shipment.added === undefined ? {} : { added: event.added ?? null }),
        events: [...shipment.events, { status: event.to, at: event.at, location: dpLocation, remark, reasonCode }],
        lastLocation: dpLocation ?? shipment.lastLocation,
        promisedDeliveryDate: promisedDeliveryDate ?? shipment.promisedDeliveryDate,
        estimatedDeliveryDate: estimatedDeliveryDate ?? shipment.estimatedDeliveryDate,
        items: isCancelled({ status: event.to })
          ? shipment.items.map((item) => ({ ...item, cancelled: item.ordered }))
          : shipment.items
      }
    }
    case "PartCancelled":
      return { items: withoutPart(shipment.items, event.created) }
    case "InvoiceRecorded": {
      const isSale = event.kind === "sale"
      const items = eachItem(shipment.items, event.imei, (item, { imei }) => ({
        ...item,
        // The invoice keeps the serial numbers of the sale.
        [isSale || shipment.journey === "return" ? "imei" : "creditedImei"]: imei
      }))
      const packages = event.packages ?? shipment.packages
      return isSale
        ? { invoice: event.invoice, items: items.map((item) => ({ ...item, invoiced: unitsLeft(item) })), packages }
        : { creditNote: event.invoice, items, packages }
    }
    case "CourierNamed":
      return { courier: event.courier }
    case "QualityChecked":
      return {
        items: eachItem(shipment.items, event.items, (item, result) => QualityCheck.record(item, result, event.quality))
      }
    case "LockChanged":
      return { locked: event.locked }
    case "ReturnOpened":
      return {}
  }
}

/**
 * Applies an event and can't fail. Every event makes a new version, so only one of two concurrent writes succeeds.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Lifecycle } from "@crossdock/shipments"
 * import { placedShipment } from "@crossdock/shipments/testing"
 *
 * const shipment = Lifecycle.evolve(placedShipment(), { _tag: "LockChanged", at: 9, locked: true })
 * deepStrictEqual([shipment.locked, shipment.version, shipment.modifiedAt], [true, 2, 9])
 * ```
 */
export const evolve = (shipment: Shipment, event: ShipmentEvent): Shipment => ({
  ...shipment,
  ...changeOf(shipment, event),
  version: shipment.version + 1,
  modifiedAt: event.at
})

const never = () => false

/** Whether a reason is a code. Any other reason is free text, which may name a person. */
const isCode = (reason: unknown): boolean => typeof reason === "number" || /^\d{1,9}$/.test(String(reason))

/** The free-text fields, and whether the trail keeps a value of them. Source: docs/reference/audit.md#personal-data. */
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

const withoutFreeText = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  return Array.isArray(value)
    ? value.map(withoutFreeText)
    : Object.fromEntries(Object.entries(value).flatMap(fieldWithoutFreeText))
}

/** A command as it was sent, without free text. The id of a shipment that may not have been created is left out too. */
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
      return { checked: event.quality, items: event.items }
    case "LockChanged":
      return { locked: event.locked }
  }
}

/** An event as data, from which the next shipment can be derived. A created shipment appears as its id and units. */
export const eventRecord = (event: ShipmentEvent): unknown => withoutFreeText(eventFields(event))
