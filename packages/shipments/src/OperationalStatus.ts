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

/**
 * Where a shipment is, step by step.
 */
export type OperationalStatus = (typeof operationalStatuses)[number]

const known: ReadonlySet<unknown> = new Set(operationalStatuses)

/**
 * Whether a value from outside is one of the statuses.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { isOperationalStatus } from "@crossdock/shipments"
 *
 * deepStrictEqual(["delivery_done", "delivered", null].map(isOperationalStatus), [true, false, false])
 * ```
 */
export const isOperationalStatus = (value: unknown): value is OperationalStatus => known.has(value)

/**
 * The statuses in which a shipment's AWB number is free for another shipment of the courier: delivered, handed over,
 * cancelled, returned or lost. In every other status the shipment is open. Source: docs/reference/shipments.md#open.
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

/**
 * Whether a shipment in this status is open. Source: docs/reference/shipments.md#open.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { isOpen } from "@crossdock/shipments"
 *
 * deepStrictEqual([isOpen("rto_in_transit"), isOpen("rto_bag_delivered"), isOpen("return_initiated")], [true, false, true])
 * ```
 */
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
