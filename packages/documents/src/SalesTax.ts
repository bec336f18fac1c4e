/** Which taxes a sale bears, as its papers name them. Source: docs/guides/extend.md#taxes. */
import type { ShipmentItem } from "@crossdock/shipments"
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
 * const line = { sku: "T", hsCode: "610910", taxRate: 20 }
 * const to = { country: "India", state: "Goa", gstin: null }
 * deepStrictEqual([goodsAndServicesTax, valueAddedTax].map((tax) => tax.taxNames(null, to, line)), [["GST"], ["VAT"]])
 * ```
 */
export interface SalesTax {
  /** The names of the equal parts of a line's tax, which may depend on its HS code; `from` may be unknown. */
  readonly taxNames: (from: PlaceOfBusiness | null, to: PlaceOfBusiness, line: TaxedLine) => ReadonlyArray<string>
  /** The place of supply as papers show it; null leaves it out. */
  readonly placeOfSupply: (to: PlaceOfBusiness) => string | null
  /** The heading of HS codes, such as HSN/SAC in India. Without it, papers leave the codes out. */
  readonly codeName?: string
}

/** What a line's taxes depend on. `taxRate` is in percent, as its order says. */
export type TaxedLine = Pick<ShipmentItem, "sku" | "hsCode" | "taxRate" | "customFields">

/** The taxes of India. */
export const goodsAndServicesTax: SalesTax = Object.freeze({
  taxNames,
  codeName: "HSN/SAC",
  placeOfSupply: (to: PlaceOfBusiness) => {
    const code = isIndia(to) ? stateCode(to) : undefined
    return code === undefined ? to.state : `${to.state} (${code})`
  }
})

/** The taxes of the host: India's unless it has its own. */
export const SalesTaxPolicy = Context.Reference<SalesTax>("@crossdock/documents/SalesTax", {
  defaultValue: () => goodsAndServicesTax
})
