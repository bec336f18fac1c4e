/**
 * The rule of coupons: whether one is good for a plan now, and what it takes off.
 */
import * as Option from "effect/Option"
import type { Plan } from "./Plan.ts"
import { share } from "./Proration.ts"

/**
 * `percent` is in hundredths of a percent (1000 is 10 %); an amount is in minor units of its currency.
 */
export type Reduction =
  | { readonly kind: "percent"; readonly hundredths: number }
  | { readonly kind: "fixed"; readonly amount: number; readonly currency: string }

export interface Coupon {
  readonly code: string
  readonly reduction: Reduction
  /** Null: every plan. */
  readonly plans: ReadonlyArray<string> | null
  /** Epoch milliseconds; `endsAt` is exclusive; null: no bound. */
  readonly startsAt: number | null
  readonly endsAt: number | null
  /** Null: any number. */
  readonly maxUses: number | null
}

/**
 * Minor units taken off the plan's price: never more than the price. None when the coupon is not good, `used` being how
 * often it was redeemed before.
 */
export const discount = (coupon: Coupon, plan: Plan, used: number, now: number): Option.Option<number> => {
  const { endsAt, maxUses, plans, reduction, startsAt } = coupon
  const isGood =
    (startsAt === null || now >= startsAt) &&
    (endsAt === null || now < endsAt) &&
    (maxUses === null || used < maxUses) &&
    (plans === null || plans.includes(plan.id)) &&
    (reduction.kind === "percent" || reduction.currency === plan.currency)
  if (!isGood) return Option.none()
  const amount = reduction.kind === "percent" ? share(plan.amount, reduction.hundredths, 10_000) : reduction.amount
  return Option.some(Math.min(amount, plan.amount))
}
