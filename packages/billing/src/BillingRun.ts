/** Background work that bills due agreements and collects payments. Any number of hosts can run it concurrently. */
import { type Caller, Directory, type System } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { BackgroundLoop, type CompanyId, Ids, Instant, type Stored, Transaction } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Agreement from "./Agreement.ts"
import { ended, lateCredit, withCurrentPrices } from "./AgreementReplacement.ts"
import * as BillingCycle from "./BillingCycle.ts"
import * as BillingFeed from "./BillingFeed.ts"
import { BillingLedger, type Change } from "./BillingLedger.ts"
import { BillingPolicy } from "./BillingPolicy.ts"
import { BillingStore } from "./BillingStore.ts"
import { type Invoice, type Payment, retriedAt } from "./Invoice.ts"
import { type Outcome, PaymentProvider } from "./PaymentProvider.ts"

export class BillingRun extends Context.Service<
  BillingRun,
  {
    /** Bills all due agreements, and expires those not confirmed in time. Returns the number of agreements that changed. */
    readonly bill: Stored<number>
    /**
     * Charges every due invoice, or asks for the outcome of its payment. Returns the number of these invoices.
     * With `PaymentProvider.none` it does nothing. Source: docs/reference/billing.md#payments.
     */
    readonly collect: Stored<number>
  }
>()("@crossdock/billing/BillingRun") {}

const runner: Caller<System> = { principal: { kind: "system", id: "billing" }, requestId: null }

const batch = 500

/** The number of concurrent payments. Payments mostly wait for the provider and rarely use the database. */
const paymentsAtOnce = 8

const byCompany = (agreements: ReadonlyArray<Agreement.Agreement>) =>
  [...Map.groupBy(agreements, ({ companyId }) => companyId)].sort(([a], [b]) => a - b)

/** Handles due entries in batches, and each entry once. Entries that remain due raise the limit of the next read. */
const inBatches = <A extends { readonly id: string }>(
  due: (limit: number) => Stored<ReadonlyArray<A>>,
  act: (some: ReadonlyArray<A>) => Stored<number>
) =>
  Effect.gen(function* () {
    const seen = new Set<string>()
    let [done, left] = [0, 0]
    for (;;) {
      const limit = left + batch
      const found = yield* due(limit)
      const fresh = found.filter(({ id }) => !seen.has(id))
      for (const { id } of fresh) seen.add(id)
      done += yield* act(fresh)
      if (found.length < limit) return done
      left = found.length - fresh.length
    }
  })

/** The key of a payment attempt, with which to charge and to ask for the outcome. Each attempt has its own key. */
const keyOf = (invoice: Invoice): string => `${invoice.id}-${invoice.payment.attempts}`

type Changed = Pick<Change, "before" | "after" | "drafts">

const unchanged: Changed = { before: [], after: [], drafts: [] }

const changed = (
  before: Agreement.Agreement,
  after: Agreement.Agreement | undefined,
  drafts: Changed["drafts"] = []
) => (after === undefined ? unchanged : { before: [before], after: [after], drafts })

const withPayment = (invoice: Invoice, payment: Payment, now: number): Invoice => ({
  ...invoice,
  payment,
  modifiedAt: now,
  version: invoice.version + 1
})

