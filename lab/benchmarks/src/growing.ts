/** `npm run lab -- grow` places orders in PostgreSQL with more and more sellers, and finds the bottleneck at each size. */
import "@crossdock/cli/NodeVersion"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import * as Api from "@crossdock/system-tests/Api"
import * as CommandLine from "@crossdock/system-tests/CommandLine"
import * as HostProcess from "@crossdock/system-tests/HostProcess"
import { Effect, Fiber, Redacted, Schedule } from "effect"
import { Argument } from "effect/cli"
import * as Bottleneck from "./growing/Bottleneck.ts"
import * as Orders from "./growing/Orders.ts"
import * as Sellers from "./growing/Sellers.ts"
import * as Usage from "./growing/Usage.ts"

const among = (count: number) => Math.floor(Math.random() * count)

interface Ground {
  readonly size: Sellers.Size
  readonly api: Api.Api
  readonly host: number
  readonly data: string
}

interface Options {
  readonly seconds: number
  readonly clients: number
  readonly closed: number
}

const warmSeconds = 2

const one = (value: number) => value.toFixed(1)
const megabytes = (value: number) => `${one(value / 1e6)} MB`

const measured = (ground: Ground, choice: Orders.Choice, { clients, seconds }: Options) =>
  Effect.gen(function* () {
    yield* Orders.send([ground.api], ground.size, choice, clients, warmSeconds)
    const seen = new Map<string, number>()
    const look = Effect.map(Usage.waits, (events) => {
      for (const event of events) seen.set(event, (seen.get(event) ?? 0) + 1)
    })
    const looking = yield* Effect.forkChild(Effect.repeat(look, Schedule.spaced("50 millis")))
    const before = yield* Usage.moment([ground.host], ground.data)
    const millis = yield* Orders.send([ground.api], ground.size, choice, clients, seconds)
    const usage = Usage.between(before, yield* Usage.moment([ground.host], ground.data))
    yield* Fiber.interrupt(looking)
    const rate = millis.length / usage.seconds
    const at = (share: number) => Math.round(millis[Math.floor(millis.length * share)] ?? 0)
    const waits = [...seen].sort(([, a], [, b]) => b - a).slice(0, 4)
    const all = [...seen.values()].reduce((sum, count) => sum + count, 0)
    return [
      `${one(rate)} orders/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
      `an order: host ${one((usage.host / rate) * 1000)} ms, PostgreSQL ${one((usage.server / rate) * 1000)} ms of a processor, ${one(usage.wal / rate / 1000)} kB of log`,
      `cores: host ${usage.host.toFixed(2)}, PostgreSQL ${usage.server.toFixed(2)}, clients ${usage.clients.toFixed(2)}, others ${usage.others.toFixed(2)}, of ${usage.cores}`,
      `cache ${(usage.cacheHits * 100).toFixed(1)} %, sessions: ${waits.map(([event, count]) => `${event} ${Math.round((count / all) * 100)} %`).join(", ")}`,
      `first bottleneck: ${Bottleneck.of(usage, seen)}`
    ].join("\n    ")
  })

const choices = ({ sellers }: Sellers.Size): Readonly<Record<string, Orders.Choice>> => ({
  "orders of any seller": () => [among(sellers)],
  "orders of one seller": () => [0],
  "orders of two sellers": () => {
    const first = among(sellers)
    return [first, (first + 1 + among(sellers - 1)) % sellers]
  }
})

const grown = (server: PostgresServer.PostgresServer, size: Sellers.Size, options: Options) =>
  Effect.gen(function* () {
    const url = yield* PostgresDatabase.make(server.url)
    return yield* Effect.gen(function* () {
      const figures: Record<string, string> = {}
      const name = `${size.sellers} sellers × ${size.skus} SKUs`
      const began = performance.now()
      yield* Sellers.fill(size)
      const { indexes, tables } = yield* Sellers.bytes
      const count = size.sellers * size.skus
      figures[name] =
        `${megabytes(tables)} of tables, ${megabytes(indexes)} of indexes: ${Math.round(tables / count)} and ${Math.round(indexes / count)} bytes a SKU, filled in ${one((performance.now() - began) / 1000)} s`
      const { dump, vacuum } = yield* Sellers.upkeep
      figures[`${name}, upkeep`] =
        `all rows as a dump reads them ${one(dump)} s, VACUUM after each level changed ${one(vacuum)} s`
      const host = yield* HostProcess.scoped({
        DATABASE_URL: Redacted.value(url),
        SANDBOX: "0",
        LOG_LEVEL: "none",
        ACCOUNT_REQUESTS_PER_SECOND: "0",
        ADDRESS_REQUESTS_PER_SECOND: "0"
      })
      const api = yield* Effect.promise(() =>
        Api.signedIn(host.url, `/auth/${Sellers.slug}/token`, Sellers.slug, Sellers.password)
      )
      const ground = { size, api, host: host.child.pid ?? 0, data: server.data }
      for (const [what, choice] of Object.entries(choices(size)))
        figures[`${name}, ${what}`] = yield* measured(ground, choice, options)
      const grew = yield* Sellers.bytes
      if (options.closed > 0) {
        yield* Sellers.close(size, options.closed)
        const after = yield* Sellers.bytes
        const each = (after.tables + after.indexes - grew.tables - grew.indexes) / options.closed
        figures[
          `${name}, orders of any seller, after ${options.closed} closed orders of ${Math.round(each)} bytes each`
        ] = yield* measured(ground, () => [among(size.sellers)], options)
      }
      api.close()
      return figures
    }).pipe(Effect.provide(Postgres.layer(url, { maxConnections: 3 })))
  }).pipe(Effect.scoped)

const sizeOf = (text: string): Sellers.Size | undefined => {
  const [, sellers, skus] = /^(\d+)x(\d+)$/.exec(text) ?? []
  return sellers === undefined || skus === undefined || Number(sellers) < 2 || Number(skus) < 21
    ? undefined
    : { sellers: Number(sellers), skus: Number(skus) }
}

const sizes = Argument.String("size").pipe(
  Argument.filter(
    (text) => sizeOf(text) !== undefined,
    () => "sellers x SKUs of each, such as 100x1000, with 2 sellers and 21 SKUs at least"
  ),
  Argument.withDescription("sellers x SKUs of each (default: 10x1000 50x2000 100x5000)"),
  Argument.variadic()
)

CommandLine.main({
  name: "grow",
  does: "Fills PostgreSQL with sellers and SKUs, sends orders of three lines to one host as fast as they are answered, and names what limits them first, at each size. It needs Linux, and 3 kB of disk for each SKU.",
  options: {
    sizes,
    seconds: CommandLine.whole("seconds", 10, "seconds to measure each kind of order"),
    clients: CommandLine.whole("clients", 16, "orders at once"),
    closed: CommandLine.wholeOrNone("closed", 0, "orders of the past to store before the last measurement of a size")
  },
  run: ({ clients, closed, seconds, sizes }) =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => PostgresServer.start({ isDurable: true })),
        ({ stop }) => Effect.promise(stop)
      )
      const wanted = (sizes.length === 0 ? ["10x1000", "50x2000", "100x5000"] : sizes).flatMap(
        (text) => sizeOf(text) ?? []
      )
      const found = yield* Effect.forEach(wanted, (size) => grown(server, size, { clients, closed, seconds }))
      return { claim: "every order was accepted", figures: Object.assign({}, ...found), faults: [] }
    })
})
