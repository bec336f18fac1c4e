import { Directory, type Integration } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { Inventory } from "@crossdock/inventory"
import { CompanyId, Ids } from "@crossdock/kernel"
import { beginShipment, Couriers, type Shipment, ShipmentStore, Shipments } from "@crossdock/shipments"
import { StorageMemory } from "@crossdock/storage-memory"
import { layer } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Result } from "effect"

const company = CompanyId.make(1)

/** A host whose courier has to be asked, and that knows where its customers can follow a bag. */
const asked = Layer.effect(
  Couriers.Couriers,
  Effect.map(Couriers.make("Swift", "SW", { Swift: "https://swift.example/{awb}?lang=en" }), (couriers) => ({
    ...couriers,
    assign: () => Effect.succeed(null)
  }))
)

const services = Shipments.layer.pipe(
  Layer.provide(Layer.merge(Inventory.layer, asked)),
  Layer.provide(CompanyWrite.layer),
  Layer.provideMerge(Layer.mergeAll(StorageMemory.layer, DigestNode.layer, Ids.layer))
)

const system = { principal: { kind: "system", id: "operator" }, requestId: null } as const
const seller = {
  principal: {
    kind: "integration",
    id: "s",
    integrationId: "s",
    companyId: company,
    locations: null,
    stockPolicy: "set"
  } satisfies Integration,
  requestId: null
}

const shipmentOf = (id: string): Shipment => ({
  ...beginShipment(
    {
      id,
      companyId: company,
      location: "L1",
      marketplace: "bazaar",
      orderId: "o",
      externalOrderId: "o",
      externalShipmentId: id,
      fulfillment: "SELLER",
      selfShip: false,
      currency: "INR",
      linesBefore: 0,
      items: [],
      packAfter: null,
      packBy: null,
      dispatchBy: null,
      deliverBy: null,
      sla: 0,
      orderDate: 0
    },
    0,
    "bag_confirmed"
  )
})

const invoice = (shipmentId: string) => ({
  shipmentId,
  path: "/0/orderId",
  says: "sale",
  invoiceNumber: shipmentId,
  command: () =>
    ({
      _tag: "InvoiceSale",
      invoice: { number: shipmentId, irn: null, qrCode: null, signedInvoice: null, ackNumber: null, ackDate: null },
      items: [],
      packages: null
    }) as const
})

layer(services)("A courier that has to be asked", (it) => {
  it.effect("is assigned later by the host, once, under an AWB that no other open shipment has", () =>
    Effect.gen(function* () {
      const [directory, shipments, store] = [yield* Directory, yield* Shipments.Shipments, yield* ShipmentStore]
      yield* directory.putCompanies([{ id: company, name: "Acme", legalName: "Acme" }])
      const ids = ["1", "2"]
      yield* store.insert(ids.map(shipmentOf))
      const statuses = Effect.map(store.load(company, ids), (found) => found.map(({ status }) => status))
      const moved = yield* shipments.moveAsSeller(
        seller,
        "invoiceUpdate",
        ids.map((id) => Result.succeed(invoice(id)))
      )
      strictEqual(moved.status, "SUCCESS")
      deepStrictEqual(yield* statuses, ["bag_invoiced", "bag_invoiced"])

      const courier = { name: "Swift", code: "SW", awbNumbers: ["S/1", "S/2"] }
      const assign = (shipmentId: string, other: Partial<typeof courier> = {}) =>
        Effect.map(
          shipments.assignCouriers(system, company, [{ shipmentId, courier: { ...courier, ...other } }]),
          ({ failures }) => failures.map(({ code }) => code)
        )
      deepStrictEqual(yield* assign("1"), [])
      deepStrictEqual(yield* statuses, ["dp_assigned", "bag_invoiced"])
      deepStrictEqual(yield* assign("1"), ["A400"], "it has its courier")
      deepStrictEqual(yield* assign("2"), ["A409"])
      deepStrictEqual(yield* assign("2", { name: "SWIFT ", awbNumbers: ["S/3", "S/2"] }), ["A409"])
      deepStrictEqual(yield* assign("3"), ["A404"])
      deepStrictEqual(yield* statuses, ["dp_assigned", "bag_invoiced"])

      const tracked = yield* shipments.track(seller, { awbNumber: "S/2" })
      deepStrictEqual([tracked?.shipment.id, tracked?.url], ["1", "https://swift.example/S%2F1?lang=en"])
    })
  )
})
