/** Use cases that place an order, read it, and erase its personal data. */
import { type Caller, Directory, Gstin, type MarketplaceCaller } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { CustomFields, ProductStore, type SoldSku } from "@crossdock/catalog"
import { Inventory, StockFeed, StockLevels } from "@crossdock/inventory"
import { type CompanyId, Ids, Money, required, type Stored, Transaction } from "@crossdock/kernel"
import { type Marketplace, MarketplaceStore, Offer, companiesOf as sellersOf } from "@crossdock/marketplaces"
import { type Shipment, ShipmentStore } from "@crossdock/shipments"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkFields, checkShipments, type OrderOrigins, shipmentsOf } from "./NewOrder.ts"
import type { Order, OrderArchived, OrderDraft, OrderInProgress } from "./Order.ts"
import { OrderNotFound, OrderRejected, OrderStore } from "./Order.ts"
import * as OrderDifference from "./OrderDifference.ts"
import * as OrderErasure from "./OrderErasure.ts"
import * as OrderFeed from "./OrderFeed.ts"
import * as OrderPricing from "./OrderPricing.ts"
import * as OrderReservation from "./OrderReservation.ts"

/** The answer to a marketplace, with the ids of the order and its shipments. */
export interface PlacedOrder {
  readonly id: string
  readonly shipments: Order["shipments"]
}

/** Places orders of marketplaces, reads them, and erases their personal data. */
export class Orders extends Context.Service<
  Orders,
  {
    /** Places the whole order, or nothing. A repeat gets the first answer. Source: docs/reference/orders.md#create. */
    readonly place: (caller: Caller<MarketplaceCaller>, draft: OrderDraft) => Stored<PlacedOrder, OrderRejected>
    /** Reads the order and all its shipments, including returns, oldest first. */
    readonly read: (
      caller: Caller<MarketplaceCaller>,
      id: string
    ) => Stored<
      { readonly order: Order; readonly marketplace: Marketplace; readonly shipments: ReadonlyArray<Shipment> },
      OrderNotFound
    >
    /**
     * Erases the personal data of an order and its shipments. If the purge of the storage's files fails, erase again. Returns
     * false if the data was erased before. Source: docs/reference/orders.md#erasure.
     */
    readonly erase: (
      caller: Caller,
      marketplace: string,
      id: string
    ) => Stored<boolean, OrderNotFound | OrderInProgress>
  }
>()("@crossdock/orders/Orders") {}

/** The audit record for one company. It has only the company's own shipments and no personal data. */
const recordOf = (
  { draft, total }: Order,
  shipments: ReadonlyArray<Shipment>,
  { kept }: CustomFields.CustomFields
) => ({
  request: {
    external_order_id: draft.externalOrderId,
    total: Money.toNumber(total, draft.currency),
    currency: draft.currency,
    ...(draft.customFields === undefined ? {} : { custom_fields: kept("order", draft.customFields) })
  },
  response: shipments.map(({ customFields, id, items, location }) => ({
    shipment_id: id,
    location,
    lines: items.map(({ customFields: own, ordered, sku }) =>
      own === undefined ? [sku, ordered] : [sku, ordered, kept("item", own)]
    ),
    ...(customFields === undefined ? {} : { custom_fields: kept("shipment", customFields) })
  }))
})

/** Marketplaces and locations are cached for this many milliseconds, since they rarely change and every order reads them. */
const cacheMillis = 2000

/** Caches a lookup. Each caller runs it in its own transaction: a shared one could wait for that transaction forever. */
const cached = <Key, A, E>(lookup: (key: Key) => Effect.Effect<A, E>) => {
  const known = new Map<Key, { readonly value: A; readonly at: number }>()
  return (key: Key): Effect.Effect<A, E> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const hit = known.get(key)
      // If the answer seems to come from the future, the clock was set back and the answer may be old.
      if (hit !== undefined && hit.at <= now && now < hit.at + cacheMillis) return Effect.succeed(hit.value)
      return Effect.tap(lookup(key), (value) => Effect.sync(() => known.set(key, { value, at: now })))
    })
}

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

