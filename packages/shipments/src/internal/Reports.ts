/**
 * The status operation: what couriers, sellers and marketplaces tell of a shipment's way.
 */
import * as Result from "effect/Result"
import { isOpen } from "../OperationalStatus.ts"
import type { Shipment } from "../Shipment.ts"
import type { Report, ShipmentCommand } from "../ShipmentCommand.ts"
import type { Context, Decision } from "./Decision.ts"
import { moved } from "./Evolve.ts"
import { permitReport } from "./Permit.ts"
import { rejectReport } from "./Reject.ts"

/**
 * Telling the status that the shipment already has succeeds and changes nothing.
 */
export const report = (shipment: Shipment, { by, meta, status }: Report, at: number): Decision =>
  status === shipment.status
    ? Result.succeed([])
    : Result.gen(function* () {
        const { opensReturn, to } = yield* permitReport(shipment, status, { by })
        return opensReturn
          ? yield* Result.fail(rejectReport(shipment, to, by, "wrongStatus", "a return is begun with its units"))
          : [moved(to, at, meta)]
      })

const returnStatuses: ReadonlySet<string> = new Set([
  "return_dp_assigned",
  "return_bag_in_transit",
  "return_bag_delivered"
])

/**
 * A return on its way, or back without all its results.
 */
export const isOpenReturn = ({ status }: Shipment): boolean => isOpen(status) || status === "return_bag_delivered"

/**
 * The shipment that a command is meant for: a return status sent to a forward shipment goes to its one open return.
 */
export const addressee = (shipment: Shipment, command: ShipmentCommand, { returns }: Context): Shipment => {
  const own = shipment.locked || shipment.journey === "return"
  if (own || command._tag !== "Report" || !returnStatuses.has(command.status)) return shipment
  const [one, ...others] = returns.filter(isOpenReturn)
  return one !== undefined && others.length === 0 ? one : shipment
}
