import { lineTotal } from "../AmountDue.ts"
import type { Shipment } from "../Shipment.ts"
import type { ShipmentItem } from "../ShipmentItem.ts"

/**
 * Where a part of a shipment is among the order's lines: after the lines before the shipment, and after `items` of it. The
 * parts of a shipment follow each other without a gap, so that their shares of a payment add up to the shipment's.
 */
export const placeAfter = (
  { linesBefore, unitsBefore = 0 }: Shipment,
  items: ReadonlyArray<ShipmentItem>
): Required<Pick<Shipment, "linesBefore" | "unitsBefore">> => ({
  linesBefore: items.reduce((sum, one) => sum + lineTotal(one), linesBefore),
  unitsBefore: items.reduce((sum, one) => sum + one.ordered, unitsBefore)
})
