import type { Bulk } from "@crossdock/kernel"
import type { OperationalStatus } from "./OperationalStatus.ts"

/**
 * What a rejected caller needs to go on: where the shipment is, what may be asked of it now, and the shortest way from
 * there to what was asked, when this status does not allow it and there is one. `target` and `reason` are those of the
 * status operation.
 */
export type RejectionDetails = {
  readonly current: OperationalStatus
  readonly allowed: ReadonlyArray<string>
  readonly steps?: ReadonlyArray<string>
  readonly target?: string
  readonly reason?: "INVALID_TRANSITION"
}

/**
 * Why a shipment does not move. The shipment is as it was.
 */
export interface Rejection extends Bulk.Rejection {
  readonly details: RejectionDetails
}
