/**
 * `npm run lab -- endurance --minutes 120` runs a long mixed load, during which nothing may grow. See `--help`.
 * Latency depends on other work of the machine, so it is compared with new hosts in the same minutes.
 */
import "@crossdock/cli/NodeVersion"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { StartFailure } from "@crossdock/cli/CommandFailure"
import { Effect } from "effect"
import * as Api from "./Api.ts"
import * as Cluster from "./Cluster.ts"
import * as CommandLine from "./CommandLine.ts"
import * as Random from "./Random.ts"
import * as Laws from "./races/Laws.ts"
import * as Races from "./races/Races.ts"
import type * as Verdict from "./Verdict.ts"

const options = {
  minutes: CommandLine.positive("minutes", 120, "how long"),
  pause: CommandLine.wholeOrNone("pause", 0, "milliseconds that each client waits between its rounds"),
  database: CommandLine.database,
  hosts: CommandLine.hosts(1)
}

interface Options {
  readonly minutes: number
  readonly pause: number
  readonly database: Cluster.Database
  readonly hosts: number
}

class Timings {
  readonly byRoute = new Map<string, Array<readonly [at: number, took: number]>>()
  answered = 0
  failed = 0
  /** Rounds that ended without an answer. */
  readonly broken: Array<string> = []

  /** Counts and times the answers of a client. */
  readonly timed = (api: Api.Api): Api.Api => ({
    close: api.close,
    call: async <A>(...request: Parameters<Api.Api["call"]>) => {
      const began = performance.now()
      const answer = await api.call<A>(...request)
      const took = performance.now() - began
      const [method, path] = request
      const route = `${method} ${path.split("?")[0]}`
      const times = this.byRoute.get(route) ?? []
      times.push([Date.now(), took])
      this.byRoute.set(route, times)
      this.answered++
      if (answer.status >= 500) this.failed++
      return answer
    }
  })
}

const skus = ["85123A", "71053", "84406B"]

interface Side extends Races.Host {
  readonly url: string
}

const read = async ({ marketplace, seller }: Side) => {
  await seller.call("GET", "/ims/v3/listings?page_size=100")
  await seller.call("GET", "/oms/v3/shipment?orderStatus=placed&locationCode=BLR1&pageSize=50")
  await seller.call("GET", `/v3/catalog/product?page_size=20`)
  await marketplace.call("GET", "/order/api/v1/bazaar/order?platform_order_id=none")
}

/** Sends all kinds of work at the same time until the time is over. */
const load = async (
  sides: ReadonlyArray<Side>,
  until: number,
  pause: number,
  acknowledged: Races.Record,
  { broken }: Timings
) => {
  const draw = Random.make(1)
  const repeat = async (work: (side: Side, round: number) => Promise<unknown>) => {
    for (let round = 0; Date.now() < until; round++) {
      await work(sides[round % sides.length] as Side, round).catch((error) => broken.push(String(error)))
      await setTimeout(pause)
    }
  }
  await Promise.all([
    repeat((side, round) => Races.run([side], 20, draw, `ENDURANCE-A-${round}`, acknowledged)),
    repeat((_, round) => Races.run(sides, 20, draw, `ENDURANCE-B-${round}`, acknowledged)),
    repeat(({ seller }) =>
      seller.call(
        "PUT",
        "/ims/v3/inventory",
        skus.map((sku) => ({ location_id: "BLR1", sku, quantity: 1_000_000 }))
      )
    ),
    repeat(read),
    repeat(async ({ url }) => (await Api.seller(url)).close())
  ])
}

interface Sample {
  /** The memory of all hosts, in MiB. */
  readonly memory: number
  readonly files: number
  /** The write-ahead log of SQLite, in MiB. */
  readonly log: number
}

const quantile = (sorted: ReadonlyArray<number>, part: number) => sorted[Math.floor(sorted.length * part)] ?? 0

const sample = (cluster: Cluster.Cluster): Sample => {
  const pids = cluster.hosts.map(({ child }) => child.pid)
  const resident = (pid: number | undefined) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
  const wal = cluster.url.startsWith("sqlite:") ? statSync(`${cluster.url.slice("sqlite:".length)}-wal`).size : 0
  return {
    memory: Math.round(pids.map(resident).reduce((sum, one) => sum + one, 0)),
    files: pids.map((pid) => readdirSync(`/proc/${pid}/fd`).length).reduce((sum, count) => sum + count, 0),
    log: Math.round(wal / 1024 / 1024)
  }
}

/** How much each figure may grow from the second quarter to the last, as a factor and an amount. */
const growthOf = (hosts: number) =>
  ({
    memory: [1.25, 32 * hosts],
    files: [1, 20 * hosts],
    log: [1.5, 16]
  }) as const satisfies Record<keyof Sample, readonly [factor: number, amount: number]>

const mean = (some: ReadonlyArray<Sample>, of: keyof Sample) =>
  some.reduce((sum, one) => sum + one[of], 0) / Math.max(1, some.length)

/** Compares the last quarter of the samples with the second. In the first quarter, the hosts warm up. */
const compare = (samples: ReadonlyArray<Sample>, hosts: number): Pick<Verdict.Verdict, "faults" | "figures"> => {
  const quarter = Math.floor(samples.length / 4)
  const [early, late] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)]
  const compared = Object.entries(growthOf(hosts)).map(([name, [factor, amount]]) => {
    const [before, after] = [mean(early, name as keyof Sample), mean(late, name as keyof Sample)]
    const change = `${before.toFixed(1)} in the second quarter, ${after.toFixed(1)} in the last`
    return { name, change, grew: after > before * factor + amount }
  })
  return {
    figures: Object.fromEntries(compared.map(({ change, name }) => [name, change])),
    faults: [
      ...(quarter === 0 ? ["the time was too short to compare its quarters"] : []),
      ...compared.flatMap(({ change, grew, name }) => (grew ? [`${name} grew: ${change}`] : []))
    ]
  }
}

