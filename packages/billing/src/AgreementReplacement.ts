/** Replaces a running agreement, with a credit for its unused days. Source: docs/reference/billing.md#replacing. */
import * as Effect from "effect/Effect"
import * as Agreement from "./Agreement.ts"
import * as BillingCycle from "./BillingCycle.ts"
import { OtherCurrency } from "./BillingError.ts"
import { split } from "./BillingPeriod.ts"
import type { BillingStore } from "./BillingStore.ts"
import { type Draft, type Invoice, sum, type Tax } from "./Invoice.ts"

/** Gives agreements their plans' current prices, for their next periods. Source: docs/reference/billing.md#plans. */
export const withCurrentPrices = (store: typeof BillingStore.Service, agreements: ReadonlyArray<Agreement.Agreement>) =>
  Effect.gen(function* () {
    if (!agreements.some(({ kind }) => kind === "plan")) return agreements
    const plans = new Map((yield* store.plans).map((plan) => [plan.id, plan]))
    return agreements.map((one) => Agreement.priced(one, plans.get(one.entityId)))
  })

/** A running agreement, and its invoices for periods that haven't ended. The unused days of these periods give credit. */
export interface Running {
  readonly agreement: Agreement.Agreement
  readonly invoices: ReadonlyArray<Invoice>
}

/** The running agreements that a new agreement replaces: those of the same kind and extension. */
export const runningOfExtension = (
  store: typeof BillingStore.Service,
  { companyId, entityId, kind }: Agreement.Agreement
) => Effect.map(store.running(companyId, kind), (all) => all.filter((one) => one.entityId === entityId))

/** The running agreements that `takeOver` replaces. Fails if one has another currency, since its credit would be lost. */
export const replaceable = (
  store: typeof BillingStore.Service,
  running: ReadonlyArray<Agreement.Agreement>,
  currency: string,
  now: number
) =>
  Effect.gen(function* () {
    const other = running.find((one) => one.currency !== currency)
    if (other !== undefined) return yield* new OtherCurrency({ running: other.name, currency: other.currency })
    return yield* Effect.forEach(yield* withCurrentPrices(store, running), (agreement) =>
      Effect.map(
        store.invoicesFrom(agreement.companyId, agreement.id, Agreement.periodAt(agreement, now)),
        (invoices): Running => ({ agreement, invoices })
      )
    )
  })

/**
 * The credit, in minor units, for the days of an invoice's period that haven't begun at `at`. `paid` is the part of the
 * invoice that was paid by money or credit. Source: docs/reference/billing.md#replacing.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { AgreementReplacement } from "@crossdock/billing"
 *
 * const period = { start: Date.UTC(2026, 5, 1), end: Date.UTC(2026, 6, 1) }
 * const rest = { name: "", description: null, period, planId: null }
 * const items = [{ type: "subscription", amount: 3_000, ...rest }, { type: "one_time", amount: 500, ...rest }] as const
 * strictEqual(AgreementReplacement.unused({ items, period }, 3_500, Date.UTC(2026, 5, 11)), 2_000)
 * // a day that has begun counts as used
 * strictEqual(AgreementReplacement.unused({ items, period }, 3_500, Date.UTC(2026, 5, 11, 1)), 1_900)
 * ```
 */
export const unused = ({ items, period }: Pick<Draft, "items" | "period">, paid: number, at: number): number => {
  const price = sum(
    items.flatMap(({ amount, type }) => (type === "subscription" || type === "discount" ? [amount] : []))
  )
  return split(Math.max(0, Math.min(paid, price)), period, at).rest
}

/** The part of an invoice that was paid by credits, in minor units. */
export const credited = ({ items }: Pick<Draft, "items">): number =>
  sum(items.flatMap(({ amount, type }) => (type === "credit" ? [-amount] : [])))

/** The additional credit of an invoice paid late, which means after its agreement was replaced at `at`. */
export const lateCredit = (invoice: Invoice, at: number): number =>
  unused(invoice, invoice.subtotal, at) - unused(invoice, credited(invoice), at)

/** The part of an invoice that was paid by money or credit. A draft can be paid by credit only. */
const paidOf = (one: Invoice | Draft): number =>
  "status" in one && one.status === "paid" ? one.subtotal : credited(one)

/**
 * Ends an agreement at `now`, and returns its last invoices and its remaining credit. Everything due is billed first, but
 * gives credit only after it is paid. `isCancelled` is false if the agreement ended before or can't be cancelled.
 */
export const ended = ({ agreement, invoices }: Running, now: number, tax: Tax | null) => {
  const caught = BillingCycle.catchUp(agreement, now, tax)
  const cancelled = Agreement.cancel(caught.agreement, now)
  if (cancelled === undefined) return { ...caught, isCancelled: false, credit: 0 }
  const last = BillingCycle.final(caught.agreement, now, tax)
  const billed = [...invoices, ...caught.drafts]
  return {
    isCancelled: true,
    agreement: { ...cancelled, usage: {} },
    drafts: last === null ? caught.drafts : [...caught.drafts, last],
    credit:
      caught.agreement.credit -
      (last === null ? 0 : credited(last)) +
      sum(billed.map((one) => unused(one, paidOf(one), now)))
  }
}

/** Replaces running agreements by a new one, which gets the payment for their unused days as a credit. */
export const takeOver = (
  agreement: Agreement.Agreement,
  replaced: ReadonlyArray<Running>,
  now: number,
  tax: Tax | null
) => {
  const ends = replaced.map((one) => ended(one, now, tax))
  const credit = sum(ends.map((one) => one.credit))
  const firstId = ends.find(({ isCancelled }) => isCancelled)?.agreement.firstId ?? agreement.firstId
  const begun = BillingCycle.catchUp({ ...agreement, firstId, credit }, now, tax)
  return {
    agreement: begun.agreement,
    ended: ends.map((one) => one.agreement),
    drafts: [...ends.flatMap((one) => one.drafts), ...begun.drafts]
  }
}
