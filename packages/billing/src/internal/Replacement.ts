/**
 * The end of agreements, and their replacement by another one. Source: docs/reference/billing.md#replacing.
 */
import * as Effect from "effect/Effect"
import * as Agreement from "../Agreement.ts"
import * as BillingCycle from "../BillingCycle.ts"
import type { BillingStore } from "../BillingStore.ts"
import { sum, type Tax } from "../Invoice.ts"

/**
 * The running agreements of the same kind and extension, which a new one replaces.
 */
export const runningOfExtension = (
  store: typeof BillingStore.Service,
  { companyId, entityId, kind }: Agreement.Agreement
) => Effect.map(store.running(companyId, kind), (all) => all.filter((one) => one.entityId === entityId))

/**
 * The agreements, each billed only by what was paid for its last period: when that invoice was rejected, this is the credit
 * that it took. Otherwise a caller whose payments fail would get credit for nothing.
 */
export const onlyPaid = (store: typeof BillingStore.Service, agreements: ReadonlyArray<Agreement.Agreement>) =>
  Effect.forEach(agreements, (agreement) =>
    Effect.map(store.latestInvoice(agreement.companyId, agreement.id), (last) => {
      if (last === undefined || last.status === "paid" || last.payment.attempts === 0) return agreement
      const credits = last.items.filter(({ type }) => type === "credit").map(({ amount }) => amount)
      return { ...agreement, lastBilled: Math.min(agreement.lastBilled, -sum(credits)) }
    })
  )

/**
 * An agreement that ends at `now`, with its last invoices and the credit that is left. Everything due by then is billed first.
 * `agreement` is undefined when it can't be cancelled.
 */
export const ended = (agreement: Agreement.Agreement, now: number, tax: Tax | null) => {
  const caught = BillingCycle.catchUp(agreement, now, tax)
  const cancelled = Agreement.cancel(caught.agreement, now)
  if (cancelled === undefined) return { status: caught.agreement.status, agreement: undefined }
  const last = BillingCycle.final(caught.agreement, now, tax)
  const taken = (last?.items ?? []).filter(({ type }) => type === "credit").reduce((sum, { amount }) => sum + amount, 0)
  return {
    status: cancelled.status,
    agreement: { ...cancelled, usage: {} },
    drafts: last === null ? caught.drafts : [...caught.drafts, last],
    credit: Agreement.unused({ ...caught.agreement, credit: caught.agreement.credit + taken }, now)
  }
}

/**
 * An agreement that replaces running ones: these end, and their unused amounts are its credit.
 */
export const takeOver = (
  agreement: Agreement.Agreement,
  replaced: ReadonlyArray<Agreement.Agreement>,
  now: number,
  tax: Tax | null
) => {
  const ends = replaced.flatMap((one) => {
    const end = ended(one, now, tax)
    return end.agreement === undefined ? [] : [end]
  })
  const credit = ends
    .filter((one) => one.agreement.currency === agreement.currency)
    .reduce((sum, one) => sum + one.credit, agreement.credit)
  const begun = BillingCycle.catchUp({ ...agreement, credit }, now, tax)
  return {
    agreement: begun.agreement,
    after: [...ends.map((one) => one.agreement), begun.agreement],
    drafts: [...ends.flatMap((one) => one.drafts), ...begun.drafts]
  }
}
