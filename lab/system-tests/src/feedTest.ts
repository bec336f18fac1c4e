/** `npm run lab -- feed 5000 --hosts 3 --disturb` follows a change feed while several hosts write to it. */
import "@crossdock/cli/NodeVersion"
import { type AuditRecord, AuditStore, type CompanyEvent, EventLog, Events } from "@crossdock/audit"
import * as Storage from "@crossdock/cli/Storage"
import { EventTypes } from "@crossdock/host"
import { CompanyId, Ids } from "@crossdock/kernel"
import { Effect, Fiber, Layer, Schedule, Stream } from "effect"
import * as Api from "./Api.ts"
import * as Cluster from "./Cluster.ts"
import * as CommandLine from "./CommandLine.ts"
import * as Sample from "./demo/Sample.ts"
import * as Random from "./Random.ts"
import * as Races from "./races/Races.ts"
import type * as Verdict from "./Verdict.ts"

const options = {
  changes: CommandLine.count("changes", 5_000, "changes to write, about: of a stock level, or of an order's shipments"),
  seed: CommandLine.count("seed", 1, "of the random moves"),
  writers: CommandLine.whole("writers", 6, "that write stock at once, each to SKUs of its own", 99),
  records: CommandLine.whole("records", 1, "stock records of each write, each of another SKU", 500),
  database: CommandLine.distributable,
  hosts: CommandLine.hosts(3),
  disturb: CommandLine.toggle(
    "disturb",
    "kills hosts meanwhile, and on PostgreSQL ends sessions and crashes the server"
  ),
  every: CommandLine.whole("every", 2, "seconds from one disturbance to the next")
}

interface Options {
  readonly changes: number
  readonly seed: number
  readonly writers: number
  readonly records: number
  readonly database: Cluster.Database
  readonly disturb: boolean
  readonly every: number
}

const company = CompanyId.make(1)

/** The types of records that must have events. A bulk whose moves were all rejected has no record of shipments. */
const eventful: ReadonlySet<string> = new Set(["order", "shipment", "inventory"])

/** Writes rising quantities of SKUs, as one writer. Returns the acknowledged quantities. */
const write = async (api: Api.Api, skus: ReadonlyArray<string>, count: number): Promise<ReadonlyArray<number>> => {
  const acknowledged: Array<number> = []
  for (let quantity = 1; quantity <= count; quantity++) {
    const records = skus.map((sku) => ({ location_id: "BOM1", sku, quantity }))
    const { body, status } = await api.call("PUT", "/ims/v3/inventory", records)
    if (status !== 200) throw new Error(`PUT /ims/v3/inventory answered ${status} ${JSON.stringify(body)}`)
    acknowledged.push(quantity)
  }
  return acknowledged
}

/** The first SKU of the writers. The SKUs before it are for orders. */
const firstSku = 20

const skusOf = async ({ records, writers }: Options): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const all = (await Sample.products()).slice(firstSku).map(({ sku }) => sku)
  if (writers * records > all.length)
    throw new Error(`The sandbox has only ${all.length} SKUs for the writers: ask for fewer --writers or --records`)
  return Array.from({ length: writers }, (_, nth) => all.slice(nth * records, (nth + 1) * records))
}

interface Written {
  /** The acknowledged quantities, by SKU. */
  readonly quantities: ReadonlyMap<string, ReadonlyArray<number>>
  readonly orders: Races.Acknowledged["orders"]
}

