/**
 * Each AWB of a courier is on one open shipment: when two AWBs or couriers are the same, and which are in use. Source: docs/reference/shipments.md#awb-in-use.
 */
import { Text } from "@crossdock/kernel"
import type { Shipment } from "./Shipment.ts"
import { isOpen } from "./ShipmentStatus.ts"
import type { OpenAwb } from "./ShipmentStore.ts"

/**
 * An AWB number as it is stored and looked up: in one composition of its letters, with single spaces and none around it. Case
 * counts.
 */
export const storedAwb = (awb: string): string => awb.normalize().replace(/\s+/gu, " ").trim()

/**
 * A courier's name for comparing: in any case, composition and width, and with any blanks. Upper case also makes "ß" and "SS"
 * one.
 */
export const comparableCourier = (name: string): string =>
  Text.folded(Text.folded(name).toUpperCase()).replace(/\s+/gu, " ").trim()

/** The AWBs that the batches of one request share, as the moves so far left them. */
export interface AwbUse {
  /** Whether another open shipment uses the AWB and this one doesn't: a shipment's own AWB can be sent again. */
  readonly isTaken: (shipmentId: string, courier: string, awb: string) => boolean
  /** The AWBs that the shipment had are free again, and those that it has are in use while it is open. */
  readonly replace: (before: Shipment, after: Shipment) => void
}

const keyOf = (courier: string, awb: string): string => JSON.stringify([comparableCourier(courier), storedAwb(awb)])

const keysOf = ({ courier }: Shipment): ReadonlyArray<string> =>
  courier === null ? [] : courier.awbNumbers.map((awb) => keyOf(courier.name, awb))

/**
 * Begins with the AWBs that are in use. Shipments of two companies may have one, when no request named both.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { AwbUse } from "@crossdock/shipments"
 *
 * const use = AwbUse.make([{ shipmentId: "17", courier: "Swift", awb: "S1" }])
 * deepStrictEqual([use.isTaken("18", "SWIFT ", "S1"), use.isTaken("17", "Swift", "S1")], [true, false])
 * deepStrictEqual(use.isTaken("18", "Other", "S1"), false)
 * ```
 */
export const make = (open: ReadonlyArray<OpenAwb>): AwbUse => {
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
