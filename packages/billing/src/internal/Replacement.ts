/**
 * The end of agreements, and their replacement by another one. Source: docs/reference/billing.md#replacing.
 */
import * as Effect from "effect/Effect"
import * as Agreement from "../Agreement.ts"
import * as BillingCycle from "../BillingCycle.ts"
import { OtherCurrency } from "../BillingError.ts"
import type { BillingStore } from "../BillingStore.ts"
import { credited, type Draft, type Invoice, sum, type Tax, unused } from "../Invoice.ts"
import { withPresentPrices } from "./PresentAgreement.ts"

/**
 * A running agreement, and its invoices of periods that have not ended, which say what was paid for unused days.
 */
export interface Running {
  readonly agreement: Agreement.Agreement
  readonly invoices: ReadonlyArray<Invoice>
}

/**
 * The running agreements of the same kind and extension, which a new one replaces.
 */
export const runningOfExtension = (
  store: typeof BillingStore.Service,
  { companyId, entityId, kind }: Agreement.Agreement
) => Effect.map(store.running(companyId, kind), (all) => all.filter((one) => one.entityId === entityId))

/**
 * Running agreements as `takeOver` replaces them at `now`. Fails when one has another currency than the new one: what was paid
 * for its unused days would be lost.
 */
export const replaceable = (
  store: typeof BillingStore.Service,
  running: ReadonlyArray<Agreement.Agreement>,
  currency: string,
  now: number
) =>
  Effect.gen(function* () {
    const other = running.find((one) => one.currency !== currency)
    if (other !== undefined) return yield* new OtherCurrency({ running: other.name, currency: other.currency })
    return yield* Effect.forEach(yield* withPresentPrices(store, running), (agreement) =>
      Effect.map(
        store.invoicesFrom(agreement.companyId, agreement.id, Agreement.periodAt(agreement, now)),
        (invoices): Running => ({ agreement, invoices })
      )
    )
  })

/**
 * The part of an invoice that was paid, by money or by credit; of a draft, which nobody paid yet, only by credit.
 */
const paidOf = (one: Invoice | Draft): number =>
  "status" in one && one.status === "paid" ? one.subtotal : credited(one)

/**
 * An agreement that ends at `now`, with its last invoices and the credit that is left. Everything due by then is billed first,
 * and gives no credit before it is paid. A clock that was ahead may have billed periods that are still to come; each gives
 * credit. `isCancelled` is false when it can't be cancelled, also since it ended by then; such a one leaves no credit.
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

/**
 * An agreement that replaces running ones: these end, and what was paid for their unused days is its credit.
 */
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
