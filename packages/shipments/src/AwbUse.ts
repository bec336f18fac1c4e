/**
 * Which open shipment uses each AWB of a courier. Source: docs/reference/shipments.md#awb-in-use.
 */
import * as CourierName from "./internal/CourierName.ts"
import { isOpen } from "./OperationalStatus.ts"
import type { Shipment } from "./Shipment.ts"
import type { OpenAwb } from "./ShipmentStore.ts"

/**
 * The AWBs that the batches of one request share, as the moves so far left them.
 */
export interface AwbUse {
  /** The open shipment that uses the AWB, or undefined. */
  readonly userOf: (courier: string, awb: string) => string | undefined
  /** The AWBs that the shipment had are free again, and those that it has are in use while it is open. */
  readonly replace: (before: Shipment, after: Shipment) => void
}

const keyOf = (courier: string, awb: string): string => JSON.stringify([CourierName.comparable(courier), awb])

const keysOf = ({ courier }: Shipment): ReadonlyArray<string> =>
  courier === null ? [] : courier.awbNumbers.map((awb) => keyOf(courier.name, awb))

/**
 * Begins with the AWBs that are in use.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { AwbUse } from "@crossdock/shipments"
 *
 * const use = AwbUse.make([{ shipmentId: "17", courier: "Swift", awb: "S1" }])
 * deepStrictEqual([use.userOf("SWIFT ", "S1"), use.userOf("Other", "S1")], ["17", undefined])
 * ```
 */
export const make = (open: ReadonlyArray<OpenAwb>): AwbUse => {
  const users = new Map(open.map(({ awb, courier, shipmentId }) => [keyOf(courier, awb), shipmentId]))
  return {
    userOf: (courier, awb) => users.get(keyOf(courier, awb)),
    replace: (before, after) => {
      for (const key of keysOf(before)) if (users.get(key) === after.id) users.delete(key)
      if (isOpen(after.status)) for (const key of keysOf(after)) users.set(key, after.id)
    }
  }
}
