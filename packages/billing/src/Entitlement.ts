/**
 * Whether a plan allows one more of something. Source: docs/reference/billing.md#limits.
 */
import type { PlanLimits } from "./Plan.ts"

/** A feature that plans limit. */
export type Feature = keyof PlanLimits

/** The answer and its reason. */
export interface Entitlement {
  readonly allowed: boolean
  /** The reason, for people. */
  readonly why: string
}

const limitOf = (limits: PlanLimits[Feature]): number | undefined => {
  if ("limit" in limits) return limits.limit
  return "hardLimit" in limits ? limits.hardLimit : undefined
}

/**
 * Whether a company that has `used` of a feature may have one more. -1 means unlimited.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Entitlement, noLimits } from "@crossdock/billing"
 *
 * strictEqual(Entitlement.check({ ...noLimits, team: { limit: 2 } }, "team", 2).allowed, false)
 * ```
 */
export const check = (limits: PlanLimits, feature: Feature, used: number): Entitlement => {
  const found = limits[feature]
  if ("enabled" in found && !found.enabled) return { allowed: false, why: `The plan does not include ${feature}` }
  const limit = limitOf(found)
  if (limit === undefined || limit === -1) return { allowed: true, why: `The plan sets no limit for ${feature}` }
  return used < limit
    ? { allowed: true, why: `${used} of ${limit} of ${feature} are in use` }
    : { allowed: false, why: `All ${limit} of ${feature} that the plan allows are in use` }
}
