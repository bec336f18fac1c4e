/**
 * What a paper says is stored when its number is given: print, change anything, print again.
 */
import { Directory, type Integration, type Location } from "@crossdock/access"
import { CompanyWrite, UserAgents } from "@crossdock/audit"
import { ProductStore } from "@crossdock/catalog"
import { DigestNode, NonceNode } from "@crossdock/crypto"
import { DocumentRenderer, type PrintedInvoice, ShipmentDocuments, type ShippingLabel } from "@crossdock/documents"
import { Inventory } from "@crossdock/inventory"
import { type CompanyId, Ids } from "@crossdock/kernel"
import { MarketplaceStore } from "@crossdock/marketplaces"
import { Orders } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import {
  Couriers,
  noMeta,
  type OperationFamily,
  type ShipmentCommand,
  ShipmentStore,
  Shipments
} from "@crossdock/shipments"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageMemory } from "@crossdock/storage-memory"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Result } from "effect"
import { inject } from "vitest"

const postgres = Layer.unwrap(Effect.map(PostgresDatabase.make(inject("postgres")), (url) => Postgres.layer(url)))

const storages = {
  memory: StorageMemory.layer,
  SQLite: Layer.provide(StorageSql.layer, BetterSqlite3.layer(":memory:")),
  PostgreSQL: Layer.provide(StorageSql.layer, postgres)
}

/** Draws what it gets as JSON: that the same input gives the same PDF is tested elsewhere. */
const asJson = (drawn: unknown) => Effect.succeed(new TextEncoder().encode(JSON.stringify(drawn)))
const renderer = Layer.succeed(DocumentRenderer, DocumentRenderer.of({ labels: asJson, invoices: asJson }))

const services = <E>(storage: Layer.Layer<Layer.Success<typeof StorageMemory.layer>, E>) =>
  Layer.mergeAll(Orders.layer, Shipments.layer, ShipmentDocuments.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(Inventory.layer, Couriers.layer, renderer)),
    Layer.provideMerge(CompanyWrite.layer),
    Layer.provideMerge(Layer.mergeAll(storage, DigestNode.layer, NonceNode.layer, Ids.layer)),
    Layer.provide(Layer.succeed(UserAgents, UserAgents.of({ describe: () => ({}) })))
  )

const bazaar = { principal: { kind: "marketplace", id: "bazaar" }, requestId: null } as const
const host = { principal: { kind: "system", id: "test" }, requestId: null } as const

const sellerOf = (companyId: CompanyId) => {
  const principal: Integration = {
    kind: "integration",
    id: "seller",
    integrationId: "seller",
    companyId,
    locations: null,
    stockPolicy: "set"
  }
  return { principal, requestId: null }
}

const address = {
  address1: "1 Market Road",
  address2: null,
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India",
  phone: "+918000000000",
  gstin: "29AAAAA0000A1Z5"
}

/** The location as it was, and after the seller has changed it in every way. */
const places: ReadonlyArray<Pick<Location, "name" | "address">> = [
  { name: "Bengaluru 1", address },
  { name: "Mumbai 1", address: { ...address, city: "Mumbai", state: "Maharashtra", gstin: "27AAAAA0000A1Z5" } },
  { name: "Nowhere", address: null },
  { name: "Bengaluru 2", address: { ...address, address1: "9 Mill Road", phone: null, gstin: "29BBBBB0000B1Z5" } },
  { name: "Panaji", address: { ...address, state: "Goa", gstin: null } }
]

const signed = (of: string) => ({
  irn: `irn of ${of}`,
  qrCode: `qr of ${of}`,
  signedInvoice: `signed ${of}`,
  ackNumber: `ack of ${of}`,
  ackDate: "2026-11-24"
})

const report = (status: string): ShipmentCommand => ({ _tag: "Report", by: "marketplace", status, meta: noMeta })

/**
 * A company with one location and one product, an order of it, and what its seller and its marketplace do.
 */
