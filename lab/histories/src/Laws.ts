/** The laws that must be true after every step. Each returns its violations. */

import { Directory } from "@crossdock/access"
import { AuditChain, type AuditEntity, AuditProof, type AuditRecord, AuditStore, AuditTrail } from "@crossdock/audit"
import { StockLevels } from "@crossdock/inventory"
import type { CompanyId, StorageError } from "@crossdock/kernel"
import { MarketplaceStore, Offer } from "@crossdock/marketplaces"
import { Limits, type Notifications } from "@crossdock/notifications"
import { type Order, OrderPricing, shipmentOrderOf } from "@crossdock/orders"
import { unitsLeft } from "@crossdock/returns"
import { isOpen, lineTotal, paymentOf, remaining, type Shipment, type ShipmentItem } from "@crossdock/shipments"
import { Effect } from "effect"
import * as Choice from "./Choice.ts"
import * as Fields from "./Fields.ts"
import * as Goods from "./Goods.ts"
import * as NotifyStep from "./NotifyStep.ts"
import * as Receiver from "./Receiver.ts"
import * as World from "./World.ts"

type Faults = ReadonlyArray<string>

const sum = (all: ReadonlyArray<number>): number => all.reduce((total, one) => total + one, 0)

const reserving: ReadonlySet<string> = new Set("placed bag_confirmed bag_invoiced dp_assigned bag_packed".split(" "))

const everyPlace = World.locations.flatMap((location) => Goods.skus.map((sku) => ({ location, sku })))

/** The units of open shipments, by location and SKU. */
const openUnits = (world: World.World, company: CompanyId): ReadonlyMap<string, number> => {
  const units = new Map<string, number>()
  for (const { shipments } of world.placed.values()) {
    for (const { companyId, items, location, status } of shipments) {
      if (companyId !== company || !reserving.has(status)) continue
      for (const item of items) {
        const key = Receiver.keyOf(location, item.sku)
        units.set(key, (units.get(key) ?? 0) + unitsLeft(item))
      }
    }
  }
  return units
}

/** Reserved stock equals the units of open shipments. Every level is the sum of its movements. */
export const stock = (world: World.World) =>
  Effect.gen(function* () {
    const levels = yield* StockLevels
    const faults: Array<string> = []
    for (const company of World.companies) {
      const open = openUnits(world, company)
      for (const [at, level] of (yield* levels.load(company, everyPlace)).entries()) {
        const { location = "", sku = "" } = everyPlace[at] ?? {}
        const expected = open.get(Receiver.keyOf(location, sku)) ?? 0
        const reserved = typeof level === "string" ? 0 : level.reserved
        if (reserved !== expected) faults.push(`${company} ${location} ${sku}: ${reserved} reserved, ${expected} open`)
      }
      for (const one of yield* levels.discrepancies(company)) faults.push(`${company}: ${JSON.stringify(one)}`)
    }
    return faults
  })

const amounts = ["discount", "couponDiscount", "deliveryCharge", "taxAmount"] as const

/** The present state of a line, in its shipment and in the cancelled parts. */
const partsOf = (shipments: ReadonlyArray<Shipment>, forward: Shipment, itemId: string): ReadonlyArray<ShipmentItem> =>
  shipments
    .filter((one) => one.journey === "forward" && one.forwardId === forward.id)
    .flatMap((one) =>
      one.items.filter(({ id }) => id === itemId).map((item) => (one === forward ? remaining(item) : item))
    )

const lineFaults = (shipments: ReadonlyArray<Shipment>, forward: Shipment, item: ShipmentItem): Faults => {
  const parts = partsOf(shipments, forward, item.id)
  const kept = remaining(item)
  const returned = shipments
    .filter((one) => one.journey === "return" && one.forwardId === forward.id)
    .flatMap(({ items }) => items.filter(({ id }) => id === item.id))
  const back = sum(returned.map(({ ordered }) => ordered))
  const negative = [...parts, ...returned].some(
    (part) => lineTotal(part) < 0 || part.taxAmount > lineTotal(part) || amounts.some((amount) => part[amount] < 0)
  )
  return [
    ...(negative ? ["a part of it is negative"] : []),
    ...(sum(parts.map(({ ordered }) => ordered)) === item.ordered ? [] : ["its units do not add up"]),
    ...(sum(parts.map(lineTotal)) === lineTotal(item) ? [] : ["its parts do not add up to its total"]),
    ...amounts.flatMap((amount) => {
      const whole = sum(parts.map((part) => part[amount])) === item[amount]
      const ofReturns = sum(returned.map((part) => part[amount]))
      const fits = back === kept.ordered ? ofReturns === kept[amount] : ofReturns <= kept[amount]
      return [...(whole ? [] : [`its ${amount} does not add up`]), ...(fits ? [] : [`its returns' ${amount} is wrong`])]
    }),
    ...(back <= unitsLeft(item) || forward.status.startsWith("cancelled") ? [] : ["more came back than was sent"])
  ].map((fault) => `line ${item.id} of ${forward.id}: ${fault}`)
}

