/**
 * Payment agreements. Times are in epoch milliseconds, and amounts in minor units of the agreement's currency.
 * A function returns undefined if its move isn't allowed by `AgreementLifecycle`.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Agreement } from "@crossdock/billing"
 * import { pendingSubscription } from "@crossdock/billing/testing"
 *
 * // The first period begins after the trial.
 * const january = Date.UTC(2026, 0, 1)
 * const pending = pendingSubscription({ trialDays: 7 })
 * const active = Agreement.accept(pending, january) ?? pending
 * deepStrictEqual([active.status, active.anchor], ["active", Date.UTC(2026, 0, 8)])
 * ```
 */
import { type CompanyId, Instant } from "@crossdock/kernel"
import { type Kind, type Move, next, type Status } from "./AgreementLifecycle.ts"
import * as BillingPeriod from "./BillingPeriod.ts"
import { largestNet, sum, type Tax } from "./Invoice.ts"
import type { Plan } from "./Plan.ts"

/** When a line is charged: before each period (`recurring`), with the first (`one_time`), or after each (`usage`). */
export type Pricing = "recurring" | "one_time" | "usage"

export interface Line {
  readonly id: string
  readonly name: string
  /** A short description of how the line is charged. */
  readonly term: string | null
  readonly pricing: Pricing
  readonly amount: number
  readonly interval: BillingPeriod.Interval | null
  readonly cap: number | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly isTest: boolean
}

/** The fields of a new agreement, before anything is billed or used. */
export interface AgreementDraft {
  readonly companyId: CompanyId
  readonly id: string
  readonly kind: Kind
  /** The id of the extension or the plan. */
  readonly entityId: string
  readonly name: string
  readonly currency: string
  readonly isTest: boolean
  readonly lines: ReadonlyArray<Line>
  readonly createdAt: number
  /** The confirmation page's return URL, the digest of its secret link, and its expiry. Null for plans. */
  readonly confirmation: { readonly returnUrl: string; readonly digest: string; readonly expiresAt: number } | null
  readonly trialDays: number
}

/** A company's agreement about a subscription, a one-time charge or a plan. */
export interface Agreement extends AgreementDraft {
  /** The id of the first agreement in a chain of replacements: its own id if this agreement replaced none. */
  readonly firstId: string
  readonly status: Status
  readonly activatedAt: number | null
  readonly cancelledAt: number | null
  /** The start of period 0: the activation, the end of the trial, or a thaw before the first bill. */
  readonly anchor: number | null
  readonly billed: number
  /** The discount on the first period. */
  readonly discount: { readonly code: string; readonly amount: number } | null
  readonly credit: number
  /** The usage of each line since the start of the last billed period, up to the line's cap. */
  readonly usage: Readonly<Record<string, number>>
  readonly version: number
}

/** Makes a new agreement. It is pending. */
export const begin = (draft: AgreementDraft): Agreement => ({
  ...draft,
  firstId: draft.id,
  status: "pending",
  activatedAt: null,
  cancelledAt: null,
  anchor: null,
  billed: 0,
  discount: null,
  credit: 0,
  usage: {},
  version: 0
})

/** The billing interval of the recurring line, or else of usage lines (monthly). Undefined if billed once. */
export const intervalOf = ({ lines }: Agreement): BillingPeriod.Interval | undefined =>
  lines.find((line) => line.pricing === "recurring")?.interval ??
  (lines.some((line) => line.pricing === "usage") ? "month" : undefined)

const moved = (agreement: Agreement, move: Move, more: Partial<Agreement> = {}): Agreement | undefined => {
  const status = next(agreement.kind, agreement.status, move)
  return status === undefined ? undefined : { ...agreement, ...more, status }
}

/** The end of a trial that begins at `at` and lasts a whole number of days. Source: docs/reference/billing.md#trial. */
export const trialEnd = (trialDays: number, at: number): number => at + trialDays * Instant.dayMillis

/** Accepts a pending agreement at `at`. Period 0 starts after the trial. */
export const accept = (agreement: Agreement, at: number): Agreement | undefined =>
  moved(agreement, "accept", { activatedAt: at, anchor: trialEnd(agreement.trialDays, at) })

