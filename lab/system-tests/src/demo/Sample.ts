/** The products and invoices of the retail sample, and the orders made of them. */
import { readFile } from "node:fs/promises"
import type { RetailProduct } from "@crossdock/cli/SandboxData"

export interface Invoice {
  readonly invoice: string
  readonly cancellation: boolean
  readonly date: string
  readonly country: string
  readonly lines: ReadonlyArray<{ readonly sku: string; readonly quantity: number; readonly unitPrice: string }>
}

const read = async <A>(name: string): Promise<A> =>
  JSON.parse(await readFile(new URL(`../../../../packages/cli/data/${name}.json`, import.meta.url), "utf8"))

export const products = () => read<ReadonlyArray<RetailProduct>>("retail-products")
export const invoices = () => read<ReadonlyArray<Invoice>>("retail-invoices")

/** The location of an invoice. Invoices alternate between the two locations. */
export const locationOf = (at: number): string => (at % 2 === 0 ? "BLR1" : "BOM1")

/** The units that the sample orders, by `sku location`. */
export const demand = (all: ReadonlyArray<Invoice>): ReadonlyMap<string, number> => {
  const wanted = new Map<string, number>()
  for (const [at, { lines }] of all.entries()) {
    for (const { quantity, sku } of lines) {
      const key = `${sku} ${locationOf(at)}`
      wanted.set(key, (wanted.get(key) ?? 0) + quantity)
    }
  }
  return wanted
}

const address = (country: string) => ({
  name: "A Customer",
  phone: "+91 80 0000 0000",
  address1: "1 Market Road",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country
})

/** An invoice as the order of a marketplace. */
export const orderOf = (invoice: Invoice, at: number) => ({
  external_order_id: `RETAIL-${invoice.invoice}`,
  ordering_currency: "INR" as const,
  order_date: invoice.date,
  payment: { mode: at % 3 === 0 ? ("COD" as const) : ("PREPAID" as const) },
  billing_address: address(invoice.country),
  shipping_address: address(invoice.country),
  shipments: [
    {
      external_shipment_id: `RETAIL-${invoice.invoice}-1`,
      location_id: locationOf(at),
      lines: invoice.lines.map(({ quantity, sku, unitPrice }, line) => ({
        external_line_id: String(line + 1),
        sku,
        quantity,
        esp: Number(unitPrice)
      }))
    }
  ]
})
