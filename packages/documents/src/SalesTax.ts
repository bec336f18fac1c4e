/** Which taxes a sale bears, as its papers name them. Source: docs/guides/extend.md#taxes. */
import * as Context from "effect/Context"
import { isIndia, type PlaceOfBusiness, stateCode, taxNames } from "./GoodsAndServicesTax.ts"

/**
 * The taxes of a host's country. A line's tax is what its order says; its parts, one for each name, add up to it.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { goodsAndServicesTax, type SalesTax } from "@crossdock/documents"
 *
 * const valueAddedTax: SalesTax = { taxNames: () => ["VAT"], placeOfSupply: () => null }
 * const to = { country: "India", state: "Goa", gstin: null }
 * deepStrictEqual([goodsAndServicesTax.taxNames(null, to), valueAddedTax.taxNames(null, to)], [["GST"], ["VAT"]])
 * ```
 */
export interface SalesTax {
  /** The names of the equal parts of a sale's tax; `from` is null if the seller's place is unknown. */
  readonly taxNames: (from: PlaceOfBusiness | null, to: PlaceOfBusiness) => ReadonlyArray<string>
  /** The place of supply as papers show it; null leaves it out. */
  readonly placeOfSupply: (to: PlaceOfBusiness) => string | null
}

/** The taxes of India. */
export const goodsAndServicesTax: SalesTax = Object.freeze({
  taxNames,
  placeOfSupply: (to: PlaceOfBusiness) => {
    const code = isIndia(to) ? stateCode(to) : undefined
    return code === undefined ? to.state : `${to.state} (${code})`
  }
})

/** The taxes of the host: India's unless it has its own. */
export const SalesTaxPolicy = Context.Reference<SalesTax>("@crossdock/documents/SalesTax", {
  defaultValue: () => goodsAndServicesTax
})
