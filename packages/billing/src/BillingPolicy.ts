/**
 * The choices of a host about billing.
 */
import * as Context from "effect/Context"
import type { Tax } from "./Invoice.ts"

/**
 * The choices.
 */
export interface BillingRules {
  /** The name of the company that issues the invoices. */
  readonly seller: string
  readonly tax: Tax | null
  /** Milliseconds until the next attempt after each rejected payment. After the last one the agreement is frozen. */
  readonly retryAfterMillis: ReadonlyArray<number>
  /** Milliseconds that the provider may take before it is asked for the outcome of a payment. */
  readonly answerMillis: number
}

const day = 86_400_000

/**
 * The policy: no tax, and attempts after 1, 3 and 5 days, unless a host provides its own.
 */
export const BillingPolicy = Context.Reference<BillingRules>("@crossdock/billing/BillingPolicy", {
  defaultValue: () => ({
    seller: "Crossdock",
    tax: null,
    retryAfterMillis: [day, 3 * day, 5 * day],
    answerMillis: 30_000
  })
})
