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
 * Why a shipment did not move. The shipment is unchanged.
 */
export interface Rejection extends Bulk.Rejection {
  readonly details: RejectionDetails
  readonly about?: ItemFault
}
