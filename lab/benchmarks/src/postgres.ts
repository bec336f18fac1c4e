/** `npm run lab -- bench-postgres` compares Crossdock on PostgreSQL and SQLite with a handwritten program. See `--help`. */
import "@crossdock/cli/NodeVersion"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import * as CommandLine from "@crossdock/system-tests/CommandLine"
import { Effect, Redacted, Scope } from "effect"
import { crossdock, handwritten, type PostgresContender } from "./PostgresContender.ts"
import { orderBody, skus } from "./Scenarios.ts"

const options = await CommandLine.optionsOf({
  name: "bench-postgres",
  does:
    "Measures hosts on PostgreSQL beside a handwritten program with as many processes, and one host on SQLite, in turns in the same run, " +
    "with every commit on the disk. A rate is the median of its rounds.",
  options: {
    rounds: CommandLine.whole("rounds", 3, "rounds of each scenario"),
    seconds: CommandLine.positive("seconds", 4, "the time of a round"),
    clients: CommandLine.whole("clients", 16, "requests at once"),
    hosts: CommandLine.hosts(3),
    only: CommandLine.text("only", "measures the scenarios whose name contains this text")
  }
})
const { clients, hosts: mostHosts, rounds } = options
const millis = options.seconds * 1000
const companies = 4

let written = 0

/** Runs `work` with all measured clients until no work is left. */
const together = (work: (nth: number) => Promise<boolean>) =>
  Promise.all(
    Array.from({ length: clients }, async (_, nth) => {
      while (await work(nth)) {
        // Each client sends its next request after the last answer.
      }
    })
  )

type Hosts = PostgresContender["hosts"]
type Ask = (nth: number) => Promise<number>

const apiOf = (hosts: Hosts, nth: number) => {
  const found = hosts[nth % hosts.length]
  if (found === undefined) throw new Error("no host")
  return found
}

const placing =
  ({ orders }: PostgresContender, hosts: Hosts, locationOf: (nth: number) => string) =>
  async (nth: number) => {
    const { marketplace } = apiOf(hosts, nth)
    const { body, status } = await marketplace.call<{
      readonly shipments: ReadonlyArray<{ readonly shipment_id: string }>
    }>("POST", orders, orderBody(locationOf(nth)))
    if (status !== 200) throw new Error(`create answered ${status} ${JSON.stringify(body)}`)
    return body.shipments[0]?.shipment_id ?? ""
  }

const own = () => "BLR1"

interface Shown {
  readonly orderItems: ReadonlyArray<{ readonly orderItemId: string; readonly quantity: number }>
}

const confirmBody = async ({ needsItems }: PostgresContender, hosts: Hosts, nth: number, orderId: string) => {
  if (!needsItems) return [{ orderId }]
  const { seller } = apiOf(hosts, nth)
  const { body } = await seller.call<ReadonlyArray<Shown>>("GET", `/oms/v3/shipment?orderId=${orderId}`)
  return [{ orderId, orderItems: body[0]?.orderItems.map(({ orderItemId, quantity }) => ({ orderItemId, quantity })) }]
}

interface Scenario {
  readonly name: string
  /** Prepares a round. Its requests return `undefined` when no work is left. */
  readonly prepare: (contender: PostgresContender, hosts: Hosts) => Promise<Ask>
}

