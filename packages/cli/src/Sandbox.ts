/** The sandbox: two companies, two marketplaces and a real catalog. Source: docs/reference/host.md#sandbox. */
import { readFile } from "node:fs/promises"
import { type Account, type AccountHolder, type Company, Directory, type Location } from "@crossdock/access"
import { BillingStore, type Coupon, type Extension, type Plan } from "@crossdock/billing"
import { CatalogImport, ReferenceFile } from "@crossdock/catalog"
import { PasswordHashScrypt } from "@crossdock/crypto"
import type { Services } from "@crossdock/host"
import { CompanyId, required, SecretCipher } from "@crossdock/kernel"
import { type Marketplace, MarketplaceStore, StoredWebhook, type Webhook } from "@crossdock/marketplaces"
import { Effect, Result } from "effect"
import { importsOf, type RetailProduct } from "./SandboxData.ts"
import sandbox from "./sandbox.json" with { type: "json" }

/** The sandbox. Its tax numbers are unassigned, in a valid form. A password is the name of its principal and `-secret`. */
const { companies, coupons, extensions, locations, marketplaces, plans, principals } = sandbox as unknown as {
  readonly companies: ReadonlyArray<Company>
  readonly locations: ReadonlyArray<Location>
  readonly principals: ReadonlyArray<AccountHolder>
  readonly marketplaces: ReadonlyArray<Marketplace>
  readonly plans: ReadonlyArray<Plan>
  readonly coupons: ReadonlyArray<Coupon.Coupon>
  readonly extensions: ReadonlyArray<Extension>
}

/** Loads the sandbox's plans, coupons and extensions. Loading them again changes nothing. */
export const loadBilling = Effect.gen(function* () {
  const store = yield* BillingStore
  yield* store.putPlans(plans)
  yield* store.putCoupons(coupons)
  yield* store.putExtensions(extensions)
})

export const acme = CompanyId.make(1)
const globex = CompanyId.make(2)

const principalOf = <K extends AccountHolder["kind"]>(kind: K, name: string) =>
  required(
    principals.find((one): one is Extract<AccountHolder, { kind: K }> => one.kind === kind && one.id === name),
    `the principal ${name}`
  )

/** The principals that send the requests of the day. */
export const senders = {
  seller: async () => principalOf("integration", "acme"),
  marketplace: async () => principalOf("marketplace", "bazaar"),
  platform: async () => principalOf("platform_client", "ops")
}

/** The accounts that the console offers. They include the operator's account if `operator` is true. */
export const loginsOf = (operator: boolean) => logins.filter(({ kind }) => operator || kind !== "operator")

const logins = principals.map((principal) => {
  const { id: username, kind } = principal
  const login = { kind, username, password: `${username}-secret` }
  if (!("companyId" in principal)) return login
  const { companyId } = principal
  return { ...login, companyId, company: companies.find(({ id }) => id === companyId)?.name ?? "" }
})

const data = <A>(name: string) =>
  Effect.map(
    Effect.promise(() => readFile(new URL(`../data/${name}.json`, import.meta.url), "utf8")),
    (text) => JSON.parse(text) as A
  )

const encryption = Effect.map(SecretCipher.SecretCipher, (cipher) => ({
  cipher,
  place: StoredWebhook.placeOf("bazaar")
}))

/** Sets the webhook of bazaar if the settings have one. It changes nothing else of bazaar's registration. */
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

/** Loads the sandbox. It runs `day`, the requests of the sandbox's first day, before it adds the accounts. */
export type Load = (day: Loading) => Loading

/**
 * Loads the sandbox if it isn't loaded yet. `within` provides what the loading needs, such as another clock. A later start
 * sets only the webhook of bazaar, and keeps all other changes.
 */
export const load = (webhook: Webhook | null, within: (load: Load) => Loading = (load) => load(Effect.void)): Loading =>
  Effect.flatMap(Directory, (directory) =>
    Effect.flatMap(directory.account("integration", "acme"), (acme) =>
      acme === undefined ? within((day) => fill(webhook, day)) : setWebhook(webhook)
    )
  )

const fill = Effect.fnUntraced(function* (webhook: Webhook | null, day: Loading) {
  const directory = yield* Directory
  const stored = webhook === null ? null : StoredWebhook.renewed(yield* encryption, webhook)
  const webhookOf = ({ slug }: Marketplace) => (slug === "bazaar" ? stored : null)
  const store = yield* MarketplaceStore
  yield* Effect.forEach(marketplaces, (one) => store.put({ ...one, webhook: webhookOf(one) }))
  // The passwords are public, so a slow hash would protect nothing.
  const hashes = PasswordHashScrypt.make({ logN: 4, blockSize: 8, parallel: 1 })
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
