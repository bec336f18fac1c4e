/** The statuses of a shipment: where it is, and what a seller reads. Source: docs/reference/shipments.md#statuses. */

/**
 * Every operational status, in the order in which a shipment can reach them. Source: docs/reference/shipments.md#statuses.
 */
export const operationalStatuses = [
  "placed",
  "bag_confirmed",
  "bag_invoiced",
  "dp_assigned",
  "bag_packed",
  "bag_picked",
  "out_for_delivery",
  "delivery_attempt_failed",
  "delivery_reattempt_requested",
  "rejected_by_customer",
  "handed_over_to_customer",
  "delivery_done",
  "rto_in_transit",
  "rto_bag_delivered",
  "return_initiated",
  "return_dp_assigned",
  "return_bag_in_transit",
  "return_bag_delivered",
  "return_accepted",
  "credit_note_generated",
  "deadstock",
  "bag_lost",
  "cancelled_customer",
  "cancelled_seller"
] as const

/** Where a shipment is, step by step. */
export type OperationalStatus = (typeof operationalStatuses)[number]

const known: ReadonlySet<unknown> = new Set(operationalStatuses)

/** Whether a value from outside is one of the statuses. */
export const isOperationalStatus = (value: unknown): value is OperationalStatus => known.has(value)

/**
 * Closed statuses: delivered, handed over, cancelled, returned or lost. A closed shipment's AWB number can be reused for
 * another shipment of the courier. In every other status the shipment is open. Source: docs/reference/shipments.md#open.
 */
export const closedStatuses = [
  "delivery_done",
  "handed_over_to_customer",
  "cancelled_customer",
  "cancelled_seller",
  "return_bag_delivered",
  "rto_bag_delivered",
  "return_accepted",
  "credit_note_generated",
  "deadstock",
  "bag_lost"
] as const satisfies ReadonlyArray<OperationalStatus>

const closed: ReadonlySet<OperationalStatus> = new Set(closedStatuses)

/** Whether a shipment in this status is open. Source: docs/reference/shipments.md#open. */
export const isOpen = (status: OperationalStatus): boolean => !closed.has(status)

/**
 * Whether a shipment in this status may still change the stock of its SKUs: it is open, or it came back and is not checked
 * yet. Until then its products can't be deleted. Source: docs/reference/catalog.md#open-shipments.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { mayMoveStock } from "@crossdock/shipments"
 *
 * const statuses = ["delivery_done", "return_bag_delivered", "return_accepted"] as const
 * deepStrictEqual(statuses.map(mayMoveStock), [false, true, false])
 * ```
 */
export const mayMoveStock = (status: OperationalStatus): boolean =>
  isOpen(status) || status === "return_bag_delivered" || status === "rto_bag_delivered"

/** Whether the seller or the customer cancelled the whole shipment. */
export const isCancelled = (shipment: { readonly status: OperationalStatus }): boolean =>
  shipment.status === "cancelled_seller" || shipment.status === "cancelled_customer"

/** The statuses that a shipment has had, and which way it goes. */
interface StatusHistory {
  readonly journey: "forward" | "return"
  readonly events: ReadonlyArray<{ readonly status: OperationalStatus }>
}

/** Whether it is a customer's return, or a shipment that turned back to its origin (RTO). */
export const isOnTheWayBack = (shipment: StatusHistory): boolean =>
  shipment.journey === "return" ||
  shipment.events.some(({ status }) => status === "rto_in_transit" || status === "rto_bag_delivered")

/** The status of a shipment as sellers read it and filter by it. Source: docs/reference/shipments.md#statuses. */
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

/** The status of a shipment as sellers read it. */
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

/** The order status of a shipment, for reads and for the column by which storages filter. */
export const orderStatusOf = (shipment: StatusHistory & { readonly status: OperationalStatus }): OrderStatus => {
  const shown = orderStatuses[shipment.status]
  return typeof shown === "string" ? shown : isOnTheWayBack(shipment) ? shown.wayBack : shown.wayOut
}