/** Declines a pending agreement. Returns undefined if it isn't pending. */
export const decline = (agreement: Agreement): Agreement | undefined => moved(agreement, "decline")

/** Expires a pending agreement that wasn't confirmed in time. */
export const expire = (agreement: Agreement): Agreement | undefined => moved(agreement, "expire")

/** Cancels an agreement at `at`. Returns undefined for a one-time charge, and for an agreement that has already ended. */
export const cancel = (agreement: Agreement, at: number) => moved(agreement, "cancel", { cancelledAt: at })

/** Ends a stopped agreement after its last period, at `at`. */
export const end = (agreement: Agreement, at: number) => moved(agreement, "end", { cancelledAt: at })

/** Stops the renewal of an active agreement, which then ends with its current period. */
export const stop = (agreement: Agreement): Agreement | undefined => moved(agreement, "stop")

/** Freezes an active agreement, because its company is closed or an invoice is unpaid. It isn't billed until `thaw`. */
export const freeze = (agreement: Agreement): Agreement | undefined => moved(agreement, "freeze")

/** Thaws a frozen agreement at `at`. Billing resumes with the current period, and missed periods are never billed. */
export const thaw = (agreement: Agreement, at: number): Agreement | undefined => {
  const { anchor, billed } = agreement
  return moved(
    agreement,
    "thaw",
    billed === 0 ? { anchor: Math.max(anchor ?? at, at) } : { billed: Math.max(billed, periodAt(agreement, at)) }
  )
}

/** The index of the period at `at`. It is 0 before the first period, and for an agreement that is billed once. */
export const periodAt = (agreement: Agreement, at: number): number => {
  const interval = intervalOf(agreement)
  return interval === undefined || agreement.anchor === null
    ? 0
    : Math.max(0, BillingPeriod.indexAt(agreement.anchor, interval, at))
}

/** The status at `now`. A pending agreement counts as expired from `expiresAt`, even before `expire` is called. */
export const statusAt = (agreement: Agreement, now: number): Status => {
  const { confirmation, status } = agreement
  return status === "pending" && confirmation !== null && now >= confirmation.expiresAt ? "expired" : status
}

/** The last billed period. Undefined before the first bill, and for a one-time charge. */
export const billedPeriod = (agreement: Agreement): BillingPeriod.Period | undefined => {
  const interval = intervalOf(agreement)
  return interval === undefined || agreement.anchor === null || agreement.billed === 0
    ? undefined
    : BillingPeriod.periodOf(agreement.anchor, interval, agreement.billed - 1)
}

/** Updates a plan's agreement to the plan's price, for its next period. Source: docs/reference/billing.md#plans. */
export const priced = (agreement: Agreement, plan: Plan | undefined): Agreement =>
  agreement.kind !== "plan" || plan?.id !== agreement.entityId || plan.currency !== agreement.currency
    ? agreement
    : {
        ...agreement,
        lines: agreement.lines.map((line) =>
          line.pricing === "recurring" && line.interval === plan.interval ? { ...line, amount: plan.amount } : line
        )
      }

/**
 * Adds usage of a line, in minor units. `counted` is the part that is charged: none in a trial, and otherwise what fits
 * under the line's cap and, with `tax`, under `largestTotal`. Undefined if the agreement isn't active or has no such line.
 * Source: docs/reference/billing.md#lines.
 */
export const addUsage = (
  agreement: Agreement,
  lineId: string,
  amount: number,
  tax: Tax | null
): { readonly agreement: Agreement; readonly counted: number } | undefined => {
  const line = agreement.lines.find((one) => one.id === lineId && one.pricing === "usage")
  if (line === undefined || amount < 0 || agreement.status !== "active") return undefined
  if (agreement.billed === 0) return { agreement, counted: 0 }
  const before = agreement.usage[lineId] ?? 0
  const fixed = agreement.lines.filter(({ pricing }) => pricing !== "usage").map((one) => one.amount)
  const room = largestNet(tax) - sum([...fixed, ...Object.values(agreement.usage)])
  const counted = Math.max(0, Math.min(amount, room, line.cap === null ? room : line.cap - before))
  return { agreement: { ...agreement, usage: { ...agreement.usage, [lineId]: before + counted } }, counted }
}
