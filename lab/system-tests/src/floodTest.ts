/** `npm run lab -- flood 10` tests a seller while another seller sends a flood of requests. See `--help`. */
import "@crossdock/cli/NodeVersion"
import { Effect } from "effect"
import * as Api from "./Api.ts"
import * as Cluster from "./Cluster.ts"
import * as CommandLine from "./CommandLine.ts"

const options = { seconds: CommandLine.count("seconds", 10, "length of each half"), database: CommandLine.database }

/** The clients of the flooding seller. Each has 64 requests in flight. */
const clients = 5
const ofClient = 64

/** How many requests of the flood may precede a waiting one: four times the host's concurrent requests. */
const mostBefore = 32

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
const at = (sorted: ReadonlyArray<number>, share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0

const write = async (api: Api.Api, location: string, sku: string, quantity: number) => {
  const { status } = await api.call("PUT", "/ims/v3/inventory", [{ location_id: location, sku, quantity }])
  if (status !== 200) throw new Error(`A write of ${location} answered ${status}`)
}

/** Makes a write every 10 ms. Measures its time, and how much `count` grows meanwhile. */
const measure = async (api: Api.Api, millis: number, count: () => number) => {
  const found: Array<{ readonly time: number; readonly before: number }> = []
  for (const end = performance.now() + millis; performance.now() < end; await pause(10)) {
    const [began, before] = [performance.now(), count()]
    await write(api, "DEL1", "GX-TEE-S", found.length % 100)
    found.push({ time: performance.now() - began, before: count() - before })
  }
  const times = found.map(({ time }) => time).toSorted((one, other) => one - other)
  const counts = found.map(({ before }) => before).toSorted((one, other) => one - other)
  return { p50: at(times, 0.5), p99: at(times, 0.99), before: at(counts, 0.5) }
}

const flood = async (url: string, millis: number) => {
  const neighbour = await Api.seller(url, "globex")
  await measure(neighbour, millis / 4, () => 0)
  const alone = await measure(neighbour, millis, () => 0)
  const flooding = await Promise.all(Array.from({ length: clients }, () => Api.seller(url)))
  let [answered, isOver] = [0, false]
  const writers = flooding.flatMap((api) =>
    Array.from({ length: ofClient }, async () => {
      for (; !isOver; answered++) await write(api, "BLR1", "85123A", answered % 1000)
    })
  )
  await pause(millis / 4)
  const began = answered
  const beside = await measure(neighbour, millis, () => answered)
  const rate = ((answered - began) / millis) * 1000
  isOver = true
  await Promise.all(writers)
  for (const api of [neighbour, ...flooding]) api.close()
  return { alone, beside, rate }
}

CommandLine.main({
  name: "flood",
  does:
    "One seller writes 100 times a second, first alone, then beside another one that always has 320 writes in flight. When it " +
    `passes, half of the first one's writes are answered before ${mostBefore} more of the other's are.`,
  options,
  run: ({ database, seconds }) =>
    Effect.gen(function* () {
      const cluster = yield* Cluster.make(database, 1)
      const { alone, beside, rate } = yield* Effect.promise(() => flood(cluster.hosts[0]?.url ?? "", seconds * 1000))
      const inMillis = ({ p50, p99 }: typeof alone) => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
      return {
        claim: "a seller's flood delays its neighbour by a few requests",
        figures: {
          database,
          alone: inMillis(alone),
          "beside the flood": inMillis(beside),
          "answered before": beside.before,
          "flood's writes a second": Math.round(rate)
        },
        faults: beside.before > mostBefore ? [`${beside.before} writes of the flood were answered first`] : []
      }
    })
})
