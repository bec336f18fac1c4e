/**
 * What is billed, and when. The preview and the billing run use the same functions, so they can't differ. Source:
 * docs/reference/billing.md#periods.
 */
import { present } from "@crossdock/kernel"
import * as Agreement from "./Agreement.ts"
import { type Period, periodOf, startOf } from "./BillingCalendar.ts"
import * as Invoice from "./Invoice.ts"

/**
 * When an agreement is due next, in epoch milliseconds; null when it never is. A pending agreement is due when its
 * confirmation expires, others when their next period starts.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Agreement, BillingCycle } from "@crossdock/billing"
 * import { pendingSubscription } from "@crossdock/billing/testing"
 *
 * const active = Agreement.accept(pendingSubscription({ trialDays: 14 }), Date.UTC(2026, 0, 1))
 * strictEqual(active && BillingCycle.dueAt(active), Date.UTC(2026, 0, 15))
 * const cancelled = active && Agreement.cancel(active, Date.UTC(2026, 0, 2))
 * strictEqual(cancelled && BillingCycle.dueAt(cancelled), null)
 * ```
 */
export const dueAt = (agreement: Agreement.Agreement): number | null => {
  const { anchor, billed, confirmation, status } = agreement
  if (status === "pending") return confirmation?.expiresAt ?? null
  if (anchor === null || (status !== "active" && status !== "no_renew")) return null
  const interval = Agreement.intervalOf(agreement)
  if (interval === undefined) return billed === 0 ? anchor : null
  return startOf(anchor, interval, billed)
}

/**
 * One step of an agreement: the agreement after it, and the invoice to issue, if there is one.
 */
export interface Step {
  readonly agreement: Agreement.Agreement
  readonly draft: Invoice.Draft | null
}

type Charge = Omit<Invoice.Item, "period">

/**
 * The lines that cost something. Source: docs/reference/billing.md#tests.
 */
const chargedLines = ({ isTest, lines }: Agreement.Agreement): ReadonlyArray<Agreement.Line> =>
  isTest ? [] : lines.filter((line) => !line.isTest)

const used = (agreement: Agreement.Agreement): ReadonlyArray<Charge> =>
  chargedLines(agreement).flatMap((line) => {
    const amount = agreement.usage[line.id] ?? 0
    return amount === 0 ? [] : [{ type: "usage", name: line.name, description: line.term, amount, planId: null }]
  })

const owed = (agreement: Agreement.Agreement): ReadonlyArray<Charge> =>
  chargedLines(agreement).flatMap((line) => {
    const isOwed =
      line.amount > 0 && (line.pricing === "recurring" || (line.pricing === "one_time" && agreement.billed === 0))
    if (!isOwed) return []
    const planId = agreement.kind === "plan" ? agreement.entityId : null
    const type = line.pricing === "recurring" ? "subscription" : "one_time"
    return [{ type, name: line.name, description: line.term, amount: line.amount, planId }]
  })

/**
 * A discount or credit, at most the amount that is left to pay.
 */
const reduction = (type: "discount" | "credit", name: string, amount: number, most: number): ReadonlyArray<Charge> => {
  const taken = Math.min(amount, most)
  return taken <= 0 ? [] : [{ type, name, description: null, amount: -taken, planId: null }]
}

const totalOf = (charges: ReadonlyArray<Charge>): number => Invoice.sum(charges.map(({ amount }) => amount))

const drafted = (
  agreement: Agreement.Agreement,
  period: Period,
  charges: ReadonlyArray<Charge>,
  tax: Invoice.Tax | null
): Invoice.Draft | null =>
  charges.length === 0
    ? null
    : Invoice.draft(
        {
          companyId: agreement.companyId,
          agreementId: agreement.id,
          index: agreement.billed,
          period,
          currency: agreement.currency
        },
        charges.map((charge) => ({ ...charge, period })),
        tax
      )

const billed = (agreement: Agreement.Agreement, tax: Invoice.Tax | null): Step => {
  const { anchor, credit, discount } = agreement
  const interval = Agreement.intervalOf(agreement)
  const start = present(anchor, "the anchor of an agreement that is billed")
  const period = interval === undefined ? { start, end: start } : periodOf(start, interval, agreement.billed)
  const due = owed(agreement)
  const off = discount === null ? [] : reduction("discount", discount.code, discount.amount, totalOf(due))
  const charges = [...due, ...used(agreement), ...off]
  const credited = reduction("credit", "Unused days", credit, totalOf(charges))
  const recurring = Invoice.sum(
    chargedLines(agreement).flatMap((line) => (line.pricing === "recurring" ? [line.amount] : []))
  )
  return {
    agreement: {
      ...agreement,
      billed: agreement.billed + 1,
      lastBilled: Math.max(0, recurring + totalOf(off)),
      discount: null,
      credit: credit + totalOf(credited),
      usage: {}
    },
    draft: drafted(agreement, period, [...charges, ...credited], tax)
  }
}

