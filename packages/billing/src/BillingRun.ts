/**
 * Background work: bills what is due and collects what is owed. Any number of hosts may run it at once.
 */

import type { Caller, System } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { BackgroundLoop, ClockSkew, type CompanyId, Ids, type StorageError } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
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
    /**
     * Bills everything that is due by now, and lets decisions that were waited for too long expire. Answers how much it did.
     * In a background loop a company that can't be billed keeps no other waiting.
     */
    readonly bill: Effect.Effect<number, StorageError>
    /**
     * Tries to collect every invoice whose time has come, or asks what became of it. Answers how many it took up. In a
     * background loop each invoice is on its own.
     */
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
 * Handles what is due in batches, each entry once. Entries that stay due sort before the rest, so each read asks for as
 * many more.
 */
const takeUp = <A extends { readonly id: string }>(
  due: (limit: number) => Effect.Effect<ReadonlyArray<A>, StorageError>,
  act: (some: ReadonlyArray<A>) => Effect.Effect<number, StorageError>
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

/**
 * One payment is one key for each attempt: what was rejected stays rejected, what is not known is asked for by its key.
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
  const ids = yield* Ids.Ids
  const { answerMillis, retryAfterMillis, tax } = yield* BillingPolicy

  /**
   * Bills those of a company's agreements that nobody changed since they were found due.
   */
  const billCompany = (companyId: CompanyId, due: ReadonlyArray<Agreement.Agreement>, now: number) =>
    ledger.decide(
      runner,
      companyId,
      Effect.gen(function* () {
        const present = yield* store.agreements(
          companyId,
          due.map(({ id }) => id)
        )
        const versions = new Map(present.map(({ id, version }) => [id, version]))
        const before = due.filter(({ id, version }) => versions.get(id) === version)
        if (before.length === 0) return CompanyWrite.nothing(0)
        const caught = before.map((one) => BillingCycle.catchUp(one, now, tax))
        const after = caught.map(({ agreement }) => agreement)
        const drafts = caught.flatMap((one) => one.drafts)
        const change = ledger.billing(companyId, { before, after, drafts, action: "bill" })
        return { answer: before.length, changes: [change] }
      })
    )

  const bill = takeUp(
    (limit) => Effect.flatMap(Clock.currentTimeMillis, (now) => store.due(now, limit)),
    (due) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const counts = yield* Effect.forEach(byCompany(due), ([company, some]) =>
          BackgroundLoop.alone(
            `company ${company}`,
            Effect.suspend(() => billCompany(company, some, now))
          )
        )
        return counts.reduce((sum, count) => sum + Option.getOrElse(count, () => 0), 0)
      })
  ).pipe(Effect.withSpan("BillingRun.bill"))

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

  /** A provider that does not answer leaves the outcome unknown. */
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

  /**
   * An earlier try whose outcome nobody knows is asked for, never charged again; only what the provider never heard of is.
   */
  const outcomeOf = (before: Invoice, claimed: Invoice) =>
    before.payment.state === "asked"
      ? Effect.flatMap(answered(provider.ask(keyOf(before))), (said) =>
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
   * What a payment does to its agreement: after the last rejected try it is frozen, paid it runs on.
   */
  const followed = (agreement: Agreement.Agreement | undefined, invoice: Invoice, now: number) => {
    if (agreement === undefined) return undefined
    if (invoice.status === "paid") return Agreement.thaw(agreement, now)
    return invoice.payment.nextAt === null ? Agreement.freeze(agreement) : undefined
  }

  const settle = (claimed: Invoice, outcome: Outcome) =>
    ledger.decide(
      runner,
      claimed.companyId,
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const present = yield* store.invoice(claimed.companyId, claimed.id)
        if (present?.version !== claimed.version) return CompanyWrite.nothing(undefined)
        const invoice = settled(present, outcome, yield* ids.hex, now)
        const before = yield* store.agreement(invoice.companyId, invoice.agreementId)
        const after = followed(before, invoice, now)
        const save = Effect.andThen(store.saveInvoice(invoice), after === undefined ? Effect.void : store.save([after]))
        if (outcome === "unknown") {
          // The outcome isn't known yet, so there is nothing to record.
          yield* save
          return CompanyWrite.nothing(undefined)
        }
        const change: CompanyWrite.CompanyChange = {
          companyId: invoice.companyId,
          entity: { type: "billing-invoice", id: invoice.id, action: outcome === "succeeded" ? "paid" : "rejected" },
          save: () => Effect.as(save, { request: { number: invoice.number, total: invoice.total }, response: "ok" })
        }
        return { answer: undefined, changes: [change] }
      })
    )

  const longestWait = ({ attempts, state }: Payment): number => {
    if (state === "asked") return answerMillis
    return state === "failed" ? (retryAfterMillis[attempts - 1] ?? 0) : 0
  }

  /**
   * The clock was set back since the invoice got its time: it waits no longer from now on than it would have then.
   */
  const bringForward = (invoice: Invoice, nextAt: number, now: number) => {
    const payment: Payment = { ...invoice.payment, nextAt: Math.min(nextAt, now + longestWait(invoice.payment)) }
    return Effect.catchTag(store.saveInvoice({ ...invoice, payment, modifiedAt: now }), "StaleWrite", () => Effect.void)
  }

  const collectOne = (before: Invoice) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const { nextAt } = before.payment
      if (nextAt !== null && nextAt > now) return yield* bringForward(before, nextAt, now)
      const claimed = yield* claim(before, now)
      if (claimed === null) return
      yield* settle(claimed, yield* outcomeOf(before, claimed))
    })

  const collect = takeUp(
    (limit) => Effect.flatMap(Clock.currentTimeMillis, (now) => store.payable(now, ClockSkew.aheadOf(now), limit)),
    (payable) =>
      Effect.as(
        Effect.forEach(payable, (one) => BackgroundLoop.alone(`invoice ${one.id}`, collectOne(one)), {
          concurrency: atOnce,
          discard: true
        }),
        payable.length
      )
  ).pipe(Effect.withSpan("BillingRun.collect"))

  return BillingRun.of({ bill, collect })
})

export const layer: Layer.Layer<BillingRun, never, BillingStore | BillingLedger | PaymentProvider | Ids.Ids> =
  Layer.effect(BillingRun, make)