const begin = Effect.gen(function* () {
  const [directory, products, stores] = [yield* Directory, yield* ProductStore, yield* ShipmentStore]
  const [orders, shipments] = [yield* Orders.Orders, yield* Shipments.Shipments]
  const { print } = yield* ShipmentDocuments.ShipmentDocuments
  const companyId = yield* Fresh.companyId
  const seller = sellerOf(companyId)
  const [sku, code] = [yield* Fresh.text("SKU"), yield* Fresh.text("L")]
  let changes = 0
  /** Changes all that a paper could read of its seller and its products. */
  const change = Effect.gen(function* () {
    const place = places[changes % places.length] ?? { name: "", address: null }
    changes++
    const company = { ...Fresh.company(companyId), legalName: `Legal name ${changes}` }
    yield* directory.putCompanies([company])
    yield* directory.putLocations([{ ...Fresh.location(companyId, code), ...place }])
    const product = Fresh.product(companyId, "item", [sku])
    const sizes = product.sizes.map((size) => ({ ...size, weight: changes * 100 }))
    yield* products.put(companyId, [{ ...product, name: `Name ${changes}`, hsCode: `61${changes}`, sizes }], changes)
  })
  yield* change
  const marketplace = { slug: "bazaar", name: "Bazaar", currency: "INR", skus: null, buffers: [], retiredCodes: [] }
  yield* (yield* MarketplaceStore).put({
    ...marketplace,
    webhook: null,
    locations: [{ companyId, location: code, code }]
  })
  const stocked = { location: code, sku, quantity: 100, expected: null }
  yield* (yield* Inventory.Inventory).setStock(seller, [Result.succeed(stocked)])

  const place = (selfShip: boolean) =>
    Effect.gen(function* () {
      const lines = [orderLine({ sku, quantity: 2, tax: { rate: 5, amount: 9.51 } })]
      const externalOrderId = yield* Fresh.text("order")
      const draft = orderDraft({
        externalOrderId,
        payment: { mode: "COD", methods: [] },
        gstin: "29CCCCC0000C1Z5",
        shipments: [orderShipment({ location: code, selfShip, lines })]
      })
      const { id } = yield* orders.place(bazaar, draft)
      const [shipment] = yield* stores.ofOrder(id)
      return { orderId: id, shipmentId: shipment?.id ?? "", itemId: shipment?.items[0]?.id ?? "" }
    })

  const move = (
    family: OperationFamily,
    shipmentId: string,
    command: ShipmentCommand | ((id: string) => ShipmentCommand)
  ) =>
    Effect.gen(function* () {
      const of = typeof command === "function" ? command : () => command
      const request = Result.succeed({ shipmentId, path: "/0", command: of })
      const byMarketplace = family === "status"
      const { failures } = byMarketplace
        ? yield* shipments.moveAsMarketplace(bazaar, family, [request])
        : yield* shipments.moveAsSeller(seller, family, [request])
      deepStrictEqual(failures, [])
    })

  const invoice = (
    kind: "InvoiceSale" | "CreditNote",
    shipmentId: string,
    itemId: string,
    serials: ReadonlyArray<string>
  ) => {
    const number = `${kind} of ${shipmentId}`
    const packages = [
      { id: null, lengthCm: 1, widthCm: 1, heightCm: 1, weightGrams: kind === "CreditNote" ? 900 : null }
    ]
    const items = [{ itemId, quantity: null, imei: serials }]
    const command = { _tag: kind, invoice: { number, ...signed(number) }, items, packages } as const
    return move("invoiceUpdate", shipmentId, command)
  }

  const awb = (shipmentId: string, number: string) =>
    move("awb", shipmentId, {
      _tag: "AssignAwb",
      by: "seller",
      awbNumber: number,
      courierName: "Swift",
      autoDispatch: false
    })

  const first = new Map<string, unknown>()
  const printed = (family: "labels" | "invoice", id: string) =>
    Effect.gen(function* () {
      const bytes = yield* print(seller.principal, family, [id], "a4")
      return JSON.parse(new TextDecoder().decode(bytes)) as ReadonlyArray<ShippingLabel | PrintedInvoice>
    }).pipe(Effect.catchTag("DocumentsRejected", () => Effect.succeed([])))
  const nameOf = (paper: ShippingLabel | PrintedInvoice) =>
    "title" in paper
      ? `${paper.title} ${paper.number}`
      : `label ${paper.awbNumbers.length === 0 ? paper.shipmentId : paper.awbNumbers.join()}`

  /** Every paper of these shipments says what it said when it was printed first. Returns their names. */
  const printAll = (ids: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const names: Array<string> = []
      for (const id of ids) {
        for (const paper of [...(yield* printed("invoice", id)), ...(yield* printed("labels", id))]) {
          const name = nameOf(paper)
          names.push(name)
          if (first.has(name)) deepStrictEqual(paper, first.get(name))
          else first.set(name, paper)
        }
      }
      return names
    })

  /** Makes each move, and prints all papers after it, before and after a change of everything. */
  const journey = (
    ids: Effect.Effect<ReadonlyArray<string>, unknown>,
    moves: ReadonlyArray<Effect.Effect<void, unknown>>
  ) =>
    Effect.gen(function* () {
      for (const one of moves) {
        yield* one
        yield* printAll(yield* ids)
        yield* change
        yield* printAll(yield* ids)
      }
      return first as ReadonlyMap<string, PrintedInvoice | ShippingLabel>
    })

  const idsOf = (orderId: string) => Effect.map(stores.ofOrder(orderId), (all) => all.map(({ id }) => id))

  return { awb, change, companyId, idsOf, invoice, journey, move, orders, place, printed, stores }
})

