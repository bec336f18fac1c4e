/** A host with a company, a product, stock and a marketplace, for tests of a host's own rules. */
import { PaymentProviderTest } from "@crossdock/billing"
import { brands, productInput, referenceData } from "@crossdock/catalog/testing"
import { allOrThrow, Host, orThrow } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { CompanyId } from "@crossdock/kernel"
import { StorageMemory } from "@crossdock/storage-memory"
import { Logger } from "effect"

export const acme = CompanyId.make(1)
const location = { code: "BLR1", name: "Bengaluru 1", currency: "INR", handlingHours: 24, address: null }

export const seller = {
  principal: {
    kind: "integration",
    id: "acme",
    integrationId: "acme",
    companyId: acme,
    locations: null,
    stockPolicy: "set"
  },
  requestId: null
} as const
export const bazaar = { principal: { kind: "marketplace", id: "bazaar" }, requestId: null } as const

export const options = {
  storage: StorageMemory.layer,
  runtime: Node.runtime({ passwordCost: { logN: 4, blockSize: 8, parallel: 1 } }),
  payments: PaymentProviderTest.layer,
  publicUrl: "https://shop.example",
  workers: false,
  addressOf: () => "192.0.2.1",
  signIn: { seller: async () => seller.principal, marketplace: async () => bazaar.principal },
  observability: Logger.layer([])
} satisfies Host.Options

/** Why a host can't be made with these options. */
export const setupError = (more: object): Promise<unknown> =>
  Host.make({ ...options, ...more }).then(
    () => "it started",
    (error: Error) => error.message
  )

const address = { name: "A", phone: "1", address1: "1", city: "B", state: "K", pincode: "560001", country: "India" }

/** An order of two units at 100 each. `line` has further fields of its line. */
export const orderOf = (id: string, line: object = {}) => ({
  external_order_id: id,
  ordering_currency: "INR",
  payment: { mode: "PREPAID" as const },
  billing_address: address,
  shipping_address: address,
  shipments: [
    { external_shipment_id: "1", location_id: "BLR1", lines: [{ sku: "T-S", quantity: 2, esp: 100, ...line }] }
  ]
})

export const start = async <E = never>(more: Partial<Host.Options<E>> = {}) => {
  const host = await Host.make<E>({ ...options, ...more })
  const { companies, inventory, marketplaces, orders, productImport, shipments } = host.services
  const setup = host.system("setup")
  await orThrow(companies.register(setup, { id: acme, name: "Acme", legalName: "Acme Ltd" }, [location]))
  await orThrow(productImport.reference(referenceData, brands))
  await orThrow(productImport.products(setup, acme, [{ template: "apparel", products: [productInput("T")] }]))
  const locations = [{ companyId: acme, location: "BLR1", code: "BLR1" }]
  const registered = { slug: "bazaar", name: "Bazaar", currency: "INR", password: "correct horse battery", locations }
  await orThrow(marketplaces.register(setup, { ...registered, skus: null, buffers: [], webhook: null }))
  await allOrThrow(inventory.setStock(seller, [{ sku: "T-S", location_id: "BLR1", quantity: 100 }]))

  /** The JSON of an answer. */
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { "content-type": "application/json" }
    const sent = body === undefined ? null : JSON.stringify(body)
    return (await host.handler(new Request(`https://shop.example${path}`, { method, headers, body: sent }))).json()
  }

  /** The shipment of a new order, and its items as a record of a move names them. */
  const place = async (id: string, line: object = {}) => {
    const { id: order, shipments: placed } = await orThrow(orders.place(bazaar, orderOf(id, line)))
    const [found] = await orThrow(shipments.read(seller, [placed[0]?.shipmentId ?? ""]))
    const { id: orderId = "", items = [] } = found?.shipment ?? {}
    return { order, orderId, orderItems: items.map((item) => ({ orderItemId: item.id, quantity: item.ordered })) }
  }

  const recordOf = ({ orderId, orderItems }: Awaited<ReturnType<typeof place>>) => ({ orderId, orderItems })

  const invoiced = (orderId: string) => ({ orderId, invoiceNumber: `INV-${orderId}`, invoiceType: "sale" as const })

  /** A shipment with an invoice and a courier. */
  const ready = async (id: string, line: object = {}) => {
    const placed = await place(id, line)
    await allOrThrow(shipments.confirm(seller, [recordOf(placed)]))
    await allOrThrow(shipments.invoice(seller, [invoiced(placed.orderId)]))
    return placed
  }

  return { host, send, place, ready }
}
