/**
 * Labels and invoices for tests.
 */
import type { DocumentParty, PrintedInvoice, PrintedInvoiceLine, ShippingLabel } from "@crossdock/documents"

export const seller: DocumentParty = {
  name: "Acme Retail Private Limited",
  lines: ["Bengaluru 1", "1 Market Road", "Bengaluru, Karnataka", "India 560001"],
  phone: null,
  taxNumber: { name: "GSTIN", value: "29AAAAA0000A1Z5" }
}

export const buyer: DocumentParty = {
  name: "A Customer",
  lines: ["12 Dock Road", "Mumbai, Maharashtra", "India 400001"],
  phone: "+91 80 0000 0000",
  taxNumber: null
}

export const label = (more: Partial<ShippingLabel> = {}): ShippingLabel => ({
  journey: "forward",
  sender: seller,
  receiver: buyer,
  courier: "BlueDart",
  awbNumbers: ["AWB1234567890"],
  shipmentId: "17328629784861446350",
  orderNumber: "MP674964020E8E174561",
  orderDate: Date.UTC(2026, 10, 21),
  weightGrams: 1250,
  packages: 1,
  currency: "INR",
  collect: null,
  contents: [{ quantity: 2, sku: "TS-1", title: "Cotton T-Shirt, blue" }],
  ...more
})

export const line = (more: Partial<PrintedInvoiceLine> = {}): PrintedInvoiceLine => ({
  title: "Cotton T-Shirt, blue",
  details: ["SKU TS-1"],
  code: "610910",
  quantity: 2,
  rate: 49_900,
  discount: 5_000,
  charges: 4_000,
  taxRate: 12,
  taxes: [5_292, 5_293],
  total: 98_800,
  ...more
})

export const invoice = (more: Partial<PrintedInvoice> = {}): PrintedInvoice => ({
  title: "Tax invoice",
  number: "INV-2026-000123",
  date: Date.UTC(2026, 10, 21),
  references: [
    { name: "Order", value: "MP674964020E8E174561" },
    { name: "IRN", value: "a5c12dca80e743321740b001fd70953e8738d109865d28ba4013750f2046f229" }
  ],
  seller,
  buyer,
  shipTo: null,
  currency: "INR",
  taxNames: ["CGST", "SGST"],
  lines: [line()],
  qrCode: null,
  notes: [],
  ...more
})
