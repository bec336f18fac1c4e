/**
 * The stored bodies of accounts and locations.
 */
import type { LocationAddress, Principal } from "@crossdock/access"
import { StoredBody } from "@crossdock/kernel"

export const principals = StoredBody.make<Principal>({ name: "principal of", fields: { kind: true, id: true } })

export const addresses = StoredBody.make<LocationAddress>({
  name: "address of location",
  fields: {
    address1: true,
    address2: true,
    city: true,
    state: true,
    pincode: true,
    country: true,
    phone: true,
    gstin: true
  }
})
