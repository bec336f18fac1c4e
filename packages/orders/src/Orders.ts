/**
 * Use cases: place an order, read an order.
 */

import { type Caller, Directory, type Location, type MarketplaceCaller } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { ProductStore, type SoldSku } from "@crossdock/catalog"
import { Inventory, StockLevels } from "@crossdock/inventory"
import { type CompanyId, Ids, Money, StaleWrite, type StorageError } from "@crossdock/kernel"
import { type Marketplace, MarketplaceStore, Offer, companiesOf as sellersOf } from "@crossdock/marketplaces"
import { beginShipment, type Shipment, ShipmentStore } from "@crossdock/shipments"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import type { Order } from "./Order.ts"
import * as OrderDifference from "./OrderDifference.ts"
import type { OrderDraft, OrderShipmentDraft } from "./OrderDraft.ts"
import * as OrderPricing from "./OrderPricing.ts"
import { OrderNotFound, OrderRejected } from "./OrderRejected.ts"
import * as OrderReservation from "./OrderReservation.ts"
import { OrderStore } from "./OrderStore.ts"

/**
 * What a marketplace gets for an order: its id and those of its shipments.
 */
export interface PlacedOrder {
  readonly id: string
  readonly shipments: Order["shipments"]
}

export class Orders extends Context.Service<
  Orders,
  {
    /**
     * Places an order: all its stock is reserved and all its shipments are placed, or nothing is done. The same external id
     * with the same content returns the first answer again. Source: docs/reference/orders.md#create.
     */
    readonly place: (
      caller: Caller<MarketplaceCaller>,
      draft: OrderDraft
    ) => Effect.Effect<PlacedOrder, OrderRejected | StorageError>
    /** The order and all its shipments, including returns, oldest first. */
    readonly read: (
      caller: Caller<MarketplaceCaller>,
      id: string
    ) => Effect.Effect<
      { readonly order: Order; readonly marketplace: Marketplace; readonly shipments: ReadonlyArray<Shipment> },
      OrderNotFound | StorageError
    >
  }
>()("@crossdock/orders/Orders") {}

/**
 * The location of a shipment's code; undefined when the marketplace has no such location.
 */
type OriginLocation = Location | undefined

const hour = 3_600_000

/**
 * Milliseconds for which marketplaces and locations are cached: they rarely change and are read with every order.
 */
const cacheMillis = 2000

/**
 * Caches the answers of a lookup. The lookup runs in the caller's transaction if there is one: a cache with its own
 * connection could wait for the one that the caller uses.
 */
const cached = <Key, A, E>(lookup: (key: Key) => Effect.Effect<A, E>) =>
  Effect.map(Ref.make<ReadonlyMap<Key, { readonly value: A; readonly at: number }>>(new Map()), (known) => ({
    get: (key: Key) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const hit = (yield* Ref.get(known)).get(key)
        // An answer from the future is older than it looks, since the clock was set back.
        if (hit !== undefined && hit.at <= now && now < hit.at + cacheMillis) return hit.value
        const value = yield* lookup(key)
        yield* Ref.update(known, (all) => new Map(all).set(key, { value, at: now }))
        return value
      })
  }))