const companiesOf = (origins: OrderOrigins): ReadonlyArray<CompanyId> =>
  [...new Set(origins.flatMap((origin) => (origin === undefined ? [] : [origin.companyId])))].sort((a, b) => a - b)

const linesOf = ({ draft, shipments }: Order, origins: OrderOrigins) =>
  draft.shipments.flatMap(({ lines }, shipment) =>
    lines.map(({ quantity, sku }, line) => ({
      shipment,
      line,
      sku,
      quantity,
      shipmentId: required(shipments[shipment], "the id of a new shipment").shipmentId,
      origin: origins[shipment]
    }))
  )

/** The reads that placing an order needs. An unregistered marketplace has no locations. */
const makeLookups = Effect.gen(function* () {
  const registered = yield* MarketplaceStore
  const directory = yield* Directory
  const products = yield* ProductStore
  const levels = yield* StockLevels
  const marketplaceOf = cached((slug: string) =>
    Effect.map(registered.find(slug), (one) => one ?? unknownMarketplace(slug))
  )
  const locationsOf = cached((company: CompanyId) => directory.locations([company]))

  const originsOf = (marketplace: Marketplace, draft: OrderDraft) =>
    Effect.forEach(draft.shipments, ({ location }) => {
      const mapped = marketplace.locations.find(
        ({ code, companyId }) => code === location && Offer.isOpen(marketplace, companyId)
      )
      if (mapped === undefined) return Effect.succeed(undefined)
      return Effect.map(locationsOf(mapped.companyId), (known) => known.find(({ code }) => code === mapped.location))
    })

  /** The given SKUs that a seller of the marketplace has. Without sellers, all SKUs are treated as known. */
  const skusOfAnySeller = Effect.fnUntraced(function* (marketplace: Marketplace, skus: ReadonlyArray<string>) {
    const companies = sellersOf(marketplace)
    if (companies.length === 0) return new Set(skus)
    return yield* products.skusOfAny(
      companies,
      skus.filter((sku) => Offer.sells(marketplace, sku))
    )
  })

  /** The lines with their stock levels. The levels are read once per company and locked until the transaction ends. */
  const stockLines = (marketplace: Marketplace, order: Order, origins: OrderOrigins) =>
    Effect.gen(function* () {
      const lines = linesOf(order, origins)
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
      const codes = marketplace.locations.map(({ code }) => code)
      return lines.map((line) => ({
        ...line,
        codes,
        level: found.get(line) ?? (known.has(line.sku) ? "UNKNOWN_LOCATION" : "UNKNOWN_SKU_AND_LOCATION")
      }))
    })

  const soldLines = Effect.fnUntraced(function* (draft: OrderDraft, origins: OrderOrigins) {
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

const archived = ({ message }: OrderArchived) => {
  const violation = { path: "/external_order_id", code: "ORDER_EXISTS", message: "is the id of an archived order" }
  return Effect.fail(new OrderRejected({ code: "ORDER_EXISTS", summary: message, violations: [violation] }))
}

/** Makes the service `Orders` from its ports, `Inventory` and `CompanyWrite`. */
export const make = Effect.gen(function* () {
  const store = yield* OrderStore
  const shipmentStore = yield* ShipmentStore
  const inventory = yield* Inventory.Inventory
  const { marketplaceOf, originsOf, soldLines, stockLines } = yield* makeLookups
  const { run } = yield* CompanyWrite.CompanyWrite
  const ids = yield* Ids.Ids
  const erase = yield* OrderErasure.make
  const fields = yield* CustomFields.Policy
  const charges = yield* OrderPricing.Charges

  /** Makes a new order with its ids. Each attempt makes new ids, since another host may already have used them. */
  const newOrder = Effect.fnUntraced(function* (marketplace: string, total: Order["total"], draft: OrderDraft) {
    const now = yield* Clock.currentTimeMillis
    const id = yield* ids.hex
    const lineCount = draft.shipments.reduce((sum, { lines }) => sum + lines.length, 0)
    const fresh = yield* ids.decimals(draft.shipments.length + lineCount)
    const order: Order = {
      id,
      marketplace,
      total,
      orderDate: draft.orderDate ?? now,
      createdAt: now,
      draft,
      shipments: draft.shipments.map(({ externalShipmentId }, at) => ({
        externalShipmentId,
        shipmentId: required(fresh[at], "the id of a new shipment")
      }))
    }
    return { order, itemIds: fresh.slice(draft.shipments.length) }
  })

  const place = Effect.fnUntraced(function* (caller: Caller<MarketplaceCaller>, sent: OrderDraft) {
    const draft = sent.gstin === null ? sent : { ...sent, gstin: Gstin.normalized(sent.gstin) }
    const slug = caller.principal.id
    const marketplace = yield* marketplaceOf(slug)
    yield* Effect.fromResult(checkFields(fields, draft))
    const priced = yield* Effect.fromResult(OrderPricing.price(draft, charges))
    const { addedCharges } = priced
    const accepted = addedCharges === undefined ? draft : { ...draft, addedCharges }
    const origins = yield* originsOf(marketplace, draft)

    // Stock is checked here, where only the levels are locked. So a rejected order locks no company and writes nothing.
    const load = Effect.gen(function* () {
      const { itemIds, order } = yield* newOrder(slug, priced.total, accepted)
      const [before, lines, sold] = yield* Transaction.together(
        Effect.catchTag(store.byExternalId(slug, draft.externalOrderId), "OrderArchived", archived),
        stockLines(marketplace, order, origins),
        soldLines(draft, origins)
      )
      if (before !== undefined)
        return { order: yield* OrderDifference.sameOrder(before, draft, fields), shipments: [], reserved: [] }
      // Only new orders are checked. An earlier release may have accepted the first order without this check.
      yield* Effect.fromResult(
        checkShipments(
          draft,
          origins.map((origin) => origin?.currency)
        )
      )
      const reserved = yield* Effect.fromResult(OrderReservation.reserve(lines))
      const keys = lines.map(({ level }, at) => ({
        id: required(itemIds[at], "the id of a new item"),
        sizeId: typeof level === "string" ? 0 : level.sizeId
      }))
      return { order, shipments: shipmentsOf(order, origins, priced.lines, keys.values(), sold, fields), reserved }
    })

    return yield* run(caller, {
      load,
      decide: ({ order, reserved, shipments }) =>
        Effect.succeed({
          answer: { id: order.id, shipments: order.shipments },
          changes: companiesOf(origins)
            .map((companyId) => [companyId, shipments.filter((one) => one.companyId === companyId)] as const)
            .filter(([, own]) => own.length > 0)
            .map(([companyId, own], nth) => ({
              companyId,
              entity: { type: "order", id: order.id, action: "create" },
              // The order belongs to no company, so it is inserted together with the shipments of the first company.
              saveNew:
                nth > 0 ? shipmentStore.insert(own) : Effect.andThen(store.insert(order), shipmentStore.insert(own)),
              save: (mark: CompanyWrite.Mark) =>
                Effect.gen(function* () {
                  const ownReserved = reserved.filter(({ after }) => after.companyId === companyId)
                  yield* inventory.save(mark, companyId, ownReserved)
                  const events = [OrderFeed.placedOf(order, own, fields), ...StockFeed.eventsOf(ownReserved)]
                  return { logs: recordOf(order, own, fields), events }
                })
            }))
        })
    })
  })

  const read = Effect.fn("Orders.read")(function* (caller: Caller<MarketplaceCaller>, id: string) {
    const order = yield* store.byId(caller.principal.id, id)
    if (order === undefined) return yield* new OrderNotFound({ id })
    const marketplace = yield* marketplaceOf(caller.principal.id)
    return { order, marketplace, shipments: yield* shipmentStore.ofOrder(id) }
  })

  return Orders.of({ place, read, erase })
})

export const layer = Layer.effect(Orders, make)
