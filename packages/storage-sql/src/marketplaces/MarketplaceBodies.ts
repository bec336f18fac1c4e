/**
 * The stored bodies of marketplaces.
 */
import { StoredBody } from "@crossdock/kernel"
import type { LocationMapping, Marketplace, StoredWebhook } from "@crossdock/marketplaces"

const mapping: StoredBody.Fields<LocationMapping> = { companyId: true, location: true, code: true }

/** The fields of a webhook, encrypted or in plain. */
export const webhook = new StoredBody.OneOf<StoredWebhook.StoredWebhook>([
  { url: true, encrypted: true },
  { url: true, secret: true, retiring: { secret: true, until: true }, authentication: { type: true } }
])

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
    webhook
  }
})
