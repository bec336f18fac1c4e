/**
 * `npm run endurance-test -- --minutes 120 --database postgres --hosts 3`: a mixed load for a long time, during which nothing
 * may grow; `--help` says more.
 */
import "@crossdock/cli/NodeVersion"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { StartFailure } from "@crossdock/cli/StartFailure"
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
}

/** What a client's answers took, by when they came. */
class Timings {
  /** Milliseconds of each answer since the last sample. */
  latest: Array<number> = []
  readonly byRoute = new Map<string, Array<readonly [at: number, took: number]>>()
  answered = 0
  failed = 0
  /** What rounds ended with that got no answer. */
  readonly broken: Array<string> = []

  /** Counts and times every answer of a client. */
  readonly timed = (api: Api.Api): Api.Api => ({
    close: api.close,
    call: async <A>(...request: Parameters<Api.Api["call"]>) => {
      const began = performance.now()
      const answer = await api.call<A>(...request)
      const took = performance.now() - began
      this.latest.push(took)
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

/** Sends all kinds of work at once until the time is over. */
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
  /** MiB of all hosts. */
  readonly memory: number
  readonly files: number
  /** MiB of SQLite's write-ahead log. */
  readonly log: number
  readonly p50: number
  readonly p99: number
}

const quantile = (sorted: ReadonlyArray<number>, part: number) => sorted[Math.floor(sorted.length * part)] ?? 0

const sample = (cluster: Cluster.Cluster, timings: Timings): Sample => {
  const pids = cluster.hosts.map(({ child }) => child.pid)
  const resident = (pid: number | undefined) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
  const wal = cluster.url.startsWith("sqlite:") ? statSync(`${cluster.url.slice("sqlite:".length)}-wal`).size : 0
  const sorted = timings.latest.toSorted((a, b) => a - b)
  timings.latest = []
  return {
    memory: Math.round(pids.map(resident).reduce((sum, one) => sum + one, 0)),
    files: pids.map((pid) => readdirSync(`/proc/${pid}/fd`).length).reduce((sum, count) => sum + count, 0),
    log: Math.round(wal / 1024 / 1024),
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99)
  }
}

/**
 * How much each figure may grow from the second quarter to the last: by a factor and by an amount. A host opens connections
 * when it needs them and keeps them: up to 10 to PostgreSQL, and some to its callers.
 */
const growthOf = (hosts: number) =>
  ({
    memory: [1.25, 32 * hosts],
    files: [1, 20 * hosts],
    log: [1.5, 16],
    p50: [1.5, 5],
    p99: [1.5, 50]
  }) as const satisfies Record<keyof Sample, readonly [factor: number, amount: number]>

const mean = (some: ReadonlyArray<Sample>, of: keyof Sample) =>
  some.reduce((sum, one) => sum + one[of], 0) / Math.max(1, some.length)

/** Compares the last quarter of the samples with the second one; the first warms up. */
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

/** The median of each route in the second quarter and in the last. */
const routes = ({ byRoute }: Timings, until: number, millis: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...byRoute].map(([route, times]) => {
      const median = (from: number) =>
        quantile(
          times.flatMap(([at, took]) => (at >= from && at < from + millis / 4 ? [took] : [])).toSorted((a, b) => a - b),
          0.5
        ).toFixed(1)
      return [route, `median ${median(until - millis * 0.75)} ms, then ${median(until - millis * 0.25)} ms`]
    })
  )

const endure = async (cluster: Cluster.Cluster, { database, minutes, pause }: Options): Promise<Verdict.Verdict> => {
  const timings = new Timings()
  const acknowledged = Races.record()
  const sides = await Promise.all(
    cluster.hosts.map(async ({ url }) => ({
      url,
      seller: timings.timed(await Api.seller(url)),
      marketplace: timings.timed(await Api.marketplace(url))
    }))
  )
  const [one] = sides
  if (one !== undefined) await Races.stock(one, 1_000_000)
  const millis = minutes * 60_000
  const until = Date.now() + millis
  const samples: Array<Sample> = []
  const sampling = setInterval(() => samples.push(sample(cluster, timings)), Math.min(10_000, millis / 24))
  await load(sides, until, pause, acknowledged, timings).finally(() => clearInterval(sampling))
  for (const { marketplace, seller } of sides) {
    seller.close()
    marketplace.close()
  }
  const { faults, figures } = compare(samples, sides.length)
  return {
    claim: "memory, open files, log and latency stayed level, no request failed, and every law is true",
    figures: {
      requests: timings.answered,
      minutes,
      database,
      hosts: sides.length,
      ...figures,
      ...routes(timings, until, millis)
    },
    faults: [
      ...faults,
      ...(timings.broken.length > 0 ? [`${timings.broken.length} rounds without an answer: ${timings.broken[0]}`] : []),
      ...(timings.failed > 0 ? [`${timings.failed} answers of 5xx`] : []),
      ...(await Laws.faults(cluster.url, acknowledged))
    ]
  }
}

CommandLine.main({
  name: "endurance-test",
  does:
    "Sends a mixed load of orders, moves, stock, reads and sign-ins for a long time. When it passes, memory, open files, log " +
    "and latency of the last quarter were those of the second one (the first warms up), and every law is true. It reads " +
    "/proc, so it runs on Linux only.",
  options,
  run: (chosen) =>
    Effect.gen(function* () {
      if (!existsSync("/proc/self/fd"))
        return yield* new StartFailure({ message: "This test reads memory and open files from /proc: run it on Linux" })
      const cluster = yield* Cluster.make(chosen.database, chosen.hosts)
      return yield* Effect.promise(() => endure(cluster, chosen))
    })
})
