/**
 * The names of the taxes on a sale in India: CGST and SGST (or UTGST) within a state, and otherwise IGST.
 * Source: docs/reference/documents.md#tax-split.
 *
 * @example
 * ```ts
 * import { deepStrictEqual, strictEqual } from "node:assert/strict"
 * import { GoodsAndServicesTax } from "@crossdock/documents"
 *
 * strictEqual(GoodsAndServicesTax.isIndia({ country: "भारत" }), true)
 * strictEqual(GoodsAndServicesTax.stateCode({ gstin: null, state: "Karnataka" }), "29")
 * const seller = { country: "India", state: "Karnataka", gstin: null }
 * deepStrictEqual(GoodsAndServicesTax.taxNames(seller, { ...seller, state: "KA" }), ["CGST", "SGST"])
 * deepStrictEqual(GoodsAndServicesTax.taxNames(seller, { ...seller, state: "Goa" }), ["IGST"])
 * ```
 */

/** The states of India, with the code in a GSTIN, the ISO 3166-2:IN code without IN-, and names. Source: the GST system. */
const states = [
  ["01", "JK", "Jammu and Kashmir"],
  ["02", "HP", "Himachal Pradesh"],
  ["03", "PB", "Punjab"],
  ["04", "CH", "Chandigarh"],
  ["05", "UK", "Uttarakhand", "Uttaranchal", "UT"],
  ["06", "HR", "Haryana"],
  ["07", "DL", "Delhi", "New Delhi", "NCT of Delhi", "Delhi NCR"],
  ["08", "RJ", "Rajasthan"],
  ["09", "UP", "Uttar Pradesh"],
  ["10", "BR", "Bihar"],
  ["11", "SK", "Sikkim"],
  ["12", "AR", "Arunachal Pradesh"],
  ["13", "NL", "Nagaland"],
  ["14", "MN", "Manipur"],
  ["15", "MZ", "Mizoram"],
  ["16", "TR", "Tripura"],
  ["17", "ML", "Meghalaya"],
  ["18", "AS", "Assam"],
  ["19", "WB", "West Bengal"],
  ["20", "JH", "Jharkhand"],
  ["21", "OD", "Odisha", "Orissa", "OR"],
  ["22", "CG", "Chhattisgarh", "Chattisgarh", "CT"],
  ["23", "MP", "Madhya Pradesh"],
  ["24", "GJ", "Gujarat"],
  ["26", "DH", "Dadra and Nagar Haveli and Daman and Diu", "Daman and Diu", "Dadra and Nagar Haveli", "DD", "DN"],
  ["27", "MH", "Maharashtra"],
  ["29", "KA", "Karnataka"],
  ["30", "GA", "Goa"],
  ["31", "LD", "Lakshadweep"],
  ["32", "KL", "Kerala"],
  ["33", "TN", "Tamil Nadu", "Tamilnadu"],
  ["34", "PY", "Puducherry", "Pondicherry"],
  ["35", "AN", "Andaman and Nicobar Islands", "Andaman and Nicobar"],
  ["36", "TS", "Telangana", "TG"],
  ["37", "AP", "Andhra Pradesh"],
  ["38", "LA", "Ladakh"],
  ["97", "OT", "Other Territory"]
] as const

/** The union territories that have no legislature. Their tax is UTGST. */
const unionTerritories = new Set(["04", "26", "31", "35", "38", "97"])

const folded = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll("&", "and")
    .replace(/[^\p{L}\p{M}\p{N}]/gu, "")

const codes: ReadonlyMap<string, string> = new Map(
  states.flatMap(([code, ...names]) => [code, ...names].map((name) => [folded(name), code]))
)

const india = new Set(["india", "in", "ind", "bharat", "भारत"].map(folded))

/** The place of business of a seller or buyer, as it was written. */
export interface PlaceOfBusiness {
  readonly country: string
  readonly state: string
  readonly gstin: string | null
}

/** Whether the place is in India, by the name or code of the country in any case. */
export const isIndia = (place: Pick<PlaceOfBusiness, "country">): boolean => india.has(folded(place.country))

/** A state's two-digit code: from the GSTIN, or else from the state's name or code. It is undefined if neither is known. */
export const stateCode = ({ gstin, state }: Pick<PlaceOfBusiness, "gstin" | "state">): string | undefined =>
  codes.get(gstin?.slice(0, 2) ?? "") ?? codes.get(folded(state))

/** The names of the equal parts of a sale's tax. If the seller's place isn't known (`from` is null), there is one name. */
export const taxNames = (from: PlaceOfBusiness | null, to: PlaceOfBusiness): ReadonlyArray<string> => {
  if (from === null) return isIndia(to) ? ["GST"] : ["Tax"]
  if (!isIndia(from)) return ["Tax"]
  if (!isIndia(to)) return ["IGST"]
  const [seller, buyer] = [stateCode(from), stateCode(to)]
  if (seller === undefined || buyer === undefined) return ["GST"]
  return seller === buyer ? ["CGST", unionTerritories.has(seller) ? "UTGST" : "SGST"] : ["IGST"]
}
