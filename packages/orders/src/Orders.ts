/**
 * Use cases: take an order, read an order.
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
import * as OrderStock from "./OrderStock.ts"
import { OrderStore } from "./OrderStore.ts"

export interface PlacedOrder {
  readonly id: string
  readonly shipments: Order["shipments"]
}

export class Orders extends Context.Service<
  Orders,
  {
    /**
     * Takes an order: all its stock is reserved and all its shipments are placed, or nothing is done. The same external id
     * with the same content gives the first answer again.
     */
    readonly place: (
      caller: Caller<MarketplaceCaller>,
      draft: OrderDraft
    ) => Effect.Effect<PlacedOrder, OrderRejected | StorageError>
    /** The order and all its shipments, returns too, oldest first. */
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
 * Where a shipment's location code leads; undefined when the marketplace has no such location.
 */
type Place = Location | undefined

const hour = 3_600_000

/**
 * Marketplaces and locations change seldom and are asked for with every order. Milliseconds.
 */
const directoryHolds = 2000

/**
 * Answers of a look-up for a while. It asks in the caller's own transaction when there is one: a cache that asked on its
 * own would wait for the connection that the caller holds.
 */
const remembered = <Key, A, E>(lookup: (key: Key) => Effect.Effect<A, E>) =>
  Effect.map(Ref.make<ReadonlyMap<Key, { readonly value: A; readonly at: number }>>(new Map()), (known) => ({
    get: (key: Key) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const hit = (yield* Ref.get(known)).get(key)
        // An answer from the future is older than it looks: the clock was set back since.
        if (hit !== undefined && hit.at <= now && now < hit.at + directoryHolds) return hit.value
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

  const marketplaces = yield* remembered((slug: string) =>
    Effect.map(registered.find(slug), (one) => one ?? unknownMarketplace(slug))
  )
  const locations = yield* remembered(directory.locations)

  const placesOf = (marketplace: Marketplace, draft: OrderDraft) =>
    Effect.gen(function* () {
      const places: Array<Place> = []
      for (const { location } of draft.shipments) {
        const mapped = marketplace.locations.find(({ code }) => code === location)
        const known = mapped === undefined ? [] : yield* locations.get(mapped.companyId)
        places.push(known.find(({ code }) => code === mapped?.location))
      }
      return places
    })

  /**
   * One read for each company: what the lines are called, and what of them is there, held until the transaction ends.
   */
  const stockLines = (
    marketplace: Marketplace,
    draft: OrderDraft,
    places: ReadonlyArray<Place>,
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
          place: places[shipment]
        }))
      )
      const found = new Map<(typeof lines)[number], OrderStock.StockLine["level"]>()
      for (const company of companiesOf(places)) {
        const own = lines.filter(({ place }) => place?.companyId === company)
        const keys = own.map(({ place, sku }) => ({ sku, location: place?.code ?? "" }))
        const loaded = yield* levels.load(company, keys)
        own.forEach((line, i) => {
          found.set(line, Offer.sells(marketplace, line.sku) ? (loaded[i] ?? "UNKNOWN_SKU") : "UNKNOWN_SKU")
        })
      }
      const strays = lines.filter(({ place }) => place === undefined).map(({ sku }) => sku)
      const known = new Set(strays.length === 0 ? [] : yield* skusOfAnySeller(marketplace, strays))
      return lines.map((line) => ({
        ...line,
        level: found.get(line) ?? (known.has(line.sku) ? "UNKNOWN_LOCATION" : "UNKNOWN_SKU_AND_LOCATION")
      }))
    })

  /**
   * A line of an unknown location is no seller's; its SKU is unknown when none of the marketplace's sellers has it. Where
   * there is no seller nothing can be said of SKUs.
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
   * What is ordered of each company, by SKU.
   */
  const soldOf = (draft: OrderDraft, places: ReadonlyArray<Place>) =>
    Effect.gen(function* () {
      const sold = new Map<CompanyId, ReadonlyMap<string, SoldSku>>()
      for (const company of companiesOf(places)) {
        const skus = draft.shipments.flatMap(({ lines }, at) =>
          places[at]?.companyId === company ? lines.map(({ sku }) => sku) : []
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
    const places = yield* placesOf(marketplace, draft)
    const lineCount = draft.shipments.reduce((sum, { lines }) => sum + lines.length, 0)
    /** With new ids for each attempt: one that another host drew as well must not be drawn again. */
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

    /** The order that was placed before under this external id, when it is the same. */
    const placedBefore = Effect.gen(function* () {
      const first = yield* store.byExternalId(slug, draft.externalOrderId)
      // The external id is free: the order's own id was drawn by another host as well.
      if (first === undefined) return yield* new StaleWrite({ operation: "Orders.place" })
      const differences = OrderDifference.between(first.draft, draft)
      if (differences.length === 0) return first
      return yield* new OrderRejected({
        code: "ORDER_EXISTS",
        summary: `Order ${draft.externalOrderId} exists with other content`,
        violations: [
          { path: "/external_order_id", code: "ORDER_EXISTS", message: "is taken by another order" },
          ...differences
        ]
      })
    })

    // Stock is judged here, where its levels are locked: an order that is rejected keeps no company waiting.
    const load = Effect.gen(function* () {
      const { itemIds, order, shipmentIds } = yield* orderOf
      if (!(yield* store.insert(order))) return { order: yield* placedBefore, shipments: [], reserved: [] }
      const lines = yield* stockLines(marketplace, draft, places, shipmentIds)
      const reserved = yield* Effect.fromResult(OrderStock.reserve(lines))
      const sold = yield* soldOf(draft, places)
      const shipments = draft.shipments.flatMap((one, at) => {
        const where = places[at]
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
          changes: companiesOf(places)
            .map((companyId) => [companyId, shipments.filter((one) => one.companyId === companyId)] as const)
            .filter(([, own]) => own.length > 0)
            .map(([companyId, own]) => ({
              companyId,
              entity: { type: "order", id: order.id, action: "create" },
              save: (mark: CompanyWrite.Mark) =>
                Effect.gen(function* () {
                  yield* shipmentStore.insert(own)
                  const taken = reserved.filter(({ after }) => after.companyId === companyId)
                  yield* inventory.save(mark, companyId, taken)
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

const companiesOf = (places: ReadonlyArray<Place>): ReadonlyArray<CompanyId> =>
  [...new Set(places.flatMap((place) => (place === undefined ? [] : [place.companyId])))].sort((a, b) => a - b)

const shipmentOf = (
  order: Order,
  draft: OrderShipmentDraft,
  place: Location,
  id: string,
  { linesBefore, prices }: { readonly prices: ReadonlyArray<OrderPricing.PricedLine>; readonly linesBefore: number },
  itemIds: Iterator<string>,
  sold: ReadonlyMap<string, SoldSku> | undefined
): Shipment =>
  beginShipment(
    {
      id,
      companyId: place.companyId,
      location: place.code,
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
            taxBefore: Money.MinorUnits.make(0),
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
      sla: order.orderDate + place.handlingHours * hour,
      orderDate: order.orderDate
    },
    order.createdAt
  )

/**
 * Each company's record names its own shipments only, and nobody's address.
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
