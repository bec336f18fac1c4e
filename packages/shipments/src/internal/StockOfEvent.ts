import { type Portion, unitsByItem, unitsUnsettled } from "@crossdock/returns"
import type { Shipment } from "../Shipment.ts"
import type { ShipmentEvent } from "../ShipmentEvent.ts"
import { type StockEffect, type StockKind, stockOnReaching } from "../StockEffect.ts"

/**
 * The changes to stock that `event` causes. `shipment` is as it was before the event.
 */
export const stockOfEvent = (shipment: Shipment, event: ShipmentEvent): ReadonlyArray<StockEffect> => {
  const effects = (kind: StockKind, portions: ReadonlyArray<Portion>) => {
    const units = unitsByItem(portions)
    return shipment.items
      .map(({ id, sizeId, sku }) => ({ kind, itemId: id, sku, sizeId, quantity: units.get(id) ?? 0 }))
      .filter(({ quantity }) => quantity > 0)
  }

  switch (event._tag) {
    case "Moved": {
      const kind = stockOnReaching[event.to]
      return kind === undefined
        ? []
        : effects(
            kind,
            shipment.items.map((item) => ({ itemId: item.id, quantity: unitsUnsettled(item) }))
          )
    }
    case "PartCancelled":
      return effects(
        "release",
        event.created.items.map(({ id, ordered }) => ({ itemId: id, quantity: ordered }))
      )
    case "QualityChecked":
      return effects(event.bad ? "unsellable" : "restock", event.items)
    default:
      return []
  }
}
