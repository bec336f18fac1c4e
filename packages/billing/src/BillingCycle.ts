/**
 * The invoices of an agreement and their times. The preview and the billing run share these rules.
 * Source: docs/reference/billing.md#periods.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Agreement, BillingCycle } from "@crossdock/billing"
 * import { line, pendingSubscription } from "@crossdock/billing/testing"
 *
 * // Each period is billed when it starts, with tax; a host that was down catches up.
 * const [january, april] = [Date.UTC(2026, 0, 31), Date.UTC(2026, 3, 1)]
 * const pending = pendingSubscription({ lines: [line({ amount: 500 })] })
 * const active = Agreement.accept(pending, january) ?? pending
 * const { agreement, drafts } = BillingCycle.catchUp(active, april, { name: "GST", hundredths: 1_800 })
 * deepStrictEqual(drafts.map(({ total }) => total), [590, 590, 590])
 * deepStrictEqual(BillingCycle.dueAt(agreement), Date.UTC(2026, 3, 30))
 * ```
 */
import { required } from "@crossdock/kernel"
import * as Agreement from "./Agreement.ts"
import { type Period, periodOf, startOf } from "./BillingPeriod.ts"
import * as Invoice from "./Invoice.ts"

/** When an agreement is next due, in epoch milliseconds: at its next period, its end or its expiry. Null means never. */
export const dueAt = (agreement: Agreement.Agreement): number | null => {
  const { anchor, billed, confirmation, status } = agreement
  if (status === "pending") return confirmation?.expiresAt ?? null
  if (anchor === null || (status !== "active" && status !== "no_renew")) return null
  const interval = Agreement.intervalOf(agreement)
  if (interval === undefined) return billed === 0 ? anchor : null
  return startOf(anchor, interval, billed)
}

/** One step of an agreement: its new state, and the invoice to issue, if there is one. */
export interface Step {
  readonly agreement: Agreement.Agreement
  readonly draft: Invoice.Draft | null
}

/** The lines to charge: no test lines, and none of a test agreement. Source: docs/reference/billing.md#tests. */
const chargedLines = ({ isTest, lines }: Agreement.Agreement): ReadonlyArray<Agreement.Line> =>
  isTest ? [] : lines.filter((line) => !line.isTest)

/** The items for usage. Usage in a trial is free, even if an earlier release counted it. */
const used = (agreement: Agreement.Agreement, period: Period): ReadonlyArray<Invoice.Item> =>
  chargedLines(agreement).flatMap(({ id, name, term }) => {
    const amount = agreement.billed === 0 ? 0 : (agreement.usage[id] ?? 0)
    return amount === 0 ? [] : [{ type: "usage", name, description: term, amount, period, planId: null }]
  })

const owed = (agreement: Agreement.Agreement, period: Period): ReadonlyArray<Invoice.Item> =>
  chargedLines(agreement).flatMap((line) => {
    const isOwed =
      line.amount > 0 && (line.pricing === "recurring" || (line.pricing === "one_time" && agreement.billed === 0))
    if (!isOwed) return []
    const planId = agreement.kind === "plan" ? agreement.entityId : null
    const type = line.pricing === "recurring" ? "subscription" : "one_time"
    return [{ type, name: line.name, description: line.term, amount: line.amount, period, planId }]
  })

const totalOf = (items: ReadonlyArray<Invoice.Item>): number => Invoice.sum(items.map(({ amount }) => amount))

/** The item for a discount or credit, at most the sum of `items`. Empty if there is nothing to reduce. */
const reduction = (
  type: "discount" | "credit",
  name: string,
  amount: number,
  items: ReadonlyArray<Invoice.Item>,
  period: Period
): ReadonlyArray<Invoice.Item> => {
  const taken = Math.min(amount, totalOf(items))
  return taken <= 0 ? [] : [{ type, name, description: null, amount: -taken, period, planId: null }]
}

const drafted = (
  agreement: Agreement.Agreement,
  period: Period,
  items: ReadonlyArray<Invoice.Item>,
  tax: Invoice.Tax | null
): Invoice.Draft | null => {
  const { billed, companyId, currency, id } = agreement
  return items.length === 0
    ? null
    : Invoice.draft({ companyId, agreementId: id, index: billed, period, currency }, items, tax)
}

const billed = (agreement: Agreement.Agreement, tax: Invoice.Tax | null): Step => {
  const { anchor, credit, discount } = agreement
  const interval = Agreement.intervalOf(agreement)
  const start = required(anchor, "the anchor of an agreement that is billed")
  const period = interval === undefined ? { start, end: start } : periodOf(start, interval, agreement.billed)
  const due = owed(agreement, period)
  const off = discount === null ? [] : reduction("discount", discount.code, discount.amount, due, period)
  const items = [...due, ...used(agreement, Agreement.billedPeriod(agreement) ?? period), ...off]
  const credited = reduction("credit", "Unused days", credit, items, period)
  return {
    agreement: {
      ...agreement,
      billed: agreement.billed + 1,
      discount: null,
      credit: credit + totalOf(credited),
      usage: {}
    },
    draft: drafted(agreement, period, [...items, ...credited], tax)
  }
}

/** The last invoice of an agreement that ends at `at`, for its unbilled usage. Null without unbilled usage. */
export const final = (agreement: Agreement.Agreement, at: number, tax: Invoice.Tax | null): Invoice.Draft | null => {
  const start = Agreement.billedPeriod(agreement)?.start ?? at
  const period = { start, end: Math.max(start, at) }
  const items = used(agreement, period)
  return drafted(
    agreement,
    period,
    [...items, ...reduction("credit", "Unused days", agreement.credit, items, period)],
    tax
  )
}

/** The next step if due by `now`: it bills a period, or ends or expires the agreement. `tax` is added to the invoice. */
export const step = (agreement: Agreement.Agreement, now: number, tax: Invoice.Tax | null): Step | undefined => {
  const due = dueAt(agreement)
  if (due === null || due > now) return undefined
  if (agreement.status === "active") return billed(agreement, tax)
  const ended = agreement.status === "pending" ? Agreement.expire(agreement) : Agreement.end(agreement, due)
  if (ended === undefined) return undefined
  return { agreement: { ...ended, usage: {} }, draft: final(agreement, due, tax) }
}

/** Makes all steps that are due by `now`, oldest first, including the periods that a host missed. */
export const catchUp = (
  agreement: Agreement.Agreement,
  now: number,
  tax: Invoice.Tax | null
): { readonly agreement: Agreement.Agreement; readonly drafts: ReadonlyArray<Invoice.Draft> } => {
  const drafts: Array<Invoice.Draft> = []
  let current = agreement
  for (let next = step(current, now, tax); next !== undefined; next = step(current, now, tax)) {
    current = next.agreement
    if (next.draft !== null) drafts.push(next.draft)
  }
  return { agreement: current, drafts }
}

/** The invoices that the billing run will issue by `until` (epoch milliseconds) if nothing changes. */
export const preview = (
  agreement: Agreement.Agreement,
  until: number,
  tax: Invoice.Tax | null
): ReadonlyArray<Invoice.Draft> => catchUp(agreement, until, tax).drafts

/** The next invoice's amount before credit and tax, in minor units. Undefined if the agreement is pending or never due. */
export const nextAmount = (agreement: Agreement.Agreement): number | undefined => {
  const due = dueAt(agreement)
  if (due === null || agreement.status === "pending") return undefined
  return step({ ...agreement, credit: 0 }, due, null)?.draft?.total ?? 0
}
