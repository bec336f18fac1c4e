/**
 * The stored bodies of marketplaces.
 */
import { StoredBody } from "@crossdock/kernel"
import type { LocationMapping, Marketplace } from "@crossdock/marketplaces"

const mapping: StoredBody.Fields<LocationMapping> = { companyId: true, location: true, code: true }

export const marketplaces = StoredBody.make<Marketplace>({
  name: "marketplace",
  fields: {
    slug: true,
    name: true,
    currency: true,
    locations: [mapping],
    retiredCodes: [mapping],
    skus: true,
    buffers: [{ companyId: true, location: true, sku: true, quantity: true }],
    webhook: { url: true, secret: true, retiring: true, authentication: { type: true } }
  }
})
