/**
 * The status operation: a courier, seller or marketplace reports the status that a shipment has reached. Source:
 * docs/reference/shipments.md#status.
 */
import * as Result from "effect/Result"
import { isOpen } from "../OperationalStatus.ts"
import type { Shipment } from "../Shipment.ts"
import type { Report, ShipmentCommand } from "../ShipmentCommand.ts"
import type { CommandResult, Context } from "./CommandResult.ts"
import { moved } from "./Evolve.ts"
import { permitReport } from "./Permit.ts"
import { rejectReport } from "./Reject.ts"

/**
 * Reporting the status that the shipment already has succeeds and changes nothing.
 */
export const report = (shipment: Shipment, { by, meta, status }: Report, at: number): CommandResult =>
  status === shipment.status
    ? Result.succeed([])
    : Result.gen(function* () {
        const { opensReturn, to } = yield* permitReport(shipment, status, { by })
        if (!opensReturn) return [moved(to, at, meta)]
        const because = "a return is opened by its own command, with its units"
        return yield* Result.fail(rejectReport(shipment, to, by, { as: "wrongStatus", because }))
      })

const returnStatuses: ReadonlySet<string> = new Set([
  "return_dp_assigned",
  "return_bag_in_transit",
  "return_bag_delivered"
])

/**
 * Whether a return is on its way, or back with units that are not checked yet.
 */
export const isOpenReturn = ({ status }: Shipment): boolean => isOpen(status) || status === "return_bag_delivered"

/**
 * The shipment that a command is for: a return status reported of a forward shipment is for the return with its `returnId`, or
 * else for its one open return. Source: docs/reference/shipments.md#status.
 */
export const addressee = (shipment: Shipment, command: ShipmentCommand, { returns }: Context): Shipment => {
  const isOwn = shipment.locked || shipment.journey === "return"
  if (isOwn || command._tag !== "Report" || !returnStatuses.has(command.status)) return shipment
  const { returnId = null } = command
  const named = returnId === null ? undefined : returns.find((one) => one.returnId === returnId)
  if (named !== undefined) return named
  const [one, ...others] = returns.filter((open) => isOpenReturn(open) && (returnId === null || open.returnId === null))
  return one !== undefined && others.length === 0 ? one : shipment
}