const returned = Effect.gen(function* () {
  const { awb, idsOf, invoice, journey, move, place, stores } = yield* begin
  const { itemId, orderId, shipmentId } = yield* place(true)
  const items = [{ itemId, quantity: 2 }]
  const ofReturn = <A, E>(then: (id: string) => Effect.Effect<A, E>) =>
    Effect.flatMap(stores.ofOrder(orderId), (all) => then(all.find((one) => one.journey === "return")?.id ?? ""))
  const papers = yield* journey(idsOf(orderId), [
    move("confirm", shipmentId, { _tag: "Confirm", items }),
    invoice("InvoiceSale", shipmentId, itemId, ["S1", "S2"]),
    move("pack", shipmentId, { _tag: "Pack" }),
    awb(shipmentId, `A of ${shipmentId}`),
    awb(shipmentId, `B of ${shipmentId}`),
    move("dispatch", shipmentId, { _tag: "Dispatch", items: null }),
    move("status", shipmentId, report("delivery_done")),
    move("status", shipmentId, (newShipmentId) => ({
      _tag: "InitiateReturn",
      by: "marketplace",
      items: [{ itemId, externalLineId: null, quantity: 1, reason: null }],
      returnId: null,
      newShipmentId,
      meta: noMeta
    })),
    ofReturn((id) => awb(id, `C of ${id}`)),
    ofReturn((id) => move("status", id, report("return_bag_in_transit"))),
    ofReturn((id) => move("status", id, report("return_bag_delivered"))),
    ofReturn((id) => move("return", id, { _tag: "CheckQuality", items: null, bad: false })),
    ofReturn((id) => invoice("CreditNote", id, itemId, ["S2"]))
  ])
  return { papers, shipmentId }
})

const cameBack = Effect.gen(function* () {
  const { awb, idsOf, invoice, journey, move, place } = yield* begin
  const { itemId, orderId, shipmentId } = yield* place(true)
  const papers = yield* journey(idsOf(orderId), [
    move("confirm", shipmentId, { _tag: "Confirm", items: [{ itemId, quantity: 2 }] }),
    invoice("InvoiceSale", shipmentId, itemId, ["S1", "S2"]),
    move("pack", shipmentId, { _tag: "Pack" }),
    awb(shipmentId, `A of ${shipmentId}`),
    move("dispatch", shipmentId, { _tag: "Dispatch", items: null }),
    move("status", shipmentId, report("rto_in_transit")),
    move("status", shipmentId, report("rto_bag_delivered")),
    move("return", shipmentId, { _tag: "CheckQuality", items: null, bad: false }),
    invoice("CreditNote", shipmentId, itemId, ["S9"])
  ])
  return { papers, shipmentId, itemId, orderId }
})

