/**
 * A printed invoice or credit note, of a shipment or of a platform's services. Source: docs/reference/documents.md#invoices.
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
 * An invoice line, in minor units: rate × quantity − discount + charges = total. `rate` is for one unit with taxes; `discount`
 * and `charges` (such as delivery) are for the line; `taxes` are parts of `total`, one per name in the invoice's `taxNames`.
 */
export interface PrintedInvoiceLine {
  readonly title: string
  /** Details, such as its SKU and serial numbers. */
  readonly details: ReadonlyArray<string>
  /** The HS or SAC code. */
  readonly code: string | null
  readonly quantity: number
  readonly rate: number
  readonly discount: number
  readonly charges: number
  /** Percent, of all taxes together. */
  readonly taxRate: number | null
  readonly taxes: ReadonlyArray<number>
  /** The line's own taxes, if the invoice has others too. */
  readonly taxNames?: ReadonlyArray<string>
  readonly total: number
}

/** An invoice's content. `date` is in epoch milliseconds, `qrCode` its text. Without `taxNames` it has no taxes. */
export interface PrintedInvoice {
  readonly title: string
  readonly number: string
  readonly date: number
  readonly references: ReadonlyArray<{ readonly name: string; readonly value: string }>
  readonly seller: DocumentParty
  readonly buyer: DocumentParty
  /** Unless it is the buyer. */
  readonly shipTo: DocumentParty | null
  readonly currency: string
  readonly taxNames: ReadonlyArray<string>
  readonly lines: ReadonlyArray<PrintedInvoiceLine>
  /** The heading of the lines' codes; HSN/SAC by default. */
  readonly codeName?: string
  /** The host's own fields of the shipment and its order, for its own layouts. */
  readonly customFields?: CustomValues
  readonly orderFields?: CustomValues
  readonly qrCode: string | null
  readonly notes: ReadonlyArray<string>
}

/** A UTC day as documents print it: 21 Nov 2026. `millis` is in epoch milliseconds. */
export const dayText = (millis: number): string => {
  const [, day, month, year] = /^\w+, (\d\d) (\w+) (\d+)/.exec(new Date(millis).toUTCString()) ?? []
  return `${day} ${month} ${year}`
}

const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((total, one) => total + one, 0)

/** The total without taxes, in minor units. */
export const taxableOf = (line: PrintedInvoiceLine): number => line.total - sum(line.taxes)

/** The lines' sums, in minor units; `taxes`: one per tax name. gross − discount + charges = total = taxable + taxes, exactly. */
export const totalsOf = ({ lines, taxNames }: Pick<PrintedInvoice, "lines" | "taxNames">) => ({
  gross: sum(lines.map(({ quantity, rate }) => rate * quantity)),
  discount: sum(lines.map(({ discount }) => discount)),
  charges: sum(lines.map(({ charges }) => charges)),
  taxable: sum(lines.map(taxableOf)),
  taxes: taxNames.map((_, nth) => sum(lines.map(({ taxes }) => taxes[nth] ?? 0))),
  total: sum(lines.map(({ total }) => total))
})

/** Divides an amount in minor units into `parts` as equal as possible; their sum is exact. */
export const dividedEqually = (amount: number, parts: number): ReadonlyArray<number> =>
  Array.from(
    { length: parts },
    (_, nth) => Money.cumulativeShare(amount, nth + 1, parts) - Money.cumulativeShare(amount, nth, parts)
  )

/** The parts of a line's tax, for sales and credit notes. Source: docs/reference/documents.md#tax-split. */
const taxesOf = (
  { taxAmount, taxBefore }: Pick<ChargePart, "taxAmount" | "taxBefore">,
  parts: number
): ReadonlyArray<number> => {
  const before = dividedEqually(taxBefore, parts)
  return dividedEqually(taxBefore + taxAmount, parts).map((part, nth) => part - (before[nth] ?? 0))
}

/** The line of an item's units, with `taxParts` taxes. Source: docs/reference/orders.md#totals. */
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

/** The line of a charge, with `taxParts` taxes. */
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

/** A line with the taxes `own`, on an invoice with the taxes `names`. */
export const taxedLineOf = (
  lineWith: (taxParts: number) => PrintedInvoiceLine,
  own: ReadonlyArray<string>,
  names: ReadonlyArray<string>
): PrintedInvoiceLine => {
  const line = lineWith(own.length)
  if (own.length === names.length) return line
  return { ...line, taxes: names.map((name) => line.taxes[own.indexOf(name)] ?? 0), taxNames: own }
}

/** The units on the sale's invoice: those left by earlier cancellations, also after later ones. */
export const invoicedPart = (item: ShipmentItem): ShipmentItem => ({
  ...slice(item, item.ordered - item.invoiced, item.invoiced),
  imei: item.imei
})
