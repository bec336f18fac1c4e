import { AuditStore, CompanyWrite } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { Inventory, Level, StockLevels } from "@crossdock/inventory"
import { type CompanyId, Ids, required } from "@crossdock/kernel"
import { MarketplaceStore } from "@crossdock/marketplaces"
import { type OrderDraft, Orders } from "@crossdock/orders"
import { ShipmentStore } from "@crossdock/shipments"
import { Seed } from "@crossdock/storage-laws"
import { StorageMemory } from "@crossdock/storage-memory"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

/** Ids that another host draws as well: each of shipments and items twice. */
const twice = Layer.effect(
  Ids.Ids,
  Effect.map(Ids.make, (ids) => {
    let calls = 0
    const decimals = (count: number) => {
      const from = Math.floor(calls++ / 2) * 100
      return Effect.succeed(Array.from({ length: count }, (_, n) => String(from + n).padStart(20, "0")))
    }
    return Ids.Ids.of({ ...ids, decimals })
  })
)

const services = Orders.layer.pipe(
  Layer.provide(Inventory.layer),
  Layer.provide(CompanyWrite.layer),
  Layer.provideMerge(Layer.mergeAll(StorageMemory.layer, DigestNode.layer, twice))
)

const address = {
  name: "A",
  phone: "1",
  email: null,
  address1: "1",
  address2: null,
  landmark: null,
  city: "B",
  state: "KA",
  pincode: "560001",
  country: "IN"
}

const draft = (externalOrderId: string, location = "L1"): OrderDraft => ({
  externalOrderId,
  currency: "INR",
  orderDate: null,
  payment: { mode: "PREPAID", methods: [] },
  customer: null,
  billingAddress: address,
  shippingAddress: address,
  coupon: null,
  charges: [],
  gstin: null,
  totalAmount: null,
  shipments: [
    {
      externalShipmentId: "s",
      location,
      fulfillment: "SELLER",
      selfShip: true,
      packAfter: null,
      packBy: null,
      dispatchBy: null,
      deliverBy: null,
      lines: [
        {
          externalLineId: "1",
          sku: "A",
          quantity: 1,
          mrp: null,
          esp: 10,
          discount: 0,
          couponDiscount: 0,
          deliveryCharge: 0,
          tax: null
        }
      ]
    }
  ],
  meta: null
})

const caller = { principal: { kind: "marketplace", id: "bazaar" }, requestId: null } as const

/**
 * A company with 5 units of A at L1, and a marketplace that calls this place `code`.
 */
const seller = (code: string) =>
  Effect.gen(function* () {
    const [marketplaces, levels] = [yield* MarketplaceStore, yield* StockLevels]
    const company = yield* Effect.provide(Seed.seller(["L1"], ["A"]), Seed.layer)
    const mapped = (code: string) =>
      marketplaces.put({
        slug: "bazaar",
        name: "Bazaar",
        currency: "INR",
        locations: [{ code, companyId: company, location: "L1" }],
        skus: null,
        buffers: [],
        retiredCodes: [],
        webhook: null
      })
    yield* mapped(code)
    const [level] = yield* levels.load(company, [{ sku: "A", location: "L1" }])
    if (typeof level !== "object") return yield* Effect.die(new Error(String(level)))
    const stocked = { onHand: 5, reserved: 0, unsellable: 0, reason: "set", reference: null } as const
    yield* levels.save(company, 1, 1, [{ ...Level.move(Level.unchanged(level), stocked), marked: true }])
    return { company, mapped }
  })

describe("An order whose shipment's id another one has", () => {
  it.effect("is placed all the same, under an id of its own", () =>
    Effect.gen(function* () {
      const [levels, orders] = [yield* StockLevels, yield* Orders.Orders]
      const { company } = yield* seller("L1")
      const [first, second] = [yield* orders.place(caller, draft("1")), yield* orders.place(caller, draft("2"))]
      deepStrictEqual(
        [first, second].map(({ shipments }) => shipments[0]?.shipmentId),
        ["00000000000000000000", "00000000000000000100"]
      )
      const [after] = yield* levels.load(company, [{ sku: "A", location: "L1" }])
      strictEqual(typeof after === "object" ? after.reserved : after, 2)
    }).pipe(Effect.provide(services))
  )
})

describe("An order of several shipments", () => {
  it.effect("gives each shipment the total of the lines before it, by which payments are shared", () =>
    Effect.gen(function* () {
      const [orders, store] = [yield* Orders.Orders, yield* ShipmentStore]
      const { company } = yield* seller("L1")
      const [shipment] = draft("1").shipments
      if (shipment === undefined) return yield* Effect.die(new Error("The draft has no shipment"))
      const named = ["s1", "s2", "s3"].map((externalShipmentId) => ({ ...shipment, externalShipmentId }))
      const placed = yield* orders.place(caller, { ...draft("1"), shipments: named })
      const stored = yield* store.load(
        company,
        placed.shipments.map(({ shipmentId }) => shipmentId)
      )
      deepStrictEqual(stored.map((one) => [one.externalShipmentId, one.linesBefore]).sort(), [
        ["s1", 0],
        ["s2", 1000],
        ["s3", 2000]
      ])
    }).pipe(Effect.provide(services))
  )
})