export const make = Effect.gen(function* () {
  const directory = yield* Directory
  const registered = yield* MarketplaceStore
  const products = yield* ProductStore
  const levels = yield* StockLevels
  const inventory = yield* Inventory.Inventory
  const shipmentStore = yield* ShipmentStore
  const store = yield* OrderStore
  const { run } = yield* CompanyWrite.CompanyWrite
  const ids = yield* Ids.Ids

  const marketplaces = yield* cached((slug: string) =>
    Effect.map(registered.find(slug), (one) => one ?? unknownMarketplace(slug))
  )
  const locations = yield* cached(directory.locations)

  const originsOf = (marketplace: Marketplace, draft: OrderDraft) =>
    Effect.gen(function* () {
      const origins: Array<OriginLocation> = []
      for (const { location } of draft.shipments) {
        const mapped = marketplace.locations.find(({ code }) => code === location)
        const known = mapped === undefined ? [] : yield* locations.get(mapped.companyId)
        origins.push(known.find(({ code }) => code === mapped?.location))
      }
      return origins
    })

  /**
   * The lines with their stock levels, read once for each company and locked until the transaction ends.
   */
  const stockLines = (
    marketplace: Marketplace,
    draft: OrderDraft,
    origins: ReadonlyArray<OriginLocation>,
    shipmentIds: ReadonlyArray<string>
  ) =>
    Effect.gen(function* () {
      const lines = draft.shipments.flatMap(({ lines }, shipment) =>
        lines.map(({ quantity, sku }, line) => ({
          shipment,
          line,
          sku,
          quantity,
          shipmentId: shipmentIds[shipment] ?? "",
          origin: origins[shipment]
        }))
      )
      const found = new Map<(typeof lines)[number], OrderReservation.StockLine["level"]>()
      for (const company of companiesOf(origins)) {
        const own = lines.filter(({ origin }) => origin?.companyId === company)
        const keys = own.map(({ origin, sku }) => ({ sku, location: origin?.code ?? "" }))
        const loaded = yield* levels.load(company, keys)
        own.forEach((line, i) => {
          found.set(line, Offer.sells(marketplace, line.sku) ? (loaded[i] ?? "UNKNOWN_SKU") : "UNKNOWN_SKU")
        })
      }
      const strays = lines.filter(({ origin }) => origin === undefined).map(({ sku }) => sku)
      const known = new Set(strays.length === 0 ? [] : yield* skusOfAnySeller(marketplace, strays))
      return lines.map((line) => ({
        ...line,
        level: found.get(line) ?? (known.has(line.sku) ? "UNKNOWN_LOCATION" : "UNKNOWN_SKU_AND_LOCATION")
      }))
    })

  /**
   * The SKUs, of lines with an unknown location, that some seller of the marketplace has; all of them when it has no
   * seller, since SKUs can't be checked then.
   */
  const skusOfAnySeller = (marketplace: Marketplace, skus: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const companies = sellersOf(marketplace)
      if (companies.length === 0) return skus
      const sold = skus.filter((sku) => Offer.sells(marketplace, sku))
      const found = yield* Effect.forEach(companies, (company) => products.sold(company, sold))
      return found.flat().map(({ sku }) => sku)
    })

  /**
   * The products that are ordered of each company, by SKU.
   */
  const soldOf = (draft: OrderDraft, origins: ReadonlyArray<OriginLocation>) =>
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

  const place = Effect.fn("Orders.place")(function* (caller: Caller<MarketplaceCaller>, draft: OrderDraft) {
    const slug = caller.principal.id
    const marketplace = yield* marketplaces.get(slug)
    const priced = yield* Effect.fromResult(OrderPricing.price(draft))
    const origins = yield* originsOf(marketplace, draft)
    const lineCount = draft.shipments.reduce((sum, { lines }) => sum + lines.length, 0)
    /** Each attempt gets new ids, in case another host drew the same ones. */
    const orderOf = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const id = yield* ids.hex
      const fresh = yield* ids.decimals(draft.shipments.length + lineCount)
      const shipmentIds = fresh.slice(0, draft.shipments.length)
      const order: Order = {
        id,
        marketplace: slug,
        total: priced.total,
        orderDate: draft.orderDate ?? now,
        createdAt: now,
        draft,
        shipments: draft.shipments.map(({ externalShipmentId }, at) => ({
          externalShipmentId,
          shipmentId: shipmentIds[at] ?? ""
        }))
      }
      return { order, shipmentIds, itemIds: fresh.slice(draft.shipments.length).values() }
    })

    /** The order that was placed before under this external id, if it has the same content. */
    const placedBefore = Effect.gen(function* () {
      const first = yield* store.byExternalId(slug, draft.externalOrderId)
      // The external id is free, so another host drew the same order id.
      if (first === undefined) return yield* new StaleWrite({ operation: "Orders.place" })
      const differences = OrderDifference.between(first.draft, draft)
      if (differences.length === 0) return first
      return yield* new OrderRejected({
        code: "ORDER_EXISTS",
        summary: `Order ${draft.externalOrderId} already exists with other content. Send a new external_order_id.`,
        violations: [
          { path: "/external_order_id", code: "ORDER_EXISTS", message: "is used by another order" },
          ...differences
        ]
      })
    })

    // Stock is reserved here, where only its levels are locked, so a rejected order never locks a company.
    const load = Effect.gen(function* () {
      const { itemIds, order, shipmentIds } = yield* orderOf
      if (!(yield* store.insert(order))) return { order: yield* placedBefore, shipments: [], reserved: [] }
      const lines = yield* stockLines(marketplace, draft, origins, shipmentIds)
      const reserved = yield* Effect.fromResult(OrderReservation.reserve(lines))
      const sold = yield* soldOf(draft, origins)
      const shipments = draft.shipments.flatMap((one, at) => {
        const where = origins[at]
        if (where === undefined) return []
        const known = sold.get(where.companyId)
        const linesBefore = priced.lines
          .slice(0, at)
          .flat()
          .reduce((sum, line) => sum + Number(line.total), 0)
        const prices = { prices: priced.lines[at] ?? [], linesBefore }
        return [shipmentOf(order, one, where, shipmentIds[at] ?? "", prices, itemIds, known)]
      })
      return { order, shipments, reserved }
    })

    return yield* run(caller, {
      load,
      companies: ({ shipments }) => shipments.map(({ companyId }) => companyId),
      decide: ({ order, reserved, shipments }) =>
        Effect.succeed({
          answer: { id: order.id, shipments: order.shipments },
          changes: companiesOf(origins)
            .map((companyId) => [companyId, shipments.filter((one) => one.companyId === companyId)] as const)
            .filter(([, own]) => own.length > 0)
            .map(([companyId, own]) => ({
              companyId,
              entity: { type: "order", id: order.id, action: "create" },
              save: (mark: CompanyWrite.Mark) =>
                Effect.gen(function* () {
                  yield* shipmentStore.insert(own)
                  const reservedHere = reserved.filter(({ after }) => after.companyId === companyId)
                  yield* inventory.save(mark, companyId, reservedHere)
                  return logsOf(order, own)
                })
            }))
        })
    })
  })

  const read = Effect.fn("Orders.read")(function* (caller: Caller<MarketplaceCaller>, id: string) {
    const order = yield* store.byId(caller.principal.id, id)
    if (order === undefined) return yield* new OrderNotFound({ id })
    const marketplace = yield* marketplaces.get(caller.principal.id)
    return { order, marketplace, shipments: yield* shipmentStore.ofOrder(id) }
  })

  return Orders.of({ place, read })
})

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

