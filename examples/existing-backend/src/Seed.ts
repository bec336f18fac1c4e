/**
 * The initial data of a shop: its company, a location, reference data, one product with five units, and a marketplace that
 * sells them.
 */
import type { ReferenceData } from "@crossdock/catalog"
import { type Host, orThrow } from "@crossdock/host"
import { company, seller } from "./Crossdock.ts"

const category = { departments: [1], isActive: true, channels: {} }

const referenceData: ReferenceData = {
  departments: [{ uid: 1, name: "Apparel", slug: "apparel", isActive: true }],
  categories: [
    { ...category, level: 1, uid: 1, name: "Apparel", slug: "apparel", parent: null, l1: null, l2: null },
    { ...category, level: 2, uid: 10, name: "Clothing", slug: "clothing", parent: 1, l1: 1, l2: null },
    { ...category, level: 3, uid: 11, name: "T-Shirts", slug: "t-shirts", parent: 10, l1: 1, l2: 10 }
  ],
  templates: [{ slug: "apparel", name: "Apparel", departments: ["apparel"], categories: ["t-shirts"], isActive: true }],
  attributes: [],
  hsCodes: [{ code: "610910", type: "HS", description: "T-shirts", countryCode: "IN" }],
  taxRules: [{ id: "gst-12", name: "GST 12 %", status: "ACTIVE", versions: [] }]
}

const tee = {
  item_type: "standard",
  name: "Tee with a lake",
  slug: "tee-with-a-lake",
  departments: ["1"],
  category: "T-Shirts",
  brand: "Lake View",
  item_code: "TEE",
  country_of_origin: "India",
  tax_identifier: { tax_rule_id: "gst-12" },
  hs_code: "610910",
  sizes: [{ primary_identifier: "TEE-M", size: "M", price: 799, price_effective: 499.5 }],
  trader: [{ type: "Seller", name: "Lake View", address: ["12 Lake View Road, Bengaluru 560001"] }],
  attributes: {},
  is_dependent: false
} as const

const location = { code: "BLR1", name: "Bengaluru 1", currency: "INR", handlingHours: 24, address: null }

const bazaar = {
  slug: "bazaar",
  name: "Bazaar",
  currency: "INR",
  locations: [{ companyId: company, location: "BLR1", code: "B-1" }],
  skus: null,
  buffers: [],
  webhook: null
} as const

/**
 * Fills the shop if its company doesn't exist. It writes everything or, after a failure, nothing. `password` is the password of
 * the marketplace.
 */
export const seed = ({ system, transaction }: Host.Host, password: string) =>
  transaction(async ({ services }) => {
    const { companies, inventory, marketplaces, productImport } = services
    const caller = system("setup")
    if ((await companies.find(company)).ok) return
    await orThrow(companies.register(caller, { id: company, name: "Shop", legalName: "Shop Ltd" }, [location]))
    await orThrow(productImport.reference(referenceData, [{ companyId: company, uid: 1, name: "Lake View" }]))
    await orThrow(productImport.products(caller, company, [{ template: "apparel", products: [tee] }]))
    const five = { sku: "TEE-M", location_id: "BLR1", quantity: 5 }
    await orThrow(inventory.setStock({ principal: seller, requestId: null }, [five]))
    await orThrow(marketplaces.register(caller, { ...bazaar, password }))
  })
