/**
 * A document's parties and their addresses.
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

/** A party as printed. */
export interface DocumentParty {
  readonly name: string
  readonly lines: ReadonlyArray<string>
  readonly phone: string | null
  /** The number and its name, such as GSTIN. */
  readonly taxNumber: { readonly name: string; readonly value: string } | null
}

const filled = (parts: ReadonlyArray<string | null>): ReadonlyArray<string> =>
  parts.flatMap((part) => (part === null || part.trim() === "" ? [] : [part]))

const linesOf = ({
  address1,
  address2,
  city,
  country,
  landmark,
  pincode,
  state
}: Omit<Address, "name" | "phone" | "email">) =>
  filled([address1, address2, landmark, filled([city, state]).join(", "), filled([country, pincode]).join(" ")])

const gstin = (value: string | null): DocumentParty["taxNumber"] =>
  value === null || value === "" ? null : { name: "GSTIN", value }

/** A buyer or receiver, without empty parts of the address. */
export const customerParty = (address: Address, taxNumber: string | null = null): DocumentParty => ({
  name: address.name,
  lines: linesOf(address),
  phone: address.phone === "" ? null : address.phone,
  taxNumber: gstin(taxNumber)
})

/** The seller: the company's legal name, and its location's address if known. */
export const sellerParty = ({ address, legalName, name }: PaperSeller): DocumentParty => ({
  name: legalName,
  lines: [...filled([name]), ...(address === null ? [] : linesOf({ ...address, landmark: null }))],
  phone: address?.phone ?? null,
  taxNumber: gstin(address?.gstin ?? null)
})
