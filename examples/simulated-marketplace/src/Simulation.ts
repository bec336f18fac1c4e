/** Several marketplaces sell the same scarce stock at the same time. At the end, all books are compared. */
import { randomBytes } from "node:crypto"
import * as Api from "@crossdock/system-tests/Api"
import * as Cluster from "@crossdock/system-tests/Cluster"
import * as HostProcess from "@crossdock/system-tests/HostProcess"
import * as Random from "@crossdock/system-tests/Random"
import { Effect } from "effect"
import * as Inbox from "./Inbox.ts"
import { type Line, make, type Placed, type SimulatedMarketplace } from "./SimulatedMarketplace.ts"

export interface Options {
  readonly database: Cluster.Database
  readonly hosts: number
  /** Whether hosts are killed and sessions of the database are ended while orders are sent. */
  readonly disturb: boolean
  readonly marketplaces: number
  /** The number of orders that each marketplace sends. */
  readonly orders: number
  /** The orders per second of each marketplace. 0 means as fast as possible. */
  readonly rate: number
  readonly skus: ReadonlyArray<string>
  /** The units of each SKU at each location. */
  readonly stock: number
  /** How many orders of each marketplace are delivered, and how many of these are returned. */
  readonly shipped: number
  readonly returned: number
}

export interface Report {
  readonly accepted: number
  readonly rejected: Readonly<Record<string, number>>
  readonly ordersPerSecond: number
  readonly delivered: number
  readonly returned: number
  /** Returned units that can be sold again. `bad` has the units that can't. */
  readonly good: number
  readonly bad: number
  readonly notifications: number
  /** The milliseconds from the last change until every marketplace had the right stock. */
  readonly equalAfter: number
  readonly disturbances: Cluster.Disturbances
  /** How many requests were sent again, after no answer or 503. */
  readonly sentAgain: number
  /** All differences, as sentences. The list is empty if all books agree. */
  readonly differences: ReadonlyArray<string>
}

const locations = ["BLR1", "BOM1"]
const password = "simulated-password"

const register = async (databaseUrl: string, slug: string) => {
  const secret = `whsec_${randomBytes(32).toString("base64")}`
  const inbox = await Inbox.open(secret)
  await HostProcess.crossdock({ DATABASE_URL: databaseUrl }, ["marketplace", "add", "-"], {
    slug,
    name: slug,
    currency: "INR",
    password,
    locations: locations.map((location) => ({ companyId: 1, location, code: location })),
    webhook: { url: inbox.url, secret }
  })
  return inbox
}

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/**
 * One to three lines of one or two units each. Most are of SKUs that are in stock according to the marketplace, and some of any
 * SKU.
 */
const basket = (marketplace: SimulatedMarketplace, location: string, skus: ReadonlyArray<string>, nth: number) => {
  const believed = skus.filter((sku) => (marketplace.inbox.stock.get(`${sku} ${location}`)?.quantity ?? 0) > 0)
  const from = believed.length > 0 && nth % 10 !== 0 ? believed : skus
  const lines = new Map<string, Line>()
  for (let line = 0; line <= nth % 3; line++) {
    const sku = from[(nth * 7 + line * 13) % from.length] ?? ""
    lines.set(sku, { sku, quantity: 1 + (nth % 2) })
  }
  return [...lines.values()]
}

const sell = async (
  marketplace: SimulatedMarketplace,
  { orders, rate, skus }: Options,
  rejected: Record<string, number>
): Promise<ReadonlyArray<Placed>> => {
  const placed: Array<Placed> = []
  const began = performance.now()
  for (let nth = 0; nth < orders; nth++) {
    if (rate > 0) await pause(began + (nth * 1000) / rate - performance.now())
    const location = locations[nth % 2] ?? ""
    const answer = await marketplace.place(location, basket(marketplace, location, skus, nth))
    if (typeof answer === "string") rejected[answer] = (rejected[answer] ?? 0) + 1
    else placed.push(answer)
  }
  return placed
}

interface Listing {
  readonly sku: string
  readonly location_id: string
  readonly quantity: number
  readonly reserved: number
  readonly sellable: number
  readonly unsellable: number
}

const listingsOf = async (seller: Api.Api, skus: ReadonlyArray<string>): Promise<ReadonlyArray<Listing>> => {
  const rows: Array<Listing> = []
  for (let at = 0; at < skus.length; at += 10) {
    const wanted = skus
      .slice(at, at + 10)
      .map(encodeURIComponent)
      .join(",")
    const { body } = await seller.call<{ readonly data: ReadonlyArray<Listing> }>(
      "GET",
      `/ims/v3/listings?page_size=500&skus=${wanted}`
    )
    rows.push(...body.data)
  }
  return rows
}

const chunks = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))

interface ReadShipment {
  readonly id: string
  readonly orderItems: ReadonlyArray<{ readonly orderItemId: string; readonly quantity: number }>
}

