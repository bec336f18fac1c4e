import type { OperationalStatus } from "./OperationalStatus.ts"

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
