/**
 * Numbers that only one shipment may have: an invoice's or credit note's in its company, and an AWB among the open shipments of
 * its courier. Source: docs/reference/shipments.md.
 */
import type { RecordField } from "./RejectionCodes.ts"
import { comparableCourier, type Shipment, storedAwb } from "./Shipment.ts"
import type { ShipmentCommand } from "./ShipmentCommand.ts"
import { isOpen } from "./ShipmentStatus.ts"
import type { OpenAwb } from "./ShipmentStore.ts"

/** The number of the invoice or credit note that the command records: unique in the company. */
export const invoiceNumberOf = (command: ShipmentCommand): string | undefined =>
  "invoice" in command ? command.invoice.number : undefined

/** The AWBs that the command stores: each is used by at most one open shipment of its courier. */
export const awbsOf = (command: ShipmentCommand): ReadonlyArray<string> => {
  if (command._tag === "AssignAwb") return [command.awbNumber]
  return command._tag === "AssignCourier" ? (command.courier?.awbNumbers ?? []) : []
}

/** The AWBs in use after the moves so far; one request's batches share them. */
export interface Awbs {
  /** Whether another open shipment uses the AWB and this one doesn't: a shipment's own AWB can be sent again. */
  readonly isTaken: (shipmentId: string, courier: string, awb: string) => boolean
  /** Frees the AWBs of `before`; those of `after` are in use while it is open. */
  readonly replace: (before: Shipment, after: Shipment) => void
}

const keyOf = (courier: string, awb: string): string => JSON.stringify([comparableCourier(courier), storedAwb(awb)])

const keysOf = ({ courier }: Shipment): ReadonlyArray<string> =>
  courier === null ? [] : courier.awbNumbers.map((awb) => keyOf(courier.name, awb))

/**
 * Begins with the AWBs in use. Two companies' shipments may share one, when no request named both.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { NumbersInUse } from "@crossdock/shipments"
 *
 * const use = NumbersInUse.awbs([{ shipmentId: "17", courier: "Swift", awb: "S1" }])
 * deepStrictEqual([use.isTaken("18", "SWIFT ", "S1"), use.isTaken("17", "Swift", "S1")], [true, false])
 * deepStrictEqual(use.isTaken("18", "Other", "S1"), false)
 * ```
 */
export const awbs = (open: ReadonlyArray<OpenAwb>): Awbs => {
  const users = new Map<string, Set<string>>()
  const add = (key: string, shipmentId: string) => users.set(key, (users.get(key) ?? new Set()).add(shipmentId))
  for (const { awb, courier, shipmentId } of open) add(keyOf(courier, awb), shipmentId)
  return {
    isTaken: (shipmentId, courier, awb) => {
      const using = users.get(keyOf(courier, awb))
      return using !== undefined && using.size > 0 && !using.has(shipmentId)
    },
    replace: (before, after) => {
      for (const key of keysOf(before)) users.get(key)?.delete(after.id)
      if (isOpen(after)) for (const key of keysOf(after)) add(key, after.id)
    }
  }
}

/** The command's field whose number another shipment has, and the message; null without such a field. */
export const fault = (
  command: ShipmentCommand,
  { courier, id }: Shipment,
  invoiceNumbers: ReadonlySet<string>,
  awbs: Awbs
): { readonly field: RecordField; readonly message: string } | null => {
  const invoiceNumber = invoiceNumberOf(command)
  if (invoiceNumber !== undefined && invoiceNumbers.has(invoiceNumber))
    return {
      field: "invoiceNumber",
      message: `Invoice number ${invoiceNumber} is already used by another shipment. Send another number.`
    }
  const awb = courier === null ? undefined : awbsOf(command).find((one) => awbs.isTaken(id, courier.name, one))
  return awb === undefined
    ? null
    : {
        field: "awb",
        message: `AWB ${awb} is already used by another open shipment of ${courier?.name}. Send another AWB.`
      }
}