/** Sends an operation of the seller. Every rejection is a difference. */
const moving =
  (seller: Api.Api, differences: Array<string>) => async (operation: string, payload: ReadonlyArray<unknown>) => {
    for (const some of chunks(payload, 20)) {
      const { body } = await seller.call<{ readonly errors: ReadonlyArray<unknown> }>(
        "POST",
        `/oms/v3/shipment/${operation}`,
        some
      )
      for (const error of body.errors) differences.push(`${operation} was rejected: ${JSON.stringify(error)}`)
    }
  }

/** Does the seller's work on new orders, until their parcels can be picked up. */
const makeReady = async (seller: Api.Api, shipments: ReadonlyArray<string>, differences: Array<string>) => {
  const move = moving(seller, differences)
  const read: Array<ReadShipment> = []
  for (const id of shipments) {
    const { body } = await seller.call<ReadonlyArray<ReadShipment>>("GET", `/oms/v3/shipment?orderId=${id}`)
    read.push(...body)
  }
  await move(
    "confirm",
    read.map(({ id, orderItems }) => ({
      orderId: id,
      orderItems: orderItems.map(({ orderItemId, quantity }) => ({ orderItemId, quantity }))
    }))
  )
  await move(
    "invoiceUpdate",
    read.map(({ id }) => ({ orderId: id, invoiceNumber: `S-${id}`, invoiceType: "sale" }))
  )
  return {
    pack: () =>
      move(
        "pack",
        shipments.map((orderId) => ({ orderId }))
      )
  }
}

const forward = ["bag_picked", "out_for_delivery", "delivery_done"]
const backward = ["return_dp_assigned", "return_bag_in_transit", "return_bag_delivered"]

/** Delivers the orders and returns some of them. Every second return fails its quality check. */
const deliver = async (
  seller: Api.Api,
  marketplace: SimulatedMarketplace,
  orders: ReadonlyArray<Placed>,
  returned: number,
  differences: Array<string>
) => {
  const report = async (status: string, shipments: ReadonlyArray<string>) => {
    for (const code of await marketplace.report(status, shipments)) differences.push(`${status} was rejected: ${code}`)
  }
  const shipments = orders.map(({ shipmentId }) => shipmentId)
  const { pack } = await makeReady(seller, shipments, differences)
  await report("dp_assigned", shipments)
  await pack()
  for (const status of forward) await report(status, shipments)
  const back = orders.slice(0, returned)
  await report(
    "return_initiated",
    back.map(({ shipmentId }) => shipmentId)
  )
  const returns = await Promise.all(
    back.map(async (order, at) => ({ order, bad: at % 2 === 1, ids: await marketplace.returnsOf(order) }))
  )
  const ids = returns.flatMap((one) => one.ids)
  if (ids.length !== back.length) differences.push(`${ids.length} returns for ${back.length} orders`)
  for (const status of backward) await report(status, ids)
  await moving(seller, differences)(
    "return",
    returns.flatMap((one) => one.ids.map((orderId) => ({ orderId, badQc: one.bad })))
  )
  const checked = (bad: boolean) => returns.flatMap((one) => (one.bad === bad ? [one.order] : []))
  return { delivered: shipments.length, returned: ids.length, good: checked(false), bad: checked(true) }
}

/** Polls until every marketplace has the right stock, for at most a minute. Returns the remaining differences. */
const untilEqual = async (marketplaces: ReadonlyArray<SimulatedMarketplace>, listings: ReadonlyArray<Listing>) => {
  const wrong = () =>
    marketplaces.flatMap(({ inbox, slug }) =>
      listings.flatMap(({ location_id, sellable, sku }) => {
        const believed = inbox.stock.get(`${sku} ${location_id}`)?.quantity ?? 0
        return believed === sellable
          ? []
          : [`${slug} has ${believed} of ${sku} at ${location_id} instead of ${sellable}`]
      })
    )
  const began = performance.now()
  while (wrong().length > 0 && performance.now() - began < 60_000) await pause(20)
  return { equalAfter: Math.round(performance.now() - began), differences: wrong() }
}

/** The units by SKU and location. */
const unitsIn = (orders: ReadonlyArray<Placed>): ReadonlyMap<string, number> => {
  const units = new Map<string, number>()
  for (const { lines, location } of orders) {
    for (const { quantity, sku } of lines) {
      units.set(`${sku} ${location}`, (units.get(`${sku} ${location}`) ?? 0) + quantity)
    }
  }
  return units
}

const total = (orders: ReadonlyArray<Placed>): number => [...unitsIn(orders).values()].reduce((sum, n) => sum + n, 0)

interface Books {
  readonly stock: number
  readonly sold: ReadonlyArray<Placed>
  readonly good: ReadonlyArray<Placed>
  readonly bad: ReadonlyArray<Placed>
}

