import type { OperationalStatus } from "./OperationalStatus.ts"
import { isOnTheWayBack, type Shipment } from "./Shipment.ts"

/**
 * The status of a shipment as sellers read it and filter by it. Source: docs/reference/shipments.md#statuses.
 */
export const orderStatusValues = [
  "CREATED",
  "CONFIRMED",
  "PROCESSING",
  "COMPLETED",
  "TRANSIT",
  "HANDED_OVER_TO_CUSTOMER",
  "DELIVERED",
  "RETURN_PROCESSING",
  "RETURN_DELIVERED",
  "CANCELLED"
] as const

/**
 * The status of a shipment as sellers read it.
 */
export type OrderStatus = (typeof orderStatusValues)[number]

/**
 * The order status of each operational status. A lost bag shows whether it was lost on the way out or on the way back.
 * Source: docs/reference/lifecycle.md#what-a-seller-reads.
 */
export const orderStatuses = {
  placed: "CREATED",
  bag_confirmed: "CONFIRMED",
  bag_invoiced: "PROCESSING",
  dp_assigned: "PROCESSING",
  bag_packed: "COMPLETED",
  bag_picked: "TRANSIT",
  out_for_delivery: "TRANSIT",
  delivery_attempt_failed: "TRANSIT",
  delivery_reattempt_requested: "TRANSIT",
  rejected_by_customer: "TRANSIT",
  handed_over_to_customer: "HANDED_OVER_TO_CUSTOMER",
  delivery_done: "DELIVERED",
  rto_in_transit: "RETURN_PROCESSING",
  rto_bag_delivered: "RETURN_DELIVERED",
  return_initiated: "RETURN_PROCESSING",
  return_dp_assigned: "RETURN_PROCESSING",
  return_bag_in_transit: "RETURN_PROCESSING",
  return_bag_delivered: "RETURN_DELIVERED",
  return_accepted: "RETURN_DELIVERED",
  credit_note_generated: "RETURN_DELIVERED",
  deadstock: "RETURN_DELIVERED",
  bag_lost: { wayOut: "TRANSIT", wayBack: "RETURN_PROCESSING" },
  cancelled_customer: "CANCELLED",
  cancelled_seller: "CANCELLED"
} as const satisfies Record<
  OperationalStatus,
  OrderStatus | { readonly wayOut: OrderStatus; readonly wayBack: OrderStatus }
>

/**
 * The order status of a shipment, for reads and for the column by which storages filter.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { orderStatusOf } from "@crossdock/shipments"
 * import { placedShipment } from "@crossdock/shipments/testing"
 *
 * strictEqual(orderStatusOf(placedShipment()), "CREATED")
 * ```
 */
export const orderStatusOf = (shipment: Pick<Shipment, "status" | "journey" | "events">): OrderStatus => {
  const shown = orderStatuses[shipment.status]
  return typeof shown === "string" ? shown : isOnTheWayBack(shipment) ? shown.wayBack : shown.wayOut
}
