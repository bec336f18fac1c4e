/**
 * A printed invoice or credit note. Source: docs/reference/documents.md#invoices.
 *
 * @example
 * ```ts
 * import { deepStrictEqual, strictEqual } from "node:assert/strict"
 * import { dayText, dividedEqually, invoicedPart, lineOf } from "@crossdock/documents"
 * import { Money } from "@crossdock/kernel"
 * import { shipmentItem } from "@crossdock/shipments/testing"
 *
 * strictEqual(dayText(Date.UTC(2026, 10, 21)), "21 Nov 2026")
 * deepStrictEqual(dividedEqually(101, 2), [50, 51])
 * const item = shipmentItem({ ordered: 2, discount: Money.minorUnits(1_000), taxAmount: Money.minorUnits(2_035) })
 * const { taxes, total } = lineOf(item, 2)
 * deepStrictEqual([total, taxes], [19_000, [1_017, 1_018]])
 * // one of three units was cancelled before the invoice, another one after it
 * strictEqual(invoicedPart(shipmentItem({ ordered: 3, cancelled: 2, invoiced: 2 })).ordered, 2)
 * ```
 */
import { Money } from "@crossdock/kernel"
import { type ChargePart, type CustomValues, type ShipmentItem, slice } from "@crossdock/shipments"
import type { DocumentParty } from "./DocumentParty.ts"

/**
 * A line of an invoice, in minor units: rate × quantity − discount + charges = total. `rate` is for one unit, with taxes.
 * `discount` and `charges` are for the whole line. `taxes` are parts of `total`, one per tax of the invoice.
 */
export interface PrintedInvoiceLine {
  readonly title: string
  /** Details of the line, such as the SKU and serial numbers. */
  readonly details: ReadonlyArray<string>
  /** The HS or SAC code. */
  readonly code: string | null
  readonly quantity: number
  readonly rate: number
  readonly discount: number
  readonly charges: number
  /** The percentage of all taxes together. */
  readonly taxRate: number | null
  readonly taxes: ReadonlyArray<number>
  /** The names of the line's taxes. They are present only if the invoice also has other taxes. */
  readonly taxNames?: ReadonlyArray<string>
  readonly total: number
}

/** The content of an invoice. `date` is in epoch milliseconds. Without `taxNames`, the invoice shows no taxes. */
export interface PrintedInvoice {
  readonly title: string
  readonly number: string
  readonly date: number
  readonly references: ReadonlyArray<{ readonly name: string; readonly value: string }>
  readonly seller: DocumentParty
  readonly buyer: DocumentParty
  /** The receiver. It is null if the receiver is the buyer. */
  readonly shipTo: DocumentParty | null
  readonly currency: string
  readonly taxNames: ReadonlyArray<string>
  readonly lines: ReadonlyArray<PrintedInvoiceLine>
  /** The heading of the codes in lines, by default HSN/SAC. */
  readonly codeName?: string
  /** Custom fields of the shipment, and in `orderFields` those of its order. They are for the host's own layouts. */
  readonly customFields?: CustomValues
  readonly orderFields?: CustomValues
  readonly qrCode: string | null
  readonly notes: ReadonlyArray<string>
}

/** A day in UTC as documents print it, such as 21 Nov 2026. `millis` is in epoch milliseconds. */
export const dayText = (millis: number): string => {
  const [, day, month, year] = /^\w+, (\d\d) (\w+) (\d+)/.exec(new Date(millis).toUTCString()) ?? []
  return `${day} ${month} ${year}`
}

const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((total, one) => total + one, 0)

/** The total of a line without taxes, in minor units. */
export const taxableOf = (line: PrintedInvoiceLine): number => line.total - sum(line.taxes)

/** The exact sums of the lines in minor units, with one sum per tax name: gross − discount + charges = taxable + taxes. */
export const totalsOf = ({ lines, taxNames }: Pick<PrintedInvoice, "lines" | "taxNames">) => ({
  gross: sum(lines.map(({ quantity, rate }) => rate * quantity)),
  discount: sum(lines.map(({ discount }) => discount)),
  charges: sum(lines.map(({ charges }) => charges)),
  taxable: sum(lines.map(taxableOf)),
  taxes: taxNames.map((_, nth) => sum(lines.map(({ taxes }) => taxes[nth] ?? 0))),
  total: sum(lines.map(({ total }) => total))
})

/** Divides an amount in minor units into `parts` parts that are as equal as possible. Their sum is exactly the amount. */
export const dividedEqually = (amount: number, parts: number): ReadonlyArray<number> =>
  Array.from(
    { length: parts },
    (_, nth) => Money.cumulativeShare(amount, nth + 1, parts) - Money.cumulativeShare(amount, nth, parts)
  )

/** Divides a line's tax into parts. If lines share an item's units, their parts add up exactly to those of the item. */
const taxesOf = ({ taxAmount, taxBefore }: Pick<ChargePart, "taxAmount" | "taxBefore">, parts: number) => {
  const before = dividedEqually(taxBefore, parts)
  return dividedEqually(taxBefore + taxAmount, parts).map((part, nth) => part - (before[nth] ?? 0))
}

/** The line for an item's ordered units, its tax divided into `taxParts` parts. Source: docs/reference/orders.md#totals. */
export const lineOf = (item: ShipmentItem, taxParts: number): PrintedInvoiceLine => {
  const discount = item.discount + item.couponDiscount
  return {
    title: item.title,
    details: [`SKU ${item.sku}`, ...(item.imei.length === 0 ? [] : [`Serial no. ${item.imei.join(", ")}`])],
    code: item.hsCode,
    quantity: item.ordered,
    rate: item.esp,
    discount,
    charges: item.deliveryCharge,
    taxRate: item.taxRate,
    taxes: taxesOf(item, taxParts),
    total: item.esp * item.ordered - discount + item.deliveryCharge
  }
}

/** The line for a charge. The charge's tax is divided into `taxParts` parts. */
export const chargeLineOf = (charge: ChargePart, taxParts: number): PrintedInvoiceLine => ({
  title: charge.name,
  details: [],
  code: charge.code,
  quantity: 1,
  rate: charge.amount,
  discount: 0,
  charges: 0,
  taxRate: charge.taxRate,
  taxes: taxesOf(charge, taxParts),
  total: charge.amount
})

/** A line that has only the taxes `own`, on an invoice that lists the taxes `names`. Its other taxes are 0. */
export const taxedLineOf = (
  lineWith: (taxParts: number) => PrintedInvoiceLine,
  own: ReadonlyArray<string>,
  names: ReadonlyArray<string>
): PrintedInvoiceLine => {
  const line = lineWith(own.length)
  if (own.length === names.length) return line
  return { ...line, taxes: names.map((name) => line.taxes[own.indexOf(name)] ?? 0), taxNames: own }
}

/** The part of an item that is on the sale's invoice. Units cancelled later are still included. */
export const invoicedPart = (item: ShipmentItem): ShipmentItem => ({
  ...slice(item, item.ordered - item.invoiced, item.invoiced),
  imei: item.imei
})
