/**
 * What is billed: items whose sum is the total, always.
 */
import type { CompanyId } from "@crossdock/kernel"
import type { Period } from "./BillingCalendar.ts"
import { share } from "./Proration.ts"

export type ItemType = "subscription" | "one_time" | "usage" | "discount" | "credit" | "tax"

/**
 * Minor units. A discount and a credit are negative; everything is one item of its own.
 */
export interface Item {
  readonly type: ItemType
  readonly name: string
  readonly description: string | null
  readonly amount: number
  readonly period: Period
  /** The plan that it is for. */
  readonly planId: string | null
}

/**
 * An invoice before it has a number: what a preview shows is what is then charged.
 */
export interface Draft {
  readonly companyId: CompanyId
  readonly agreementId: string
  /** Of the agreement's periods, from 0; each is billed once. */
  readonly index: number
  readonly period: Period
  readonly currency: string
  readonly items: ReadonlyArray<Item>
  /** Without discount, credit and tax. */
  readonly subtotal: number
  readonly total: number
}

export type InvoiceStatus = "draft" | "open" | "paid"

/**
 * Whose invoice it is, as it was when it was made.
 */
export interface Client {
  readonly name: string
  readonly email: string | null
  readonly phone: string | null
  readonly addressLines: ReadonlyArray<string>
}

/**
 * `asked` says that the provider was asked to charge and did not say yet what came of it.
 */
export interface Payment {
  readonly state: "none" | "asked" | "failed" | "succeeded"
  /** Failed attempts. */
  readonly attempts: number
  /** When to try, or to ask, again; null: not by itself. */
  readonly nextAt: number | null
}

export interface Invoice extends Draft {
  readonly id: string
  /** INV-2026-000001: gap-free per company and year (UTC). */
  readonly number: string
  readonly status: InvoiceStatus
  readonly seller: string
  readonly client: Client
  readonly createdAt: number
  readonly modifiedAt: number
  readonly trail: ReadonlyArray<{ readonly id: string; readonly status: InvoiceStatus; readonly at: number }>
  readonly payment: Payment
  readonly version: number
}

/**
 * The tax on what is charged, in hundredths of a percent; null: no tax.
 */
export interface Tax {
  readonly name: string
  readonly hundredths: number
}

export const sum = (amounts: Iterable<number>): number => [...amounts].reduce((a, b) => a + b, 0)

/**
 * Charges and what is taken off them, then the tax on the rest.
 */
export const draft = (
  of: Pick<Draft, "companyId" | "agreementId" | "index" | "period" | "currency">,
  items: ReadonlyArray<Item>,
  tax: Tax | null
): Draft => {
  const net = sum(items.map(({ amount }) => amount))
  const due = tax === null ? 0 : share(net, tax.hundredths, 10_000)
  const taxed: ReadonlyArray<Item> =
    tax === null || due === 0
      ? items
      : [...items, { type: "tax", name: tax.name, description: null, amount: due, period: of.period, planId: null }]
  return {
    ...of,
    items: taxed,
    subtotal: sum(items.flatMap(({ amount }) => (amount > 0 ? [amount] : []))),
    total: net + due
  }
}

export const numberText = (year: number, nth: number): string => `INV-${year}-${String(nth).padStart(6, "0")}`
