/** The operational statuses, and the order statuses that sellers see. Source: docs/reference/shipments.md#statuses. */
import { frozen } from "@crossdock/kernel"
import * as Struct from "effect/Struct"

/** The order statuses, which sellers read and filter by. Source: docs/reference/shipments.md#statuses. */
export const orderStatusValues = /* @__PURE__ */ frozen([
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
] as const)

/** The status of a shipment as sellers read it. */
export type OrderStatus = (typeof orderStatusValues)[number]

/** The order status of each operational status, in process order. Source: docs/reference/lifecycle.md#what-a-seller-reads. */
export const orderStatuses = /* @__PURE__ */ frozen({
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
} as const satisfies Record<string, OrderStatus | { readonly wayOut: OrderStatus; readonly wayBack: OrderStatus }>)

/** Where a shipment is in its process. There is one status per step. */
export type OperationalStatus = keyof typeof orderStatuses

/** Every operational status, in the order of `orderStatuses`. Source: docs/reference/shipments.md#statuses. */
export const operationalStatuses: ReadonlyArray<OperationalStatus> = /* @__PURE__ */ frozen(
  /* @__PURE__ */ Struct.keys(orderStatuses)
)

/** An operational status, or a status that a host added: docs/guides/extend.md#lifecycle. */
export type AnyStatus = OperationalStatus | (string & {})

const known: ReadonlySet<unknown> = new Set(operationalStatuses)

/** Whether a value from outside is an operational status. */
export const isOperationalStatus = (value: unknown): value is OperationalStatus => known.has(value)

/** The statuses in which a shipment is closed and its AWB can be used again. Source: docs/reference/shipments.md#open. */
export const closedStatuses = /* @__PURE__ */ frozen([
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
] as const satisfies ReadonlyArray<OperationalStatus>)

const closed: ReadonlySet<string> = new Set(closedStatuses)

/**
 * The effect of a status on units. `release` and `consume` end a reservation, and `consume` also removes the units. `restock`
 * puts units back on hand. `unsellable` counts returned units that can't be sold. Source: docs/reference/shipments.md#stock.
 */
export type StockKind = "release" | "consume" | "restock" | "unsellable"

/** The data of a host's status. It is stored with the shipment, so that storages needn't know the lifecycle. */
export interface AddedStatus {
  /** The status that sellers read and filter by. */
  readonly orderStatus: OrderStatus
  /** The effect on stock when a shipment reaches the status. It applies to all units that are neither cancelled nor checked. */
  readonly stock: StockKind | "none"
  /** True if shipments in this status are closed. Their AWBs can then be used again, and their SKUs can be deleted. */
  readonly isClosed?: true
}

/** A shipment's status, with the data of the status if the host added it. */
export interface Standing {
  readonly status: AnyStatus
  /** The data of an added status. It is null once the shipment has another status. */
  readonly added?: AddedStatus | null
}

/** Whether a shipment in this status is open. Source: docs/reference/shipments.md#open. */
export const isOpen = ({ added, status }: Standing): boolean => added?.isClosed !== true && !closed.has(status)

/**
 * Whether a shipment is open, or came back and isn't checked yet. Source: docs/reference/catalog.md#open-shipments.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { mayMoveStock } from "@crossdock/shipments"
 *
 * const statuses = ["delivery_done", "return_bag_delivered", "return_accepted"]
 * deepStrictEqual(
 *   statuses.map((status) => mayMoveStock({ status })),
 *   [false, true, false]
 * )
 * ```
 */
export const mayMoveStock = (shipment: Standing): boolean =>
  isOpen(shipment) || shipment.status === "return_bag_delivered" || shipment.status === "rto_bag_delivered"

/** Whether the seller or the customer cancelled the whole shipment. */
export const isCancelled = (shipment: Pick<Standing, "status">): boolean =>
  shipment.status === "cancelled_seller" || shipment.status === "cancelled_customer"

interface StatusHistory {
  readonly journey: "forward" | "return"
  readonly events: ReadonlyArray<{ readonly status: AnyStatus }>
}

/** Whether the shipment is a customer's return, or is going back to its origin (RTO). */
export const isOnTheWayBack = (shipment: StatusHistory): boolean =>
  shipment.journey === "return" ||
  shipment.events.some(({ status }) => status === "rto_in_transit" || status === "rto_bag_delivered")

/** A shipment's order status, which reads show and storages filter by. */
export const orderStatusOf = (shipment: StatusHistory & Standing): OrderStatus => {
  const shown = shipment.added?.orderStatus ?? orderStatuses[shipment.status as OperationalStatus]
  return typeof shown === "string" ? shown : isOnTheWayBack(shipment) ? shown.wayBack : shown.wayOut
}