/**
 * Compares the stock with the orders. Every unit must be in stock, or sold and not returned in good condition. Units that were
 * returned in bad condition are unsellable.
 */
const unitsOf = (listings: ReadonlyArray<Listing>, { bad, good, sold, stock }: Books): ReadonlyArray<string> => {
  const [soldOf, goodOf, badOf] = [sold, good, bad].map(unitsIn)
  return listings.flatMap(({ location_id, sellable, sku, unsellable }) => {
    const of = (units: ReadonlyMap<string, number> | undefined) => units?.get(`${sku} ${location_id}`) ?? 0
    const left = stock - of(soldOf) + of(goodOf)
    return [
      ...(sellable === left ? [] : [`${sku} at ${location_id}: ${sellable} are sellable instead of ${left}`]),
      ...(unsellable === of(badOf)
        ? []
        : [`${sku} at ${location_id}: ${unsellable} are unsellable instead of ${of(badOf)}`])
    ]
  })
}

/** Starts hosts, lets the marketplaces sell, compares all books, and ends the hosts. */
export const run = (options: Options): Effect.Effect<Report> =>
  Cluster.make(options.database, options.hosts).pipe(
    Effect.flatMap((cluster) => Effect.promise(() => simulate(cluster, options))),
    Effect.scoped
  )

const simulate = async (cluster: Cluster.Cluster, options: Options): Promise<Report> => {
  const { skus, stock } = options
  const resent: Cluster.Resent = { count: 0 }
  const slugs = Array.from({ length: options.marketplaces }, (_, at) => `simulated-${at + 1}`)
  const inboxes = await Promise.all(slugs.map((slug) => register(cluster.url, slug)))
  const seller = Cluster.persistent(cluster, 0, Api.seller, resent)
  const marketplaces = await Promise.all(
    inboxes.map(async (inbox, at) => {
      const slug = slugs[at] ?? ""
      const signIn = (url: string) => Api.signedIn(url, `/auth/${slug}/token`, slug, password)
      const api = Cluster.persistent(cluster, at, signIn, resent)
      // All marketplaces sign in before the first order. Otherwise, the last marketplaces would find no stock left.
      await api.call("GET", `/order/api/v1/${slug}/order?platform_order_id=none`)
      return make(slug, api, inbox)
    })
  )
  const records = skus.flatMap((sku) => locations.map((location_id) => ({ sku, location_id, quantity: stock })))
  for (const some of chunks(records, 500)) await seller.call("PUT", "/ims/v3/inventory", some)

  const rejected: Record<string, number> = {}
  const differences: Array<string> = []
  const settle = options.disturb ? Cluster.disturb(cluster, 1_500, Random.make(1)) : undefined
  const began = performance.now()
  const byMarketplace = await Promise.all(marketplaces.map((marketplace) => sell(marketplace, options, rejected)))
  const seconds = (performance.now() - began) / 1000
  const disturbances = (await settle?.()) ?? {}
  const placed = byMarketplace.flat()
  const counts = { delivered: 0, returned: 0 }
  const [good, bad]: [Array<Placed>, Array<Placed>] = [[], []]
  for (const [at, marketplace] of marketplaces.entries()) {
    const own = byMarketplace[at] ?? []
    const some = own.slice(0, options.shipped)
    if (some.length === 0) continue
    const outcome = await deliver(seller, marketplace, some, options.returned, differences)
    counts.delivered += outcome.delivered
    counts.returned += outcome.returned
    good.push(...outcome.good)
    bad.push(...outcome.bad)
    for (const order of own.slice(0, 50)) {
      if (!(await marketplace.placeAgain(order))) differences.push(`${order.orderId}, sent again, became another order`)
      const total = await marketplace.totalOf(order)
      if (total !== order.total) differences.push(`${order.orderId} has the total ${total} instead of ${order.total}`)
    }
  }
  const listings = await listingsOf(seller, skus)
  const { differences: believed, equalAfter } = await untilEqual(marketplaces, listings)
  differences.push(...believed, ...unitsOf(listings, { stock, sold: placed, good, bad }))
  for (const { inbox, slug } of marketplaces) {
    if (inbox.counts.missing > 0) differences.push(`${slug} missed ${inbox.counts.missing} notifications`)
    if (inbox.counts.rejected > 0) differences.push(`${slug} rejected ${inbox.counts.rejected} notifications`)
  }
  for (const marketplace of marketplaces) marketplace.close()
  seller.close()
  if (!options.disturb && resent.count > 0)
    differences.push(`${resent.count} requests were answered 503, or not at all`)
  return {
    accepted: placed.length,
    rejected,
    ordersPerSecond: Math.round((options.marketplaces * options.orders) / seconds),
    ...counts,
    good: total(good),
    bad: total(bad),
    notifications: inboxes.reduce((sum, { counts }) => sum + counts.notifications, 0),
    equalAfter,
    disturbances,
    sentAgain: resent.count,
    differences
  }
}
