/**
 * Why a billing request failed. Nothing was changed.
 */
import { Violation } from "@crossdock/kernel"
import * as Schema from "effect/Schema"

/**
 * The company has no such record.
 */
export class BillingNotFound extends Schema.TaggedError<BillingNotFound>("@crossdock/billing/BillingNotFound")(
  "BillingNotFound",
  { what: Schema.Literals(["Subscription", "Charge", "Customer", "Invoice", "Plan", "Extension", "Confirmation"]) }
) {
  override get message() {
    return `${this.what} not found`
  }
}

/**
 * The request can't be fulfilled. `summary` is the message of docs/reference/billing.md where it has one.
 */
export class BillingRejected extends Schema.TaggedError<BillingRejected>("@crossdock/billing/BillingRejected")(
  "BillingRejected",
  { summary: Schema.String, violations: Schema.Array(Violation) }
) {
  override get message() {
    return this.summary
  }
}