describe("What a marketplace's orders are judged by", () => {
  for (const [when, change] of [
    ["two seconds later", 2000],
    ["when the clock was set back a day", -86_400_000]
  ] as const) {
    it.effect(`is asked for again ${when}`, () =>
      Effect.gen(function* () {
        const orders = yield* Orders.Orders
        const { mapped } = yield* seller("L1")
        yield* TestClock.setTime(1_790_000_000_000)
        yield* orders.place(caller, draft("1"))
        yield* mapped("NEW")
        strictEqual((yield* Effect.flip(orders.place(caller, draft("2", "NEW"))))._tag, "OrderRejected")
        yield* TestClock.setTime(1_790_000_000_000 + change)
        yield* orders.place(caller, draft("2", "NEW"))
      }).pipe(Effect.provide(services))
    )
  }
})

describe("The personal data of an order", () => {
  const close = (company: CompanyId, id: string) =>
    Effect.gen(function* () {
      const store = yield* ShipmentStore
      for (const before of yield* store.load(company, [id])) {
        yield* store.update(company, [
          { before, after: { ...before, version: before.version + 1, status: "delivery_done" } }
        ])
      }
    })

  it.effect(
    "is erased when its shipments are closed, with a record in each company's trail and without a change of sums",
    () =>
      Effect.gen(function* () {
        const [orders, log, store] = [yield* Orders.Orders, yield* AuditStore, yield* ShipmentStore]
        const { company } = yield* seller("L1")
        const sent = { ...draft("1"), customer: { name: "Asha", phone: "1", email: null }, meta: { gift: "for Asha" } }
        const placed = yield* orders.place(caller, sent)
        const shipmentId = placed.shipments[0]?.shipmentId ?? ""
        const early = yield* Effect.flip(orders.erase(caller, "bazaar", placed.id))
        strictEqual(early._tag, "OrderInProgress")
        strictEqual((yield* orders.read(caller, placed.id)).order.draft.customer?.name, "Asha")
        yield* close(company, shipmentId)
        const before = yield* store.withOrders(company, [shipmentId])
        strictEqual(yield* orders.erase(caller, "bazaar", placed.id), true)
        const { order, shipments } = yield* orders.read(caller, placed.id)
        deepStrictEqual([order.draft.customer, order.draft.meta, order.total], [null, null, 1000])
        const { name, phone, state } = order.draft.shippingAddress
        deepStrictEqual([name, phone, state], ["", "", "KA"])
        deepStrictEqual(
          shipments.map(({ items }) => items),
          before.map(({ shipment }) => shipment.items)
        )
        const [shown] = yield* store.withOrders(company, [shipmentId])
        deepStrictEqual([shown?.order.shippingAddress.name, shown?.order.paymentMode], ["", "PREPAID"])
        const records = yield* log.read(company, 0, 10)
        deepStrictEqual(
          records.filter(({ action }) => action === "erase").map(({ entityId, entityType }) => [entityType, entityId]),
          [["order", placed.id]]
        )
        strictEqual(JSON.stringify(records).includes("Asha"), false)
        strictEqual(yield* orders.erase(caller, "bazaar", placed.id), false)
        strictEqual((yield* log.read(company, 0, 10)).length, records.length)
      }).pipe(Effect.provide(services))
  )

  it.effect("is erased from what is written afterwards, while the order keeps the time of its erasure", () =>
    Effect.gen(function* () {
      const [orders, store] = [yield* Orders.Orders, yield* ShipmentStore]
      const { company } = yield* seller("L1")
      const placed = yield* orders.place(caller, draft("1"))
      const shipmentId = placed.shipments[0]?.shipmentId ?? ""
      yield* close(company, shipmentId)
      const erasedAt = Effect.map(orders.read(caller, placed.id), ({ order }) => order.erasedAt)
      yield* TestClock.setTime(1_000)
      strictEqual(yield* orders.erase(caller, "bazaar", placed.id), true)
      const before = required((yield* store.load(company, [shipmentId]))[0], "the shipment")
      const after = { ...before, version: before.version + 1, lastLocation: "at Asha's" }
      yield* store.update(company, [{ before, after }])
      yield* TestClock.setTime(2_000)
      strictEqual(yield* orders.erase(caller, "bazaar", placed.id), true)
      const [erased] = yield* store.load(company, [shipmentId])
      deepStrictEqual([erased?.lastLocation, erased?.modifiedAt, yield* erasedAt], [null, 2_000, 1_000])
    }).pipe(Effect.provide(services))
  )

  it.effect(
    "is not needed to know the order again: sent once more it is the same one, and other amounts still differ",
    () =>
      Effect.gen(function* () {
        const orders = yield* Orders.Orders
        const { company } = yield* seller("L1")
        const first = yield* orders.place(caller, draft("1"))
        yield* close(company, first.shipments[0]?.shipmentId ?? "")
        yield* orders.erase(caller, "bazaar", first.id)
        deepStrictEqual(yield* orders.place(caller, draft("1")), first)
        const other = yield* Effect.flip(orders.place(caller, { ...draft("1"), payment: { mode: "COD", methods: [] } }))
        strictEqual(other._tag === "OrderRejected" && other.code, "ORDER_EXISTS")
      }).pipe(Effect.provide(services))
  )

  it.effect("of an order that a marketplace doesn't have is not found", () =>
    Effect.gen(function* () {
      const orders = yield* Orders.Orders
      yield* seller("L1")
      const { id } = yield* orders.place(caller, draft("1"))
      strictEqual((yield* Effect.flip(orders.erase(caller, "other", id)))._tag, "OrderNotFound")
      strictEqual((yield* Effect.flip(orders.erase(caller, "bazaar", "none")))._tag, "OrderNotFound")
    }).pipe(Effect.provide(services))
  )
})
