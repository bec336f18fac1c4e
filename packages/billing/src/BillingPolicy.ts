import { frozen, Instant } from "@crossdock/kernel"
import * as Context from "effect/Context"
import { numberText, type Seller, type Tax } from "./Invoice.ts"

/** The choices of a host for billing. */
export interface BillingRules {
  /** The issuer of invoices. An issued invoice keeps the seller that was set when it was issued. */
  readonly seller: Seller
  readonly tax: Tax | null
  /** The milliseconds from each rejected payment to the next attempt. After the last rejection, the agreement is frozen. */
  readonly retryAfterMillis: ReadonlyArray<number>
  /** The milliseconds after which the provider is asked for the outcome of a payment. */
  readonly answerMillis: number
}

/** The policy. By default there is no tax, and payments are attempted again after 1, 3 and 5 days. */
export const BillingPolicy = Context.Reference<BillingRules>("@crossdock/billing/BillingPolicy", {
  defaultValue: () => ({
    seller: { name: "Crossdock", addressLines: [], taxNumber: null, bank: null },
    tax: null,
    retryAfterMillis: [1, 3, 5].map((days) => days * Instant.dayMillis),
    answerMillis: 30_000
  })
})

/** Makes the number of a company's nth invoice of a year. All numbers must be different. */
export const InvoiceNumber = Context.Reference<(year: number, nth: number) => string>(
  "@crossdock/billing/InvoiceNumber",
  { defaultValue: () => numberText }
)

export const Limits = /* @__PURE__ */ frozen({
  /** The most lines of one charge. Source: docs/reference/billing.md#lines. */
  lines: 100,
  /** The largest price of a plan in minor units. With 100 % tax, it still has 15 digits. */
  planAmount: 499_999_999_999_999,
  /** An unconfirmed charge expires after this many milliseconds. Source: docs/reference/billing.md#pending. */
  pendingMillis: 2 * Instant.dayMillis
} as const)
