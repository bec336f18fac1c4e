/**
 * What a company can subscribe to, and what it may then do.
 */
import type { Interval } from "./BillingCalendar.ts"

/**
 * What a plan allows; a limit of -1 is none (field tables, SubscriptionLimit).
 */
export interface Limits {
  readonly application: { readonly enabled: boolean; readonly hardLimit: number; readonly softLimit: number }
  readonly marketplace: { readonly enabled: boolean }
  readonly otherPlatform: { readonly enabled: boolean }
  readonly team: { readonly limit: number }
  readonly products: { readonly bulk: boolean; readonly limit: number }
  readonly extensions: { readonly enabled: boolean; readonly limit: number }
  readonly integrations: { readonly enabled: boolean; readonly limit: number }
}

export interface Plan {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Minor units for one interval. */
  readonly amount: number
  readonly currency: string
  readonly interval: Interval
  readonly trialDays: number
  readonly productSuite: string | null
  readonly isActive: boolean
  readonly limits: Limits
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly modifiedAt: number
}

/**
 * Who may be charged by it: companies whose extensions are offered to all, or to these.
 */
export interface Extension {
  readonly id: string
  readonly name: string
  readonly companies: ReadonlyArray<number> | null
}

/**
 * Of a company without a plan.
 */
export const noLimits: Limits = {
  application: { enabled: false, hardLimit: 0, softLimit: 0 },
  marketplace: { enabled: false },
  otherPlatform: { enabled: false },
  team: { limit: 0 },
  products: { bulk: false, limit: 0 },
  extensions: { enabled: false, limit: 0 },
  integrations: { enabled: false, limit: 0 }
}
