/**
 * Why an order was not taken. Nothing of it was done.
 */

import { Violation } from "@crossdock/kernel"
import * as Schema from "effect/Schema"

/**
 * `ORDER_EXISTS` and `INSUFFICIENT_STOCK` are for the state of things, the others for the order itself.
 */
export class OrderRejected extends Schema.TaggedError<OrderRejected>("@crossdock/orders/OrderRejected")(
  "OrderRejected",
  {
    code: Schema.Literals([
      "VALIDATION_FAILED",
      "TOTAL_MISMATCH",
      "UNKNOWN_SKU",
      "UNKNOWN_LOCATION",
      "INSUFFICIENT_STOCK",
      "ORDER_EXISTS"
    ]),
    summary: Schema.String,
    violations: Schema.Array(Violation)
  }
) {
  override get message() {
    return this.summary
  }
}

/**
 * No order of the marketplace has this id.
 */
export class OrderNotFound extends Schema.TaggedError<OrderNotFound>("@crossdock/orders/OrderNotFound")(
  "OrderNotFound",
  { id: Schema.String }
) {
  override get message() {
    return `There is no order ${this.id}`
  }
}
