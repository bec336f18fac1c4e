/** The taxes of a sale as documents name them. Source: docs/guides/extend.md#taxes. */
import type { ShipmentItem } from "@crossdock/shipments"
import * as Context from "effect/Context"
import { isIndia, type PlaceOfBusiness, stateCode, taxNames } from "./GoodsAndServicesTax.ts"

/**
 * The taxes of a host's country. The tax of each line is divided into equal parts, one per name.
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
  /** Returns the names of the equal parts of a line's tax. `from` is null if the seller's place isn't known. */
  readonly taxNames: (from: PlaceOfBusiness | null, to: PlaceOfBusiness, line: TaxedLine) => ReadonlyArray<string>
  /** Returns the place of supply that documents show, or null. */
  readonly placeOfSupply: (to: PlaceOfBusiness) => string | null
  /** The heading of HS codes, such as HSN/SAC in India. If the heading is absent, documents don't show the codes. */
  readonly codeName?: string
}

/** The facts that determine the taxes of a line. `taxRate` is the order's percentage. */
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

/** The taxes of the host. By default they are India's. */
export const SalesTaxPolicy = Context.Reference<SalesTax>("@crossdock/documents/SalesTax", {
  defaultValue: () => goodsAndServicesTax
})
