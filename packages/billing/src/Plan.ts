/**
 * Plans that companies can subscribe to. Source: docs/reference/billing.md#plans.
 */
import type { Interval } from "./BillingCalendar.ts"

/**
 * What a plan allows; -1 means unlimited. Source: docs/reference/billing.md#limits.
 */
export interface PlanLimits {
  readonly application: { readonly enabled: boolean; readonly hardLimit: number; readonly softLimit: number }
  readonly marketplace: { readonly enabled: boolean }
  readonly otherPlatform: { readonly enabled: boolean }
  readonly team: { readonly limit: number }
  readonly products: { readonly bulk: boolean; readonly limit: number }
  readonly extensions: { readonly enabled: boolean; readonly limit: number }
  readonly integrations: { readonly enabled: boolean; readonly limit: number }
}

/**
 * A plan and its price for one interval.
 */
export interface Plan {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The price of one interval, in minor units. */
  readonly amount: number
  readonly currency: string
  readonly interval: Interval
  readonly trialDays: number
  readonly productSuite: string | null
  readonly isActive: boolean
  readonly limits: PlanLimits
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly modifiedAt: number
}

/**
 * An extension, and the companies that it may charge; null means all.
 */
export interface Extension {
  readonly id: string
  readonly name: string
  readonly companies: ReadonlyArray<number> | null
}

/**
 * The limits of a company without a plan: nothing is allowed.
 */
export const noLimits: PlanLimits = {
  application: { enabled: false, hardLimit: 0, softLimit: 0 },
  marketplace: { enabled: false },
  otherPlatform: { enabled: false },
  team: { limit: 0 },
  products: { bulk: false, limit: 0 },
  extensions: { enabled: false, limit: 0 },
  integrations: { enabled: false, limit: 0 }
}
