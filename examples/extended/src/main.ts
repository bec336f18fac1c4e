/** A host in memory with rules of its own, and an order that meets each of these rules. */
import { deepStrictEqual, fail, strictEqual } from "node:assert/strict"
import { mock } from "node:test"
import { PaymentProviderTest } from "@crossdock/billing"
import type { ProductChanges } from "@crossdock/catalog"
import { brands, productInput, referenceData } from "@crossdock/catalog/testing"
import type { ShippingLabel } from "@crossdock/documents"
import { allOrThrow, type Hooks, Host, orThrow } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { CompanyId } from "@crossdock/kernel"
import type { OwnReason } from "@crossdock/returns"
import { extendLifecycle, Lifecycle, type PaperNumbers } from "@crossdock/shipments"
import { StorageMemory } from "@crossdock/storage-memory"

const first = <A>([one]: ReadonlyArray<A>): A => one ?? fail("The list is empty.")

// 1. A rule of products.
const longName: ProductChanges.OwnRule = ({ name }) =>
  name.length > 3 ? [] : [{ code: "NAME_TOO_SHORT", path: "/name", message: "must have four letters" }]

// 2. A scoring service is called before the transaction. A high score vetoes the order.
const scoreOf = async (name: string) => (name === "Mallory" ? 0.95 : 0.1)
const fraud: Hooks.Hook<"place"> = {
  on: "place",
  prepare: ({ records }) => scoreOf(first(records).record.billingAddress.name),
  before: ({ prepared }) =>
    Number(prepared) > 0.9 ? { code: "FRAUD", message: "This order needs a review." } : undefined
}

// 3. A status before packing. `null` removes the moves that would skip this status.
const lifecycle = extendLifecycle({
  statuses: { quality_hold: { orderStatus: "PROCESSING", stock: "none" } },
  transitions: {
    dp_assigned: {
      pack: null,
      awbDispatch: null,
      status: { bag_picked: null, handed_over_to_customer: null, quality_hold: { who: "seller" } }
    },
    quality_hold: {
      pack: { to: "bag_packed" },
      cancel: { to: "cancelled_seller", guards: ["within-what-is-left"] },
      status: { cancelled_customer: { who: "marketplace" } }
    }
  }
})

// 4. Documents call the tax of each line VAT.
const salesTax = { taxNames: () => ["VAT"], placeOfSupply: () => null }

// 5. Nothing leaves on Sundays. The guard is on every move that takes a shipment out of stock.
const noSundays = Lifecycle.guard({
  on: ["dispatch", "awbDispatch", "status bag_picked", "status handed_over_to_customer"],
  isMet: (_, { at }) => new Date(at).getUTCDay() !== 0,
  says: "the warehouse rests on Sundays",
  advice: "Send it on Monday.",
  code: "SUNDAY"
})

// 6. A reason for failed quality checks.
const reasons: ReadonlyArray<OwnReason> = [{ on: "return", code: 130, reason: "expired" }]

// 7. The numbers of the platform's invoices, and the series of sellers' documents. Each kind, location and year has its own
// series.
const numbering = {
  invoice: (year: number, nth: number) => `EU/${year}/${nth}`,
  papers: ({ at, kind, location }: PaperNumbers.NumberedPaper) =>
    `${kind === "sale" ? "R" : "G"}-${location}-${new Date(at).getUTCFullYear()}-`
}

// 8. A field of orders that sellers can search, and labels for a label printer that show this field.
const fields = { order: { po_number: { type: "str", maxLength: 40, filter: true } } } as const
const zplOf = ({ orderFields, shipmentId }: ShippingLabel) =>
  `^XA^FO50,50^BC^FD${shipmentId}^FS^FO50,200^FDPO ${orderFields?.po_number}^FS^XZ`
const labels = {
  mimeType: "application/zpl",
  extension: "zpl",
  draw: (labels: ReadonlyArray<ShippingLabel>) => labels.map(zplOf).join("\n")
}

const host = await Host.make({
  storage: StorageMemory.layer,
  runtime: Node.runtime(),
  payments: PaymentProviderTest.layer,
  publicUrl: "https://shop.example",
  addressOf: Host.forwardedFor,
  productRules: [longName],
  hooks: [fraud],
  lifecycle,
  salesTax,
  guards: [noSundays],
  reasons,
  numbering,
  fields,
  documents: { labels }
})
const { services } = host

// A company with a location, reference data, a marketplace, and the two callers.
const companyId = CompanyId.make(1)
const setup = host.system("setup")
const company = { id: companyId, name: "Shop", legalName: "Shop GmbH" }
const location = { code: "BER1", name: "Berlin", currency: "EUR", handlingHours: 24, address: null }
await orThrow(services.companies.register(setup, company, [location]))
await orThrow(services.productImport.reference(referenceData, brands))
const bazaar = { slug: "bazaar", name: "Bazaar", currency: "EUR", password: "correct horse battery" }
const locations = [{ companyId, location: "BER1", code: "BER1" }]
await orThrow(services.marketplaces.register(setup, { ...bazaar, locations, skus: null, buffers: [], webhook: null }))
const principal = {
  kind: "integration",
  id: "erp",
  integrationId: "erp",
  companyId,
  locations: null,
  stockPolicy: "set"
} as const
const seller = { principal, requestId: null }
const marketplace = { principal: { kind: "marketplace", id: "bazaar" }, requestId: null } as const

// 1. Of two products, the one with the short name is rejected.
const products = [productInput("S", { name: "Tee" }), productInput("L", { name: "Shirt" })]
const { failures } = await orThrow(services.productWrites.create(seller, { template: "apparel", products }))
const short = failures.map(({ code, path }) => [code, path])
deepStrictEqual(short, [["NAME_TOO_SHORT", "/products/0/name"]])
console.log(`1. product: the name ${first(failures).message}`)

