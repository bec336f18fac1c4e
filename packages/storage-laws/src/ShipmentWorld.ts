import { type CompanyId, Money, type Transaction } from "@crossdock/kernel"
import { type Order, OrderStore } from "@crossdock/orders"
import { type Invoice, type Shipment, type ShipmentItem, ShipmentStore } from "@crossdock/shipments"
import { placedShipment } from "@crossdock/shipments/testing"
import * as Effect from "effect/Effect"
import type { TupleOf } from "effect/Types"
import * as Fresh from "./Fresh.ts"
import { sortedBy } from "./Laws.ts"
import { freshOrder } from "./OrderStoreLaws.ts"

export const at = 1_790_000_000_000

/** A new id of 20 digits, greater than all earlier ones. */
export const freshId = Effect.map(Fresh.companyId, (number) => String(number).padStart(20, "0"))

export const freshIds = <N extends number>(count: N) =>
  Effect.map(Effect.replicateEffect(freshId, count), (ids) => ids as TupleOf<N, string>)

/** An item that has every field. */
export const item: ShipmentItem = {
  id: "00000000000000000009",
  externalLineId: null,
  sku: "कुर्ता",
  title: "कुर्ता “Festive” 😀",
  hsCode: null,
  ordered: 3,
  cancelled: 1,
  splitOff: 1,
  invoiced: 2,
  mrp: Money.minorUnits(999_999_999_999_999),
  esp: Money.minorUnits(0),
  discount: Money.minorUnits(1),
  couponDiscount: Money.minorUnits(2),
  deliveryCharge: Money.minorUnits(3),
  taxRate: 0.25,
  taxAmount: Money.minorUnits(4),
  taxBefore: Money.minorUnits(0),
  good: 1,
  bad: 1,
  qcReasons: [{ code: 113, reason: "damaged" }],
  unmappedReasons: ["999", "कोड"],
  imei: ["1", "2"],
  returnReason: "too\nsmall \u0000\ud800"
}

export const invoice = (number: string): Invoice => ({
  number,
  at,
  irn: "irn",
  qrCode: null,
  signedInvoice: "a.b.c",
  ackNumber: "1",
  ackDate: null
})

export const courier = (name: string, ...awbNumbers: ReadonlyArray<string>) => ({ name, code: null, awbNumbers })

export const placed = (order: Order, companyId: CompanyId, id: string, changes: Partial<Shipment> = {}): Shipment => ({
  ...placedShipment(
    {
      id,
      companyId,
      location: "L1",
      marketplace: order.marketplace,
      orderId: order.id,
      externalOrderId: order.draft.externalOrderId,
      externalShipmentId: `of ${id}`,
      items: [],
      sla: at
    },
    at
  ),
  ...changes
})

export const filled = (shipment: Shipment): Shipment => ({
  ...shipment,
  status: "dp_assigned",
  locked: true,
  fulfillment: "MARKETPLACE",
  selfShip: false,
  items: [item, { ...item, id: "00000000000000000008", mrp: null, qcReasons: [], imei: [], returnReason: null }],
  courier: courier("Garuḍa", "AWB/1", "AWB/2"),
  additionalInfo: '{"a":"\\"😀"}',
  invoice: invoice("I/1"),
  creditNote: { ...invoice("C/1"), irn: null },
  returnId: "R'1",
  packages: [{ id: null, lengthCm: 1.5, widthCm: null, heightCm: 0, weightGrams: 250 }],
  events: [
    { status: "placed", at, location: "Surat", remark: "שלום", reasonCode: 0 },
    { status: "dp_assigned", at: at + 1, location: null, remark: null, reasonCode: null }
  ],
  promisedDeliveryDate: "tomorrow",
  estimatedDeliveryDate: "2026-01-01",
  lastLocation: "Pune",
  packAfter: 0,
  packBy: 1,
  dispatchBy: 2,
  deliverBy: 2 ** 52,
  modifiedAt: at + 9
})

export const next = (before: Shipment, changes: Partial<Shipment> = {}) => ({
  before,
  after: { ...before, version: before.version + 1, ...changes }
})

export const nextOf = (shipments: ReadonlyArray<Shipment>) => shipments.map((one) => next(one))

export const loadAll = (company: CompanyId, ids: ReadonlyArray<string>) =>
  Effect.map(
    Effect.flatMap(ShipmentStore, (store) => store.load(company, ids)),
    (found) => sortedBy(found, "id")
  )

export const load = (company: CompanyId, id: string) =>
  Effect.flatMap(loadAll(company, [id]), ([shipment]) => Effect.orDie(Effect.fromNullishOr(shipment)))

/** A stored order, a company, and `count` shipments that aren't saved. */
export const world = Effect.fnUntraced(function* <N extends number>(count: N) {
  const orders = yield* OrderStore
  const order = yield* Effect.flatMap(Fresh.text("bazaar"), freshOrder)
  yield* orders.insert(order)
  const company = yield* Fresh.companyId
  const ids = yield* freshIds(count)
  const shipments = ids.map((id) => placed(order, company, id)) as TupleOf<N, Shipment>
  return { order, company, shipments, ids }
})

export const stored = Effect.fnUntraced(function* <N extends number>(count: N) {
  const all = yield* world(count)
  yield* Effect.flatMap(ShipmentStore, (store) => store.insert(all.shipments))
  return all
})

export const moveAll = Effect.fnUntraced(function* (company: CompanyId, ids: ReadonlyArray<string>) {
  const store = yield* ShipmentStore
  const changes = (yield* store.load(company, ids)).map((one) => next(one, { sla: one.sla + 1 }))
  yield* store.update(company, changes)
})

export type Ports = ShipmentStore | OrderStore | Transaction.Transaction
