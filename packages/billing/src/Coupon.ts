/** Whether a coupon is valid for a plan, and the discount that it gives. Source: docs/reference/billing.md#coupons. */
import { Money } from "@crossdock/kernel"
import * as Option from "effect/Option"
import type { Agreement } from "./Agreement.ts"
import type { Plan } from "./Plan.ts"

/** A reduction of the price. It is in hundredths of a percent (1000 is 10 %), or in minor units of a currency. */
export type Reduction =
  | { readonly kind: "percent"; readonly hundredths: number }
  | { readonly kind: "fixed"; readonly amount: number; readonly currency: string }

export interface Coupon {
  readonly code: string
  readonly reduction: Reduction
  /** The plans that the coupon is for. Null means every plan. */
  readonly plans: ReadonlyArray<string> | null
  /** The start and end of validity in epoch milliseconds. The coupon is no longer valid at `endsAt`. Null means no limit. */
  readonly startsAt: number | null
  readonly endsAt: number | null
  /** How often the coupon can be redeemed. Null means no limit. */
  readonly maxUses: number | null
}

/** The discount on the plan's price, in minor units and at most the price, or `None` if the coupon isn't for this plan. */
export const amountOff = ({ plans, reduction }: Coupon, plan: Plan): Option.Option<number> => {
  const isForPlan =
    (plans === null || plans.includes(plan.id)) &&
    (reduction.kind === "percent" || reduction.currency === plan.currency)
  if (!isForPlan) return Option.none()
  const amount =
    reduction.kind === "percent" ? Money.share(plan.amount, reduction.hundredths, 10_000) : reduction.amount
  return Option.some(Math.min(amount, plan.amount))
}

/** Whether a running plan may redeem a coupon: only before its first bill, and not the coupon that it already has. */
export const mayBeRedeemed = (code: string, { billed, discount }: Pick<Agreement, "billed" | "discount">): boolean =>
  billed === 0 && code !== discount?.code

/**
 * The discount in minor units. `None` if the coupon, used `used` times so far, isn't valid for this plan at `now`
 * (epoch milliseconds).
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Coupon, nothingAllowed, type Plan } from "@crossdock/billing"
 * import { Option } from "effect"
 *
 * const [name, currency, interval] = ["Basic", "INR", "month"] as const
 * const dates = { createdAt: 0, modifiedAt: 0 }
 * const details = { description: "", trialDays: 0, productSuite: null, isActive: true, limits: nothingAllowed, ...dates }
 * const plan: Plan = { id: "basic", name, amount: 49_900, currency, interval, ...details }
 * const reduction = { kind: "fixed", amount: 60_000, currency } as const
 * const coupon = { code: "welcome", reduction, plans: ["basic"], startsAt: null, endsAt: null, maxUses: 100 }
 * deepStrictEqual(Coupon.discount(coupon, plan, 99, Date.UTC(2026, 0, 1)), Option.some(49_900))
 * deepStrictEqual(Coupon.discount(coupon, plan, 100, Date.UTC(2026, 0, 1)), Option.none())
 * ```
 */
export const discount = (coupon: Coupon, plan: Plan, used: number, now: number): Option.Option<number> => {
  const { endsAt, maxUses, startsAt } = coupon
  const isValid =
    (startsAt === null || now >= startsAt) && (endsAt === null || now < endsAt) && (maxUses === null || used < maxUses)
  return isValid ? amountOff(coupon, plan) : Option.none()
}
