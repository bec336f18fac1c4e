/**
 * What a host may decide of billing.
 */
import * as Context from "effect/Context"
import type { Tax } from "./Invoice.ts"

export interface BillingRules {
  /** Whose invoices they are. */
  readonly seller: string
  readonly tax: Tax | null
  /** After a rejected payment: how long until the next try. After the last one the agreement is frozen. */
  readonly retryAfterMillis: ReadonlyArray<number>
  /** How long the provider may take before it is asked what came of a payment. */
  readonly answerMillis: number
}

const day = 86_400_000

export const BillingPolicy = Context.Reference<BillingRules>("@crossdock/billing/BillingPolicy", {
  defaultValue: () => ({
    seller: "Crossdock",
    tax: null,
    retryAfterMillis: [day, 3 * day, 5 * day],
    answerMillis: 30_000
  })
})
