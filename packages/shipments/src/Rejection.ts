import type { Bulk } from "@crossdock/kernel"
import type { OperationalStatus } from "./OperationalStatus.ts"

/**
 * What a program needs after a rejection: the shipment's status, the moves that the caller may make now, and the shortest
 * way to the move that was asked, if the status does not allow it and a way exists. Only the status operation has `target`
 * and `reason`.
 */
export type RejectionDetails = {
  readonly current: OperationalStatus
  readonly allowed: ReadonlyArray<string>
  readonly steps?: ReadonlyArray<string>
  readonly target?: string
  readonly reason?: "INVALID_TRANSITION"
}

/**
 * The item that a rejection is about, as the command named it, and which of its fields is wrong.
 */
export interface ItemFault {
  readonly item: string
  readonly field: "item" | "quantity" | "imei"
}

/**
 * The place of the portion that a fault of an item is about, -1 when none names it: of several portions of one item that
 * which names the most units, and the later of two as great.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { faultyPortion } from "@crossdock/shipments"
 *
 * const named = [
 *   { item: "a", quantity: 1 },
 *   { item: "b", quantity: 5 },
 *   { item: "a", quantity: 3 }
 * ]
 * strictEqual(
 *   faultyPortion(named, ({ item }) => item === "a"),
 *   2
 * )
 * ```
 */
export const faultyPortion = <P extends { readonly quantity?: number | null | undefined }>(
  portions: ReadonlyArray<P>,
  isOfItem: (portion: P) => boolean
): number =>
  portions.reduce((found, portion, at) => {
    const isMore = (portion.quantity ?? 0) >= (portions[found]?.quantity ?? 0)
    return isOfItem(portion) && isMore ? at : found
  }, -1)

/**
 * A field of a record, beside its items, that can be why its move is rejected.
 */
export type RecordField = "status" | "invoiceNumber" | "awb"

/**
 * Why a shipment did not move. The shipment is unchanged.
 */
export interface Rejection extends Bulk.Rejection {
  readonly details: RejectionDetails
  readonly about?: ItemFault
}
