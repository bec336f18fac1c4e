/** Coupons: whether one is valid for a plan, and its discount. Source: docs/reference/billing.md#coupons. */
import { Money } from "@crossdock/kernel"
import * as Option from "effect/Option"
import type { Agreement } from "./Agreement.ts"
import type { Plan } from "./Plan.ts"

/** A reduction of the price, in hundredths of a percent (1000 is 10 %) or in minor units of a currency. */
export type Reduction =
  | { readonly kind: "percent"; readonly hundredths: number }
  | { readonly kind: "fixed"; readonly amount: number; readonly currency: string }

export interface Coupon {
  readonly code: string
  readonly reduction: Reduction
  /** Null means every plan. */
  readonly plans: ReadonlyArray<string> | null
  /** Validity in epoch milliseconds; `endsAt` is exclusive; null is no bound. */
  readonly startsAt: number | null
  readonly endsAt: number | null
  /** How often it can be redeemed; null is without limit. */
  readonly maxUses: number | null
}

/** The coupon's discount on the plan's price, at most the price, in minor units; 0 if it isn't for this plan. */
export const amountOff = ({ plans, reduction }: Coupon, plan: Plan): Option.Option<number> => {
  const isForPlan =
    (plans === null || plans.includes(plan.id)) &&
    (reduction.kind === "percent" || reduction.currency === plan.currency)
  if (!isForPlan) return Option.none()
  const amount =
    reduction.kind === "percent" ? Money.share(plan.amount, reduction.hundredths, 10_000) : reduction.amount
  return Option.some(Math.min(amount, plan.amount))
}

/** Whether a coupon also applies to a running plan: until its first invoice, and unless the plan has this coupon already. */
export const mayBeRedeemed = (code: string, { billed, discount }: Pick<Agreement, "billed" | "discount">): boolean =>
  billed === 0 && code !== discount?.code

/**
 * The discount in minor units, at most the price. None if it's invalid at `now` (epoch milliseconds) after `used` uses.
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
