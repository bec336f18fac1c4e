/** The sandbox: two companies, two marketplaces and a real catalog. Source: docs/reference/host.md#sandbox. */
import { readFile } from "node:fs/promises"
import {
  type Account,
  type Company,
  Directory,
  type Location,
  type LocationAddress,
  PasswordHash,
  type Principal
} from "@crossdock/access"
import { BillingStore, type Coupon, type Extension, type Plan, type PlanLimits } from "@crossdock/billing"
import { CatalogImport, ReferenceFile } from "@crossdock/catalog"
import type { Services } from "@crossdock/host"
import { CompanyId, SecretCipher } from "@crossdock/kernel"
import { type Marketplace, MarketplaceStore, StoredWebhook, type Webhook } from "@crossdock/marketplaces"
import { Effect, Result } from "effect"
import { importsOf, type RetailProduct } from "./SandboxData.ts"

const since = Date.UTC(2026, 0, 1)

const limits = (units: number, products: number): PlanLimits => ({
  application: { enabled: true, hardLimit: units, softLimit: units },
  marketplace: { enabled: true },
  otherPlatform: { enabled: true },
  team: { limit: -1 },
  products: { bulk: true, limit: products },
  extensions: { enabled: true, limit: -1 },
  integrations: { enabled: true, limit: -1 }
})

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

const plans: ReadonlyArray<Plan> = [
  plan("basic", "Basic", 99_900, 14, limits(5, 10_000)),
  plan("growth", "Growth", 499_900, 0, limits(25, -1))
]

const tenPercent = { kind: "percent", hundredths: 1000 } as const

const coupons: ReadonlyArray<Coupon.Coupon> = [
  { code: "WELCOME10", reduction: tenPercent, plans: null, startsAt: null, endsAt: null, maxUses: null },
  { code: "EXPIRED", reduction: tenPercent, plans: null, startsAt: null, endsAt: since, maxUses: null }
]

const extensions: ReadonlyArray<Extension> = [{ id: "ext1", name: "Extension 1", companies: null }]

/** Loads the sandbox's plans, coupons and extensions. Loading them again changes nothing. */
export const loadBilling = Effect.gen(function* () {
  const store = yield* BillingStore
  yield* store.putPlans(plans)
  yield* store.putCoupons(coupons)
  yield* store.putExtensions(extensions)
})

export const acme = CompanyId.make(1)
export const globex = CompanyId.make(2)

const companies: ReadonlyArray<Company> = [
  { id: acme, name: "Acme Retail", legalName: "Acme Retail Private Limited" },
  { id: globex, name: "Globex", legalName: "Globex Trading Private Limited" }
]

const location = (
  companyId: CompanyId,
  code: string,
  name: string,
  address: Omit<LocationAddress, "address2" | "country" | "phone">
): Location => ({
  companyId,
  code,
  name,
  currency: "INR",
  handlingHours: 24,
  address: { ...address, address2: null, country: "India", phone: null }
})

/** The tax numbers are valid in form, but unassigned. */
const locations = [
  location(acme, "BLR1", "Bengaluru 1", {
    address1: "1 Market Road",
    city: "Bengaluru",
    state: "Karnataka",
    pincode: "560001",
    gstin: "29AAAAA0000A1Z5"
  }),
  location(acme, "BOM1", "Mumbai 1", {
    address1: "12 Dock Road",
    city: "Mumbai",
    state: "Maharashtra",
    pincode: "400001",
    gstin: "27AAAAA0000A1Z5"
  }),
  location(globex, "DEL1", "Delhi 1", {
    address1: "3 Ring Road",
    city: "New Delhi",
    state: "Delhi",
    pincode: "110001",
    gstin: "07BBBBB0000B1Z5"
  })
]

const integration = (id: string, companyId: CompanyId, more: Partial<Principal & { kind: "integration" }> = {}) => ({
  kind: "integration" as const,
  id,
  integrationId: `sandbox-${id}`,
  companyId,
  locations: null,
  stockPolicy: "set" as const,
  ...more
})

const allScopes = ["company/finance/read", "company/finance/write", "company/audit/read", "company/audit/write"]
const readScopes = ["company/finance/read", "company/audit/read"]

const client = (id: string, companyId: CompanyId, scopes: ReadonlyArray<string>) => ({
  kind: "platform_client" as const,
  id,
  companyId,
  scopes
})

