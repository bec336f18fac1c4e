/**
 * Several hosts behind a balancer, on one PostgreSQL. The demo plays the retail day, and kills hosts and sessions of the
 * database at random. At the end, it compares all books.
 */
import { PaymentProviderTest } from "@crossdock/billing"
import * as Storage from "@crossdock/cli/Storage"
import * as Client from "@crossdock/client/promise"
import { Host } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { CompanyId } from "@crossdock/kernel"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import * as Cluster from "@crossdock/system-tests/Cluster"
import * as Conservation from "@crossdock/system-tests/demo/Conservation"
import * as Random from "@crossdock/system-tests/Random"
import * as Laws from "@crossdock/system-tests/races/Laws"
import { Effect, Logger, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Balancer from "./Balancer.ts"
import * as Measurements from "./Measurements.ts"
import * as Receiver from "./Receiver.ts"
import * as RetailDay from "./RetailDay.ts"

export interface Options {
  readonly hosts: number
  readonly marketplaces: number
  /** How many orders each marketplace has in progress at the same time. */
  readonly atOnce: number
  readonly seconds: number
  readonly seed: number
  /** The average number of milliseconds between two disturbances. */
  readonly disturbEvery: number
  /** Whether PostgreSQL is also crashed. */
  readonly crash: boolean
}

export interface Report {
  /** The seconds of load, until the last order was delivered or cancelled. */
  readonly seconds: number
  readonly operations: ReadonlyArray<Measurements.Operation>
  readonly retries: Readonly<Record<string, number>>
  readonly died: { readonly hosts: number; readonly sessions: number; readonly crashes: number }
  readonly counts: RetailDay.Books["counts"]
  readonly webhooks: Receiver.Receiver["counts"]
  /** The milliseconds from the last change until every receiver had everything. */
  readonly equalAfter: number
  /** The faults, as sentences. The list is empty if all books agree. */
  readonly faults: ReadonlyArray<string>
}

const secret = "whsec_Y2x1c3Rlci1kZW1vLXdlYmhvb2stc2VjcmV0"
const password = "marketplace-password"
const company = CompanyId.make(1)
const locations = ["BLR1", "BOM1"]
const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Registers the marketplaces, and an endpoint that receives every event of the company. */
const register = async (url: string, slugs: ReadonlyArray<string>, receiver: Receiver.Receiver) => {
  const host = await Host.make({
    storage: Storage.layer(url, { maxConnections: 2 }),
    runtime: Node.runtime(),
    payments: PaymentProviderTest.layer,
    publicUrl: "http://127.0.0.1:1",
    addressOf: () => "127.0.0.1",
    workers: false,
    observability: Logger.layer([])
  })
  const { eventEndpoints, marketplaces } = host.services
  const caller = host.system("demo")
  const endpoint = { companyId: company, id: "events", url: receiver.url("events"), secret, types: null, cursor: 0 }
  const registered = [
    await eventEndpoints.register(caller, endpoint),
    ...(await Promise.all(
      slugs.map((slug) =>
        marketplaces.register(caller, {
          slug,
          name: slug,
          currency: "INR",
          password,
          locations: locations.map((location) => ({ companyId: company, location, code: location })),
          skus: null,
          buffers: [],
          webhook: { url: receiver.url(slug), secret, authentication: { type: "none" } }
        })
      )
    ))
  ]
  await host.dispose()
  for (const outcome of registered) if (!outcome.ok) throw new Error(JSON.stringify(outcome.error))
}

/**
 * Disturbs the hosts and the database until `isOver`. It kills hosts, and it ends up to five sessions of the database or
 * crashes it. The times are random. Returns the count of each disturbance.
 */
const disturb = async (
  { hosts, replace, server }: Cluster.Cluster,
  { crash, disturbEvery, seed }: Options,
  isOver: () => boolean
): Promise<Report["died"]> => {
  const died = { hosts: 0, sessions: 0, crashes: 0 }
  const repeatedly = async (draw: Random.Random, one: (draw: Random.Random) => Promise<void>) => {
    while (!isOver()) {
      await pause(disturbEvery * 2 * draw())
      if (!isOver()) await one(draw)
    }
  }
  await Promise.all([
    repeatedly(Random.make(seed), async (draw) => {
      await replace(Math.floor(draw() * hosts.length))
      died.hosts++
    }),
    repeatedly(Random.make(seed + 1), async (draw) => {
      if (crash && draw() < 0.2) {
        await server?.crash()
        died.crashes++
      } else died.sessions += (await server?.endSessions(1 + Math.floor(draw() * 5))) ?? 0
    })
  ])
  return died
}

/** The sellable units that the seller sees, by `sku location`. */
const levelsOf = async (url: string): Promise<ReadonlyMap<string, number>> => {
  const acme = Client.seller({ url, username: "acme", password: "acme-secret" })
  const levels = new Map<string, number>()
  for await (const { location_id, sellable, sku } of acme.pages.listings.page())
    levels.set(`${sku} ${location_id}`, sellable)
  return levels
}

const query = <A extends object>(
  url: string,
  statement: (sql: SqlClient.SqlClient) => Effect.Effect<ReadonlyArray<A>, unknown>
) =>
  Effect.flatMap(SqlClient.SqlClient, statement).pipe(
    Effect.provide(Postgres.layer(Redacted.make(url), { maxConnections: 1 })),
    Effect.runPromise
  )

const lastEventOf = async (url: string): Promise<number> => {
  const rows = await query<{ last_event: number }>(
    url,
    (sql) => sql`SELECT last_event FROM crossdock_companies WHERE id = ${company}`
  )
  return rows[0]?.last_event ?? 0
}

/** Finds stored orders that were never acknowledged. A unique key prevents storing an order twice. */
const unknownOrders = async (url: string, acknowledged: ReadonlyMap<string, unknown>) => {
  const rows = await query<{ name: string }>(url, (sql) => sql`SELECT external_order_id AS name FROM crossdock_orders`)
  return rows.flatMap(({ name }) => (acknowledged.has(name) ? [] : [`the order ${name} was never acknowledged`]))
}

/** A dead host keeps its claim of a key for 12 seconds. An ended session may cost another try. */
const longestWait = 60_000

/**
 * Waits until every receiver has everything, or until nothing more arrives. Returns the time that it took, and the missing
 * events.
 */
const untilReceived = async (
  receiver: Receiver.Receiver,
  slugs: ReadonlyArray<string>,
  levels: ReadonlyMap<string, number>,
  lastEvent: number
) => {
  const wrong = () => [
    ...slugs.flatMap((slug) =>
      [...levels].flatMap(([key, sellable]) => {
        const known = receiver.stock.get(`${slug} ${key}`) ?? 0
        return known === sellable ? [] : [`${slug} has ${known} of ${key} instead of ${sellable}`]
      })
    ),
    ...(receiver.lastEvent() === lastEvent
      ? []
      : [`the endpoint has events until ${receiver.lastEvent()} instead of ${lastEvent}`])
  ]
  const began = performance.now()
  let last = { at: began, sent: receiver.counts.sent }
  while (wrong().length > 0 && performance.now() - last.at < longestWait) {
    await pause(50)
    if (receiver.counts.sent > last.sent) last = { at: performance.now(), sent: receiver.counts.sent }
  }
  return { equalAfter: Math.round(performance.now() - began), faults: wrong() }
}

const play = async (cluster: Cluster.Cluster, options: Options, interrupted: AbortSignal): Promise<Report> => {
  const receiver = await Receiver.start(secret)
  const balancer = await Balancer.start(() => cluster.hosts.map(({ url }) => url))
  const measurements = Measurements.make()
  const books = RetailDay.newBooks()
  const slugs = Array.from({ length: options.marketplaces }, (_, at) => `market-${at + 1}`)
  try {
    await register(cluster.url, slugs, receiver)
    const began = performance.now()
    const elapsed = () => (performance.now() - began) / 1000
    let failed = false
    // On a busy machine, even the first order may take longer than `seconds`.
    const isEnough = () => elapsed() > options.seconds * (books.counts.orders > 0 ? 1 : 10)
    const isOver = () => failed || interrupted.aborted || isEnough()
    const day = { url: balancer.url, marketplaces: slugs, password, atOnce: options.atOnce, measurements }
    const disturbed = disturb(cluster, options, isOver).catch((error) => {
      failed = true
      throw error
    })
    const [died] = await Promise.all([disturbed, RetailDay.play(day, books, isOver)])
    const seconds = elapsed()
    const levels = await levelsOf(balancer.url)
    const received = await untilReceived(receiver, slugs, levels, await lastEventOf(cluster.url))
    return {
      seconds,
      operations: measurements.operations(),
      retries: Object.fromEntries(measurements.retries),
      died,
      counts: books.counts,
      webhooks: receiver.counts,
      equalAfter: received.equalAfter,
      faults: [
        ...books.faults,
        ...received.faults,
        ...receiver.faults,
        ...(await Conservation.faults(cluster.url, books.onHand)),
        ...(await Laws.faults(cluster.url, books.acknowledged)),
        ...(await unknownOrders(cluster.url, books.acknowledged.orders))
      ]
    }
  } finally {
    balancer.close()
    receiver.close()
  }
}

/** Starts PostgreSQL and the hosts, plays the day, and ends all of them. */
export const run = (options: Options): Effect.Effect<Report> =>
  Cluster.make("postgres", options.hosts, { settings: { TRUST_PROXY: "1" } }).pipe(
    Effect.flatMap((cluster) => Effect.promise((interrupted) => play(cluster, options, interrupted))),
    Effect.scoped
  )
