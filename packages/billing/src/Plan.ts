/** Plans that companies can subscribe to. Source: docs/reference/billing.md#plans. */
import { frozen, Money, type Violation } from "@crossdock/kernel"
import { BillingRejected } from "./BillingError.ts"
import type { Interval } from "./BillingPeriod.ts"
import { Limits } from "./BillingPolicy.ts"

/** The limits of a plan. A limit of -1 means unlimited. Source: docs/reference/billing.md#limits. */
export interface PlanLimits {
  readonly application: { readonly enabled: boolean; readonly hardLimit: number; readonly softLimit: number }
  readonly marketplace: { readonly enabled: boolean }
  readonly otherPlatform: { readonly enabled: boolean }
  readonly team: { readonly limit: number }
  readonly products: { readonly bulk: boolean; readonly limit: number }
  readonly extensions: { readonly enabled: boolean; readonly limit: number }
  readonly integrations: { readonly enabled: boolean; readonly limit: number }
}

/** A plan and its price for one interval. */
export interface Plan {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The price per interval in minor units. */
  readonly amount: number
  readonly currency: string
  readonly interval: Interval
  readonly trialDays: number
  readonly productSuite: string | null
  readonly isActive: boolean
  readonly limits: PlanLimits
  /** The times are in epoch milliseconds. */
  readonly createdAt: number
  readonly modifiedAt: number
}

/** An extension, and the companies that it may charge. Null means all companies. */
export interface Extension {
  readonly id: string
  readonly name: string
  readonly companies: ReadonlyArray<number> | null
}

/** The same limit for every feature. */
export const planLimits = (enabled: boolean, limit: number): PlanLimits => ({
  application: { enabled, hardLimit: limit, softLimit: limit },
  marketplace: { enabled },
  otherPlatform: { enabled },
  team: { limit },
  products: { bulk: enabled, limit },
  extensions: { enabled, limit },
  integrations: { enabled, limit }
})

/** The limits of a company without a plan, which allow nothing. */
export const nothingAllowed: PlanLimits = /* @__PURE__ */ frozen(planLimits(false, 0))

/**
 * Why `plans` can't be stored, or undefined if they can. A plan must keep the currency and interval of the stored plan
 * with its id, and cost at most `Limits.planAmount`.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { nothingAllowed, type Plan, planFault } from "@crossdock/billing"
 *
 * const [name, currency, interval] = ["Basic", "INR", "month"] as const
 * const dates = { createdAt: 0, modifiedAt: 0 }
 * const details = { description: "", trialDays: 0, productSuite: null, isActive: true, limits: nothingAllowed, ...dates }
 * const plan: Plan = { id: "basic", name, amount: 49_900, currency, interval, ...details }
 * strictEqual(planFault([plan], [{ ...plan, amount: 59_900 }]), undefined)
 * strictEqual(planFault([plan], [{ ...plan, currency: "USD" }])?.violations[0]?.path, "/0/currency")
 * ```
 */
export const planFault = (stored: ReadonlyArray<Plan>, plans: ReadonlyArray<Plan>): BillingRejected | undefined => {
  const known = new Map(stored.map((plan) => [plan.id, plan]))
  const violations = plans.flatMap((plan, index) => [
    ...(["currency", "interval"] as const).flatMap((field): ReadonlyArray<Violation> => {
      const kept = known.get(plan.id)?.[field] ?? plan[field]
      if (kept === plan[field]) return []
      const message = `Plan ${plan.id} must keep its ${field}, ${kept}. Add another plan with ${plan[field]}.`
      return [{ path: `/${index}/${field}`, code: "INVALID_VALUE", message }]
    }),
    ...(plan.amount <= Limits.planAmount ? [] : [tooMuch(plan, `/${index}/amount`)])
  ])
  const [first] = violations
  return first && new BillingRejected({ summary: `${first.path}: ${first.message}`, violations })
}

const tooMuch = ({ currency, id }: Plan, path: string): Violation => {
  const most = `${Money.toText(Limits.planAmount, currency)} ${currency}`
  const message = `Plan ${id} must cost at most ${most}, so that an invoice shows it exactly with tax. Lower the price.`
  return { path, code: "OUT_OF_RANGE", message }
}

export type Feature = keyof PlanLimits

/** Whether a company is entitled to something, with the reason. */
export interface Entitlement {
  readonly allowed: boolean
  /** The reason, for people. */
  readonly why: string
}

const limitOf = (limits: PlanLimits[Feature]): number | undefined => {
  if ("limit" in limits) return limits.limit
  return "hardLimit" in limits ? limits.hardLimit : undefined
}

/** Whether a company that already uses `used` of a feature may use one more. Source: docs/reference/billing.md#limits. */
export const entitlementOf = (limits: PlanLimits, feature: Feature, used: number): Entitlement => {
  const found = limits[feature]
  if ("enabled" in found && !found.enabled) return { allowed: false, why: `The plan does not include ${feature}` }
  const limit = limitOf(found)
  if (limit === undefined || limit === -1) return { allowed: true, why: `The plan sets no limit for ${feature}` }
  return used < limit
    ? { allowed: true, why: `${used} of ${limit} of ${feature} are in use` }
    : { allowed: false, why: `All ${limit} of ${feature} that the plan allows are in use` }
}