/** Every line is the exact sum of its parts, to the minor unit. Every order is the exact sum of its lines. */
export const money = (world: World.World): Faults =>
  [...world.touched].flatMap((id) => {
    const placed = world.placed.get(id)
    if (placed === undefined) return []
    const { order, shipments } = placed
    const forward = shipments.filter((one) => one.id === one.forwardId)
    const items = forward.flatMap((one) => one.items)
    const sums = OrderPricing.sumsOf(order.draft)
    const minor = (amount: number) => Math.round(amount * 100)
    const charged = sum(OrderPricing.chargesOf(order.draft).map(({ amount }) => minor(amount)))
    const chargedTax = sum(OrderPricing.chargesOf(order.draft).map(({ tax }) => minor(tax?.amount ?? 0)))
    return [
      ...forward.flatMap((one) => one.items.flatMap((item) => lineFaults(shipments, one, item))),
      ...(sum(items.map(lineTotal)) + charged === order.total
        ? []
        : [`order ${id}: its lines and charges do not add up to its total`]),
      ...(sum(items.map(({ taxAmount }) => taxAmount)) + chargedTax === sums.tax
        ? []
        : [`order ${id}: its taxes do not add up`]),
      ...paymentFaults(order, shipments)
    ]
  })

/** The payments of an order's forward shipments add up to the order's. Full returns have the payment of their shipment. */
const paymentFaults = (order: Order, shipments: ReadonlyArray<Shipment>): Faults => {
  const { methods } = shipmentOrderOf(order)
  const paid = (some: ReadonlyArray<Shipment>) => {
    const all = some.map((one) => paymentOf({ methods }, one))
    return { collect: sum(all.map(({ collect }) => collect)), prepaid: sum(all.map(({ prepaid }) => prepaid)) }
  }
  const forward = shipments.filter(({ journey }) => journey === "forward")
  const whole = paid(forward)
  const isWhole =
    whole.collect === methods.cod && whole.prepaid === methods.prepaid && methods.cod + methods.prepaid === order.total
  return [
    ...(isWhole
      ? []
      : [`order ${order.id}: its shipments are paid ${JSON.stringify(whole)} of ${JSON.stringify(methods)}`]),
    ...forward.flatMap((one) => {
      const returns = shipments.filter(({ forwardId, journey }) => journey === "return" && forwardId === one.id)
      const back = sum(returns.flatMap(({ items }) => items.map(({ ordered }) => ordered)))
      const isBack = returns.length > 0 && back === sum(one.items.map(unitsLeft))
      return isBack && paid(returns).prepaid !== paid([one]).prepaid
        ? [`${one.id}: its returns were prepaid ${paid(returns).prepaid} of ${paid([one]).prepaid}`]
        : []
    })
  ]
}

/** An AWB of a courier is on only one open shipment of a company. */
export const awbs = (world: World.World): Faults => {
  const used = [...world.placed.values()].flatMap(({ shipments }) =>
    shipments
      .filter(isOpen)
      .flatMap(({ companyId, courier }) =>
        (courier?.awbNumbers ?? []).map((awb) => `${companyId} ${courier?.name} ${awb}`)
      )
  )
  return used.flatMap((awb, at) => (used.indexOf(awb) < at ? [`${awb} is on two open shipments`] : []))
}

/** Each series of the host has the numbers 1, 2, 3 and so on. Each number is on one document. */
export const series = (world: World.World): Faults => {
  const numbers = World.everyShipment(world).flatMap(({ companyId, creditNote, forwardId, id, invoice }) =>
    [id === forwardId ? invoice : null, creditNote].flatMap((paper) =>
      paper === null || !/^[RG]-/.test(paper.number) ? [] : `${companyId} ${paper.number}`
    )
  )
  const bySeries = Map.groupBy(numbers, (number) => number.replace(/\d+$/, ""))
  return [...bySeries].flatMap(([name, all]) => {
    const nths = all.map((number) => Number(number.slice(name.length))).sort((a, b) => a - b)
    return nths.every((nth, at) => nth === at + 1) ? [] : [`the series ${name} has ${nths.join()}`]
  })
}

const changedBy = ({ body }: AuditRecord): ReadonlyArray<string> => {
  const { entity, logs }: { entity: AuditEntity; logs: MoveLogs } = JSON.parse(body)
  const after = entity.type === "shipment" ? (logs.after ?? []).map(([id]) => id) : []
  const named = new Set([entity.id, ...(entity.ids ?? [])])
  return [...after.filter((id) => named.has(id)), ...(entity.type === "order" ? ofOrder(logs.response) : [])]
}

