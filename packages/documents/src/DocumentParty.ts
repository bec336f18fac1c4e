/**
 * The parties of a document and their addresses.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { customerParty } from "@crossdock/documents"
 *
 * const name = { name: "A Customer", phone: "+919876543210", email: null }
 * const address = { ...name, address1: "12 Dock Road", address2: "", landmark: null, country: "India", pincode: "400001" }
 * const party = customerParty({ ...address, city: "Mumbai", state: "Maharashtra" }, "27AAAAA0000A1Z5")
 * deepStrictEqual(party.lines, ["12 Dock Road", "Mumbai, Maharashtra", "India 400001"])
 * deepStrictEqual(party.taxNumber, { name: "GSTIN", value: "27AAAAA0000A1Z5" })
 * ```
 */
import type { Address, PaperSeller } from "@crossdock/shipments"

/** A party as documents print it. */
export interface DocumentParty {
  readonly name: string
  readonly lines: ReadonlyArray<string>
  readonly phone: string | null
  /** The tax number, with the name of the number, such as GSTIN. */
  readonly taxNumber: { readonly name: string; readonly value: string } | null
}

const filled = (parts: ReadonlyArray<string | null>): ReadonlyArray<string> =>
  parts.flatMap((part) => (part === null || part.trim() === "" ? [] : [part]))

const linesOf = (at: Omit<Address, "name" | "phone" | "email">) => {
  const [city, country] = [filled([at.city, at.state]).join(", "), filled([at.country, at.pincode]).join(" ")]
  return filled([at.address1, at.address2, at.landmark, city, country])
}

const gstin = (value: string | null): DocumentParty["taxNumber"] =>
  value === null || value === "" ? null : { name: "GSTIN", value }

/** A buyer or receiver. Empty parts of the address are left out. */
export const customerParty = (address: Address, taxNumber: string | null = null): DocumentParty => ({
  name: address.name,
  lines: linesOf(address),
  phone: address.phone === "" ? null : address.phone,
  taxNumber: gstin(taxNumber)
})

/** The seller: the company's legal name, then the location's name and, if it is known, its address. */
export const sellerParty = ({ address, legalName, name }: PaperSeller): DocumentParty => ({
  name: legalName,
  lines: [...filled([name]), ...(address === null ? [] : linesOf({ ...address, landmark: null }))],
  phone: address?.phone ?? null,
  taxNumber: gstin(address?.gstin ?? null)
})