const linesOf = (paper: PrintedInvoice | ShippingLabel | undefined) =>
  paper !== undefined && "title" in paper ? paper.lines.flatMap(({ details }) => details) : []

const taxesOf = (paper: PrintedInvoice | ShippingLabel | undefined) =>
  paper !== undefined && "title" in paper ? [paper.taxNames, paper.seller] : []

for (const [name, storage] of Object.entries(storages)) {
  describe(`Papers stored in ${name}`, () => {
    it.live("say ever after what they said when their number was given, whatever the seller changes", () =>
      Effect.gen(function* () {
        const { papers, shipmentId } = yield* returned
        const kinds = [...papers.keys()].map((one) => one.replace(/\d{20}/, "…")).sort()
        deepStrictEqual(kinds, [
          "Credit note CreditNote of …",
          "Tax invoice InvoiceSale of …",
          "label A of …",
          "label B of …",
          "label C of …",
          "label …",
          "label …"
        ])
        const [sale] = [...papers].filter(([one]) => one.startsWith("Tax invoice")).map(([, paper]) => paper)
        const [note] = [...papers].filter(([one]) => one.startsWith("Credit note")).map(([, paper]) => paper)
        // The seller has moved to other states meanwhile.
        deepStrictEqual(taxesOf(note), taxesOf(sale), shipmentId)
      }).pipe(Effect.provide(services(storage)), Effect.scoped)
    )

    it.live("keep the sale's serial numbers on its invoice, and those of the credit note on the credit note", () =>
      Effect.gen(function* () {
        const { papers, shipmentId } = yield* cameBack
        const invoice = linesOf(papers.get(`Tax invoice InvoiceSale of ${shipmentId}`))
        const note = linesOf(papers.get(`Credit note CreditNote of ${shipmentId}`))
        deepStrictEqual([invoice[1], note[1]], ["Serial no. S1, S2", "Serial no. S9"])
      }).pipe(Effect.provide(services(storage)), Effect.scoped)
    )

    it.live("lose the person, and nothing else, when the order is erased", () =>
      Effect.gen(function* () {
        const { change, invoice, move, orders, place, printed } = yield* begin
        const { itemId, orderId, shipmentId } = yield* place(true)
        yield* move("confirm", shipmentId, { _tag: "Confirm", items: [{ itemId, quantity: 2 }] })
        yield* invoice("InvoiceSale", shipmentId, itemId, ["S1", "S2"])
        yield* move("pack", shipmentId, { _tag: "Pack" })
        yield* move("dispatch", shipmentId, { _tag: "Dispatch", items: null })
        yield* move("status", shipmentId, report("delivery_done"))
        const [before] = (yield* printed("invoice", shipmentId)) as ReadonlyArray<PrintedInvoice>
        const [label] = (yield* printed("labels", shipmentId)) as ReadonlyArray<ShippingLabel>
        strictEqual(yield* orders.erase(host, "bazaar", orderId), true)
        yield* change
        const [after] = (yield* printed("invoice", shipmentId)) as ReadonlyArray<PrintedInvoice>
        const [labelAfter] = (yield* printed("labels", shipmentId)) as ReadonlyArray<ShippingLabel>
        const nobody = { name: "", lines: ["Karnataka", "India"], phone: null }
        deepStrictEqual(after, before && { ...before, buyer: { ...before.buyer, ...nobody }, qrCode: null })
        deepStrictEqual(labelAfter, label && { ...label, receiver: { ...label.receiver, ...nobody } })
      }).pipe(Effect.provide(services(storage)), Effect.scoped)
    )
  })
}
