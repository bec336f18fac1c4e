/**
 * Invoices. The sum of an invoice's items is always its total. Source: docs/reference/billing.md#invoices.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Invoice } from "@crossdock/billing"
 * import { CompanyId } from "@crossdock/kernel"
 *
 * const period = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2026, 1, 1) }
 * const of = { companyId: CompanyId.make(1), agreementId: "a1", index: 0, period, currency: "INR" }
 * const rest = { name: "Basic", description: null, period, planId: "basic" }
 * const items = [{ type: "subscription", amount: 50_000, ...rest }, { type: "discount", amount: -5_000, ...rest }] as const
 * const { items: taxed, subtotal, total } = Invoice.draft(of, items, { name: "GST", hundredths: 1_800 })
 * deepStrictEqual(taxed.map(({ amount }) => amount), [50_000, -5_000, 8_100])
 * deepStrictEqual([subtotal, total], [50_000, 53_100])
 * ```
 */
import { type CompanyId, Money } from "@crossdock/kernel"
import type { Period } from "./BillingPeriod.ts"

/** The kind of an item. Source: docs/reference/billing.md#invoice-items. */
export type ItemType = "subscription" | "one_time" | "usage" | "discount" | "credit" | "tax"

/** An item of an invoice, with its amount in minor units. Discounts and credits have negative amounts. Tax is an item too. */
export interface Item {
  readonly type: ItemType
  readonly name: string
  readonly description: string | null
  readonly amount: number
  readonly period: Period
  readonly planId: string | null
}

/** An invoice before it has a number. A preview shows exactly the drafts that are charged later. */
export interface Draft {
  readonly companyId: CompanyId
  readonly agreementId: string
  /** The index of the agreement's period, starting at 0. Each period is billed once. */
  readonly index: number
  readonly period: Period
  readonly currency: string
  readonly items: ReadonlyArray<Item>
  /** The sum of the items before discount, credit and tax. */
  readonly subtotal: number
  readonly total: number
}

export type InvoiceStatus = "draft" | "open" | "paid"

/** The issuer of the invoice. `taxNumber` includes the name of the number, such as GSTIN. */
export interface Seller {
  readonly name: string
  readonly addressLines: ReadonlyArray<string>
  readonly taxNumber: { readonly name: string; readonly value: string } | null
  readonly bank: string | null
}

/** The customer at the time when the invoice was issued. */
export interface Client {
  readonly name: string
  readonly email: string | null
  readonly phone: string | null
  readonly addressLines: ReadonlyArray<string>
}

/** The payment of an invoice. `asked` means that the provider was asked to charge and that the outcome is unknown. */
export interface Payment {
  readonly state: "none" | "asked" | "failed" | "succeeded"
  /** The number of failed attempts. */
  readonly attempts: number
  /** When to attempt the payment next, or to ask for its outcome, in epoch milliseconds. Null means never. */
  readonly nextAt: number | null
}

export interface Invoice extends Draft {
  readonly id: string
  /** The invoice number, such as INV-2026-000001. A company's numbers of a year (UTC) have no gaps. */
  readonly number: string
  readonly status: InvoiceStatus
  readonly seller: Seller
  readonly client: Client
  readonly createdAt: number
  readonly modifiedAt: number
  readonly trail: ReadonlyArray<{ readonly id: string; readonly status: InvoiceStatus; readonly at: number }>
  readonly payment: Payment
  readonly version: number
}

/** A tax. Its rate is in hundredths of a percent. */
export interface Tax {
  readonly name: string
  readonly hundredths: number
}

/** The largest amount that, together with its tax, doesn't exceed `Money.largestTotal`. */
export const largestNet = (tax: Tax | null): number =>
  Number((BigInt(Money.largestTotal) * 10_000n) / BigInt(10_000 + (tax?.hundredths ?? 0)))

/** The sum of amounts in minor units. The sum of no amounts is 0. */
export const sum = (amounts: Iterable<number>): number => [...amounts].reduce((a, b) => a + b, 0)

/** The draft of these items. The tax on their sum is added as a further item, in whole minor units. */
export const draft = (
  of: Pick<Draft, "companyId" | "agreementId" | "index" | "period" | "currency">,
  items: ReadonlyArray<Item>,
  tax: Tax | null
): Draft => {
  const net = sum(items.map(({ amount }) => amount))
  const due = tax === null ? 0 : Money.share(net, tax.hundredths, 10_000)
  const taxed: ReadonlyArray<Item> =
    tax === null || due === 0
      ? items
      : [...items, { type: "tax", name: tax.name, description: null, amount: due, period: of.period, planId: null }]
  return { ...of, items: taxed, subtotal: sum(items.map(({ amount }) => Math.max(0, amount))), total: net + due }
}

/** The invoices whose payment was rejected, changed so that they are payable again at `now` (epoch milliseconds). */
export const retriedAt = <A extends Pick<Invoice, "payment" | "modifiedAt">>(
  invoices: ReadonlyArray<A>,
  now: number
): ReadonlyArray<A> =>
  invoices.flatMap((one) =>
    one.payment.state === "failed" ? [{ ...one, payment: { ...one.payment, nextAt: now }, modifiedAt: now }] : []
  )

/** The number of a company's nth invoice of a year, such as INV-2026-000042. */
export const numberText = (year: number, nth: number): string => `INV-${year}-${String(nth).padStart(6, "0")}`
