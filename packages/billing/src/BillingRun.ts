/**
 * Background work: bills what is due and collects what is owed. Any number of hosts may run it at once.
 */

import type { Caller, System } from "@crossdock/access"
import { type CompanyId, Ids, type StorageError, Transaction } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Agreement from "./Agreement.ts"
import * as BillingCycle from "./BillingCycle.ts"
import { BillingLedger } from "./BillingLedger.ts"
import { BillingPolicy } from "./BillingPolicy.ts"
import { BillingStore } from "./BillingStore.ts"
import type { Invoice, Payment } from "./Invoice.ts"
import { type Outcome, PaymentProvider } from "./PaymentProvider.ts"

export class BillingRun extends Context.Service<
  BillingRun,
  {
    /** Bills everything that is due by now, and lets decisions that were waited for too long expire. Answers how much it did. */
    readonly bill: Effect.Effect<number, StorageError>
    /** Tries to collect every invoice whose time has come, or asks what became of it. Answers how many it took up. */
    readonly collect: Effect.Effect<number, StorageError>
  }
>()("@crossdock/billing/BillingRun") {}

const runner: Caller<System> = { principal: { kind: "system", id: "billing" }, requestId: null }

const batch = 500
const atOnce = 8

const byCompany = (agreements: ReadonlyArray<Agreement.Agreement>) => {
  const companies = new Map<CompanyId, Array<Agreement.Agreement>>()
  for (const one of agreements) companies.set(one.companyId, [...(companies.get(one.companyId) ?? []), one])
  return [...companies].sort(([a], [b]) => a - b)
}

/**
 * One payment is one key for each attempt: what was refused stays refused, what is not known is asked for by its key.
 */
const keyOf = (invoice: Invoice): string => `${invoice.id}-${invoice.payment.attempts}`

const withPayment = (invoice: Invoice, payment: Payment, now: number): Invoice => ({
  ...invoice,
  payment,
  modifiedAt: now,
  version: invoice.version + 1
})

export const make = Effect.gen(function* () {
  const store = yield* BillingStore
  const ledger = yield* BillingLedger
  const provider = yield* PaymentProvider
  const transaction = yield* Transaction.Transaction
  const ids = yield* Ids.Ids
  const { answerMillis, retryAfterMillis, tax } = yield* BillingPolicy

  /**
   * What other hosts did meanwhile makes this one's write stale; it has nothing left to do then.
   */
  const billCompany = (companyId: CompanyId, before: ReadonlyArray<Agreement.Agreement>, now: number) => {
    const caught = before.map((one) => BillingCycle.catchUp(one, now, tax))
    const after = caught.map(({ agreement }) => agreement)
    const drafts = caught.flatMap((one) => one.drafts)
    return transaction.run(ledger.commit(runner, companyId, { before, after, drafts, action: "bill" })).pipe(
      Effect.as(before.length),
      Effect.catchTag("StaleWrite", () => Effect.succeed(0))
    )
  }

  const bill = Effect.gen(function* () {
    let done = 0
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      const due = yield* store.due(now, batch)
      const counts = yield* Effect.forEach(byCompany(due), ([company, some]) => billCompany(company, some, now))
      const billed = counts.reduce((a, b) => a + b, 0)
      done += billed
      if (due.length < batch || billed === 0) return done
    }
  }).pipe(Effect.withSpan("BillingRun.bill"))

  /**
   * The invoice is this host's until the provider must have answered; null when another host has it.
   */
  const claim = (invoice: Invoice, now: number) => {
    const payment: Payment = { ...invoice.payment, state: "asked", nextAt: now + answerMillis }
    return store.saveInvoice({ ...invoice, payment, modifiedAt: now }).pipe(
      Effect.as(withPayment(invoice, payment, now)),
      Effect.catchTag("StaleWrite", () => Effect.succeed(null))
    )
  }

  const charged = (invoice: Invoice): Effect.Effect<Outcome> =>
    provider
      .charge({
        key: keyOf(invoice),
        companyId: invoice.companyId,
        amount: invoice.total,
        currency: invoice.currency,
        description: invoice.number
      })
      .pipe(
        Effect.timeoutOrElse({
          duration: Duration.millis(answerMillis / 2),
          orElse: () => Effect.succeed("unknown" as const)
        })
      )

  /**
   * An earlier try whose outcome nobody knows is asked for, never charged again; only what the provider never heard of is.
   */
  const outcomeOf = (before: Invoice, claimed: Invoice) =>
    before.payment.state === "asked"
      ? Effect.flatMap(provider.ask(keyOf(before)), (said) =>
          said === "absent" ? charged(claimed) : Effect.succeed(said)
        )
      : charged(claimed)

  const settled = (invoice: Invoice, outcome: Outcome, id: string, now: number): Invoice => {
    switch (outcome) {
      case "succeeded":
        return {
          ...invoice,
          status: "paid",
          modifiedAt: now,
          trail: [...invoice.trail, { id, status: "paid", at: now }],
          payment: { ...invoice.payment, state: "succeeded", nextAt: null }
        }
      case "failed": {
        const wait = retryAfterMillis[invoice.payment.attempts]
        const attempts = invoice.payment.attempts + 1
        return {
          ...invoice,
          modifiedAt: now,
          payment: { state: "failed", attempts, nextAt: wait === undefined ? null : now + wait }
        }
      }
      case "unknown":
        return { ...invoice, modifiedAt: now, payment: { ...invoice.payment, nextAt: now + answerMillis } }
    }
  }

  /**
   * What a payment does to its agreement: after the last refused try it is frozen, paid it runs on.
   */
  const followed = (agreement: Agreement.Agreement | undefined, invoice: Invoice, now: number) => {
    if (agreement === undefined) return undefined
    if (invoice.status === "paid") return Agreement.thaw(agreement, now)
    return invoice.payment.nextAt === null ? Agreement.freeze(agreement) : undefined
  }

  const settle = (claimed: Invoice, outcome: Outcome) =>
    ledger.decide(
      claimed.companyId,
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const present = yield* store.invoice(claimed.companyId, claimed.id)
        if (present?.version !== claimed.version) return
        const invoice = settled(present, outcome, yield* ids.hex, now)
        const before = yield* store.agreement(invoice.companyId, invoice.agreementId)
        const after = followed(before, invoice, now)
        yield* store.saveInvoice(invoice)
        if (after !== undefined) yield* store.save([after])
        if (outcome === "unknown") return
        const entity = { type: "billing-invoice", id: invoice.id, action: outcome === "succeeded" ? "paid" : "refused" }
        yield* ledger.note(runner, invoice.companyId, entity, { number: invoice.number, total: invoice.total })
      })
    )

  const collectOne = (before: Invoice) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const claimed = yield* claim(before, now)
      if (claimed === null) return
      yield* settle(claimed, yield* outcomeOf(before, claimed))
    })

  const collect = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const payable = yield* store.payable(now, batch)
    yield* Effect.forEach(payable, collectOne, { concurrency: atOnce, discard: true })
    return payable.length
  }).pipe(Effect.withSpan("BillingRun.collect"))

  return BillingRun.of({ bill, collect })
})

export const layer: Layer.Layer<
  BillingRun,
  never,
  BillingStore | BillingLedger | PaymentProvider | Transaction.Transaction | Ids.Ids
> = Layer.effect(BillingRun, make)
