/** Shipments for tests. Later statuses are built by hand, not by the rules under test. */
import { Money } from "@crossdock/kernel"
import {
  type Invoice,
  Lifecycle,
  noMeta,
  type OperationalStatus,
  type Party,
  type Rejection,
  type Shipment,
  type ShipmentCommand,
  type ShipmentItem,
  type StockEffect
} from "@crossdock/shipments"
import { placedShipment, shipmentItem } from "@crossdock/shipments/testing"
import { strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"

export const at = 1_700_000_000_000
export const later = at + 60_000

export const item = (id: string, ordered: number, changes: Partial<ShipmentItem> = {}): ShipmentItem =>
  shipmentItem({
    id,
    externalLineId: `line-${id}`,
    sku: `SKU-${id}`,
    title: `Item ${id}`,
    hsCode: "610910",
    ordered,
    discount: Money.minorUnits(1_000),
    deliveryCharge: Money.minorUnits(500),
    taxRate: 12,
    taxAmount: Money.minorUnits(1_001),
    ...changes
  })

const logisticsOf = {
  seller: { fulfillment: "SELLER", selfShip: true },
  courier: { fulfillment: "SELLER", selfShip: false },
  marketplace: { fulfillment: "MARKETPLACE", selfShip: false }
} as const

/** A shipment of two units of `a` and one of `b`, just placed. */
export const placed = (ships: Party = "seller", changes: Partial<Shipment> = {}): Shipment => ({
  ...placedShipment({ ...logisticsOf[ships], items: [item("a", 2), item("b", 1)] }, at),
  ...changes
})

export const document: Omit<Invoice, "at"> = {
  number: "INV-1",
  irn: null,
  qrCode: null,
  signedInvoice: null,
  ackNumber: null,
  ackDate: null
}

/** On its way out, back to its origin (RTO), or back from the customer. */
export type Way = "out" | "rto" | "return"

/** A shipment in any status, with the matching history, invoice and counts. */
export const standing = (
  status: OperationalStatus,
  options: { readonly ships?: Party; readonly way?: Way; readonly invoiced?: boolean; readonly credited?: boolean } = {}
): Shipment => {
  const { credited = status === "credit_note_generated", invoiced = false, ships = "seller", way = "out" } = options
  const passed: ReadonlyArray<OperationalStatus> =
    way === "rto" ? ["placed", "bag_picked", "rto_in_transit"] : way === "return" ? ["return_initiated"] : ["placed"]
  const start = placed(ships)
  return {
    ...start,
    status,
    ...(way === "return" ? { id: "00000000000000000009", forwardId: start.id, journey: "return" } : {}),
    events: [...new Set([...passed, status])].map((one) => ({
      status: one,
      at,
      location: null,
      remark: null,
      reasonCode: null
    })),
    invoice: invoiced ? { ...document, at } : null,
    creditNote: credited ? { ...document, number: "CN-1", at } : null,
    items: start.items.map((line) => ({
      ...line,
      ...(status === "cancelled_seller" || status === "cancelled_customer" ? { cancelled: line.ordered } : {}),
      ...(status === "return_accepted" || status === "credit_note_generated" ? { good: line.ordered } : {})
    }))
  }
}

export const all = [
  { itemId: "a", quantity: 2 },
  { itemId: "b", quantity: 1 }
]
export const oneA = [{ itemId: "a", quantity: 1 }]

const reasoned = <Reason>(items: typeof all, reasonCode: Reason) => items.map((one) => ({ ...one, reasonCode }))

/** Commands by short names. */
export const ask = {
  confirm: (items = all): ShipmentCommand => ({ _tag: "Confirm", items }),
  cancel: (items = all, reasonCode: string | null = null): ShipmentCommand => ({
    _tag: "Cancel",
    items: reasoned(items, reasonCode),
    partId: "00000000000000000002"
  }),
  sale: (changes: Partial<Extract<ShipmentCommand, { _tag: "InvoiceSale" }>> = {}): ShipmentCommand => ({
    _tag: "InvoiceSale",
    invoice: document,
    items: [],
    packages: null,
    ...changes
  }),
  credit: (number = "CN-1"): ShipmentCommand => ({
    _tag: "CreditNote",
    invoice: { ...document, number },
    items: [],
    packages: null
  }),
  courier: (by: Party): ShipmentCommand => ({
    _tag: "AssignCourier",
    by,
    courier: { name: "Swift", code: "SW", awbNumbers: ["SW1"] }
  }),
  pack: { _tag: "Pack" } satisfies ShipmentCommand,
  dispatch: (items: typeof all | null = null): ShipmentCommand => ({ _tag: "Dispatch", items }),
  awb: (by: "seller" | "marketplace", autoDispatch = false): ShipmentCommand => ({
    _tag: "AssignAwb",
    by,
    awbNumber: "AWB1",
    courierName: "Rapid",
    autoDispatch
  }),
  status: (
    status: string,
    by: "seller" | "marketplace" = "marketplace",
    meta = noMeta,
    returnId: string | null = null
  ): ShipmentCommand => ({ _tag: "Report", status, by, returnId, meta }),
  giveBack: (
    items: typeof all | null = null,
    changes: Partial<Extract<ShipmentCommand, { _tag: "InitiateReturn" }>> = {}
  ): ShipmentCommand => ({
    _tag: "InitiateReturn",
    by: "marketplace",
    items: items?.map((one) => ({ ...one, externalLineId: null, reason: null })) ?? null,
    returnId: null,
    newShipmentId: "00000000000000000003",
    meta: noMeta,
    ...changes
  }),
  qc: (items: typeof all | null = null, bad = false, reasonCode: number | string | null = null): ShipmentCommand => ({
    _tag: "CheckQuality",
    items: items === null ? null : reasoned(items, reasonCode),
    bad
  }),
  lock: { _tag: "Lock" } satisfies ShipmentCommand,
  unlock: { _tag: "Unlock" } satisfies ShipmentCommand
}

/** The move; the test fails when it is rejected. */
export const make = (
  shipment: Shipment,
  command: ShipmentCommand,
  returns: ReadonlyArray<Shipment> = []
): Lifecycle.MoveResult =>
  Result.getOrThrowWith(Lifecycle.move(shipment, command, later, { returns }), (_) => new Error(_.message))

/** The rejection; the test fails when the move is made. */
export const rejection = (
  shipment: Shipment,
  command: ShipmentCommand,
  returns: ReadonlyArray<Shipment> = []
): Rejection =>
  Result.getOrThrowWith(
    Result.flip(Lifecycle.move(shipment, command, later, { returns })),
    () => new Error("was not rejected")
  )

/** The shipment after several moves. */
export const run = (shipment: Shipment, ...commands: ReadonlyArray<ShipmentCommand>): Shipment =>
  commands.reduce((now, command) => make(now, command).shipment, shipment)

export const stranger = [{ itemId: "z", quantity: 1 }]
export const twoB = [{ itemId: "b", quantity: 2 }]
export const onlyB = [{ itemId: "b", quantity: 1 }]
export const cancelledA = placed("seller", { items: [item("a", 2, { cancelled: 2, splitOff: 2 }), item("b", 1)] })
export const effectTexts = (stock: ReadonlyArray<StockEffect>) =>
  stock.map(({ itemId, kind, quantity, sku }) => `${kind} ${quantity} ${itemId} ${sku}`)
export const delivered = standing("delivery_done", { invoiced: true, ships: "marketplace" })
export const back = standing("return_bag_delivered", { way: "return" })
export const rejected = (
  code: string,
  shipment: Shipment,
  command: ShipmentCommand,
  returns: ReadonlyArray<Shipment> = []
) => strictEqual(rejection(shipment, command, returns).code, code)
