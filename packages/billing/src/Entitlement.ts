/**
 * May a company do one more of something, and why not.
 */
import type { Limits } from "./Plan.ts"

export type Feature = keyof Limits

export interface Entitlement {
  readonly allowed: boolean
  /** For a person. */
  readonly why: string
}

const limitOf = (limits: Limits[Feature]): number | undefined => {
  if ("limit" in limits) return limits.limit
  return "hardLimit" in limits ? limits.hardLimit : undefined
}

/**
 * `used` is how many the company has. A limit of -1 is none.
 */
export const check = (limits: Limits, feature: Feature, used: number): Entitlement => {
  const found = limits[feature]
  if ("enabled" in found && !found.enabled) return { allowed: false, why: `The plan does not include ${feature}` }
  const limit = limitOf(found)
  if (limit === undefined || limit === -1) return { allowed: true, why: `The plan sets no limit for ${feature}` }
  return used < limit
    ? { allowed: true, why: `${used} of ${limit} of ${feature} are in use` }
    : { allowed: false, why: `All ${limit} of ${feature} that the plan allows are in use` }
}