/** The password of each is its name followed by `-secret`. */
const principals: ReadonlyArray<Principal> = [
  integration("acme", acme),
  integration("acme-blr1", acme, { locations: ["BLR1"] }),
  integration("acme-adjust", acme, { stockPolicy: "adjust" }),
  integration("globex", globex),
  { kind: "marketplace", id: "bazaar" },
  { kind: "marketplace", id: "souk" },
  client("ops", acme, allScopes),
  client("viewer", acme, readScopes),
  client("globex-ops", globex, allScopes)
]

/** Who sends the requests of the day. */
export const senders = {
  seller: async () => integration("acme", acme),
  marketplace: async () => ({ kind: "marketplace", id: "bazaar" }) as const,
  platform: async () => client("ops", acme, allScopes)
}

/** The accounts as the console offers them. */
export const logins = principals.map((principal) => {
  const { id: username, kind } = principal
  const login = { kind, username, password: `${username}-secret` }
  if (!("companyId" in principal)) return login
  const { companyId } = principal
  return { ...login, companyId, company: companies.find(({ id }) => id === companyId)?.name ?? "" }
})

const marketplaces = (webhook: StoredWebhook.StoredWebhook | null): ReadonlyArray<Marketplace> => [
  {
    slug: "bazaar",
    name: "Bazaar",
    currency: "INR",
    locations: [
      { companyId: acme, location: "BLR1", code: "BLR1" },
      { companyId: acme, location: "BOM1", code: "BOM1" },
      { companyId: globex, location: "DEL1", code: "DEL1" }
    ],
    skus: null,
    buffers: [],
    retiredCodes: [],
    webhook
  },
  {
    slug: "souk",
    name: "Souk",
    currency: "INR",
    locations: [{ companyId: acme, location: "BOM1", code: "S-BOM" }],
    skus: null,
    buffers: [],
    retiredCodes: [],
    webhook: null
  }
]

const data = <A>(name: string) =>
  Effect.map(
    Effect.promise(() => readFile(new URL(`../data/${name}.json`, import.meta.url), "utf8")),
    (text) => JSON.parse(text) as A
  )

const encryption = Effect.map(SecretCipher.SecretCipher, (cipher) => ({
  cipher,
  place: StoredWebhook.placeOf("bazaar")
}))

/** Sets bazaar's webhook from the settings, if they have one. The rest of its registration doesn't change. */
const setWebhook = Effect.fnUntraced(function* (webhook: Webhook | null) {
  const marketplaceStore = yield* MarketplaceStore
  const bazaar = yield* marketplaceStore.find("bazaar")
  if (webhook === null || bazaar === undefined) return
  const stored = bazaar.webhook === null ? null : StoredWebhook.decrypted(yield* encryption, bazaar.webhook)
  const { secret, url } = stored !== null && Result.isSuccess(stored) ? stored.success : {}
  if (url !== webhook.url || secret !== webhook.secret)
    yield* marketplaceStore.put({ ...bazaar, webhook: StoredWebhook.renewed(yield* encryption, webhook) })
})

type Loading = Effect.Effect<void, unknown, Services.Services>

/** Loads the sandbox, and `day` before its accounts. */
export type Load = (day: Loading) => Loading

/** Loads the sandbox once, `within` what it needs besides. A later start sets only bazaar's webhook and keeps all other changes. */
export const load = (webhook: Webhook | null, within: (load: Load) => Loading = (load) => load(Effect.void)): Loading =>
  Effect.flatMap(Directory, (directory) =>
    Effect.flatMap(directory.account("integration", "acme"), (acme) =>
      acme === undefined ? within((day) => fill(webhook, day)) : setWebhook(webhook)
    )
  )

const fill = Effect.fnUntraced(function* (webhook: Webhook | null, day: Loading) {
  const directory = yield* Directory
  const stored = webhook === null ? null : StoredWebhook.renewed(yield* encryption, webhook)
  yield* Effect.flatMap(MarketplaceStore, (store) => Effect.forEach(marketplaces(stored), store.put))
  const hashes = yield* PasswordHash
  const catalog = yield* CatalogImport.CatalogImport
  yield* directory.putCompanies(companies)
  yield* directory.putLocations(locations)
  yield* catalog.reference(...(yield* Effect.fromResult(ReferenceFile.decode(yield* data("reference")))))
  const caller = { principal: { kind: "system", id: "sandbox" }, requestId: null } as const
  for (const [company, name] of [[acme, "retail-products"] as const, [globex, "globex-products"] as const])
    yield* catalog.products(caller, company, importsOf(yield* data<ReadonlyArray<RetailProduct>>(name)))
  yield* day
  const accounts = yield* Effect.forEach(
    principals,
    (principal) =>
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
      ),
    { concurrency: "unbounded" }
  )
  yield* directory.putAccounts(accounts)
})
