/**
 * The test host's data: two companies, accounts, two marketplaces, a catalog and plans.
 */

import { readFileSync } from "node:fs"
import {
  type Account,
  Directory,
  type Location,
  type LocationAddress,
  PasswordHash,
  type Principal
} from "@crossdock/access"
import { BillingStore, type Plan, type PlanLimits } from "@crossdock/billing"
import { CatalogImport, ReferenceFile } from "@crossdock/catalog"
import { CompanyId } from "@crossdock/kernel"
import { MarketplaceStore } from "@crossdock/marketplaces"
import { Effect } from "effect"

const acme = CompanyId.make(1)
const globex = CompanyId.make(2)

const companies = [
  { id: acme, name: "Acme Retail", legalName: "Acme Retail Private Limited" },
  { id: globex, name: "Globex", legalName: "Globex Trading Private Limited" }
]

const location = (
  companyId: CompanyId,
  code: string,
  address: Pick<LocationAddress, "city" | "state" | "pincode" | "gstin">
): Location => ({
  companyId,
  code,
  name: `${address.city} 1`,
  currency: "INR",
  handlingHours: 24,
  address: { ...address, address1: "1 Market Road", address2: null, country: "India", phone: null }
})

/** The tax numbers are well-formed and belong to nobody. */
const locations = [
  location(acme, "BLR1", { city: "Bengaluru", state: "Karnataka", pincode: "560001", gstin: "29AAAAA0000A1Z5" }),
  location(acme, "BOM1", { city: "Mumbai", state: "Maharashtra", pincode: "400001", gstin: "27AAAAA0000A1Z5" }),
  location(globex, "DEL1", { city: "New Delhi", state: "Delhi", pincode: "110001", gstin: "07BBBBB0000B1Z5" })
]

const integration = (id: string, companyId: CompanyId, more: Partial<Principal & { kind: "integration" }> = {}) => ({
  kind: "integration" as const,
  id,
  integrationId: `test-${id}`,
  companyId,
  locations: null,
  stockPolicy: "set" as const,
  ...more
})

const readScopes = ["company/finance/read", "company/audit/read"]
const allScopes = ["company/finance/read", "company/finance/write", "company/audit/read", "company/audit/write"]

/**
 * Each account's password is its name followed by `-secret`.
 */
const principals: ReadonlyArray<Principal> = [
  integration("acme", acme),
  integration("acme-blr1", acme, { locations: ["BLR1"] }),
  integration("acme-adjust", acme, { stockPolicy: "adjust" }),
  integration("globex", globex),
  { kind: "marketplace", id: "bazaar" },
  { kind: "marketplace", id: "souk" },
  { kind: "platform_client", id: "ops", companyId: acme, scopes: allScopes },
  { kind: "platform_client", id: "viewer", companyId: acme, scopes: readScopes },
  { kind: "platform_client", id: "globex-ops", companyId: globex, scopes: allScopes }
]

const marketplace = (slug: string, name: string, locations: ReadonlyArray<readonly [CompanyId, string, string]>) => ({
  slug,
  name,
  currency: "INR",
  locations: locations.map(([companyId, location, code]) => ({ companyId, location, code })),
  skus: null,
  buffers: [],
  retiredCodes: [],
  webhook: null
})

const marketplaces = [
  marketplace("bazaar", "Bazaar", [
    [acme, "BLR1", "BLR1"],
    [acme, "BOM1", "BOM1"],
    [globex, "DEL1", "DEL1"]
  ]),
  marketplace("souk", "Souk", [[acme, "BOM1", "S-BOM"]])
]

const acmeSkus =
  "85123A 71053 84406B 84029G 84029E 22752 21730 22633 22632 84879 22745 22748 22749 22310 22639 22139".split(" ")
const globexSkus = ["GX-TEE-S", "GX-TEE-M", "GX-TEE-L"]

const shirt = (brand: string, sku: string) => ({
  item_type: "standard",
  name: `Shirt ${sku}`,
  slug: `shirt-${sku.toLowerCase()}`,
  departments: ["166"],
  category: "T-Shirts",
  brand,
  item_code: sku,
  country_of_origin: "India",
  tax_identifier: { tax_rule_id: "gst-12" },
  hs_code: "610910",
  sizes: [
    {
      primary_identifier: sku,
      size: "M",
      price: 799,
      price_effective: 499,
      item_length: 30,
      item_width: 25,
      item_height: 2,
      item_weight: 180,
      track_inventory: true
    }
  ],
  trader: [{ type: "Seller", name: brand, address: ["1 Market Road", "Bengaluru 560001"] }],
  attributes: { color: "Black", material: "Cotton" },
  is_dependent: false
})

const limits = (units: number, products: number): PlanLimits => ({
  application: { enabled: true, hardLimit: units, softLimit: units },
  marketplace: { enabled: true },
  otherPlatform: { enabled: true },
  team: { limit: -1 },
  products: { bulk: true, limit: products },
  extensions: { enabled: true, limit: -1 },
  integrations: { enabled: true, limit: -1 }
})

const since = Date.UTC(2026, 0, 1)

const plan = (id: string, name: string, amount: number, trialDays: number, allowed: PlanLimits): Plan => ({
  id,
  name,
  description: `${name}, by the month`,
  amount,
  currency: "INR",
  interval: "month",
  trialDays,
  productSuite: null,
  isActive: true,
  limits: allowed,
  createdAt: since,
  modifiedAt: since
})

const tenPercent = {
  reduction: { kind: "percent", hundredths: 1000 },
  plans: null,
  startsAt: null,
  maxUses: null
} as const

/**
 * The departments, categories, templates, HS codes and tax rules of the example hosts.
 */
const reference = new URL("../../cli/data/reference.json", import.meta.url)

export const load = Effect.gen(function* () {
  const [directory, hashes] = [yield* Directory, yield* PasswordHash]
  const [catalog, billing] = [yield* CatalogImport.CatalogImport, yield* BillingStore]
  yield* directory.putCompanies(companies)
  yield* directory.putLocations(locations)
  yield* Effect.flatMap(MarketplaceStore, (store) => Effect.forEach(marketplaces, store.put))
  const accounts = yield* Effect.forEach(principals, (principal) =>
    Effect.map(
      hashes.hash(`${principal.id}-secret`),
      (passwordHash): Account => ({
        username: principal.id,
        passwordHash,
        enabled: true,
        generation: 1,
        sandbox: true,
        principal
      })
    )
  )
  yield* directory.putAccounts(accounts)
  const read = ReferenceFile.decode(JSON.parse(readFileSync(reference, "utf8")))
  yield* catalog.reference(...(yield* Effect.fromResult(read)))
  const caller = { principal: { kind: "system", id: "test" }, requestId: null } as const
  for (const [company, brand, skus] of [
    [acme, "Acme", acmeSkus],
    [globex, "Globex", globexSkus]
  ] as const)
    yield* catalog.products(caller, company, [{ template: "apparel", products: skus.map((sku) => shirt(brand, sku)) }])
  yield* billing.putPlans([
    plan("basic", "Basic", 99_900, 14, limits(5, 10_000)),
    plan("growth", "Growth", 499_900, 0, limits(25, -1))
  ])
  yield* billing.putCoupons([
    { code: "WELCOME10", endsAt: null, ...tenPercent },
    { code: "EXPIRED", endsAt: since, ...tenPercent }
  ])
  yield* billing.putExtensions([{ id: "ext1", name: "Extension 1", companies: null }])
})
