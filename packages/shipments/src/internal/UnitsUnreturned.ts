import { returnableUnits } from "@crossdock/returns"
import type { Shipment } from "../Shipment.ts"

/**
 * The units of each delivered item that are in no return yet, by the item's id.
 */
export const unitsUnreturned = (shipment: Shipment, returns: ReadonlyArray<Shipment>): ReadonlyMap<string, number> =>
  returnableUnits(
    shipment.items,
    returns.flatMap(({ items }) => items)
  )
