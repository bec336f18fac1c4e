import { frozen, Instant } from "@crossdock/kernel"
import * as Context from "effect/Context"
import { numberText, type Seller, type Tax } from "./Invoice.ts"

/** A host's choices for billing. */
export interface BillingRules {
  /** The issuer of invoices. Each invoice keeps the seller of its time. */
  readonly seller: Seller
  readonly tax: Tax | null
  /** Milliseconds to the next attempt after each rejected payment. After the last one the agreement is frozen. */
  readonly retryAfterMillis: ReadonlyArray<number>
  /** Milliseconds after which the provider is asked for the outcome of a payment. */
  readonly answerMillis: number
}

/** The policy. By default: no tax, and attempts after 1, 3 and 5 days. */
export const BillingPolicy = Context.Reference<BillingRules>("@crossdock/billing/BillingPolicy", {
  defaultValue: () => ({
    seller: { name: "Crossdock", addressLines: [], taxNumber: null, bank: null },
    tax: null,
    retryAfterMillis: [1, 3, 5].map((days) => days * Instant.dayMillis),
    answerMillis: 30_000
  })
})

/** The number of a company's nth invoice of a year. Each must differ from all others. */
export const InvoiceNumber = Context.Reference<(year: number, nth: number) => string>(
  "@crossdock/billing/InvoiceNumber",
  { defaultValue: () => numberText }
)

export const Limits = /* @__PURE__ */ frozen({
  /** Lines of one charge. Source: docs/reference/billing.md#lines. */
  lines: 100,
  /** A plan's price in minor units: with 100 % tax it still has 15 digits. Source: docs/reference/billing.md#plans. */
  planAmount: 499_999_999_999_999,
  /** Milliseconds after which an unconfirmed charge expires. Source: docs/reference/billing.md#pending. */
  pendingMillis: 2 * Instant.dayMillis
} as const)
