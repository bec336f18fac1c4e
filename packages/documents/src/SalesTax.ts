/** The taxes of a sale, as papers name them. Source: docs/guides/extend.md#taxes. */
import type { ShipmentItem } from "@crossdock/shipments"
import * as Context from "effect/Context"
import { isIndia, type PlaceOfBusiness, stateCode, taxNames } from "./GoodsAndServicesTax.ts"

/**
 * The taxes of a host's country. The order gives a line's tax; the parts, one per name, add up to it.
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
  /** The names of a line's equal tax parts, which may depend on its HS code; `from` may be unknown. */
  readonly taxNames: (from: PlaceOfBusiness | null, to: PlaceOfBusiness, line: TaxedLine) => ReadonlyArray<string>
  /** The place of supply on papers, or null. */
  readonly placeOfSupply: (to: PlaceOfBusiness) => string | null
  /** The heading of HS codes, such as HSN/SAC in India. Without it, papers omit the codes. */
  readonly codeName?: string
}

/** The facts that decide a line's taxes. `taxRate` is the order's percentage. */
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

/** The host's taxes; India's by default. */
export const SalesTaxPolicy = Context.Reference<SalesTax>("@crossdock/documents/SalesTax", {
  defaultValue: () => goodsAndServicesTax
})
