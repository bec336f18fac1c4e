/** `npm run lab -- scale` measures how much faster Crossdock is with more sellers and more hosts. */
import "@crossdock/cli/NodeVersion"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import * as CommandLine from "@crossdock/system-tests/CommandLine"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Orders from "./growing/Orders.ts"
import * as Sellers from "./growing/Sellers.ts"
import * as Usage from "./growing/Usage.ts"
import * as CpuLimit from "./scaling/CpuLimit.ts"
import * as Host from "./scaling/Host.ts"

const warmSeconds = 2
const clientsPerSeller = 4
const skus = 1000

/** A line of the table: orders of some sellers, sent to some hosts. */
interface Case {
  readonly name: string
  readonly hosts: ReadonlyArray<Host.Host>
  readonly choice: Orders.Choice
  /** The ideal rate, as a multiple of the rate of the first case. */
  readonly ideal: number
  readonly clients: number
}

interface Measured {
  readonly rate: number
  readonly hostMillis: number
  readonly serverMillis: number
}

const measured = (size: Sellers.Size, { choice, clients, hosts }: Case, data: string, seconds: number) =>
  Effect.gen(function* () {
    const send = (duration: number) =>
      Orders.send(
        hosts.map(({ api }) => api),
        size,
        choice,
        clients,
        duration
      )
    const moment = Usage.moment(
      hosts.map(({ process }) => process),
      data
    )
    yield* send(warmSeconds)
    const before = yield* moment
    const millis = yield* send(seconds)
    const usage = Usage.between(before, yield* moment)
    const rate = millis.length / usage.seconds
    return { rate, hostMillis: (usage.host / rate) * 1000, serverMillis: (usage.server / rate) * 1000 }
  })

const median = (numbers: ReadonlyArray<number>): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0

/** Measures all cases in turn, several times, so that a disturbance affects all of them. */
const table = (
  what: string,
  cases: ReadonlyArray<Case>,
  measure: (each: Case) => Effect.Effect<Measured, unknown, SqlClient.SqlClient>,
  rounds: number
) =>
  Effect.gen(function* () {
    const found = new Map<string, Array<Measured>>(cases.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round++)
      for (const each of cases) found.get(each.name)?.push(yield* measure(each))
    const of = (name: string, figure: keyof Measured) => median((found.get(name) ?? []).map((each) => each[figure]))
    const first = of(cases[0]?.name ?? "", "rate")
    return cases.map(({ ideal, name }): readonly [string, string] => {
      const times = of(name, "rate") / first
      const rates = (found.get(name) ?? []).map(({ rate }) => Math.round(rate)).sort((a, b) => a - b)
      return [
        `${what}: ${name}`,
        `${of(name, "rate").toFixed(0)} orders/s (${rates[0]} to ${rates.at(-1)}), ${times.toFixed(2)} times the first, ${(times / ideal).toFixed(2)} of ideal; CPU of an order: hosts ${of(name, "hostMillis").toFixed(1)}, PostgreSQL ${of(name, "serverMillis").toFixed(1)} ms`
      ]
    })
  })

/** Makes each write wait this long with its company locked. The wait doesn't use a core. */
const lockedLonger = (millis: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe(`CREATE FUNCTION crossdock_wait() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(${millis / 1000}); RETURN NULL; END $$`)
    yield* sql.unsafe(`CREATE TRIGGER crossdock_wait AFTER INSERT ON crossdock_audit_records
      FOR EACH STATEMENT EXECUTE FUNCTION crossdock_wait()`)
    yield* Effect.addFinalizer(() => Effect.orDie(sql.unsafe("DROP FUNCTION crossdock_wait CASCADE")))
  })

interface Options {
  readonly sellers: number
  readonly hosts: number
  readonly lockMillis: number
  readonly hostCpu: number
  readonly rounds: number
  readonly seconds: number
}

const doubled = (most: number): ReadonlyArray<number> =>
  Array.from({ length: Math.floor(Math.log2(most)) + 1 }, (_, power) => 2 ** power)

