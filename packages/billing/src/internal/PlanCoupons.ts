/**
 * Use cases: check a coupon on a plan, and redeem it.
 */
import { Money } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { BillingRejected } from "../BillingError.ts"
import { BillingStore } from "../BillingStore.ts"
import * as Coupon from "../Coupon.ts"
import type { Plan } from "../Plan.ts"

const invalidCoupon = new BillingRejected({
  summary: "Invalid coupon",
  violations: [{ path: "/coupon_code", code: "INVALID_VALUE", message: "Invalid coupon" }]
})

const unknownPlan = (planId: string) => {
  const message = `There is no plan ${planId}. Check its id.`
  return new BillingRejected({ summary: message, violations: [{ path: "/plan", code: "NOT_FOUND", message }] })
}

/**
 * Makes the use cases.
 */
export const make = Effect.gen(function* () {
  const store = yield* BillingStore

  const discount = (plan: Plan, code: string) =>
    Effect.gen(function* () {
      const found = yield* store.coupon(code)
      const now = yield* Clock.currentTimeMillis
      const amount = found === undefined ? Option.none() : Coupon.discount(found.coupon, plan, found.used, now)
      return Option.isNone(amount) ? yield* invalidCoupon : amount.value
    })

  const checkCoupon = Effect.fn("Billing.checkCoupon")(function* (planId: string, code: string) {
    const plan = yield* store.plan(planId)
    if (plan === undefined || !plan.isActive) return yield* unknownPlan(planId)
    return Money.toNumber(yield* discount(plan, code), plan.currency)
  })

  /** Counts one use of the coupon, as a part of an activation. */
  const redeem = (plan: Plan, code: string) =>
    Effect.gen(function* () {
      const amount = yield* discount(plan, code)
      return (yield* store.redeem(code)) ? { code, amount } : yield* invalidCoupon
    })

  /** What a coupon that was redeemed for another plan takes off this one; 0 if it isn't for this one. */
  const carried = (plan: Plan, code: string) =>
    Effect.map(store.coupon(code), (found) => {
      const amount = found === undefined ? Option.none() : Coupon.amountOff(found.coupon, plan)
      return { code, amount: Option.getOrElse(amount, () => 0) }
    })

  return { checkCoupon, redeem, carried }
})
