/**
 * The SKUs that a marketplace sells, and the stock that it sees. Source: docs/reference/notifications.md#safety-stock.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Offer } from "@crossdock/marketplaces"
 * import { stockLevel } from "@crossdock/inventory/testing"
 *
 * // The most specific buffer counts.
 * const buffers = [
 *   { companyId: null, location: null, sku: "SKU-1", quantity: 2 },
 *   { companyId: null, location: "BLR1", sku: null, quantity: 5 }
 * ]
 * const levels = ["SKU-1", "SKU-2"].map((sku) => stockLevel({ sku, location: "BLR1", onHand: 10 }))
 * deepStrictEqual(levels.map((level) => Offer.shown({ buffers }, level)), [8, 5])
 * ```
 */
import { Level } from "@crossdock/inventory"
import { type CompanyId, required } from "@crossdock/kernel"
import type { Marketplace, StockBuffer } from "./Marketplace.ts"

/** Makes an index once per list. A list may have every SKU of a catalog, and is searched for each level. */
const indexed = <A, I>(make: (list: ReadonlyArray<A>) => I) => {
  const known = new WeakMap<ReadonlyArray<A>, I>()
  return (list: ReadonlyArray<A>): I => {
    if (!known.has(list)) known.set(list, make(list))
    return required(known.get(list), "the index of a list")
  }
}

const skusIn = indexed((skus: ReadonlyArray<string>) => new Set(skus))

export const sells = ({ skus }: Pick<Marketplace, "skus">, sku: string): boolean =>
  skus === null || skusIn(skus).has(sku)

/** Whether the company is open, and its stock visible. Source: docs/guides/operate.md#close-a-company. */
export const isOpen = ({ closedCompanies }: Pick<Marketplace, "closedCompanies">, company: CompanyId): boolean =>
  closedCompanies?.includes(company) !== true

type Named = Omit<StockBuffer, "quantity">

const nameOf = ({ companyId, location, sku }: Named): string => JSON.stringify([sku, location, companyId])

/** The quantities of buffers by name. If two buffers have the same name, the first one applies. */
const quantitiesIn = indexed(
  (buffers: ReadonlyArray<StockBuffer>) => new Map(buffers.toReversed().map((one) => [nameOf(one), one.quantity]))
)

/** The names that the buffer of a level can have, the most specific name first. */
const namesOf = ({ companyId, location, sku }: Level.Level): ReadonlyArray<string> =>
  [sku, null].flatMap((sku) =>
    [location, null].flatMap((location) => [companyId, null].map((companyId) => nameOf({ sku, location, companyId })))
  )

/** The units hidden by the most specific buffer: of a SKU at a location, of a SKU, of a location, or of a company. */
export const bufferOf = ({ buffers }: Pick<Marketplace, "buffers">, level: Level.Level): number => {
  if (buffers.length === 0) return 0
  const quantities = quantitiesIn(buffers)
  const found = namesOf(level).map((name) => quantities.get(name))
  return found.find((quantity) => quantity !== undefined) ?? 0
}

/** The sellable units minus the safety stock, and 0 for a closed company. Orders may use the safety stock. */
export const shown = (marketplace: Pick<Marketplace, "buffers" | "closedCompanies">, level: Level.Level): number =>
  isOpen(marketplace, level.companyId) ? Math.max(0, Level.sellable(level) - bufferOf(marketplace, level)) : 0