interface MoveLogs {
  readonly after?: ReadonlyArray<readonly [id: string]>
  /** The shipments of an order that was placed or erased. */
  readonly response?: ReadonlyArray<{ readonly shipment_id: string }> | { readonly shipments: ReadonlyArray<string> }
}

const ofOrder = (response: MoveLogs["response"] = []): ReadonlyArray<string> =>
  "shipments" in response ? response.shipments : response.map(({ shipment_id }) => shipment_id)

/** The new records continue the chain of the audit trail. Each changed shipment is in one of the new records. */
export const trail = (world: World.World, changed: ReadonlyArray<Shipment>) =>
  Effect.gen(function* () {
    const [log, digest] = [yield* AuditStore, yield* AuditChain.Digest]
    const faults: Array<string> = []
    for (const company of World.companies) {
      const head = world.heads.get(company) ?? (yield* log.anchor(company))
      const fresh = yield* log.read(company, head.sequence, 1000)
      const { broken, head: reached } = AuditChain.follow(head, fresh, digest.sha256)
      if (broken !== undefined) faults.push(`the trail of ${company} breaks at ${broken.sequence}: ${broken.reason}`)
      world.heads.set(company, reached)
      faults.push(...fresh.flatMap(({ body, sequence }) => Fields.personalIn(`record ${sequence} of ${company}`, body)))
      const recorded = new Set(fresh.flatMap(changedBy))
      for (const { companyId, id } of changed) {
        if (companyId === company && !recorded.has(id)) faults.push(`no record says that ${id} changed`)
      }
    }
    return faults
  })

/** Checks the whole chain from its start. */
export const chain = Effect.gen(function* () {
  const { verify } = yield* AuditTrail.AuditTrail
  const found = yield* Effect.forEach(World.companies, verify)
  return found.flatMap(({ broken }) => (broken === undefined ? [] : [`the trail breaks: ${broken.reason}`]))
})

/** Proves that a random record is in the trail, and that the trail continues the one that ended with this record. */
export const proofs = (world: World.World) =>
  Effect.gen(function* () {
    const { proveContinuation, proveRecord, verify } = yield* AuditTrail.AuditTrail
    const [digest, log] = [yield* AuditChain.Digest, yield* AuditStore]
    const faults: Array<string> = []
    for (const company of World.companies) {
      const { head, root } = yield* verify(company)
      const { sequence: archived } = yield* log.anchor(company)
      const at = Choice.between(world.draw, archived + 1, head.sequence)
      const record = yield* proveRecord(company, at, head.sequence)
      if (record?.root !== root || !AuditProof.provesRecord(digest, record)) faults.push(`record ${at} isn't proven`)
      const going = yield* proveContinuation(company, at, head.sequence)
      if (going?.root !== root || !AuditProof.provesContinuation(digest, going))
        faults.push(`the trail after record ${at} isn't proven`)
    }
    return faults
  })

/** No attempt is postponed by more than an hour, whatever the time of the clock. */
const longestWait = Limits.longestDelayMillis
const passes = 60

/** If all deliveries succeed, every marketplace soon has the stock of all SKUs it sells, but none of a closed company. */
export const convergence = (
  world: World.World
): Effect.Effect<Faults, StorageError, Directory | MarketplaceStore | StockLevels | Notifications.Notifications> =>
  Effect.gen(function* () {
    const [levels, marketplaceStore] = [yield* StockLevels, yield* MarketplaceStore]
    const closed = yield* (yield* Directory).closed
    const moods = World.slugs.map((slug) => world.receivers[slug].mood)
    for (const slug of World.slugs) world.receivers[slug].mood = "accepts"
    yield* NotifyStep.resendAll
    let left = passes
    for (let idle = 0; idle < 2 && left > 0; left--) {
      if ((yield* NotifyStep.pass(world, true)) > 0) continue
      world.now += longestWait
      idle++
    }
    const faults: Array<string> = left === 0 ? [`notifications go on after ${passes} passes`] : []
    for (const [at, slug] of World.slugs.entries()) {
      const receiver = world.receivers[slug]
      receiver.mood = moods[at] ?? "accepts"
      const marketplace = yield* marketplaceStore.find(slug)
      if (marketplace === undefined) continue
      for (const { code, companyId, location } of marketplace.locations) {
        const sold = Goods.skus.filter((sku) => Offer.sells(marketplace, sku))
        const found = yield* levels.load(
          companyId,
          sold.map((sku) => ({ sku, location }))
        )
        for (const [nth, level] of found.entries()) {
          const sku = sold[nth] ?? ""
          const isSold = typeof level !== "string" && !closed.includes(companyId)
          const expected = isSold ? Offer.shown(marketplace, level) : 0
          const known = receiver.stock.get(Receiver.keyOf(code, sku))?.quantity ?? 0
          if (known !== expected) faults.push(`${slug} received ${known} of ${sku} at ${code} instead of ${expected}`)
        }
      }
    }
    return faults
  })
