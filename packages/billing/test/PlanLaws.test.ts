import { Directory } from "@crossdock/access"
import {
  Billing,
  BillingCycle,
  BillingPeriod,
  BillingRun,
  BillingStore,
  type Coupon,
  type Invoice,
  PaymentProvider,
  PaymentProviderTest
} from "@crossdock/billing"
import { Instant } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as FastCheck from "fast-check"
import { runs } from "../../kernel/test/runs.ts"
import { caller, company, plan, services, start } from "./Fixtures.ts"

const plans = [plan("small", 31_000), plan("big", 62_000), plan("trial", 31_000, 14)]
const planIds = plans.map(({ id }) => id)

const ready = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  yield* (yield* Directory).putCompanies([{ id: company, name: "One", legalName: "One Ltd" }])
  yield* (yield* BillingStore).putPlans(plans)
  yield* (yield* Billing.Billing).putCustomer(caller, company, { uniqueId: null, detail: { name: "One" } })
})

const activate = (planId: string, coupon: string | null = null) =>
  Effect.flatMap(Billing.Billing, (billing) => billing.activate(caller, company, { planId, uniqueId: null, coupon }))

const behave = (kind: "succeed" | "fail") =>
  Effect.flatMap(PaymentProviderTest.PaymentSandbox, (sandbox) => sandbox.behave({ kind }))

const run = Effect.gen(function* () {
  const { bill, collect } = yield* BillingRun.BillingRun
  yield* bill
  yield* collect
})

const current = Effect.flatMap(Billing.Billing, (billing) => billing.current(company))

const invoices = Effect.map(
  Effect.flatMap(BillingStore, (store) => store.invoices(company, { number: 1, size: 500 })),
  ({ items }) => items.toReversed()
)

const putPlan = (changes: Partial<(typeof plans)[number]> & { readonly id: string }) =>
  Effect.flatMap(BillingStore, (store) =>
    Effect.flatMap(store.plan(changes.id), (found) =>
      store.putPlans(found === undefined ? [] : [{ ...found, ...changes }])
    )
  )

/** The law's whole history, on its own storage and clock. */
const history = <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof services>>): Promise<A> =>
  Effect.runPromise(
    effect.pipe(Effect.provide(Layer.fresh(services)), Effect.provide(TestClock.layer())) as Effect.Effect<A, E>
  )

/** Payments are due at whole hours after an activation, so no step of these hides any. */
const stepHours = 6

type Event =
  | { readonly kind: "activate"; readonly planId: string }
  | { readonly kind: "offer"; readonly planId: string; readonly isActive: boolean }
  | { readonly kind: "wait"; readonly steps: number }

const planId = FastCheck.constantFrom(...planIds)

const event: FastCheck.Arbitrary<Event> = FastCheck.oneof(
  { weight: 4, arbitrary: FastCheck.record({ kind: FastCheck.constant("activate" as const), planId }) },
  {
    weight: 1,
    arbitrary: FastCheck.record({ kind: FastCheck.constant("offer" as const), planId, isActive: FastCheck.boolean() })
  },
  {
    weight: 4,
    arbitrary: FastCheck.record({
      kind: FastCheck.constant("wait" as const),
      steps: FastCheck.integer({ min: 1, max: 60 })
    })
  }
)

describe("A company whose payments always fail", () => {
  it("is enabled for its trial and one span of retries at most, whatever it activates", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(planId, FastCheck.array(event, { minLength: 2, maxLength: 14 }), (first, events) =>
        history(
          Effect.gen(function* () {
            yield* ready
            yield* behave("fail")
            let enabledHours = 0
            for (const one of [{ kind: "activate", planId: first } as const, ...events]) {
              if (one.kind === "activate") yield* Effect.exit(activate(one.planId))
              if (one.kind === "offer") yield* putPlan({ id: one.planId, isActive: one.isActive })
              for (let step = one.kind === "wait" ? one.steps : 0; step > 0; step--) {
                yield* run
                if ((yield* current) !== undefined) enabledHours += stepHours
                yield* TestClock.adjust(Duration.hours(stepHours))
              }
            }
            return enabledHours <= (first === "trial" ? 14 : 0) * 24 + 9 * 24
          })
        )
      ),
      { numRuns: runs(60) }
    ))
})

const waits = (days: number) => Effect.andThen(TestClock.adjust(Duration.days(days)), run)

