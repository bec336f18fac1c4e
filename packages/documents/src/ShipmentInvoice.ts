/**
 * The invoice and the credit note of a shipment, as they are printed.
 */
import type { Company, Location } from "@crossdock/access"
import { unitsLeft } from "@crossdock/returns"
import type { Invoice, OperationalStatus, OrderedShipment, Shipment } from "@crossdock/shipments"
import { customerParty, sellerParty } from "./DocumentParty.ts"
import { isIndia, type Place, stateCode, taxNames } from "./GoodsAndServicesTax.ts"
import { dayText, invoicedPart, lineOf, type TaxInvoice } from "./TaxInvoice.ts"

/**
 * Statuses that say nothing of being packed.
 */
export const beforePacking: ReadonlySet<OperationalStatus> = new Set([
  "placed",
  "bag_confirmed",
  "bag_invoiced",
  "dp_assigned",
  "cancelled_seller",
  "cancelled_customer"
])

const wasPacked = (shipment: Shipment): boolean => shipment.events.some(({ status }) => !beforePacking.has(status))

const hasSaleInvoice = (shipment: Shipment): boolean =>
  shipment.journey === "forward" && shipment.invoice !== null && (wasPacked(shipment) || shipment.creditNote !== null)

/**
 * Whether there is anything to print: the sale's invoice from bag_packed on, a credit note as soon as it has its number.
 * Source: contract, section 6, IN403.
 */
export const hasInvoice = (shipment: Shipment): boolean => hasSaleInvoice(shipment) || shipment.creditNote !== null

const reference = (name: string, value: string | null) => (value === null || value === "" ? [] : [{ name, value }])

const placeOf = ({ order }: OrderedShipment<Shipment>): Place => ({ ...order.shippingAddress, gstin: order.gstin })

const placeOfSupply = (place: Place): string => {
  const code = isIndia(place) ? stateCode(place) : undefined
  return code === undefined ? place.state : `${place.state} (${code})`
}

interface Kind {
  readonly title: string
  readonly invoice: Invoice
  readonly lines: Shipment["items"]
  readonly references: TaxInvoice["references"]
}

const saleOf = (shipment: Shipment): ReadonlyArray<Kind> =>
  shipment.invoice === null || !hasSaleInvoice(shipment)
    ? []
    : [{ title: "Tax invoice", invoice: shipment.invoice, lines: shipment.items.map(invoicedPart), references: [] }]

const creditNoteOf = (shipment: Shipment, sale: Invoice | null): ReadonlyArray<Kind> =>
  shipment.creditNote === null
    ? []
    : [
        {
          title: "Credit note",
          invoice: shipment.creditNote,
          lines: shipment.journey === "return" ? shipment.items : shipment.items.map(invoicedPart),
          references: [
            ...reference("Against invoice", sale?.number ?? null),
            ...reference("Invoice date", sale === null ? null : dayText(sale.at))
          ]
        }
      ]

/**
 * What the invoice operation prints for a shipment: its sale invoice, then the credit note when it has one; for a return
 * the credit note alone. `sale` is the invoice of the shipment that a return comes from.
 */
export const invoicesOf = (
  ordered: OrderedShipment<Shipment>,
  company: Company,
  location: Location,
  sale: Invoice | null
): ReadonlyArray<TaxInvoice> => {
  const { order, shipment } = ordered
  const { address } = location
  const to = placeOf(ordered)
  const names = taxNames(address, to)
  const [buyer, receiver] = [customerParty(order.billingAddress, order.gstin), customerParty(order.shippingAddress)]
  const sameAddress = JSON.stringify({ ...buyer, taxNumber: null }) === JSON.stringify(receiver)
  return [...saleOf(shipment), ...creditNoteOf(shipment, shipment.invoice ?? sale)].map(
    ({ invoice, lines, references, title }) => ({
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
      seller: sellerParty(company, location),
      buyer,
      shipTo: sameAddress ? null : receiver,
      currency: shipment.currency,
      taxNames: names,
      lines: lines.filter((item) => item.ordered > 0 && unitsLeft(item) > 0).map((item) => lineOf(item, names.length)),
      qrCode: invoice.qrCode,
      notes: ["Prices and charges include taxes."]
    })
  )
}
