/** The reasons why a billing request failed. Nothing was changed. */
import { taggedError, Violation } from "@crossdock/kernel"
import * as Schema from "effect/Schema"

const kinds = ["Subscription", "Charge", "Customer", "Invoice", "Plan", "Coupon", "Extension", "Confirmation"] as const

/** The company has no record with this id. */
export class BillingNotFound extends taggedError<BillingNotFound>()(
  "@crossdock/billing/BillingNotFound",
  {
    what: Schema.Literals(kinds),
    /** The faulty field. It is absent if the record's id is part of the path. */
    violations: Schema.optionalKey(Schema.Array(Violation))
  },
  ({ what }) => `${what} not found`
) {}

/** A new agreement can't replace a running one in another currency, since the credit would be lost. */
export class OtherCurrency extends taggedError<OtherCurrency>()(
  "@crossdock/billing/OtherCurrency",
  { running: Schema.String, currency: Schema.String },
  ({ currency, running }) =>
    `${running} is running and was paid in ${currency}, and a price in another currency can't replace it. Cancel it first, or choose a price in ${currency}.`
) {}

/** The request can't be fulfilled. `summary` is the message in docs/reference/billing.md, if the page has one. */
export class BillingRejected extends taggedError<BillingRejected>()(
  "@crossdock/billing/BillingRejected",
  { summary: Schema.String, violations: Schema.Array(Violation) },
  ({ summary }) => summary
) {}
