/**
 * What a marketplace sells, and how much stock it is shown. Source: docs/reference/notifications.md#safety-stock.
 */

import { Level } from "@crossdock/inventory"
import type { Marketplace, StockBuffer } from "./Marketplace.ts"

/**
 * Whether the marketplace sells the SKU.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Offer } from "@crossdock/marketplaces"
 *
 * strictEqual(Offer.sells({ skus: ["TS-1"] }, "TS-2"), false)
 * strictEqual(Offer.sells({ skus: null }, "TS-2"), true)
 * ```
 */
export const sells = ({ skus }: Pick<Marketplace, "skus">, sku: string): boolean => skus === null || skus.includes(sku)

/**
 * How specific a buffer is for the level, or undefined when it is for other levels.
 */
const specificity = ({ companyId, location, sku }: StockBuffer, level: Level.Level): number | undefined => {
  const named = [
    [sku, level.sku, 4],
    [location, level.location, 2],
    [companyId, level.companyId, 1]
  ] as const
  if (named.some(([wanted, own]) => wanted !== null && wanted !== own)) return undefined
  return named.reduce((sum, [wanted, , weight]) => sum + (wanted === null ? 0 : weight), 0)
}

/**
 * The safety stock of this marketplace: units of the level that it is not shown. The most specific buffer counts: SKU at
 * location, then SKU, location, company.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { stockLevel } from "@crossdock/inventory/testing"
 * import { Offer } from "@crossdock/marketplaces"
 *
 * const buffers = [
 *   { companyId: null, location: null, sku: "SKU-1", quantity: 2 },
 *   { companyId: null, location: "BLR1", sku: null, quantity: 5 }
 * ]
 * strictEqual(Offer.bufferOf({ buffers }, stockLevel({ sku: "SKU-1", location: "BLR1" })), 2)
 * strictEqual(Offer.bufferOf({ buffers }, stockLevel({ sku: "SKU-2", location: "BLR1" })), 5)
 * ```
 */
export const bufferOf = ({ buffers }: Pick<Marketplace, "buffers">, level: Level.Level): number => {
  let quantity = 0
  let best = -1
  for (const buffer of buffers) {
    const specific = specificity(buffer, level)
    if (specific === undefined || specific <= best) continue
    best = specific
    quantity = buffer.quantity
  }
  return quantity
}

/**
 * The quantity that the marketplace is shown: the sellable one minus the safety stock, never below 0; of a closed company 0.
 * Orders are checked against the stock itself; the buffer covers what a marketplace sells before a notification reaches it.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { stockLevel } from "@crossdock/inventory/testing"
 * import { Offer } from "@crossdock/marketplaces"
 *
 * const buffers = [{ companyId: null, location: null, sku: null, quantity: 3 }]
 * strictEqual(Offer.shown({ buffers }, stockLevel({ onHand: 10, reserved: 4 })), 3)
 * strictEqual(Offer.shown({ buffers }, stockLevel({ onHand: 10, reserved: 8 })), 0)
 * ```
 */
export const shown = (marketplace: Pick<Marketplace, "buffers" | "pausedLocations">, level: Level.Level): number =>
  marketplace.pausedLocations?.some(({ companyId }) => companyId === level.companyId)
    ? 0
    : Math.max(0, Level.sellable(level) - bufferOf(marketplace, level))
