/**
 * What somebody agreed to pay for, and every move of it.
 */
import type { CompanyId } from "@crossdock/kernel"
import * as Calendar from "./BillingCalendar.ts"
import { split } from "./Proration.ts"
import { isRunning, type Kind, type Move, next, type Status } from "./SubscriptionLifecycle.ts"

/**
 * `recurring` is paid at each period's beginning, `one_time` with the first one, `usage` after each period for what was
 * used in it and never more than the cap.
 */
export type Pricing = "recurring" | "one_time" | "usage"

/**
 * Money in minor units of the agreement's currency.
 */
export interface Line {
  readonly id: string
  readonly name: string
  /** In a few words, how it will be charged. */
  readonly term: string | null
  readonly pricing: Pricing
  readonly amount: number
  readonly interval: Calendar.Interval | null
  readonly cap: number | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly isTest: boolean
}

/**
 * Times in epoch milliseconds, money in minor units.
 */
export interface Agreement {
  readonly companyId: CompanyId
  readonly id: string
  readonly kind: Kind
  /** The extension, or the plan. */
  readonly entityId: string
  readonly name: string
  readonly currency: string
  readonly isTest: boolean
  readonly lines: ReadonlyArray<Line>
  readonly status: Status
  readonly createdAt: number
  readonly activatedAt: number | null
  readonly cancelledAt: number | null
  /** Where the one who decides is sent back to, and the digest of the page's secret link; null for plans. */
  readonly confirmation: { readonly returnUrl: string; readonly digest: string; readonly expiresAt: number } | null
  readonly trialDays: number
  /** Where period 0 begins: at activation, or when the trial is over. */
  readonly anchor: number | null
  /** How many periods were billed. */
  readonly billed: number
  /** What the last billed period came to without credit and tax. */
  readonly lastBilled: number
  /** Taken off the first period. */
  readonly discount: { readonly code: string; readonly amount: number } | null
  /** What is left over from an agreement that this one replaced. */
  readonly credit: number
  /** By line: what was used since the last billed period began, within the cap. */
  readonly usage: Readonly<Record<string, number>>
  readonly version: number
}

/**
 * How long a decision is waited for (contract, Billing and audit).
 */
export const pendingMillis = 48 * 3_600_000

/**
 * How often the agreement is billed; undefined when it is billed once. Usage alone is billed by the month.
 */
export const intervalOf = ({ lines }: Agreement): Calendar.Interval | undefined =>
  lines.find((line) => line.pricing === "recurring")?.interval ??
  (lines.some((line) => line.pricing === "usage") ? "month" : undefined)

/**
 * The agreement after a move; undefined when it can't be made.
 */
const moved = (agreement: Agreement, move: Move, more: Partial<Agreement> = {}): Agreement | undefined => {
  const status = next(agreement.kind, agreement.status, move)
  return status === undefined ? undefined : { ...agreement, ...more, status }
}

/**
 * Where a trial ends that begins at `at`.
 */
export const trialEnd = (trialDays: number, at: number): number => at + trialDays * Calendar.dayMillis

export const accept = (agreement: Agreement, at: number): Agreement | undefined =>
  moved(agreement, "accept", { activatedAt: at, anchor: trialEnd(agreement.trialDays, at) })

export const decline = (agreement: Agreement): Agreement | undefined => moved(agreement, "decline")
export const expire = (agreement: Agreement): Agreement | undefined => moved(agreement, "expire")
export const cancel = (agreement: Agreement, at: number): Agreement | undefined =>
  moved(agreement, "cancel", { cancelledAt: at })
export const end = (agreement: Agreement, at: number): Agreement | undefined =>
  moved(agreement, "end", { cancelledAt: at })
export const stop = (agreement: Agreement): Agreement | undefined => moved(agreement, "stop")
export const freeze = (agreement: Agreement): Agreement | undefined => moved(agreement, "freeze")

/**
 * Periods that passed while it was frozen are not billed; the present one is.
 */
export const thaw = (agreement: Agreement, at: number): Agreement | undefined => {
  const interval = intervalOf(agreement)
  const present =
    interval === undefined || agreement.anchor === null ? 0 : Calendar.indexAt(agreement.anchor, interval, at)
  return moved(agreement, "thaw", { billed: Math.max(agreement.billed, present) })
}

/**
 * A decision that was waited for too long is none, whether that was written down yet or not.
 */
export const statusAt = (agreement: Agreement, now: number): Status => {
  const { confirmation, status } = agreement
  return status === "pending" && confirmation !== null && now >= confirmation.expiresAt ? "expired" : status
}

/**
 * The period that was billed last; undefined before the first.
 */
export const billedPeriod = (agreement: Agreement): Calendar.Period | undefined => {
  const interval = intervalOf(agreement)
  return interval === undefined || agreement.anchor === null || agreement.billed === 0
    ? undefined
    : Calendar.periodOf(agreement.anchor, interval, agreement.billed - 1)
}

/**
 * What was billed for days that are not used when it ends at `at`, and what it had over itself: the credit of whatever
 * takes its place. So what is billed for it in all is its price by days used.
 */
export const unused = (agreement: Agreement, at: number): number => {
  const period = billedPeriod(agreement)
  if (!isRunning(agreement.status)) return 0
  return agreement.credit + (period === undefined ? 0 : split(agreement.lastBilled, period, at).rest)
}

/**
 * Notes what was used. Over the cap nothing more is charged: the answer says how much counted.
 */
export const use = (
  agreement: Agreement,
  lineId: string,
  amount: number
): { readonly agreement: Agreement; readonly counted: number } | undefined => {
  const line = agreement.lines.find((one) => one.id === lineId && one.pricing === "usage")
  if (line === undefined || amount < 0 || agreement.status !== "active") return undefined
  const before = agreement.usage[lineId] ?? 0
  const after = Math.min(before + amount, line.cap ?? Number.MAX_SAFE_INTEGER)
  return { agreement: { ...agreement, usage: { ...agreement.usage, [lineId]: after } }, counted: after - before }
}