describe("A plan", () => {
  it.effect("that is no longer offered can be repeated by its subscribers, and by nobody else", () =>
    Effect.gen(function* () {
      yield* ready
      const { agreement } = yield* activate("big")
      yield* putPlan({ id: "big", isActive: false })
      strictEqual((yield* activate("big")).agreement.id, agreement.id)
      strictEqual((yield* Effect.flip(activate("unknown")))._tag, "BillingNotFound")
      yield* activate("small")
      strictEqual((yield* Effect.flip(activate("big")))._tag, "BillingNotFound")
    }).pipe(Effect.provide(services))
  )

  it.effect(
    "that is no longer offered is paid, and active again, when its company activates it while it is frozen",
    () =>
      Effect.gen(function* () {
        yield* ready
        yield* behave("fail")
        yield* activate("big")
        for (const days of [0, 1, 3, 5]) yield* waits(days)
        strictEqual(yield* current, undefined)
        yield* putPlan({ id: "big", isActive: false })
        yield* behave("succeed")
        yield* activate("big")
        yield* run
        strictEqual((yield* current)?.agreement.status, "active")
      }).pipe(Effect.provide(services))
  )

  it.effect("that replaces one with an unpaid invoice is frozen until its own invoice is paid", () =>
    Effect.gen(function* () {
      yield* ready
      yield* behave("fail")
      yield* activate("big")
      yield* run
      strictEqual((yield* activate("small")).agreement.status, "frozen")
      yield* waits(1)
      strictEqual(yield* current, undefined)
      yield* behave("succeed")
      yield* waits(3)
      strictEqual((yield* current)?.agreement.entityId, "small")
    }).pipe(Effect.provide(services))
  )
})

const beforeCreditAndTax = ({ items }: Pick<Invoice.Draft, "items">): number =>
  items.reduce((sum, { amount, type }) => (type === "credit" || type === "tax" ? sum : sum + amount), 0)

describe("A plan's price", () => {
  it("is that of the present plan at each next period, as mandate_amount says before", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(
        planId,
        FastCheck.array(
          FastCheck.tuple(FastCheck.integer({ min: 1, max: 90_000 }), FastCheck.integer({ min: 0, max: 20 })),
          {
            minLength: 1,
            maxLength: 8
          }
        ),
        (id, changes) =>
          history(
            Effect.gen(function* () {
              yield* ready
              yield* activate(id)
              yield* run
              for (const [amount, days] of changes) {
                yield* putPlan({ id, amount })
                const before = yield* invoices
                const running = yield* current
                const shown = running && BillingCycle.nextAmount(running.agreement)
                yield* waits(days)
                const [issued] = (yield* invoices).slice(before.length)
                if (issued !== undefined && beforeCreditAndTax(issued) !== shown) return false
              }
              return true
            })
          )
      ),
      { numRuns: runs(50) }
    ))

  it.effect("of the running period stays what it was, also for the credit of its unused days", () =>
    Effect.gen(function* () {
      yield* ready
      yield* activate("small")
      yield* run
      yield* putPlan({ id: "small", amount: 93_000 })
      yield* TestClock.adjust(Duration.days(14))
      const { latestInvoice } = yield* activate("big")
      deepStrictEqual(
        latestInvoice?.items.map(({ amount }) => amount),
        [62_000, -15_500]
      )
    }).pipe(Effect.provide(services))
  )
})

describe("A clock that was ahead and comes back", () => {
  it("leaves every paid day that is still to come as credit when the plan is replaced", () =>
    FastCheck.assert(
      FastCheck.asyncProperty(
        FastCheck.integer({ min: 0, max: 5 }),
        FastCheck.integer({ min: 0, max: 100 }),
        (ahead, day) =>
          history(
            Effect.gen(function* () {
              yield* ready
              yield* activate("small")
              yield* run
              yield* TestClock.setTime(BillingPeriod.startOf(start, "month", ahead))
              yield* run
              const at = Math.min(start + day * Instant.dayMillis, BillingPeriod.startOf(start, "month", ahead))
              yield* TestClock.setTime(at)
              yield* activate("trial")
              const running = (yield* current)?.agreement
              const paid = 31_000 * (ahead + 1)
              const used = Array.from({ length: ahead + 1 }, (_, index) => {
                const period = BillingPeriod.periodOf(start, "month", index)
                return Math.round((31_000 * BillingPeriod.daysUsed(period, at)) / BillingPeriod.daysOf(period))
              }).reduce((sum, one) => sum + one, 0)
              // The new plan's first period uses up to its price of it.
              strictEqual((running?.credit ?? 0) + Math.min(31_000, paid - used), paid - used)
            })
          )
      ),
      { numRuns: runs(50) }
    ))
})

