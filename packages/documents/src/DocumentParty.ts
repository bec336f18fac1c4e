/**
 * Who stands on a document, and where they are.
 */
import type { Company, Location } from "@crossdock/access"
import type { Address } from "@crossdock/shipments"

export interface DocumentParty {
  readonly name: string
  /** The address, line by line. */
  readonly lines: ReadonlyArray<string>
  readonly phone: string | null
  /** Their number for taxes and what it is called, such as GSTIN. */
  readonly taxNumber: { readonly name: string; readonly value: string } | null
}

const filled = (parts: ReadonlyArray<string | null>): ReadonlyArray<string> =>
  parts.flatMap((part) => (part === null || part.trim() === "" ? [] : [part]))

export const gstin = (value: string | null): DocumentParty["taxNumber"] =>
  value === null || value === "" ? null : { name: "GSTIN", value }

/**
 * A buyer or receiver.
 */
export const customerParty = (address: Address, taxNumber: string | null = null): DocumentParty => ({
  name: address.name,
  lines: filled([
    address.address1,
    address.address2,
    address.landmark,
    filled([address.city, address.state]).join(", "),
    filled([address.country, address.pincode]).join(" ")
  ]),
  phone: address.phone === "" ? null : address.phone,
  taxNumber: gstin(taxNumber)
})

/**
 * The seller under the company's legal name, at the location that ships.
 */
export const sellerParty = (company: Company, location: Location): DocumentParty => {
  const { address } = location
  return {
    name: company.legalName,
    lines:
      address === null
        ? filled([location.name])
        : filled([
            location.name,
            address.address1,
            address.address2,
            filled([address.city, address.state]).join(", "),
            filled([address.country, address.pincode]).join(" ")
          ]),
    phone: address?.phone ?? null,
    taxNumber: gstin(address?.gstin ?? null)
  }
}
