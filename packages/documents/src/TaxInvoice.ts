/**
 * An invoice or a credit note as it is printed, whoever makes it out: a seller for a shipment, or a platform for its own
 * services.
 */

import { type ShipmentItem, slice } from "@crossdock/shipments"
import type { DocumentParty } from "./DocumentParty.ts"

/**
 * Amounts are whole minor units. `rate` is one unit's price, taxes in it; `discount` and `charges` (such as delivery) are
 * the whole line's; `taxes` are parts of `total`, one for each name in the invoice's `taxNames`.
 *
 * rate × quantity − discount + charges = total
 */
export interface TaxInvoiceLine {
  readonly title: string
  /** What else is said of it, such as its SKU and serial numbers. */
  readonly details: ReadonlyArray<string>
  /** HS or SAC. */
  readonly code: string | null
  readonly quantity: number
  readonly rate: number
  readonly discount: number
  readonly charges: number
  /** Percent, of all taxes together. */
  readonly taxRate: number | null
  readonly taxes: ReadonlyArray<number>
  readonly total: number
}

/**
 * `date` in epoch milliseconds. `qrCode` is drawn so that a scanner reads exactly this text. `taxNames` empty: no taxes
 * are shown.
 */
export interface TaxInvoice {
  readonly title: string
  readonly number: string
  readonly date: number
  readonly references: ReadonlyArray<{ readonly name: string; readonly value: string }>
  readonly seller: DocumentParty
  readonly buyer: DocumentParty
  /** Where the goods go, when that is not the buyer's address. */
  readonly shipTo: DocumentParty | null
  readonly currency: string
  readonly taxNames: ReadonlyArray<string>
  readonly lines: ReadonlyArray<TaxInvoiceLine>
  readonly qrCode: string | null
  readonly notes: ReadonlyArray<string>
}

export interface TaxInvoiceTotals {
  readonly gross: number
  readonly discount: number
  readonly charges: number
  readonly taxable: number
  /** One for each of the invoice's `taxNames`. */
  readonly taxes: ReadonlyArray<number>
  readonly total: number
}

/**
 * A day as documents write it, in UTC as all of the interface's dates are: 21 Nov 2026.
 */
export const dayText = (millis: number): string => {
  const [, day, month, year] = /^\w+, (\d\d) (\w+) (\d+)/.exec(new Date(millis).toUTCString()) ?? []
  return `${day} ${month} ${year}`
}

const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((total, one) => total + one, 0)

export const taxableOf = (line: TaxInvoiceLine): number => line.total - sum(line.taxes)

/**
 * gross − discount + charges = total = taxable + taxes, exactly.
 */
export const totalsOf = ({ lines, taxNames }: Pick<TaxInvoice, "lines" | "taxNames">): TaxInvoiceTotals => ({
  gross: sum(lines.map(({ quantity, rate }) => rate * quantity)),
  discount: sum(lines.map(({ discount }) => discount)),
  charges: sum(lines.map(({ charges }) => charges)),
  taxable: sum(lines.map(taxableOf)),
  taxes: taxNames.map((_, nth) => sum(lines.map(({ taxes }) => taxes[nth] ?? 0))),
  total: sum(lines.map(({ total }) => total))
})

/**
 * An amount in `parts` that are as equal as whole minor units allow, and add up to it.
 */
export const divided = (amount: number, parts: number): ReadonlyArray<number> =>
  Array.from(
    { length: parts },
    (_, nth) => Math.trunc((amount * (nth + 1)) / parts) - Math.trunc((amount * nth) / parts)
  )

/**
 * The parts of a line's tax. Each is cut from the same part of the whole order line's tax, so that the credit notes of a
 * line add up to its sale for each tax by its name.
 */
const taxesOf = ({ taxAmount, taxBefore }: ShipmentItem, parts: number): ReadonlyArray<number> => {
  const before = divided(taxBefore, parts)
  return divided(taxBefore + taxAmount, parts).map((part, nth) => part - (before[nth] ?? 0))
}

/**
 * A whole line of a shipment. Source: contract, section 7, what a line comes to.
 */
export const lineOf = (item: ShipmentItem, taxParts: number): TaxInvoiceLine => {
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

/**
 * The units that the sale's invoice is for: units were cancelled before it, and a later cancellation leaves it as it is.
 */
export const invoicedPart = (item: ShipmentItem): ShipmentItem => ({
  ...slice(item, item.ordered - item.invoiced, item.invoiced),
  imei: item.imei
})
