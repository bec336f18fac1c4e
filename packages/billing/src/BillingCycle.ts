/**
 * What is due, and when. A preview and the billing run ask the same question, so they can't differ.
 */
import * as Agreement from "./Agreement.ts"
import { type Period, periodOf, startOf } from "./BillingCalendar.ts"
import * as Invoice from "./Invoice.ts"

/**
 * When something is to be done for the agreement next: null when nothing is.
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
 * One thing that was due: the agreement after it, and what it comes to, if anything.
 */
export interface Step {
  readonly agreement: Agreement.Agreement
  readonly draft: Invoice.Draft | null
}

type Charge = Omit<Invoice.Item, "period">

const used = (agreement: Agreement.Agreement): ReadonlyArray<Charge> =>
  agreement.lines.flatMap((line) => {
    const amount = agreement.usage[line.id] ?? 0
    return amount === 0 ? [] : [{ type: "usage", name: line.name, description: line.term, amount, planId: null }]
  })

const owed = (agreement: Agreement.Agreement): ReadonlyArray<Charge> =>
  agreement.lines.flatMap((line) => {
    const isOwed =
      line.amount > 0 && (line.pricing === "recurring" || (line.pricing === "one_time" && agreement.billed === 0))
    if (!isOwed) return []
    const planId = agreement.kind === "plan" ? agreement.entityId : null
    const type = line.pricing === "recurring" ? "subscription" : "one_time"
    return [{ type, name: line.name, description: line.term, amount: line.amount, planId }]
  })

/**
 * What is taken off, and never more than there is.
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
  const { anchor, credit, discount, lines } = agreement
  const interval = Agreement.intervalOf(agreement)
  const start = anchor ?? 0
  const period = interval === undefined ? { start, end: start } : periodOf(start, interval, agreement.billed)
  const due = owed(agreement)
  const off = discount === null ? [] : reduction("discount", discount.code, discount.amount, totalOf(due))
  const charges = [...due, ...used(agreement), ...off]
  const credited = reduction("credit", "Unused days", credit, totalOf(charges))
  const recurring = Invoice.sum(lines.flatMap((line) => (line.pricing === "recurring" ? [line.amount] : [])))
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
 * Usage that was not billed yet, when the agreement ends.
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
 * The next thing that is due by `now`; undefined when nothing is. Each step leads further: billing goes on by one period,
 * or the agreement ends.
 */
export const step = (agreement: Agreement.Agreement, now: number, tax: Invoice.Tax | null): Step | undefined => {
  const due = dueAt(agreement)
  if (due === null || due > now) return undefined
  if (agreement.status === "active") return billed(agreement, tax)
  const ended = agreement.status === "pending" ? Agreement.expire(agreement) : Agreement.end(agreement, due)
  if (ended === undefined) return undefined
  return {
    agreement: { ...ended, usage: {} },
    draft: agreement.status === "pending" ? null : final(agreement, due, tax)
  }
}

/**
 * Everything that is due by `now`, oldest first: a host that was down catches up.
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
 * What will be charged by `until` if nothing else happens: exactly what the run then charges.
 */
export const preview = (
  agreement: Agreement.Agreement,
  until: number,
  tax: Invoice.Tax | null
): ReadonlyArray<Invoice.Draft> => catchUp(agreement, until, tax).drafts