const moreSellers = (size: Sellers.Size, url: Redacted.Redacted, data: string, options: Options) =>
  Effect.gen(function* () {
    const host = yield* Host.make(Redacted.value(url), clientsPerSeller * size.sellers)
    yield* lockedLonger(options.lockMillis)
    const cases = doubled(size.sellers).map((sellers) => ({
      name: sellers === 1 ? "one seller" : `${sellers} sellers`,
      hosts: [host],
      // Each client orders from one seller only. Otherwise a seller would be idle while its clients wait for other sellers.
      choice: (client: number) => [client % sellers],
      ideal: sellers,
      clients: clientsPerSeller * sellers
    }))
    return yield* table(
      `each order locks its company ${options.lockMillis} ms longer`,
      cases,
      (each) => measured(size, each, data, options.seconds),
      options.rounds
    )
  }).pipe(Effect.scoped)

const moreHosts = (size: Sellers.Size, url: Redacted.Redacted, data: string, options: Options) =>
  Effect.gen(function* () {
    const one = Effect.gen(function* () {
      const limit = yield* CpuLimit.make(options.hostCpu)
      const host = yield* Host.make(Redacted.value(url), 10)
      // Warms up before the limit applies. With a part of a core, compiling would take longer than a measurement.
      yield* Orders.send([host.api], size, () => [0], clientsPerSeller, warmSeconds)
      limit(host.process)
      return host
    })
    const all = yield* Effect.replicateEffect(one, options.hosts)
    let sent = 0
    const cases = [size.sellers, 1].map((sellers) =>
      all.map((_, nth) => ({
        name: `${nth + 1} host${nth === 0 ? "" : "s"}, ${sellers === 1 ? "one seller" : `${sellers} sellers`}`,
        hosts: all.slice(0, nth + 1),
        choice: () => [sent++ % sellers],
        ideal: nth + 1,
        clients: clientsPerSeller * (nth + 1)
      }))
    )
    const tables = yield* Effect.forEach(cases, (each) =>
      table(
        `hosts of ${options.hostCpu} cores`,
        each,
        (line) => measured(size, line, data, options.seconds),
        options.rounds
      )
    )
    return tables.flat()
  }).pipe(Effect.scoped)

CommandLine.main({
  name: "scale",
  does: "Measures what more sellers and more hosts add to the orders per second on PostgreSQL, while the cores are not what limits them. For sellers, each order locks its company longer, without using a core, so one company is slow, and N companies should be N times as fast. For hosts, each has a part of a core. It needs Linux, and root for the second.",
  options: {
    sellers: CommandLine.whole("sellers", 8, "most sellers, doubled from one on"),
    hosts: CommandLine.whole("hosts", 4, "most hosts", 99),
    lockMillis: CommandLine.whole("lock-millis", 40, "milliseconds that an order locks its company longer"),
    hostCpu: CommandLine.positive("host-cpu", 0.2, "cores of each host"),
    rounds: CommandLine.whole("rounds", 5, "rounds, of which the median is shown"),
    seconds: CommandLine.whole("seconds", 6, "seconds to measure each line in a round")
  },
  run: (options) =>
    Effect.gen(function* () {
      // If limits aren't possible here, this fails now instead of after minutes of measurements.
      yield* Effect.scoped(CpuLimit.make(options.hostCpu))
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => PostgresServer.start({ isDurable: true })),
        ({ stop }) => Effect.promise(stop)
      )
      const url = yield* PostgresDatabase.make(server.url)
      const size = { sellers: options.sellers, skus }
      return yield* Effect.gen(function* () {
        yield* Sellers.fill(size)
        const sellers = yield* moreSellers(size, url, server.data, options)
        const hosts = yield* moreHosts(size, url, server.data, options)
        return { claim: "every order was accepted", figures: Object.fromEntries([...sellers, ...hosts]), faults: [] }
      }).pipe(Effect.provide(Postgres.layer(url, { maxConnections: 3 })))
    })
})
