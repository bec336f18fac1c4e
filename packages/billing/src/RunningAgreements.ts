/**
 * Running agreements: their prices, end and replacement, and their pause while the company is closed. Source:
 * docs/reference/billing.md#replacing.
 */
import { type Caller, Directory } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import type { CompanyId } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Agreement from "./Agreement.ts"
import * as BillingCycle from "./BillingCycle.ts"
import { OtherCurrency } from "./BillingError.ts"
import { BillingLedger } from "./BillingLedger.ts"
import { BillingPolicy } from "./BillingPolicy.ts"
import { BillingStore } from "./BillingStore.ts"
import { credited, type Draft, type Invoice, sum, type Tax, unused } from "./Invoice.ts"

/** Agreements with the current prices of their plans, for their next periods. Source: docs/reference/billing.md#plans. */
export const withCurrentPrices = (store: typeof BillingStore.Service, agreements: ReadonlyArray<Agreement.Agreement>) =>
  Effect.gen(function* () {
    if (!agreements.some(({ kind }) => kind === "plan")) return agreements
    const plans = new Map((yield* store.plans).map((plan) => [plan.id, plan]))
    return agreements.map((one) => Agreement.priced(one, plans.get(one.entityId)))
  })

/** A running agreement, and its invoices of periods that have not ended: their unused days give credit. */
export interface Running {
  readonly agreement: Agreement.Agreement
  readonly invoices: ReadonlyArray<Invoice>
}

/** The running agreements of the same kind and extension, which a new one replaces. */
export const runningOfExtension = (
  store: typeof BillingStore.Service,
  { companyId, entityId, kind }: Agreement.Agreement
) => Effect.map(store.running(companyId, kind), (all) => all.filter((one) => one.entityId === entityId))

/**
 * The running agreements that `takeOver` replaces at `now`. Fails if one has another currency than the new one: the payment
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
    return yield* Effect.forEach(yield* withCurrentPrices(store, running), (agreement) =>
      Effect.map(
        store.invoicesFrom(agreement.companyId, agreement.id, Agreement.periodAt(agreement, now)),
        (invoices): Running => ({ agreement, invoices })
      )
    )
  })

/** The part of an invoice that was paid, by money or credit; of a draft, by credit only. */
const paidOf = (one: Invoice | Draft): number =>
  "status" in one && one.status === "paid" ? one.subtotal : credited(one)

/**
 * An agreement that ends at `now`, with its last invoices and the remaining credit. Everything due by then is billed first,
 * and gives no credit before it is paid. A clock that was ahead may have billed future periods; each gives credit.
 * `isCancelled` is false if it can't be cancelled, or ended before; it then leaves no credit.
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

/** An agreement that replaces running ones. They end, and the payment for their unused days is its credit. */
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

const kinds = ["subscription", "plan"] as const

/**
 * Makes the use case that freezes the agreements of a closed company, and thaws those of a reopened one. Source:
 * docs/reference/billing.md#closed-companies.
 */
export const followClosing = Effect.gen(function* () {
  const store = yield* BillingStore
  const directory = yield* Directory
  const ledger = yield* BillingLedger
  const { tax } = yield* BillingPolicy

  const ofEach = <A, E>(read: (kind: (typeof kinds)[number]) => Effect.Effect<ReadonlyArray<A>, E>) =>
    Effect.map(Effect.forEach(kinds, read), (found) => found.flat())

  /** Bills the agreements until now, then freezes them. */
  const paused = (running: ReadonlyArray<Agreement.Agreement>, now: number) =>
    Effect.map(withCurrentPrices(store, running), (priced) =>
      priced.flatMap((before) => {
        const { agreement, drafts } = BillingCycle.catchUp(before, now, tax)
        const after = Agreement.freeze(agreement)
        return after === undefined ? [] : [{ before, after, drafts }]
      })
    )

  /** Thaws agreements without an open invoice; the others thaw when they are paid. */
  const resumed = (companyId: CompanyId, running: ReadonlyArray<Agreement.Agreement>, now: number) =>
    Effect.map(
      ofEach((kind) => store.unpaid(companyId, kind)),
      (unpaid) =>
        running.flatMap((before) => {
          const after = unpaid.some(({ agreementId }) => agreementId === before.id)
            ? undefined
            : Agreement.thaw(before, now)
          return after === undefined ? [] : [{ before, after, drafts: [] }]
        })
    )

  return Effect.fn("Billing.followClosing")((caller: Caller, companyId: CompanyId) =>
    ledger.write(
      caller,
      companyId,
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const isClosed = (yield* directory.company(companyId))?.closedAt !== undefined
        const running = yield* ofEach((kind) => store.running(companyId, kind))
        const moved = yield* isClosed ? paused(running, now) : resumed(companyId, running, now)
        if (moved.length === 0) return CompanyWrite.nothing(0)
        const change = {
          before: moved.map(({ before }) => before),
          after: moved.map(({ after }) => after),
          drafts: moved.flatMap(({ drafts }) => drafts),
          action: isClosed ? "pause" : "resume"
        }
        return { answer: moved.length, changes: [ledger.companyChange(companyId, change)] }
      })
    )
  )
})
