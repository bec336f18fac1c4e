/** The world of a history: two sellers and two marketplaces, and what is known about them without reading the storage. */
import { type Caller, Directory, type Integration, type MarketplaceCaller, type System } from "@crossdock/access"
import { AuditTrail, CompanyWrite, Events, type Head, UserAgents } from "@crossdock/audit"
import { CatalogImport, CatalogWrites, CustomFields, References } from "@crossdock/catalog"
import { DigestNode, NonceNode, PasswordHashScrypt } from "@crossdock/crypto"
import { Inventory } from "@crossdock/inventory"
import { CompanyId, Idempotency, Ids } from "@crossdock/kernel"
import { type LocationMapping, Marketplaces, type Registration } from "@crossdock/marketplaces"
import { Notifications } from "@crossdock/notifications"
import { type Order, type OrderDraft, OrderPricing, Orders } from "@crossdock/orders"
import { Pricing } from "@crossdock/pricing"
import { Couriers, PaperNumbers, type Shipment, Shipments } from "@crossdock/shipments"
import type { StorageMemory } from "@crossdock/storage-memory"
import type { Random } from "@crossdock/system-tests/Random"
import { Effect, Layer } from "effect"
import * as Charges from "./Charges.ts"
import * as Fields from "./Fields.ts"
import * as Goods from "./Goods.ts"
import * as Receiver from "./Receiver.ts"

export type Ports = Layer.Success<typeof StorageMemory.layer>

const ground = Layer.mergeAll(
  DigestNode.layer,
  NonceNode.layer,
  Ids.layer,
  // Passwords don't matter here, so scrypt runs at its lowest cost.
  PasswordHashScrypt.layer({ logN: 4, blockSize: 8, parallel: 1 }),
  Layer.succeed(UserAgents, UserAgents.of({ describe: () => ({}) }))
)

/** A courier port whose AWB numbers repeat, so that some are already used. The marketplace sends the same numbers, too. */
export const repeatingCouriers: typeof Couriers.layer = Layer.sync(Couriers.Couriers, () => {
  let given = 0
  return {
    assign: () => Effect.sync(() => ({ name: "Swift", code: "SW", awbNumbers: [`AWB${1 + (given++ % 2)}`] })),
    trackingUrl: () => null
  }
})

/** The host's series of document numbers for each kind and location. It is used if the seller gives no number. */
export const seriesOf: PaperNumbers.SeriesOf = ({ kind, location }) => `${kind === "sale" ? "R" : "G"}-${location}-`

/** The services of a host on `storage`. The host has fields, series and charges of its own. */
export const services = <E>(storage: Layer.Layer<Ports, E>, couriers = Couriers.layer) =>
  Layer.mergeAll(
    Marketplaces.layer,
    Orders.layer,
    Shipments.layer,
    CatalogWrites.layer,
    CatalogImport.layer,
    Pricing.layer
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(Notifications.layer, AuditTrail.layer, Events.layer, Inventory.layer)),
    Layer.provideMerge(Layer.mergeAll(CompanyWrite.layer, References.layer, couriers, Idempotency.layer)),
    Layer.provideMerge(Layer.merge(storage, ground)),
    Layer.provideMerge(Layer.succeed(CustomFields.Policy, Fields.policy)),
    Layer.provideMerge(Layer.succeed(PaperNumbers.Series, seriesOf)),
    Layer.provideMerge(Layer.succeed(OrderPricing.Charges, Charges.policy))
  )

export type Services = Layer.Success<ReturnType<typeof services>>

export const companies = [CompanyId.make(1), CompanyId.make(2)] as const
export const locations = ["L1", "L2"] as const
export const slugs = ["bazaar", "souk"] as const

export type Slug = (typeof slugs)[number]

/** An order that was placed. `sent` is the order as the marketplace sent it. */
export interface PlacedOrder {
  readonly sent: OrderDraft
  readonly order: Order
  readonly shipments: ReadonlyArray<Shipment>
}

