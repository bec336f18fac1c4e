import { Directory } from "@crossdock/access"
import { Billing, BillingRun, BillingStore, type ChargeDraft } from "@crossdock/billing"
import { CompanyId } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { caller, plan, services } from "./Fixtures.ts"

const one = CompanyId.make(1)
const start = Date.UTC(2026, 0, 31, 10)

const ready = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const [billing, directory, store] = [yield* Billing.Billing, yield* Directory, yield* BillingStore]
  yield* directory.putCompanies([{ id: one, name: "One", legalName: "One Ltd" }])
  yield* store.putExtensions([{ id: "ext1", name: "E", companies: null }])
  yield* store.putPlans([plan("small", 31_000), plan("big", 62_000)])
  yield* billing.putCustomer(caller, one, { uniqueId: null, detail: { name: "One" } })
})

const setClosed = (isClosed: boolean) =>
  Effect.gen(function* () {
    yield* (yield* Directory).setClosed(one, isClosed ? start : null)
    return yield* (yield* Billing.Billing).followClosing(caller, one)
  })

const activate = (planId: string) =>
  Effect.flatMap(Billing.Billing, (billing) => billing.activate(caller, one, { planId, uniqueId: null, coupon: null }))

const runAfter = (days: number) =>
  Effect.gen(function* () {
    yield* TestClock.adjust(`${days} days`)
    const { bill, collect } = yield* BillingRun.BillingRun
    yield* bill
    yield* collect
    const { items } = yield* (yield* BillingStore).invoices(one, { number: 1, size: 500 })
    return items.toReversed()
  })

const draft: ChargeDraft = {
  name: "Sync",
  returnUrl: "https://seller.example",
  isTest: false,
  trialDays: 7,
  lines: [["recurring", 300, "month"] as const, ["one_time", 50, null] as const].map(([pricing, amount, interval]) => ({
    name: pricing,
    term: null,
    pricing,
    price: { amount, currency: "INR" },
    interval,
    cap: null,
    metadata: null,
    isTest: false,
    trialDays: null
  }))
}

describe("Billing of a closed company", () => {
  it.effect("stops until it is reopened, and bills no period that passed meanwhile", () =>
    Effect.gen(function* () {
      yield* ready
      yield* activate("small")
      strictEqual(yield* setClosed(true), 1)
      strictEqual(yield* setClosed(true), 0)
      strictEqual((yield* runAfter(100)).length, 1)
      strictEqual(yield* setClosed(false), 1)
      strictEqual((yield* runAfter(0)).length, 2)
    }).pipe(Effect.provide(services))
  )

  it.effect("begins with what was due, at the plan's present price", () =>
    Effect.gen(function* () {
      yield* ready
      yield* activate("small")
      yield* (yield* BillingStore).putPlans([plan("small", 40_000)])
      yield* TestClock.adjust("40 days")
      yield* setClosed(true)
      const invoices = yield* runAfter(100)
      deepStrictEqual(
        invoices.map(({ items }) => items.map(({ amount }) => amount)),
        [[31_000], [40_000]]
      )
    }).pipe(Effect.provide(services))
  )

  it.effect("takes no plan, though a caller may still be signed in", () =>
    Effect.gen(function* () {
      yield* ready
      yield* setClosed(true)
      strictEqual((yield* Effect.flip(activate("big")))._tag, "BillingNotFound")
      strictEqual((yield* runAfter(100)).length, 0)
    }).pipe(Effect.provide(services))
  )

  it.effect("follows what the company is, not what a call that came late was for", () =>
    Effect.gen(function* () {
      yield* ready
      yield* activate("small")
      // The last part of a close, after a later reopen.
      strictEqual(yield* (yield* Billing.Billing).followClosing(caller, one), 0)
      strictEqual((yield* runAfter(100)).length, 4)
    }).pipe(Effect.provide(services))
  )

  it.effect("charges once what was to be charged in a first period that passed meanwhile", () =>
    Effect.gen(function* () {
      yield* ready
      const billing = yield* Billing.Billing
      yield* billing.createSubscription(caller, one, "ext1", draft, "link")
      yield* billing.answerConfirmation("link", "accept", null)
      yield* setClosed(true)
      strictEqual((yield* runAfter(45)).length, 0)
      yield* setClosed(false)
      const invoices = yield* runAfter(40)
      deepStrictEqual(
        invoices.map(({ items }) => items.map(({ amount, name }) => [name, amount])),
        [
          [
            ["recurring", 30_000],
            ["one_time", 5_000]
          ],
          [["recurring", 30_000]]
        ]
      )
    }).pipe(Effect.provide(services))
  )
})