const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "order of 3 lines, one company",
    prepare: async (contender, hosts) => {
      const place = placing(contender, hosts, own)
      return async (nth) => {
        await place(nth)
        return 200
      }
    }
  },
  {
    name: `order of 3 lines, ${companies} companies`,
    prepare: async (contender, hosts) => {
      const place = placing(contender, hosts, (nth) => contender.locations[nth % companies] ?? "")
      return async (nth) => {
        await place(nth)
        return 200
      }
    }
  },
  {
    name: "one move of a shipment",
    prepare: async (contender, hosts) => {
      const bodies: Array<unknown> = []
      const place = placing(contender, hosts, own)
      const wanted = millis / 4
      await together(async (nth) => {
        bodies.push(await confirmBody(contender, hosts, nth, await place(nth)))
        return bodies.length < wanted
      })
      return async (nth) => {
        const body = bodies.pop()
        if (body === undefined) return 0
        const { seller } = apiOf(hosts, nth)
        return (await seller.call("POST", "/oms/v3/shipment/confirm", body)).status
      }
    }
  },
  {
    name: "bulk stock of 500 records",
    prepare: async (_, hosts) => async (nth) => {
      const quantity = 1_000_000 + written++
      const body = skus.map((sku) => ({ location_id: "BLR1", sku, quantity }))
      return (await apiOf(hosts, nth).seller.call("PUT", "/ims/v3/inventory", body)).status
    }
  }
]

/** Measures the requests per second of one round. The round ends when the time is over or no work is left. */
const rate = async (contender: PostgresContender, count: number, { name, prepare }: Scenario) => {
  const hosts = contender.hosts.slice(0, count)
  const ask = await prepare(contender, hosts)
  let done = 0
  const from = performance.now()
  await together(async (nth) => {
    const status = await ask(nth)
    if (status === 0) return false
    if (status !== 200) throw new Error(`${contender.name} answered ${status} to ${name}`)
    done++
    return performance.now() - from < millis
  })
  return (done * 1000) / (performance.now() - from)
}

const median = (numbers: ReadonlyArray<number>): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0

const folder = await mkdtemp(join(tmpdir(), "crossdock-bench-"))
const server = await PostgresServer.start({ isDurable: true })
const scope = Scope.makeUnsafe()
const database = async () =>
  Redacted.value(await Effect.runPromise(Scope.provide(PostgresDatabase.make(server.url), scope)))
const ours = await crossdock("Crossdock", await database(), skus, companies, mostHosts)
const byHand = await handwritten("by hand", await database(), skus, companies, mostHosts)
const onSqlite = await crossdock("SQLite", `sqlite:${join(folder, "crossdock.db")}`, skus, companies, 1)
for (const { hosts } of [ours, byHand, onSqlite]) {
  const body = skus.map((sku) => ({ location_id: "BLR1", sku, quantity: 1_000_000 }))
  await hosts[0]?.seller.call("PUT", "/ims/v3/inventory", body)
}

const counts = Array.from({ length: mostHosts }, (_, nth) => nth + 1)
const columns = [
  { contender: onSqlite, count: 1 },
  ...counts.flatMap((count) => [ours, byHand].map((contender) => ({ contender, count })))
]
const shown = (text: string) => text.padStart(12)
process.stdout.write(
  `${rounds} rounds of ${millis / 1000} s in turn, ${clients} connections, PostgreSQL with fsync\n\n`
)
process.stdout.write(
  `${"requests per second".padEnd(34)}${columns.map(({ contender, count }) => shown(`${contender.name} ${count}`)).join("")}${counts.map((count) => shown(`ratio ${count}`)).join("")}\n`
)
for (const scenario of scenarios.filter(({ name }) => name.includes(options.only))) {
  const rates = columns.map((): Array<number> => [])
  for (const { contender, count } of columns)
    if (count === mostHosts || count === 1) await rate(contender, count, scenario)
  for (let round = 0; round < rounds; round++) {
    for (const [at, { contender, count }] of columns.entries()) rates[at]?.push(await rate(contender, count, scenario))
  }
  const medians = rates.map(median)
  const ratios = counts.map((_, at) => (medians[1 + 2 * at] ?? 0) / (medians[2 + 2 * at] ?? 1))
  process.stdout.write(
    `${scenario.name.padEnd(34)}${medians.map((value) => shown(String(Math.round(value)))).join("")}${ratios.map((ratio) => shown(ratio.toFixed(2))).join("")}\n`
  )
}
await Promise.all([ours, byHand, onSqlite].map(({ stop }) => stop()))
await server.stop()
await rm(folder, { recursive: true })
process.exit(0)
