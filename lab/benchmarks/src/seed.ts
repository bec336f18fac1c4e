/** Stores many shipments at once through the ports, so that lists can be measured with them. */
import { CompanyId, Ids, Money, Transaction } from "@crossdock/kernel"
import { type Order, OrderStore } from "@crossdock/orders"
import { beginShipment, type Shipment, ShipmentStore } from "@crossdock/shipments"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { Effect, Layer } from "effect"

const address = {
  name: "A Customer",
  phone: "+91 80 0000 0000",
  email: null,
  address1: "1 Market Road",
  address2: null,
  landmark: null,
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}

export const seedOrder: Order = {
  id: "seed",
  marketplace: "bazaar",
  total: 30_000,
  orderDate: 0,
  createdAt: 0,
  shipments: [],
  draft: {
    externalOrderId: "SEED",
    currency: "INR",
    orderDate: 0,
    payment: { mode: "COD", methods: [] },
    customer: null,
    billingAddress: address,
    shippingAddress: address,
    coupon: null,
    charges: [],
    gstin: null,
    totalAmount: null,
    shipments: [],
    meta: null
  }
}

export const shipmentAt = (at: number): Shipment => {
  const id = String(at).padStart(20, "0")
  return beginShipment(
    {
      id,
      companyId: CompanyId.make(1),
      location: "BLR1",
      marketplace: "bazaar",
      orderId: seedOrder.id,
      externalOrderId: seedOrder.draft.externalOrderId,
      externalShipmentId: id,
      fulfillment: "SELLER",
      selfShip: true,
      currency: "INR",
      linesBefore: 0,
      items: [1, 2, 3].map((line) => ({
        id: `${id}${line}`,
        externalLineId: String(line),
        sku: `SKU-${line}`,
        title: `Product ${line}`,
        hsCode: "610910",
        ordered: 1,
        cancelled: 0,
        splitOff: 0,
        invoiced: 0,
        mrp: null,
        esp: Money.minorUnits(10_000),
        discount: Money.minorUnits(0),
        couponDiscount: Money.minorUnits(0),
        deliveryCharge: Money.minorUnits(0),
        taxRate: null,
        taxAmount: Money.minorUnits(0),
        taxBefore: Money.minorUnits(0),
        good: 0,
        bad: 0,
        qcReasons: [],
        unmappedReasons: [],
        imei: [],
        returnReason: null
      })),
      packAfter: null,
      packBy: null,
      dispatchBy: null,
      deliverBy: null,
      sla: 86_400_000,
      orderDate: at
    },
    at
  )
}

export const seedShipments = (file: string, count: number): Promise<void> =>
  Effect.gen(function* () {
    const orders = yield* OrderStore
    const shipments = yield* ShipmentStore
    const transaction = yield* Transaction.Transaction
    yield* transaction.run(
      Effect.gen(function* () {
        yield* orders.insert(seedOrder)
        for (let from = 0; from < count; from += 1000) {
          yield* shipments.insert(
            Array.from({ length: Math.min(1000, count - from) }, (_, at) => shipmentAt(from + at))
          )
        }
      })
    )
  }).pipe(
    Effect.provide(Layer.merge(StorageSql.layer.pipe(Layer.provide(BetterSqlite3.layer(file))), Ids.layer)),
    Effect.runPromise
  )