await allOrThrow(services.inventory.setStock(seller, [{ sku: "L-S", location_id: "BER1", quantity: 5 }]))
const place = (id: string, name: string) => {
  const city = { city: "Berlin", state: "Berlin", pincode: "10115", country: "Germany" }
  const address = { name, phone: "1", address1: "1 High Street", ...city }
  const lines = [{ sku: "L-S", quantity: 1, esp: 120, tax: { rate: 20, amount: 20 } }]
  return services.orders.place(marketplace, {
    external_order_id: id,
    ordering_currency: "EUR",
    payment: { mode: "PREPAID" },
    billing_address: address,
    shipping_address: address,
    shipments: [{ external_shipment_id: id, location_id: "BER1", lines }],
    custom_fields: { po_number: `PO-${id}` }
  })
}

// 2. The order is answered with the veto.
const vetoed = await orThrow(place("O-1", "Mallory")).catch(({ code, message }) => ({ code, message }))
deepStrictEqual(vetoed, { code: "FRAUD", message: "This order needs a review." })
console.log(`2. fraud: ${vetoed.message}`)

const placed = await orThrow(place("O-2", "Alice"))
const orderId = first(placed.shipments).shipmentId
const read = async (id: string) => first(await orThrow(services.shipments.read(seller, [id]))).shipment
const orderItems = (await read(orderId)).items.map(({ id, ordered }) => ({ orderItemId: id, quantity: ordered }))
await allOrThrow(services.shipments.confirm(seller, [{ orderId, orderItems }]))
await allOrThrow(services.shipments.invoice(seller, [{ orderId, invoiceType: "sale" }]))
strictEqual((await read(orderId)).invoice?.number, `R-BER1-${new Date().getUTCFullYear()}-1`)

// 3. The shipment can be packed only after quality_hold.
const early = first((await orThrow(services.shipments.pack(seller, [{ orderId }]))).failures)
strictEqual(early.message.endsWith("Set its status to quality_hold, then pack it."), true)
await allOrThrow(services.shipments.reportStatus(seller, [{ orderId, orderStatus: "quality_hold" }]))
await allOrThrow(services.shipments.pack(seller, [{ orderId }]))
console.log(`3. quality_hold: ${early.message}`)

// 4. The shipment's invoice as PDF. The test reads VAT 20% in it.
export const invoice = await orThrow(services.shipmentDocuments.print(principal, "invoice", [orderId], "a4"))
strictEqual(new TextDecoder().decode(invoice.slice(0, 5)), "%PDF-")
console.log(`4. invoice: a PDF of ${invoice.length} bytes`)

// 8. The shipment is found by the field of its order. Its label shows the field too.
const page = { number: 1, size: 10 }
const found = await orThrow(services.shipments.page(seller, { fields: ["order.po_number=PO-O-2"] }, page))
strictEqual(first(found.items).shipment.id, orderId)
const label = new TextDecoder().decode(
  await orThrow(services.shipmentDocuments.print(principal, "labels", [orderId], "a6"))
)
strictEqual(label, `^XA^FO50,50^BC^FD${orderId}^FS^FO50,200^FDPO PO-O-2^FS^XZ`)
console.log(`8. label: ${label}`)

// 5. The shipment isn't dispatched on the next Sunday, but on Monday. `Date` is the clock of the host.
const day = 86_400_000
const sunday = Date.now() + (7 - new Date().getUTCDay()) * day
mock.timers.enable({ apis: ["Date"], now: sunday })
const rested = first((await orThrow(services.shipments.dispatch(seller, [{ orderId }]))).failures)
mock.timers.setTime(sunday + day)
await allOrThrow(services.shipments.dispatch(seller, [{ orderId }]))
mock.timers.reset()
strictEqual(rested.code, "SUNDAY")
console.log(`5. Sunday: ${rested.message}`)

// 6. The customer sends the units back, and they fail the quality check. A return is a separate shipment.
await allOrThrow(services.shipments.reportStatus(seller, [{ orderId, orderStatus: "delivery_done" }]))
const opened = { order_id: orderId, isSelfShip: true, status: "return_initiated" }
await allOrThrow(services.orders.reportStatus(marketplace, [opened]))
const { shipments } = await orThrow(services.orders.read(marketplace, placed.id))
const back = shipments.find(({ journey }) => journey === "return")?.id ?? fail("The order has no return.")
for (const orderStatus of ["return_dp_assigned", "return_bag_in_transit", "return_bag_delivered"]) {
  await allOrThrow(services.shipments.reportStatus(seller, [{ orderId: back, orderStatus }]))
}
const bad = orderItems.map((item) => ({ ...item, badQc: true, reasonCode: 130 }))
await allOrThrow(services.shipments.checkQuality(seller, [{ orderId: back, orderItems: bad }]))
const { qcReasons } = first((await read(back)).items)
deepStrictEqual(qcReasons, [{ code: 130, reason: "expired" }])
console.log(`6. reason 130: ${first(qcReasons).reason}`)

// 7. The company subscribes to a plan, whose first invoice is issued at once.
const plan = { id: "basic", name: "Basic", price: 499, currency: "EUR", interval: "month" } as const
await orThrow(services.plans.add(setup, plan))
await orThrow(services.billing.putCustomer(setup, companyId, { uniqueId: null, detail: { name: "Shop GmbH" } }))
const activation = { planId: "basic", uniqueId: null, coupon: null }
const { latestInvoice } = await orThrow(services.billing.activate(setup, companyId, activation))
strictEqual(latestInvoice?.number, `EU/${new Date().getUTCFullYear()}/1`)
console.log(`7. number: ${latestInvoice?.number}`)

await host.dispose()
