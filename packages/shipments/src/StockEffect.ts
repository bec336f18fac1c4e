/**
 * What an event of a shipment does to the stock of its location. Source: docs/reference/shipments.md#stock.
 */
import { type Portion, unitsByItem, unitsUnsettled } from "@crossdock/returns"
import type { OperationalStatus } from "./OperationalStatus.ts"
import type { Shipment } from "./Shipment.ts"
import type { ShipmentEvent } from "./ShipmentEvent.ts"

/**
 * What happens to units. `release` and `consume` end a reservation: the units are sellable again, or have left. `restock`
 * puts units back on hand; `unsellable` adds them to the separate count of units that can't be sold. Source:
 * docs/reference/shipments.md#stock.
 */
export type StockKind = "release" | "consume" | "restock" | "unsellable"

/**
 * A change to the stock of the shipment's location. `sizeId` is the size that the units were sold of; effects of items of
 * earlier releases lack it.
 */
export interface StockEffect {
  readonly kind: StockKind
  readonly itemId: string
  readonly sku: string
  readonly sizeId?: number | undefined
  readonly quantity: number
}

/**
 * What happens, when a shipment reaches a status, to all units that are neither cancelled nor checked. A lost bag changes
 * nothing: its units were consumed when it was picked, and none comes back.
 */
export const stockOnReaching: { readonly [S in OperationalStatus]?: StockKind } = {
  bag_picked: "consume",
  handed_over_to_customer: "consume",
  cancelled_seller: "release",
  cancelled_customer: "release",
  deadstock: "unsellable"
}

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