/**
 * The last invoice of an agreement that ends at `at`: usage that wasn't billed yet; null without any.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Agreement, BillingCycle } from "@crossdock/billing"
 * import { line, pendingSubscription } from "@crossdock/billing/testing"
 *
 * const orders = line({ id: "orders", pricing: "usage", interval: null, cap: 10_000 })
 * const active = Agreement.accept(pendingSubscription({ lines: [orders] }), Date.UTC(2026, 0, 1))
 * const used = active && Agreement.use(active, "orders", 700)
 * strictEqual(active && BillingCycle.final(active, Date.UTC(2026, 0, 20), null), null)
 * const tax = { name: "GST", hundredths: 1_800 }
 * strictEqual(used && BillingCycle.final(used.agreement, Date.UTC(2026, 0, 20), tax)?.total, 826)
 * ```
 */
export const final = (agreement: Agreement.Agreement, at: number, tax: Invoice.Tax | null): Invoice.Draft | null => {
  const charges = used(agreement)
  const credited = reduction("credit", "Unused days", agreement.credit, totalOf(charges))
  return drafted(
    agreement,
    { start: Agreement.billedPeriod(agreement)?.start ?? at, end: at },
    [...charges, ...credited],
    tax
  )
}

/**
 * The next step that is due by `now`; undefined when none is. Each step bills one period or ends the agreement. `tax` is
 * added to the sum of the invoice.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Agreement, BillingCycle } from "@crossdock/billing"
 * import { line, pendingSubscription } from "@crossdock/billing/testing"
 *
 * const january = Date.UTC(2026, 0, 1)
 * const active = Agreement.accept(pendingSubscription({ lines: [line({ amount: 500 })] }), january)
 * const first = active && BillingCycle.step(active, january, { name: "GST", hundredths: 1_800 })
 * strictEqual(first?.draft?.total, 590)
 * // the next period isn't due before it starts
 * strictEqual(first && BillingCycle.step(first.agreement, Date.UTC(2026, 1, 1) - 1, null), undefined)
 * ```
 */
export const step = (agreement: Agreement.Agreement, now: number, tax: Invoice.Tax | null): Step | undefined => {
  const due = dueAt(agreement)
  if (due === null || due > now) return undefined
  if (agreement.status === "active") return billed(agreement, tax)
  const ended = agreement.status === "pending" ? Agreement.expire(agreement) : Agreement.end(agreement, due)
  if (ended === undefined) return undefined
  return { agreement: { ...ended, usage: {} }, draft: final(agreement, due, tax) }
}

/**
 * All steps that are due by `now`, oldest first, so that a host that was down catches up.
 *
 * @example
 * ```ts
 * import { deepStrictEqual, strictEqual } from "node:assert/strict"
 * import { Agreement, BillingCycle } from "@crossdock/billing"
 * import { pendingSubscription } from "@crossdock/billing/testing"
 *
 * const active = Agreement.accept(pendingSubscription(), Date.UTC(2026, 0, 31))
 * const after = active && BillingCycle.catchUp(active, Date.UTC(2026, 3, 1), null)
 * deepStrictEqual(after?.drafts.map(({ index }) => index), [0, 1, 2])
 * strictEqual(after && BillingCycle.dueAt(after.agreement), Date.UTC(2026, 3, 30))
 * ```
 */
export const catchUp = (
  agreement: Agreement.Agreement,
  now: number,
  tax: Invoice.Tax | null
): { readonly agreement: Agreement.Agreement; readonly drafts: ReadonlyArray<Invoice.Draft> } => {
  const drafts: Array<Invoice.Draft> = []
  let present = agreement
  for (let next = step(present, now, tax); next !== undefined; next = step(present, now, tax)) {
    present = next.agreement
    if (next.draft !== null) drafts.push(next.draft)
  }
  return { agreement: present, drafts }
}

/**
 * The invoices that will be issued by `until` (epoch milliseconds) if nothing else happens: exactly those of the billing run.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Agreement, BillingCycle } from "@crossdock/billing"
 * import { line, pendingSubscription } from "@crossdock/billing/testing"
 *
 * const january = Date.UTC(2026, 0, 1)
 * const active = Agreement.accept(pendingSubscription({ lines: [line({ amount: 500 })] }), january)
 * const drafts = active === undefined ? [] : BillingCycle.preview(active, Date.UTC(2026, 1, 15), null)
 * deepStrictEqual(drafts.map(({ total }) => total), [500, 500])
 * ```
 */
export const preview = (
  agreement: Agreement.Agreement,
  until: number,
  tax: Invoice.Tax | null
): ReadonlyArray<Invoice.Draft> => catchUp(agreement, until, tax).drafts