/** The milliseconds of all answers since a time, by route and sorted. */
const since = ({ byRoute }: Timings, from: number): ReadonlyMap<string, ReadonlyArray<number>> =>
  new Map(
    [...byRoute].map(([route, times]) => [
      route,
      times.flatMap(([at, took]) => (at >= from ? [took] : [])).toSorted((a, b) => a - b)
    ])
  )

const all = (byRoute: ReadonlyMap<string, ReadonlyArray<number>>) =>
  [...byRoute.values()].flat().toSorted((a, b) => a - b)

/** How much slower the old hosts may be than new ones, as a factor and in milliseconds. */
const slower = [
  ["p50", 0.5, 1.5, 5],
  ["p99", 0.99, 1.5, 50]
] as const

/** Compares the latency in the last quarter with the latency of new hosts. */
const compareLatency = (old: Timings, fresh: Timings, from: number): Pick<Verdict.Verdict, "faults" | "figures"> => {
  const [oldRoutes, freshRoutes] = [since(old, from), since(fresh, from)]
  const [oldTimes, freshTimes] = [all(oldRoutes), all(freshRoutes)]
  const compared = slower.map(([name, part, factor, millis]) => {
    const [before, after] = [quantile(freshTimes, part), quantile(oldTimes, part)]
    const text = `${after.toFixed(1)} ms in the last quarter, ${before.toFixed(1)} ms on new hosts`
    return { name, text, isSlower: after > before * factor + millis }
  })
  const medians = [...oldRoutes].map(([route, times]) => [
    route,
    `median ${quantile(times, 0.5).toFixed(1)} ms, ${quantile(freshRoutes.get(route) ?? [], 0.5).toFixed(1)} ms on new hosts`
  ])
  return {
    figures: { ...Object.fromEntries(compared.map(({ name, text }) => [name, text])), ...Object.fromEntries(medians) },
    faults: [
      ...(freshTimes.length === 0 ? ["the new hosts answered nothing in the last quarter"] : []),
      ...compared.flatMap(({ isSlower, name, text }) => (isSlower ? [`${name} is slower: ${text}`] : []))
    ]
  }
}

/** The answers of a cluster under load, and a sample of the cluster every 10 s. */
interface Endured {
  readonly timings: Timings
  readonly samples: ReadonlyArray<Sample>
  readonly resent: Cluster.Resent
  readonly faults: ReadonlyArray<string>
}

const endure = async (cluster: Cluster.Cluster, until: number, pause: number): Promise<Endured> => {
  const timings = new Timings()
  const acknowledged = Races.record()
  const resent: Cluster.Resent = { count: 0 }
  const client = (nth: number, signIn: (url: string) => Promise<Api.Api>) =>
    Cluster.persistent(cluster, nth, async (url) => timings.timed(await signIn(url)), resent)
  const sides = cluster.hosts.map(({ url }, nth) => ({
    url,
    seller: client(nth, Api.seller),
    marketplace: client(nth, Api.marketplace)
  }))
  const [one] = sides
  if (one !== undefined) await Races.stock(one, 1_000_000)
  const samples: Array<Sample> = []
  const sampling = setInterval(() => samples.push(sample(cluster)), Math.min(10_000, (until - Date.now()) / 24))
  await load(sides, until, pause, acknowledged, timings).finally(() => clearInterval(sampling))
  for (const { marketplace, seller } of sides) {
    seller.close()
    marketplace.close()
  }
  return {
    timings,
    samples,
    resent,
    faults: [
      ...(timings.broken.length > 0 ? [`${timings.broken.length} rounds without an answer: ${timings.broken[0]}`] : []),
      ...(timings.failed > 0 ? [`${timings.failed} answers of 5xx`] : []),
      ...(await Laws.faults(cluster.url, acknowledged))
    ]
  }
}

const test = ({ database, hosts, minutes, pause }: Options) =>
  Effect.gen(function* () {
    const millis = minutes * 60_000
    const cluster = yield* Cluster.make(database, hosts)
    const until = Date.now() + millis
    const fresh = Effect.gen(function* () {
      yield* Effect.sleep((millis * 5) / 8)
      const control = yield* Cluster.make(database, hosts)
      return yield* Effect.promise(() => endure(control, until, pause))
    })
    const [old, control] = yield* Effect.all([Effect.promise(() => endure(cluster, until, pause)), fresh], {
      concurrency: "unbounded"
    })
    const growth = compare(old.samples, hosts)
    const latency = compareLatency(old.timings, control.timings, until - millis / 4)
    return {
      claim:
        "memory, open files and log stayed level, latency was that of new hosts, no request failed, and every law is true",
      figures: {
        requests: old.timings.answered,
        "sent again": old.resent.count,
        minutes,
        database,
        hosts,
        ...growth.figures,
        ...latency.figures
      },
      faults: [...growth.faults, ...latency.faults, ...old.faults, ...control.faults.map((one) => `new hosts: ${one}`)]
    } satisfies Verdict.Verdict
  })

CommandLine.main({
  name: "endurance",
  does:
    "Sends a mixed load of orders, moves, stock, reads and sign-ins for a long time. When it passes, memory, open files and " +
    "log of the last quarter were those of the second one (the first warms up), its latency that of new hosts with the same " +
    "load beside them, and every law is true. It reads /proc, so it runs on Linux only.",
  options,
  run: (chosen) =>
    Effect.gen(function* () {
      if (!existsSync("/proc/self/fd"))
        return yield* new StartFailure({ message: "This test reads memory and open files from /proc: run it on Linux" })
      return yield* test(chosen)
    })
})
