/** Errors of orders. */
import { Violation } from "@crossdock/kernel"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/**
 * An order was rejected, and nothing was changed. `ORDER_EXISTS` and `INSUFFICIENT_STOCK` are conflicts with stored data;
 * the other codes are faults of the order itself. Without a `summary` the first violation is the message.
 */
export class OrderRejected extends Schema.TaggedError<OrderRejected>("@crossdock/orders/OrderRejected")(
  "OrderRejected",
  {
    code: Schema.Literals([
      "VALIDATION_FAILED",
      "TOTAL_MISMATCH",
      "CURRENCY_MISMATCH",
      "DUPLICATE_LINE",
      "UNKNOWN_SKU",
      "UNKNOWN_LOCATION",
      "INSUFFICIENT_STOCK",
      "ORDER_EXISTS"
    ]),
    summary: Schema.optionalKey(Schema.String),
    violations: Schema.Array(Violation)
  }
) {
  override get message() {
    return this.summary ?? this.violations[0]?.message ?? "The order is not valid"
  }
}

/** Rejects an order for these violations, with their common code or else with `VALIDATION_FAILED`. */
export const rejectFor = (violations: ReadonlyArray<Violation>) => {
  const [code, ...others] = new Set(violations.map((one) => one.code as OrderRejected["code"]))
  return Result.fail(
    new OrderRejected({ code: code === undefined || others.length > 0 ? "VALIDATION_FAILED" : code, violations })
  )
}

/** The marketplace has no order with this id. */
export class OrderNotFound extends Schema.TaggedError<OrderNotFound>("@crossdock/orders/OrderNotFound")(
  "OrderNotFound",
  { id: Schema.String }
) {
  override get message() {
    return `There is no order ${this.id}. Send the platform_order_id of the order's answer.`
  }
}

/** The order's personal data can't be erased yet: these shipments are still delivered or returned. */
export class OrderInProgress extends Schema.TaggedError<OrderInProgress>("@crossdock/orders/OrderInProgress")(
  "OrderInProgress",
  { id: Schema.String, shipmentIds: Schema.Array(Schema.String) }
) {
  override get message() {
    return `Order ${this.id} can't be erased because these of its shipments are still open: ${this.shipmentIds.join(", ")}. Erase it after they are closed.`
  }
}