/** Writes stock, and orders with their moves. The writers use the hosts in turn. */
const writeAll = async (cluster: Cluster.Cluster, options: Options, resent: Cluster.Resent) => {
  const { changes, records, seed, writers } = options
  const hosts = cluster.hosts.map((_, nth) => ({
    seller: Cluster.persistent(cluster, nth, Api.seller, resent),
    marketplace: Cluster.persistent(cluster, nth, Api.marketplace, resent)
  }))
  const [first] = hosts
  if (first === undefined) throw new Error("There is no host")
  await Races.stock(first, 1_000_000)
  const each = Math.ceil((changes * 0.8) / writers / records)
  const writing = (await skusOf(options)).map(async (skus, nth) => {
    const { seller } = hosts[nth % hosts.length] ?? first
    const quantities = await write(seller, skus, each)
    return skus.map((sku) => [sku, quantities] as const)
  })
  const racing = Races.run(hosts, Math.ceil((changes * 0.05) / records), Random.make(seed), "FEED")
  const [quantities, played] = await Promise.all([Promise.all(writing), racing])
  for (const { marketplace, seller } of hosts) {
    marketplace.close()
    seller.close()
  }
  return { quantities: new Map(quantities.flat()), orders: played.acknowledged.orders } satisfies Written
}

/** The events that a reader has received, in order of arrival. Each has the milliseconds since its change. */
interface Seen {
  readonly events: Array<CompanyEvent.CompanyEvent>
  readonly millis: Array<number>
  lost: number
}

/** Follows the feed during the test. If the database was down, it resumes after the last event. */
const follow = (seen: Seen) =>
  Effect.gen(function* () {
    const { after } = yield* Events.Events
    const read = Stream.suspend(() => after(company, seen.events.at(-1)?.number ?? 0)).pipe(
      Stream.runForEach((event) =>
        Effect.sync(() => {
          seen.events.push(event)
          seen.millis.push(Date.now() - event.at)
        })
      )
    )
    yield* read.pipe(
      Effect.tapError(() => Effect.sync(() => seen.lost++)),
      Effect.retry({ schedule: Schedule.spaced("100 millis"), while: ({ _tag }) => _tag === "StorageError" })
    )
  })

const shown = (all: ReadonlyArray<unknown>): string => all.slice(0, 5).join(", ")

const numberFaults = (events: ReadonlyArray<CompanyEvent.CompanyEvent>, last: number): ReadonlyArray<string> => {
  const wrong = events.flatMap(({ number }, at) => (number === at + 1 ? [] : [`${number} in place ${at + 1}`]))
  return [
    ...(wrong.length === 0 ? [] : [`${wrong.length} events out of place: ${shown(wrong)}`]),
    ...(events.length === last ? [] : [`${events.length} events were read of ${last}`])
  ]
}

/** Finds acknowledged writes that aren't in the feed exactly once, in order. */
const writeFaults = (
  events: ReadonlyArray<CompanyEvent.CompanyEvent>,
  { orders, quantities }: Written
): ReadonlyArray<string> => {
  const set = new Map<string, Array<number>>()
  const placed = new Map<string, Array<string>>()
  for (const event of events) {
    const known = EventTypes.known(event)
    if (known?.type === "stock.changed" && known.data.location === "BOM1") {
      const { onHand, sku } = known.data
      const levels = set.get(sku)
      if (levels === undefined) set.set(sku, [onHand])
      else levels.push(onHand)
    }
    if (known?.type === "order.placed") {
      const { externalOrderId, shipments } = known.data
      const ids = shipments.map(({ shipmentId }) => shipmentId)
      placed.set(externalOrderId, [...(placed.get(externalOrderId) ?? []), ids.join()])
    }
  }
  return [
    ...[...quantities].flatMap(([sku, expected]) => {
      const found = (set.get(sku) ?? []).slice(-expected.length)
      return found.join() === expected.join() ? [] : [`${sku} has ${found.length} events of ${expected.length} writes`]
    }),
    ...[...orders].flatMap(([external, ids]) =>
      placed.get(external)?.join(";") === ids.join()
        ? []
        : [`order ${external} has the events ${placed.get(external)?.join(" and ")}, not ${ids.join()}`]
    )
  ]
}