const companiesOf = (origins: ReadonlyArray<OriginLocation>): ReadonlyArray<CompanyId> =>
  [...new Set(origins.flatMap((origin) => (origin === undefined ? [] : [origin.companyId])))].sort((a, b) => a - b)

const shipmentOf = (
  order: Order,
  draft: OrderShipmentDraft,
  origin: Location,
  id: string,
  { linesBefore, prices }: { readonly prices: ReadonlyArray<OrderPricing.PricedLine>; readonly linesBefore: number },
  itemIds: Iterator<string>,
  sold: ReadonlyMap<string, SoldSku> | undefined
): Shipment =>
  beginShipment(
    {
      id,
      companyId: origin.companyId,
      location: origin.code,
      marketplace: order.marketplace,
      orderId: order.id,
      externalOrderId: order.draft.externalOrderId,
      externalShipmentId: draft.externalShipmentId,
      fulfillment: draft.fulfillment,
      selfShip: draft.selfShip,
      currency: order.draft.currency,
      linesBefore,
      items: draft.lines.flatMap((line, at) => {
        const price = prices[at]
        if (price === undefined) return []
        const { total, ...amounts } = price
        return [
          {
            id: String(itemIds.next().value),
            externalLineId: line.externalLineId,
            sku: line.sku,
            title: sold?.get(line.sku)?.name ?? line.sku,
            hsCode: sold?.get(line.sku)?.hsCode ?? null,
            ordered: line.quantity,
            cancelled: 0,
            splitOff: 0,
            invoiced: 0,
            ...amounts,
            taxBefore: Money.minorUnits(0),
            taxRate: line.tax?.rate ?? null,
            good: 0,
            bad: 0,
            qcReasons: [],
            unmappedReasons: [],
            imei: [],
            returnReason: null
          }
        ]
      }),
      packAfter: draft.packAfter,
      packBy: draft.packBy,
      dispatchBy: draft.dispatchBy,
      deliverBy: draft.deliverBy,
      sla: order.orderDate + origin.handlingHours * hour,
      orderDate: order.orderDate
    },
    order.createdAt
  )

/**
 * A company's audit record: only its own shipments, and no address.
 */
const logsOf = ({ draft, total }: Order, shipments: ReadonlyArray<Shipment>) => ({
  request: { external_order_id: draft.externalOrderId, total, currency: draft.currency },
  response: shipments.map(({ id, items, location }) => ({
    shipment_id: id,
    location,
    lines: items.map(({ ordered, sku }) => [sku, ordered])
  }))
})

export const layer: Layer.Layer<
  Orders,
  never,
  | Directory
  | MarketplaceStore
  | ProductStore
  | StockLevels
  | Inventory.Inventory
  | ShipmentStore
  | OrderStore
  | CompanyWrite.CompanyWrite
  | Ids.Ids
> = Layer.effect(Orders, make)