/**
 * The state of a history. `now` is the time of the clock. `placed` orders are in the database, `archived` ones in files.
 * `touched` orders may have changed in this step. `erased` ones have no personal data. `sizes` are sold sizes by line id,
 * `papers` first contents of documents by name, `products` and `owned` fields of products and companies. `aborts` counts the
 * aborted writes. Its choices don't change those of `draw`.
 */
export interface World {
  readonly draw: Random
  now: number
  orders: number
  readonly placed: Map<string, PlacedOrder>
  readonly archived: Map<string, PlacedOrder>
  readonly touched: Set<string>
  readonly receivers: Readonly<Record<Slug, Receiver.Receiver>>
  readonly registrations: Record<Slug, Registration.Registration>
  readonly heads: Map<CompanyId, Head>
  readonly sizes: Map<string, number>
  readonly papers: Map<string, string>
  readonly products: Map<string, CustomFields.Values | undefined>
  readonly owned: Map<CompanyId, Readonly<Record<"company" | "location", CustomFields.Values | undefined>>>
  readonly erased: Set<string>
  readonly aborts: { readonly draw: Random; count: number }
}

/** The shipments of all orders, in the database and in files. */
export const everyShipment = ({ archived, placed }: World): ReadonlyArray<Shipment> =>
  [...placed.values(), ...archived.values()].flatMap(({ shipments }) => shipments)

export const seller = (companyId: CompanyId, stockPolicy: Integration["stockPolicy"] = "set"): Caller<Integration> => ({
  principal: {
    kind: "integration",
    id: `seller-${companyId}`,
    integrationId: `seller-${companyId}`,
    companyId,
    locations: null,
    stockPolicy
  },
  requestId: null
})

export const marketplace = (slug: Slug): Caller<MarketplaceCaller> => ({
  principal: { kind: "marketplace", id: slug },
  requestId: null
})

export const host: Caller<System> = { principal: { kind: "system", id: "history" }, requestId: null }

/** All locations, each with a code of the marketplace. */
export const allPlaces = (slug: Slug): ReadonlyArray<LocationMapping> =>
  companies.flatMap((companyId) =>
    locations.map((location) => ({ companyId, location, code: `${slug}-${companyId}-${location}` }))
  )

const registrationOf = (slug: Slug): Registration.Registration => ({
  slug,
  name: slug,
  currency: "INR",
  password: "a password of some length",
  locations: allPlaces(slug),
  skus: null,
  buffers: [],
  webhook: {
    url: `https://${slug}.example/stock`,
    secret: "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
    authentication: { type: "none" }
  }
})

const begin = 1_800_000_000_000

/** A world before its first step. */
export const make = (draw: Random, aborting: Random = () => 1): World => ({
  draw,
  now: begin,
  orders: 0,
  placed: new Map(),
  archived: new Map(),
  touched: new Set(),
  receivers: { bazaar: Receiver.make(), souk: Receiver.make() },
  registrations: { bazaar: registrationOf("bazaar"), souk: registrationOf("souk") },
  heads: new Map(),
  sizes: new Map(),
  papers: new Map(),
  products: new Map(),
  owned: new Map(),
  erased: new Set(),
  aborts: { draw: aborting, count: 0 }
})

/** Stores the sellers, their products and stock, and the marketplaces. */
export const settle = (world: World) =>
  Effect.gen(function* () {
    const [directory, imports] = [yield* Directory, yield* CatalogImport.CatalogImport]
    const { register } = yield* Marketplaces.Marketplaces
    const stock = yield* Inventory.Inventory
    yield* directory.putCompanies(companies.map((id) => ({ id, name: `Seller ${id}`, legalName: `Seller ${id}` })))
    yield* directory.putLocations(
      companies.flatMap((companyId) =>
        locations.map((code) => ({ companyId, code, name: code, currency: "INR", handlingHours: 24, address: null }))
      )
    )
    yield* imports.reference(Goods.reference, Goods.brands(companies))
    for (const company of companies) {
      yield* directory.setClosed(company, null)
      yield* imports.products(host, company, [{ template: "apparel", products: Goods.codes.map(Goods.product) }])
      yield* stock.setStock(seller(company), Goods.some(20))
    }
    for (const slug of slugs) yield* register(host, world.registrations[slug])
  })