/** A provider that accepts some of a test's payments, each after its own delay. */
const choosing = (
  answers: (number: string) => { readonly outcome: "succeeded" | "failed"; readonly seconds: number }
) => {
  const provider = Layer.succeed(PaymentProvider, {
    charge: ({ description }) => {
      const { outcome, seconds } = answers(description)
      return Effect.delay(Effect.succeed(outcome), Duration.seconds(seconds))
    },
    ask: () => Effect.succeed("absent" as const)
  })
  return Layer.fresh(BillingRun.layer).pipe(Layer.provide(provider), Layer.provideMerge(services))
}

const retriedAtOnce = (paidFirst: boolean) => {
  let accepted: ReadonlyArray<string> = []
  return Effect.gen(function* () {
    yield* ready
    yield* activate("small")
    // The host was down, so two periods are billed at once.
    yield* TestClock.adjust(Duration.days(30))
    for (const days of [0, 1, 3, 5]) {
      yield* TestClock.adjust(Duration.days(days))
      const running = yield* Effect.forkChild(run)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(running)
    }
    strictEqual(yield* current, undefined)
    deepStrictEqual(
      (yield* invoices).map(({ payment, status }) => [status, payment.attempts]),
      [
        ["open", 4],
        ["open", 4]
      ]
    )
    accepted = ["INV-2026-000001"]
    yield* activate("small")
    for (const isEnabled of [false, true]) {
      const running = yield* Effect.forkChild(run)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(running)
      strictEqual((yield* current) !== undefined, isEnabled)
      accepted = ["INV-2026-000001", "INV-2026-000002"]
      yield* activate("small")
    }
  }).pipe(
    Effect.provide(
      choosing((number) => {
        const isPaid = accepted.includes(number)
        return { outcome: isPaid ? "succeeded" : "failed", seconds: isPaid === paidFirst ? 1 : 3 }
      })
    )
  )
}

describe("Two rejected invoices of a frozen plan that are tried again at once", () => {
  it.effect("leave it frozen while one is open, when the paid one is answered first", () => retriedAtOnce(true))

  it.effect("leave it frozen while one is open, when the rejected one is answered first", () => retriedAtOnce(false))
})

describe("A coupon that was redeemed for a plan", () => {
  const coupon = (changes: Partial<Coupon.Coupon> = {}): Coupon.Coupon => ({
    code: "TEN",
    reduction: { kind: "percent", hundredths: 1_000 },
    plans: null,
    startsAt: null,
    endsAt: null,
    maxUses: 1,
    ...changes
  })

  const items = Effect.map(invoices, (all) => all.flatMap(({ items }) => items.map(({ amount }) => amount)))

  const inTrial = (changes: Partial<Coupon.Coupon> = {}) =>
    Effect.gen(function* () {
      yield* ready
      yield* (yield* BillingStore).putCoupons([coupon(changes)])
      yield* activate("trial", "TEN")
    })

  it.effect("keeps its use when the plan changes before the first invoice, by the new plan's price", () =>
    Effect.gen(function* () {
      yield* inTrial()
      yield* activate("big")
      yield* waits(14)
      deepStrictEqual(yield* items, [62_000, -6_200])
      strictEqual((yield* (yield* BillingStore).coupon("TEN"))?.used, 1)
    }).pipe(Effect.provide(services))
  )

  it.effect("takes nothing off a plan that it isn't for, and comes back with one that it is for", () =>
    Effect.gen(function* () {
      yield* inTrial({ plans: ["trial"] })
      strictEqual((yield* activate("big")).agreement.discount?.amount, 0)
      yield* activate("trial")
      yield* waits(14)
      deepStrictEqual(yield* items, [31_000, -3_100])
    }).pipe(Effect.provide(services))
  )

  it.effect("counts one use however often it is sent with the plan that runs, or with one that replaces it", () =>
    Effect.gen(function* () {
      yield* inTrial()
      yield* activate("trial", "TEN")
      yield* activate("big", "TEN")
      yield* activate("big", "TEN")
      strictEqual((yield* (yield* BillingStore).coupon("TEN"))?.used, 1)
    }).pipe(Effect.provide(services))
  )

  it.effect("is also redeemed with the plan that already runs, until its first invoice is issued", () =>
    Effect.gen(function* () {
      yield* ready
      yield* (yield* BillingStore).putCoupons([coupon({ maxUses: null })])
      yield* activate("trial")
      yield* activate("trial", "TEN")
      strictEqual((yield* Effect.flip(activate("trial", "OTHER")))._tag, "BillingRejected")
      yield* waits(14)
      yield* activate("trial", "TEN")
      deepStrictEqual(yield* items, [31_000, -3_100])
      strictEqual((yield* (yield* BillingStore).coupon("TEN"))?.used, 1)
    }).pipe(Effect.provide(services))
  )
})
