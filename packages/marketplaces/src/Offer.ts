/**
 * What a marketplace sells, and how much of the stock it is shown.
 */

import { Level } from "@crossdock/inventory"
import type { Marketplace, StockBuffer } from "./Marketplace.ts"

export const sells = ({ skus }: Pick<Marketplace, "skus">, sku: string): boolean => skus === null || skus.includes(sku)

/**
 * How exactly a buffer names the level, or undefined when it is for others.
 */
const exactness = ({ companyId, location, sku }: StockBuffer, level: Level.Level): number | undefined => {
  const named = [
    [sku, level.sku, 4],
    [location, level.location, 2],
    [companyId, level.companyId, 1]
  ] as const
  if (named.some(([wanted, own]) => wanted !== null && wanted !== own)) return undefined
  return named.reduce((sum, [wanted, , weight]) => sum + (wanted === null ? 0 : weight), 0)
}

/**
 * The safety stock kept back from this marketplace.
 */
export const bufferOf = ({ buffers }: Pick<Marketplace, "buffers">, level: Level.Level): number => {
  let quantity = 0
  let best = -1
  for (const buffer of buffers) {
    const exact = exactness(buffer, level)
    if (exact === undefined || exact <= best) continue
    best = exact
    quantity = buffer.quantity
  }
  return quantity
}

/**
 * The sellable quantity less the safety stock, never below 0. Orders are judged by the stock itself: the buffer covers
 * what a marketplace sells before it has heard.
 */
export const shown = (marketplace: Pick<Marketplace, "buffers">, level: Level.Level): number =>
  Math.max(0, Level.sellable(level) - bufferOf(marketplace, level))
