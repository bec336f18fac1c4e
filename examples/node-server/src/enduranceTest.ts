/**
 * `npm run endurance-test -- --minutes 120 --database postgres --hosts 3`: a mixed load of orders, moves, stock, reads,
 * documents and sign-ins for a long time. At the end memory, open files, log size and latency of the last quarter must be
 * those of the second one (the first warms up), and every law must be true.
 */
import "./NodeVersion.ts"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { parseArgs } from "node:util"
import * as Api from "./Api.ts"
import * as Cluster from "./Cluster.ts"
import * as Random from "./Random.ts"
import * as Laws from "./races/Laws.ts"
import * as Races from "./races/Races.ts"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "120" },
    database: { type: "string", default: "sqlite" },
    hosts: { type: "string", default: "1" }
  }
})
const database = Cluster.databaseOf(values.database)
const millis = Number(values.minutes) * 60_000
const cluster = await Cluster.start(database, Cluster.hostsOf(values.hosts))
const draw = Random.make(1)

/** Milliseconds of each answer since the last sample. */
let latencies: Array<number> = []
/** When each answer came, and what it took, by route. */
const byRoute = new Map<string, Array<readonly [at: number, took: number]>>()
let answered = 0
let failed = 0

/** Counts and times every answer of a client. */
const timed = (api: Api.Api): Api.Api => ({
  close: api.close,
  call: async <A>(...request: Parameters<Api.Api["call"]>) => {
    const began = performance.now()
    const answer = await api.call<A>(...request)
    const took = performance.now() - began
    latencies.push(took)
    const [method, path] = request
    const route = `${method} ${path.split("?")[0]}`
    const times = byRoute.get(route) ?? []
    times.push([Date.now(), took])
    byRoute.set(route, times)
    answered++
    if (answer.status >= 500) failed++
    return answer
  }
})

const sides = await Promise.all(
  cluster.hosts.map(async ({ url }) => ({
    url,
    seller: timed(await Api.seller(url)),
    marketplace: timed(await Api.marketplace(url))
  }))
)
type Side = (typeof sides)[number]

const until = Date.now() + millis
const skus = ["85123A", "71053", "84406B"]

/** Repeats a kind of work until the time is over. */
const repeat = async (work: (side: Side, round: number) => Promise<unknown>) => {
  for (let round = 0; Date.now() < until; round++) await work(sides[round % sides.length] as Side, round)
}

const read = async ({ marketplace, seller }: Side) => {
  await seller.call("GET", "/ims/v3/listings?page_size=100")
  await seller.call("GET", "/oms/v3/shipment?orderStatus=placed&locationCode=BLR1&pageSize=50")
  await seller.call("GET", `/v3/catalog/product?page_size=20`)
  await marketplace.call("GET", "/order/api/v1/bazaar/order?platform_order_id=none")
}

const load = [
  () => repeat((side, round) => Races.run([side], 20, draw, `ENDURANCE-A-${round}`)),
  () => repeat((side, round) => Races.run(sides, 20, draw, `ENDURANCE-B-${round}-${side.url.slice(-5)}`)),
  () =>
    repeat(({ seller }) =>
      seller.call(
        "PUT",
        "/ims/v3/inventory",
        skus.map((sku) => ({ location_id: "BLR1", sku, quantity: 1_000_000 }))
      )
    ),
  () => repeat(read),
  () => repeat(async ({ url }) => (await Api.seller(url)).close())
]

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

const sample = (): Sample => {
  const pids = cluster.hosts.map(({ child }) => child.pid)
  const resident = (pid: number | undefined) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
  const wal = cluster.url.startsWith("sqlite:") ? statSync(`${cluster.url.slice("sqlite:".length)}-wal`).size : 0
  const sorted = latencies.toSorted((a, b) => a - b)
  latencies = []
  return {
    memory: Math.round(pids.map(resident).reduce((sum, one) => sum + one, 0)),
    files: pids.map((pid) => readdirSync(`/proc/${pid}/fd`).length).reduce((sum, count) => sum + count, 0),
    log: Math.round(wal / 1024 / 1024),
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99)
  }
}

const samples: Array<Sample> = []
if (sides[0] !== undefined) await Races.stock(sides[0], 1_000_000)
const sampling = setInterval(() => samples.push(sample()), Math.min(10_000, millis / 24))
await Promise.all(load.map((work) => work()))
clearInterval(sampling)

const mean = (some: ReadonlyArray<Sample>, of: keyof Sample) =>
  some.reduce((sum, one) => sum + one[of], 0) / Math.max(1, some.length)
const quarter = Math.floor(samples.length / 4)
const [early, late] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)]

/** How much each figure may grow from the second quarter to the last: by a factor and by an amount. */
const growth = { memory: [1.25, 32], files: [1, 8], log: [1.5, 16], p50: [1.5, 5], p99: [1.5, 50] } as const
const faults: Array<string> = []
for (const of of Object.keys(growth) as ReadonlyArray<keyof Sample>) {
  const [before, after] = [mean(early, of), mean(late, of)]
  const [factor, amount] = growth[of]
  process.stdout.write(`${of}: ${before.toFixed(1)} in the second quarter, ${after.toFixed(1)} in the last\n`)
  if (after > before * factor + amount) faults.push(`${of} grew from ${before.toFixed(1)} to ${after.toFixed(1)}`)
}
const [second, last] = [until - millis * 0.75, until - millis * 0.25]
for (const [route, times] of byRoute) {
  const median = (some: typeof times) =>
    quantile(
      some.map(([, took]) => took).toSorted((a, b) => a - b),
      0.5
    ).toFixed(1)
  const before = times.filter(([at]) => at >= second && at < second + millis / 4)
  process.stdout.write(`${route}: median ${median(before)} ms, then ${median(times.filter(([at]) => at >= last))} ms\n`)
}
if (failed > 0) faults.push(`${failed} answers of 5xx`)
for (const { marketplace, seller } of sides) {
  seller.close()
  marketplace.close()
}
faults.push(...(await Laws.faults(cluster.url)))
await cluster.stop()
for (const fault of faults.slice(0, 20)) process.stderr.write(`${fault}\n`)
process.stdout.write(
  `${answered} requests in ${values.minutes} minutes over ${values.hosts} hosts on ${database}: ${faults.length} faults\n`
)
process.exit(faults.length === 0 ? 0 : 1)
