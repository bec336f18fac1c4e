/** The printed invoice and credit note of a shipment. Source: docs/reference/documents.md#invoices. */
import { unitsLeft } from "@crossdock/returns"
import type { Invoice, OrderedShipment, PaperSeller, Shipment, ShipmentItem } from "@crossdock/shipments"
import { chargePartsOf, IssuedDocuments } from "@crossdock/shipments"
import { customerParty, sellerParty } from "./DocumentParty.ts"
import { chargeLineOf, dayText, invoicedPart, lineOf, type PrintedInvoice, taxedLineOf } from "./PrintedInvoice.ts"
import { goodsAndServicesTax, type SalesTax } from "./SalesTax.ts"
import { paperFields } from "./ShippingLabel.ts"

const reference = (name: string, value: string | null) => (value === null || value === "" ? [] : [{ name, value }])

interface Kind {
  readonly title: string
  readonly invoice: Invoice
  readonly lines: Shipment["items"]
  readonly references: PrintedInvoice["references"]
}

const saleOf = (shipment: Shipment): ReadonlyArray<Kind> =>
  shipment.invoice === null || !IssuedDocuments.hasSaleInvoice(shipment)
    ? []
    : [{ title: "Tax invoice", invoice: shipment.invoice, lines: shipment.items.map(invoicedPart), references: [] }]

/** The part of an item on a credit note. Notes of earlier releases, which have no seller, list all serial numbers. */
const creditedPart =
  ({ seller }: Invoice) =>
  (item: ShipmentItem) =>
    seller === undefined ? invoicedPart(item) : { ...invoicedPart(item), imei: item.creditedImei ?? [] }

const creditNoteOf = ({ creditNote, items, journey }: Shipment, sale: Invoice | null): ReadonlyArray<Kind> => {
  if (creditNote === null) return []
  const lines = journey === "return" ? items : items.map(creditedPart(creditNote))
  const ofSale = sale === null ? [] : reference("Invoice date", dayText(sale.at))
  const references = [...reference("Against invoice", sale?.number ?? null), ...ofSale]
  return [{ title: "Credit note", invoice: creditNote, lines, references }]
}

/**
 * The invoice of a sale, followed by its credit note. A return has only a credit note, for the invoice `sale`.
 * `present` is the current seller, for documents of earlier releases. Source: docs/reference/documents.md#credit-notes.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { invoicesOf } from "@crossdock/documents"
 * import { Money } from "@crossdock/kernel"
 * import { Lifecycle, noMeta } from "@crossdock/shipments"
 * import { placedShipment, shipmentItem } from "@crossdock/shipments/testing"
 *
 * const site = { address1: "1 Road", address2: null, city: "Bengaluru", state: "Karnataka", pincode: "560001" }
 * const address = { ...site, country: "India", phone: null, gstin: "29AAAAA0000A1Z5" }
 * const seller = { legalName: "Acme Retail Private Limited", name: "BLR1", address }
 * const buyer = { ...address, name: "A Customer", phone: "", email: null, landmark: null }
 * const methods = { cod: 0, prepaid: 10_000, lines: 10_000, units: 1 }
 * const order = { shippingAddress: buyer, billingAddress: buyer, paymentMode: "PREPAID", methods } as const
 * const none = { irn: null, qrCode: null, signedInvoice: null, ackNumber: null, ackDate: null }
 * const placed = placedShipment({ items: [shipmentItem({ invoiced: 1, taxAmount: Money.minorUnits(1_071) })] })
 * const invoiced = { ...placed, invoice: { number: "A-1", at: 0, ...none, seller } }
 * const shipment = Lifecycle.evolve(invoiced, { _tag: "Moved", at: 1, to: "bag_packed", meta: noMeta })
 * const ordered = { order: { ...order, gstin: null, couponOwner: null, taxExempt: false }, shipment }
 * const [invoice] = invoicesOf(ordered, seller, null)
 * // within one state: CGST and SGST
 * deepStrictEqual([invoice?.number, invoice?.taxNames, invoice?.lines[0]?.taxes], ["A-1", ["CGST", "SGST"], [535, 536]])
 * ```
 */
export const invoicesOf = (
  { order, shipment }: OrderedShipment,
  present: PaperSeller,
  sale: Invoice | null,
  { codeName, placeOfSupply, taxNames }: SalesTax = goodsAndServicesTax
): ReadonlyArray<PrintedInvoice> => {
  const against = shipment.invoice ?? sale
  const seller = against?.seller ?? shipment.creditNote?.seller ?? present
  const to = { ...order.shippingAddress, gstin: order.gstin }
  const [buyer, receiver] = [customerParty(order.billingAddress, order.gstin), customerParty(order.shippingAddress)]
  const sameAddress = JSON.stringify({ ...buyer, taxNumber: null }) === JSON.stringify(receiver)
  return [...saleOf(shipment), ...creditNoteOf(shipment, against)].map(({ invoice, lines, references, title }) => {
    const items = lines.filter((item) => item.ordered > 0 && unitsLeft(item) > 0)
    const charges = items.length === 0 ? [] : chargePartsOf(order, shipment)
    const taxed = [
      ...items.map((item) => ({
        own: taxNames(seller.address, to, item),
        line: (taxParts: number) => lineOf(item, taxParts)
      })),
      ...charges.map((charge) => {
        const line = { sku: charge.name, hsCode: charge.code, taxRate: charge.taxRate }
        const own = charge.taxAmount === 0 ? [] : taxNames(seller.address, to, line)
        return { own, line: (taxParts: number) => chargeLineOf(charge, taxParts) }
      })
    ]
    const names = [...new Set(taxed.flatMap(({ own }) => own))]
    return {
      title,
      number: invoice.number,
      date: invoice.at,
      references: [
        ...references,
        ...reference("Order", shipment.externalOrderId),
        ...reference("Order date", dayText(shipment.orderDate)),
        ...reference("Shipment", shipment.id),
        ...reference("Place of supply", placeOfSupply(to)),
        ...reference("Payment", order.paymentMode === "COD" ? "Cash on delivery" : "Prepaid"),
        ...reference("IRN", invoice.irn),
        ...reference("Ack. no.", invoice.ackNumber),
        ...reference("Ack. date", invoice.ackDate)
      ],
      seller: sellerParty(seller),
      buyer,
      shipTo: sameAddress ? null : receiver,
      currency: shipment.currency,
      taxNames: names,
      lines: taxed.map(({ line, own }) => {
        const taxedLine = taxedLineOf(line, own, names)
        return codeName === undefined ? { ...taxedLine, code: null } : taxedLine
      }),
      ...(codeName === undefined ? {} : { codeName }),
      ...paperFields(shipment),
      qrCode: invoice.qrCode,
      notes: ["Prices and charges include taxes."]
    }
  })
}