export const make = Effect.gen(function* () {
  const store = yield* BillingStore
  const directory = yield* Directory
  const ledger = yield* BillingLedger
  const transaction = yield* Transaction.Transaction
  const provider = yield* PaymentProvider
  const ids = yield* Ids.Ids
  const { answerMillis, retryAfterMillis, tax } = yield* BillingPolicy

  /** Bills a company's due agreements. Agreements that changed since they were read are left out. */
  const billCompany = (companyId: CompanyId, due: ReadonlyArray<Agreement.Agreement>, now: number) =>
    ledger.write(runner, companyId, function* () {
      const dueIds = due.map(({ id }) => id)
      const current = yield* store.agreements(companyId, dueIds)
      const versions = new Map(current.map(({ id, version }) => [id, version]))
      const before = due.filter(({ id, version }) => versions.get(id) === version)
      if (before.length === 0) return CompanyWrite.nothing(0)
      const priced = yield* withCurrentPrices(store, before)
      const caught = priced.map((one) => BillingCycle.catchUp(one, now, tax))
      const after = caught.map(({ agreement }) => agreement)
      const drafts = caught.flatMap((one) => one.drafts)
      const change = ledger.companyChange(companyId, { before, after, drafts, action: "bill" })
      return { answer: before.length, changes: [change] }
    })

  const bill = inBatches(
    (limit) => Effect.flatMap(Clock.currentTimeMillis, (now) => store.due(now, limit)),
    (due) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const counts = yield* Effect.forEach(
          byCompany(due),
          ([company, some]) => BackgroundLoop.isolated(`company ${company}`, billCompany(company, some, now)),
          { concurrency: yield* BackgroundLoop.Concurrency }
        )
        return counts.reduce((sum, count) => sum + Option.getOrElse(count, () => 0), 0)
      })
  ).pipe(Effect.withSpan("BillingRun.bill"))

  /** Claims an invoice before it is charged, since a host that can't write must not charge. Null if another host did. */
  const claim = (invoice: Invoice, now: number) => {
    const payment: Payment = { ...invoice.payment, state: "asked", nextAt: now + answerMillis }
    return transaction.run(store.saveInvoice({ ...invoice, payment, modifiedAt: now })).pipe(
      Effect.as(withPayment(invoice, payment, now)),
      Effect.catchTag("StaleWrite", () => Effect.succeed(null))
    )
  }

  const answered = <A>(answer: Effect.Effect<A>) =>
    Effect.timeoutOrElse(answer, {
      duration: Duration.millis(answerMillis / 2),
      orElse: () => Effect.succeed("unknown" as const)
    })

  const charged = (invoice: Invoice): Effect.Effect<Outcome> =>
    answered(
      provider.charge({
        key: keyOf(invoice),
        companyId: invoice.companyId,
        amount: invoice.total,
        currency: invoice.currency,
        description: invoice.number
      })
    )

  /** Charges an invoice. If an attempt is unanswered, asks for its outcome, and charges only if it never arrived. */
  const outcomeOf = (before: Invoice, claimed: Invoice) =>
    before.payment.state === "asked"
      ? Effect.flatMap(answered(provider.ask(keyOf(before))), (answer) =>
          answer === "absent" ? charged(claimed) : Effect.succeed(answer)
        )
      : charged(claimed)

  const settled = (before: Invoice, outcome: Outcome, id: string, now: number): Invoice => {
    const { payment } = before
    const invoice = { ...before, modifiedAt: now }
    if (outcome === "unknown") return { ...invoice, payment: { ...payment, nextAt: now + answerMillis } }
    if (outcome === "succeeded") {
      const trail = [...invoice.trail, { id, status: "paid" as const, at: now }]
      return { ...invoice, status: "paid", trail, payment: { ...payment, state: "succeeded", nextAt: null } }
    }
    const wait = retryAfterMillis[payment.attempts]
    const nextAt = wait === undefined ? null : now + wait
    return { ...invoice, payment: { state: "failed", attempts: payment.attempts + 1, nextAt } }
  }

  const openBeside = ({ companyId, id, kind }: Agreement.Agreement, invoice: Invoice) =>
    Effect.map(store.unpaid(companyId, kind), (all) =>
      all.filter((one) => one.agreementId === id && one.id !== invoice.id)
    )

  /**
   * The agreement after a payment attempt. It thaws once all its invoices are paid. After the last rejected attempt, it is
   * frozen, or ends if it isn't renewed.
   */
  const followed = (before: Agreement.Agreement, invoice: Invoice, others: ReadonlyArray<Invoice>, now: number) => {
    if (invoice.status === "paid") return changed(before, others.length === 0 ? Agreement.thaw(before, now) : undefined)
    if (invoice.payment.nextAt !== null) return unchanged
    const end = before.status === "no_renew" ? ended({ agreement: before, invoices: [] }, now, tax) : undefined
    return changed(before, end?.agreement ?? Agreement.freeze(before), end?.drafts)
  }

  /** Adds the credit of a late payment to the running successor of the paid agreement. */
  const credited = ({ cancelledAt, companyId, firstId, kind }: Agreement.Agreement, invoice: Invoice) =>
    Effect.gen(function* () {
      if (cancelledAt === null || invoice.status !== "paid") return unchanged
      const late = lateCredit(invoice, cancelledAt)
      if (late === 0) return unchanged
      const successor = (yield* store.running(companyId, kind)).find((one) => one.firstId === firstId)
      return successor === undefined ? unchanged : changed(successor, { ...successor, credit: successor.credit + late })
    })

  const settle = (claimed: Invoice, outcome: Outcome) =>
    ledger.write(runner, claimed.companyId, function* () {
      const now = yield* Clock.currentTimeMillis
      const current = yield* store.invoice(claimed.companyId, claimed.id)
      if (current?.version !== claimed.version) return CompanyWrite.nothing(undefined)
      const invoice = settled(current, outcome, yield* ids.hex, now)
      if (outcome === "unknown") {
        // The outcome isn't known yet, so there is nothing to record.
        yield* store.saveInvoice(invoice)
        return CompanyWrite.nothing(undefined)
      }
      const before = yield* store.agreement(invoice.companyId, invoice.agreementId)
      const isThawing = outcome === "succeeded" && before?.status === "frozen"
      const others = isThawing ? yield* openBeside(before, invoice) : []
      const isClosed = isThawing && (yield* directory.company(invoice.companyId))?.closedAt !== undefined
      const own = before === undefined || isClosed ? unchanged : followed(before, invoice, others, now)
      const after = before === undefined || own !== unchanged ? own : yield* credited(before, invoice)
      const action = outcome === "succeeded" ? "paid" : "rejected"
      const agreements = ledger.companyChange(invoice.companyId, { ...after, action })
      const change: CompanyWrite.CompanyChange = {
        companyId: invoice.companyId,
        entity: { type: "billing-invoice", id: invoice.id, action },
        save: Effect.fnUntraced(function* (mark) {
          // A provider that accepts this payment may now also accept payments that it rejected earlier.
          yield* Effect.forEach([invoice, ...retriedAt(others, now)], store.saveInvoice, { discard: true })
          const { events } = yield* agreements.save(mark)
          const logs = { request: BillingFeed.loggedOf(invoice), response: "ok" }
          return { logs, events: [BillingFeed.paymentOf(invoice), ...events] }
        })
      }
      return { answer: undefined, changes: [change] }
    })

  const longestDelay = ({ attempts, state }: Payment): number => {
    if (state === "asked") return answerMillis
    return state === "failed" ? (retryAfterMillis[attempts - 1] ?? 0) : 0
  }

  /** Limits a payment's remaining delay to its original length, after the clock was set back. */
  const bringForward = (invoice: Invoice, nextAt: number, now: number) => {
    const payment: Payment = { ...invoice.payment, nextAt: Math.min(nextAt, now + longestDelay(invoice.payment)) }
    return Effect.catchTag(store.saveInvoice({ ...invoice, payment, modifiedAt: now }), "StaleWrite", () => Effect.void)
  }

  const collectOne = Effect.fnUntraced(function* (before: Invoice) {
    const now = yield* Clock.currentTimeMillis
    const { nextAt } = before.payment
    if (nextAt !== null && nextAt > now) return yield* bringForward(before, nextAt, now)
    const claimed = yield* claim(before, now)
    if (claimed === null) return
    yield* settle(claimed, yield* outcomeOf(before, claimed))
  })

  const collectAll = inBatches(
    (limit) => Effect.flatMap(Clock.currentTimeMillis, (now) => store.payable(now, Instant.latest(now), limit)),
    (payable) =>
      Effect.as(
        Effect.forEach(payable, (one) => BackgroundLoop.isolated(`invoice ${one.id}`, collectOne(one)), {
          concurrency: paymentsAtOnce,
          discard: true
        }),
        payable.length
      )
  ).pipe(Effect.withSpan("BillingRun.collect"))

  return BillingRun.of({ bill, collect: provider === PaymentProvider.none ? Effect.succeed(0) : collectAll })
})

export const layer = Layer.effect(BillingRun, make)

const loop = ({ poll = Duration.seconds(1) }: { readonly poll?: Duration.Input } = {}) =>
  Effect.map(BillingRun, ({ bill, collect }) => ({
    name: "billing",
    every: poll,
    pass: Effect.gen(function* () {
      yield* BackgroundLoop.isolated("bill", bill)
      yield* BackgroundLoop.isolated("collect", collect)
      return false
    })
  }))

/** Bills and collects in a loop, every second or after each `poll`. */
const run = (...options: Parameters<typeof loop>) => Effect.flatMap(loop(...options), BackgroundLoop.run)

/** The background work of billing. `poll` is the time between two searches. `once` is for a host without loops. */
export const BillingWorker = /* @__PURE__ */ Object.freeze({
  run,
  once: Effect.flatMap(loop(), BackgroundLoop.once),
  layer: (...options: Parameters<typeof loop>) => BackgroundLoop.layer(run(...options))
})
