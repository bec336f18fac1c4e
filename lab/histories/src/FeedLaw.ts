/** The law of the change feed: from its events alone, a reader knows the present stock and statuses. */
import { type CompanyEvent, Events } from "@crossdock/audit"
import { EventTypes } from "@crossdock/host"
import { StockLevels } from "@crossdock/inventory"
import type { CompanyId } from "@crossdock/kernel"
import { Effect, Schema } from "effect"
import * as Fields from "./Fields.ts"
import * as Goods from "./Goods.ts"
import * as Receiver from "./Receiver.ts"
import * as World from "./World.ts"

const fits = ({ data, type, version }: CompanyEvent.CompanyEvent): boolean => {
  const found = EventTypes.all.find((one) => one.type === type && one.version === version)
  return found !== undefined && Schema.is(found.data as Schema.Codec<unknown>)(data)
}

/** What a reader knows: stock at each location, the status of each shipment, and the host's custom fields. */
interface Copy {
  readonly stock: Map<string, string>
  readonly statuses: Map<string, string>
  readonly products: Map<string, unknown>
  readonly shipments: Map<string, unknown>
}

/** Forgets the stock of SKUs that were deleted. */
const forget = (stock: Map<string, string>, skus: ReadonlyArray<string>): void => {
  for (const sku of skus) for (const location of World.locations) stock.delete(Receiver.keyOf(location, sku))
}

const apply = (
  { products, shipments, statuses, stock }: Copy,
  event: NonNullable<ReturnType<typeof EventTypes.known>>
): void => {
  switch (event.type) {
    case "stock.changed":
      stock.set(Receiver.keyOf(event.data.location, event.data.sku), `${event.data.onHand} ${event.data.reserved}`)
      return
    case "order.placed":
      for (const { customFields: own, lines, shipmentId } of event.data.shipments) {
        statuses.set(shipmentId, "placed")
        shipments.set(shipmentId, {
          order: event.data.customFields,
          own,
          items: lines.map(({ customFields }) => customFields)
        })
      }
      return
    case "shipment.moved":
      statuses.set(event.data.shipmentId, event.data.to)
      return
    case "shipment.part_cancelled":
      statuses.set(event.data.partId, event.data.status)
      return
    case "return.opened":
      statuses.set(event.data.returnShipmentId, event.data.status)
      return
    case "product.created":
      products.set(event.data.itemCode, event.data.customFields)
      return
    case "product.updated":
      products.set(event.data.itemCode, event.data.customFields)
      forget(stock, event.data.deletedSkus)
      return
    case "product.deleted":
      products.delete(event.data.itemCode)
      forget(stock, event.data.skus)
      return
    default:
      return
  }
}

const readAll = (company: CompanyId) =>
  Effect.gen(function* () {
    const { read } = yield* Events.Events
    const all: Array<CompanyEvent.CompanyEvent> = []
    for (;;) {
      // A history deletes no events, so the feed has every cursor.
      const page = yield* Effect.catchTag(read(company, all.at(-1)?.number ?? 0, 500), "CursorOutOfRange", Effect.die)
      if (page.length === 0) return all
      all.push(...page)
    }
  })

/** Each event has the payload of its type, and follows the previous one. All together yield the stored data. */
export const feed = (world: World.World) =>
  Effect.gen(function* () {
    const levels = yield* StockLevels
    const faults: Array<string> = []
    for (const company of World.companies) {
      const copy: Copy = { stock: new Map(), statuses: new Map(), products: new Map(), shipments: new Map() }
      const all = yield* readAll(company)
      for (const [at, event] of all.entries()) {
        const typed = EventTypes.known(event)
        const before = all[at - 1]?.number ?? 0
        const follows = typed?.type === "feed.restored" ? typed.data.after === before : event.number === before + 1
        if (!follows) faults.push(`event ${event.number} of ${company} follows on number ${before}`)
        if (!fits(event))
          faults.push(`event ${event.number} of ${company} is no ${event.type}: ${JSON.stringify(event)}`)
        faults.push(...Fields.personalIn(`event ${event.number} of ${company}`, JSON.stringify(event)))
        if (typed !== undefined) apply(copy, typed)
      }
      for (const [code, shown] of copy.products)
        faults.push(...Fields.faults(`the feed's ${code}`, shown, Fields.ofProduct(world, company, code)))
      const places = World.locations.flatMap((location) => Goods.skus.map((sku) => ({ location, sku })))
      for (const [at, level] of (yield* levels.load(company, places)).entries()) {
        const { location = "", sku = "" } = places[at] ?? {}
        const expected = typeof level === "string" ? "0 0" : `${level.onHand} ${level.reserved}`
        const found = copy.stock.get(Receiver.keyOf(location, sku)) ?? "0 0"
        if (found !== expected)
          faults.push(`the feed of ${company} has ${found} of ${sku} at ${location}, not ${expected}`)
      }
      for (const shipment of World.everyShipment(world)) {
        const { companyId, id, orderId, status } = shipment
        const placed = copy.shipments.get(id)
        if (companyId === company && placed !== undefined && world.placed.has(orderId))
          faults.push(...Fields.faults(`the order of ${id}`, placed, Fields.expected(world, shipment, true)))
        if (companyId !== company || copy.statuses.get(id) === status) continue
        faults.push(`the feed of ${company} has ${copy.statuses.get(id)} for shipment ${id}, not ${status}`)
      }
    }
    return faults
  })
