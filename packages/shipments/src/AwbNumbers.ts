/** AWB numbers: their spellings that count as equal, and their use by open shipments. Source: docs/reference/shipments.md#awb. */
import { Text } from "@crossdock/kernel"
import type { Shipment } from "./Shipment.ts"
import { isOpen } from "./ShipmentStatus.ts"
import type { OpenAwb } from "./ShipmentStore.ts"

/** An AWB number as it is stored and looked up: normalized, and with single spaces. Case matters. */
export const storedAwb = (awb: string): string => awb.normalize().replace(/\s+/gu, " ").trim()

/** A courier's name for comparison. Case, composition, width and white space don't matter, and "ß" equals "SS". */
export const comparableCourier = (name: string): string =>
  Text.folded(Text.folded(name).toUpperCase()).replace(/\s+/gu, " ").trim()

/** The AWBs that are in use after the moves so far. All batches of one request use the same `AwbUse`. */
export interface AwbUse {
  /** Whether another open shipment uses the AWB and this one doesn't. A shipment's own AWB can be sent again. */
  readonly isTaken: (shipmentId: string, courier: string, awb: string) => boolean
  /** Frees the AWBs of `before`. If `after` is open, its AWBs are in use from then on. */
  readonly replace: (before: Shipment, after: Shipment) => void
}

const keyOf = (courier: string, awb: string): string => JSON.stringify([comparableCourier(courier), storedAwb(awb)])

const keysOf = ({ courier }: Shipment): ReadonlyArray<string> =>
  courier === null ? [] : courier.awbNumbers.map((awb) => keyOf(courier.name, awb))

/**
 * The AWBs in use, at first those of open shipments. Two companies may use the same AWB if no request named both.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { awbUse } from "@crossdock/shipments"
 *
 * const use = awbUse([{ shipmentId: "17", courier: "Swift", awb: "S1" }])
 * deepStrictEqual([use.isTaken("18", "SWIFT ", "S1"), use.isTaken("17", "Swift", "S1")], [true, false])
 * deepStrictEqual(use.isTaken("18", "Other", "S1"), false)
 * ```
 */
export const awbUse = (open: ReadonlyArray<OpenAwb>): AwbUse => {
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
