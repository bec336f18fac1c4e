/**
 * What is read to place an order: its marketplace, the locations that its shipments leave from, and what is stored about the
 * SKUs of its lines.
 */
import { Directory, type Location } from "@crossdock/access"
import { ProductStore, type SoldSku } from "@crossdock/catalog"
import { StockLevels } from "@crossdock/inventory"
import { type CompanyId, required } from "@crossdock/kernel"
import { type Marketplace, MarketplaceStore, Offer, companiesOf as sellersOf } from "@crossdock/marketplaces"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { OrderDraft } from "./Order.ts"
import type * as OrderReservation from "./OrderReservation.ts"

/** Milliseconds for which marketplaces and locations are cached: they rarely change and are read with every order. */
const cacheMillis = 2000

/**
 * Caches the answers of a lookup. The lookup runs in the caller's transaction if there is one: a cache with its own
 * connection could wait for the one that the caller uses.
 */
const cached = <Key, A, E>(lookup: (key: Key) => Effect.Effect<A, E>) =>
  Effect.map(
    Ref.make<ReadonlyMap<Key, { readonly value: A; readonly at: number }>>(new Map()),
    (known) => (key: Key) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const hit = (yield* Ref.get(known)).get(key)
        // An answer from the future is older than it looks, since the clock was set back.
        if (hit !== undefined && hit.at <= now && now < hit.at + cacheMillis) return hit.value
        const value = yield* lookup(key)
        yield* Ref.update(known, (all) => new Map(all).set(key, { value, at: now }))
        return value
      })
  )

const unknownMarketplace = (slug: string): Marketplace => ({
  slug,
  name: slug,
  currency: "",
  locations: [],
  retiredCodes: [],
  skus: null,
  buffers: [],
  webhook: null
})

/** The locations by shipment; undefined when the marketplace has no location with the shipment's code. */
export type OrderOrigins = ReadonlyArray<Location | undefined>

/** The companies of the locations, each once, by ascending id. */
export const companiesOf = (origins: OrderOrigins): ReadonlyArray<CompanyId> =>
  [...new Set(origins.flatMap((origin) => (origin === undefined ? [] : [origin.companyId])))].sort((a, b) => a - b)

/** The lines of all shipments. */
const linesOf = (draft: OrderDraft, origins: OrderOrigins, shipmentIds: ReadonlyArray<string>) =>
  draft.shipments.flatMap(({ lines }, shipment) =>
    lines.map(({ quantity, sku }, line) => ({
      shipment,
      line,
      sku,
      quantity,
      shipmentId: required(shipmentIds[shipment], "the id of a new shipment"),
      origin: origins[shipment]
    }))
  )

/** Makes the lookups. Marketplaces and locations are cached; a marketplace that isn't registered has no locations. */
export const make = Effect.gen(function* () {
  const registered = yield* MarketplaceStore
  const directory = yield* Directory
  const products = yield* ProductStore
  const levels = yield* StockLevels
  const marketplaceOf = yield* cached((slug: string) =>
    Effect.map(registered.find(slug), (one) => one ?? unknownMarketplace(slug))
  )
  const locationsOf = yield* cached((company: CompanyId) => directory.locations([company]))

  const originsOf = (marketplace: Marketplace, draft: OrderDraft) =>
    Effect.forEach(draft.shipments, ({ location }) =>
      Effect.gen(function* () {
        const mapped = marketplace.locations.find(
          ({ code, companyId }) => code === location && Offer.isOpen(marketplace, companyId)
        )
        const known = mapped === undefined ? [] : yield* locationsOf(mapped.companyId)
        return known.find(({ code }) => code === mapped?.location)
      })
    )

  /**
   * For lines with an unknown location: which of these SKUs any seller has. If the marketplace has no sellers, all SKUs
   * count as known.
   */
  const skusOfAnySeller = (marketplace: Marketplace, skus: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const companies = sellersOf(marketplace)
      if (companies.length === 0) return new Set(skus)
      return yield* products.skusOfAny(
        companies,
        skus.filter((sku) => Offer.sells(marketplace, sku))
      )
    })

  /** The lines with their stock levels, read once for each company and locked until the transaction ends. */
  const stockLines = (
    marketplace: Marketplace,
    draft: OrderDraft,
    origins: OrderOrigins,
    shipmentIds: ReadonlyArray<string>
  ) =>
    Effect.gen(function* () {
      const lines = linesOf(draft, origins, shipmentIds)
      const found = new Map<(typeof lines)[number], OrderReservation.StockLine["level"]>()
      for (const company of companiesOf(origins)) {
        const own = lines.flatMap((line) =>
          line.origin?.companyId === company ? [{ line, key: { sku: line.sku, location: line.origin.code } }] : []
        )
        const loaded = yield* levels.load(
          company,
          own.map(({ key }) => key)
        )
        own.forEach(({ line }, i) => {
          const level = required(loaded[i], "the level of a line")
          found.set(line, Offer.sells(marketplace, line.sku) ? level : "UNKNOWN_SKU")
        })
      }
      const unmatchedSkus = lines.filter(({ origin }) => origin === undefined).map(({ sku }) => sku)
      const known = unmatchedSkus.length === 0 ? new Set<string>() : yield* skusOfAnySeller(marketplace, unmatchedSkus)
      return lines.map((line) => ({
        ...line,
        level: found.get(line) ?? (known.has(line.sku) ? "UNKNOWN_LOCATION" : "UNKNOWN_SKU_AND_LOCATION")
      }))
    })

  /** The products that are ordered of each company, by SKU. */
  const soldLines = (draft: OrderDraft, origins: OrderOrigins) =>
    Effect.gen(function* () {
      const sold = new Map<CompanyId, ReadonlyMap<string, SoldSku>>()
      for (const company of companiesOf(origins)) {
        const skus = draft.shipments.flatMap(({ lines }, at) =>
          origins[at]?.companyId === company ? lines.map(({ sku }) => sku) : []
        )
        const found = yield* products.sold(company, skus)
        sold.set(company, new Map(found.map((one) => [one.sku, one])))
      }
      return sold
    })

  return { marketplaceOf, originsOf, stockLines, soldLines }
})