/** Finds records in the audit trail whose events are missing. Events must have the number and the time of their record. */
const trailFaults = (
  events: ReadonlyArray<CompanyEvent.CompanyEvent>,
  records: ReadonlyArray<AuditRecord>
): ReadonlyArray<string> => {
  const times = new Map(events.map(({ at, change }) => [change, at]))
  const silent = records.filter(
    ({ at, entityType, sequence }) => eventful.has(entityType) && times.get(sequence) !== at
  )
  const known = new Set(records.map(({ sequence }) => sequence))
  const strange = [...times.keys()].filter((change) => !known.has(change))
  return [
    ...(silent.length === 0
      ? []
      : [`${silent.length} changes have no event: ${shown(silent.map((one) => one.sequence))}`]),
    ...(strange.length === 0 ? [] : [`${strange.length} events are of no change: ${shown(strange)}`])
  ]
}

const trail = Effect.gen(function* () {
  const log = yield* AuditStore
  const all: Array<AuditRecord> = []
  for (;;) {
    const page = yield* log.read(company, all.length, 1_000)
    if (page.length === 0) return all
    all.push(...page)
  }
})

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const test = (cluster: Cluster.Cluster, chosen: Options) =>
  Effect.gen(function* () {
    const seen: Seen = { events: [], millis: [], lost: 0 }
    const resent: Cluster.Resent = { count: 0 }
    const log = yield* EventLog
    const lastEvent = Effect.map(log.read(company, 0, 1), ({ last }) => last)
    const caughtUp = (last: number) =>
      Effect.sleep("20 millis").pipe(
        Effect.repeat({ until: () => seen.events.length >= last }),
        Effect.timeoutOption("30 seconds")
      )
    const reader = yield* Effect.forkChild(follow(seen))
    yield* caughtUp(yield* lastEvent)
    const before = seen.events.length
    const settle = chosen.disturb
      ? Cluster.disturb(cluster, chosen.every * 1_000, Random.make(chosen.seed + 1))
      : undefined
    const began = performance.now()
    const written = yield* Effect.promise(() => writeAll(cluster, chosen, resent))
    const seconds = (performance.now() - began) / 1000
    const disturbances = yield* Effect.promise(async () => settle?.())
    const last = yield* Effect.retry(lastEvent, { times: 50, schedule: Schedule.spaced("200 millis") })
    yield* caughtUp(last)
    yield* Fiber.interrupt(reader)
    const records = yield* trail
    const millis = seen.millis.slice(before).toSorted((a, b) => a - b)
    return {
      claim: "every change is in the feed exactly once, in order and without gaps",
      figures: {
        changes: records.length,
        events: seen.events.length,
        orders: written.orders.size,
        "stock writes acknowledged": [...written.quantities.values()].reduce((sum, one) => sum + one.length, 0),
        database: chosen.database,
        hosts: cluster.hosts.length,
        took: `${seconds.toFixed(1)} s`,
        "events a second": Math.round((seen.events.length - before) / seconds),
        "from decision to reader, p50": `${percentile(millis, 0.5)} ms`,
        "from decision to reader, p99": `${percentile(millis, 0.99)} ms`,
        ...disturbances,
        "requests sent again": resent.count,
        "times the reader lost the database": seen.lost,
        seed: chosen.seed
      },
      faults: [
        ...numberFaults(seen.events, last),
        ...writeFaults(seen.events, written),
        ...trailFaults(seen.events, records)
      ]
    } satisfies Verdict.Verdict
  })

CommandLine.main({
  name: "feed",
  does:
    "Writes stock, orders and concurrent moves through several hosts on one database, while a reader in another process " +
    "follows the change feed. When it passes, the reader saw every number once, in order and without a gap; every " +
    "acknowledged write has its events exactly once; and every change of the audit trail has its events.",
  options,
  run: (chosen) =>
    Effect.gen(function* () {
      const cluster = yield* Cluster.make(chosen.database, chosen.hosts)
      const reading = Events.layer.pipe(
        Layer.provideMerge(Storage.layer(cluster.url, { maxConnections: 4 })),
        Layer.provide(Ids.layer)
      )
      return yield* Effect.provide(test(cluster, chosen), reading)
    })
})
