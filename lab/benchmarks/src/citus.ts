/** `npm run lab -- citus` places orders in tables that Citus distributes over one to three workers. `--help` says more. */
import "@crossdock/cli/NodeVersion"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type * as PostgresServer from "@crossdock/postgres/PostgresServer"
import { Distribution, Migrations } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import type * as Api from "@crossdock/system-tests/Api"
import * as CitusServers from "@crossdock/system-tests/CitusServers"
import * as CommandLine from "@crossdock/system-tests/CommandLine"
import { Duration, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Orders from "./growing/Orders.ts"
import * as Sellers from "./growing/Sellers.ts"
import * as Usage from "./growing/Usage.ts"
import * as CpuLimit from "./scaling/CpuLimit.ts"
import * as Host from "./scaling/Host.ts"

const size = { sellers: 48, skus: 100 }
const hosts = 3
const clients = 12
const perWorker = 4

interface Shard {
  readonly id: number
  readonly port: number
}

const shards = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<Shard>`
    SELECT p.shardid AS id, n.nodeport AS port FROM generate_series(1000, 999 + ${size.sellers}::int) c
    JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('crossdock_companies', c)
    JOIN pg_dist_node n USING (groupid) ORDER BY c`
)

const filled = Effect.gen(function* () {
  yield* Effect.scoped(Layer.build(Migrations.layer))
  yield* Distribution.distribute
  yield* Sellers.fill(size)
})

/** The main process of the server. The processes of later connections are in the same control group. */
const processOf = ({ data }: PostgresServer.PostgresServer): number =>
  Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0])

/** The ids of acknowledged orders, and the number of requests that failed because a server was down. */
interface Sent {
  readonly acknowledged: Set<string>
  failed: number
}

const sendUntil = (apis: ReadonlyArray<Api.Api>, sent: Sent, isOver: () => boolean) =>
  Effect.promise(async () => {
    const one = async (client: number) => {
      while (!isOver()) {
        const sellers = [client % size.sellers, (client * 7 + 1) % size.sellers]
        const order = Orders.orderOf(client % 4 === 0 ? sellers : sellers.slice(0, 1), size.skus)
        const answer = await apis[client % apis.length]?.call("POST", `/order/api/v1/${Sellers.slug}/create`, order)
        if (answer?.status === 200) sent.acknowledged.add(order.external_order_id)
        else sent.failed++
      }
    }
    await Promise.all(Array.from({ length: clients }, (_, client) => one(client)))
  })

/** Finds faults in the stored data: lost or incomplete orders, and wrong counts, stock or trails. */
const faultsOf = (sent: Sent) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const orders = yield* sql<{ id: string; external: string; shipments: number }>`
      SELECT id, external_order_id AS external, json_array_length(body::json -> 'shipments') AS shipments
      FROM crossdock_orders`
    const counted = yield* sql<{ order_id: string; stored: number }>`
      SELECT order_id, count(*) AS stored FROM crossdock_shipments GROUP BY order_id`
    const stored = new Map(counted.map((row) => [row.order_id, row.stored]))
    const known = new Set(orders.map(({ external }) => external))
    const lost = [...sent.acknowledged].filter((id) => !known.has(id)).length
    const half = orders.filter(({ id, shipments }) => stored.get(id) !== shipments).length
    const [totals] = yield* sql<{ counts: number }>`SELECT sum(total) AS counts FROM crossdock_shipment_counts`
    const [units] = yield* sql<{ reserved: number }>`SELECT sum(reserved) AS reserved FROM crossdock_levels`
    const shipments = counted.reduce((sum, row) => sum + row.stored, 0)
    return [
      ...(lost > 0 ? [`${lost} acknowledged orders are lost`] : []),
      ...(half > 0 ? [`${half} orders lack shipments`] : []),
      ...(stored.size > orders.length ? [`${stored.size - orders.length} shipments have no order`] : []),
      ...(totals?.counts === shipments ? [] : [`${shipments} shipments are counted as ${totals?.counts}`]),
      ...(units?.reserved === 3 * shipments ? [] : [`${units?.reserved} units are reserved for ${shipments} shipments`])
    ]
  })

/** Measures rates of orders. Each worker has only a part of a core. */
const rates = (workers: number, cores: number, seconds: number) =>
  Effect.gen(function* () {
    // The control groups are created first, so that the servers end before their groups.
    const limits = yield* Effect.replicateEffect(CpuLimit.make(cores), workers)
    const servers = yield* CitusServers.make(workers, { isDurable: true })
    for (const [nth, worker] of servers.workers.entries()) limits[nth]?.(processOf(worker))
    const rate = Effect.gen(function* () {
      yield* filled
      const found = yield* shards
      const apis = (yield* Effect.replicateEffect(Host.make(servers.url, clients / hosts), hosts)).map(({ api }) => api)
      const other = (seller: number) => found.findIndex(({ port }, at) => at > seller && port !== found[seller]?.port)
      const one = () => [Math.floor(Math.random() * size.sellers)]
      const two = () => {
        const [first = 0] = one()
        const second = other(first)
        return [first, second < 0 ? (first + 1) % size.sellers : second]
      }
      yield* Orders.send(apis, size, one, perWorker * workers, 3)
      const ticksOf = (some: ReadonlyArray<PostgresServer.PostgresServer>) =>
        some.reduce((sum, { data }) => sum + Usage.serverTicks(data), 0)
      const measured = (choice: Orders.Choice) =>
        Effect.gen(function* () {
          const before = { coordinator: ticksOf([servers.coordinator]), workers: ticksOf(servers.workers) }
          const [took, millis] = yield* Effect.timed(Orders.send(apis, size, choice, perWorker * workers, seconds))
          const cpu = (ticks: number) => ((ticks * 1000) / Usage.ticks / millis.length).toFixed(1)
          return (
            `${(millis.length / Duration.toSeconds(took)).toFixed(1)}/s, p50 ${millis[millis.length >> 1]?.toFixed(0)} ms; CPU of an order: ` +
            `coordinator ${cpu(ticksOf([servers.coordinator]) - before.coordinator)}, workers ${cpu(ticksOf(servers.workers) - before.workers)} ms`
          )
        })
      const before = { coordinator: ticksOf([servers.coordinator]), workers: ticksOf(servers.workers) }
      yield* Effect.sleep(Duration.seconds(seconds))
      const used = (ticks: number) => (ticks / Usage.ticks / seconds).toFixed(2)
      const idle = `cores used: coordinator ${used(ticksOf([servers.coordinator]) - before.coordinator)}, workers ${used(ticksOf(servers.workers) - before.workers)}`
      return { idle, one: yield* measured(one), two: yield* measured(two) }
    }).pipe(Effect.provide(Postgres.layer(Redacted.make(servers.url), { maxConnections: 3 })))
    const found = yield* rate
    return {
      [`${workers} workers of ${cores} cores, no orders`]: found.idle,
      [`${workers} workers of ${cores} cores, orders of one seller`]: found.one,
      [`${workers} workers of ${cores} cores, orders of two sellers, on two workers where there are two`]: found.two
    }
  }).pipe(Effect.scoped)

/** Kills a worker, kills the coordinator, and moves a shard, all under load. */
const disturbed = Effect.gen(function* () {
  const servers = yield* CitusServers.make(2)
  return yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* filled
    const apis = (yield* Effect.replicateEffect(Host.make(servers.url, clients / hosts), hosts)).map(({ api }) => api)
    const during = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        const sent: Sent = { acknowledged: new Set(), failed: 0 }
        let isOver = false
        const load = yield* Effect.forkChild(sendUntil(apis, sent, () => isOver))
        yield* Effect.sleep("3 seconds")
        const [took] = yield* Effect.timed(work)
        yield* Effect.sleep("3 seconds")
        isOver = true
        yield* Fiber.join(load)
        // Citus commits or rolls back the prepared transactions of a killed server within seconds.
        yield* Effect.sleep("5 seconds")
        const left = yield* Effect.forEach(servers.workers, ({ url }) =>
          CitusServers.on(url, "SELECT gid FROM pg_prepared_xacts")
        )
        const prepared = left.flat(2).length
        const says = `${sent.acknowledged.size} orders acknowledged, ${sent.failed} answered with a failure, ${Duration.toMillis(took).toFixed(0)} ms`
        const faults = prepared > 0 ? [`${prepared} prepared transactions are neither committed nor rolled back`] : []
        return { says, faults: [...faults, ...(yield* faultsOf(sent))] }
      })
    const killed = yield* during(Effect.promise(() => servers.workers[0]?.crash() ?? Promise.resolve()))
    const restarted = yield* during(Effect.promise(servers.coordinator.crash))
    const [first] = yield* shards
    const moving = Effect.gen(function* () {
      const ports = servers.workers.map(({ url }) => Number(new URL(url).port))
      const to = ports.find((port) => port !== first?.port) ?? 0
      yield* sql`SELECT citus_move_shard_placement(${first?.id ?? 0}, '127.0.0.1', ${first?.port ?? 0}::int, '127.0.0.1', ${to}::int,
        shard_transfer_mode => 'force_logical')`
    })
    const moved = yield* during(moving)
    const now = (yield* shards)[0]
    return {
      figures: {
        "a worker killed": killed.says,
        "the coordinator killed": restarted.says,
        "a shard moved": moved.says
      },
      faults: [
        ...killed.faults,
        ...restarted.faults,
        ...moved.faults,
        ...(now?.port === first?.port ? ["the shard was not moved"] : [])
      ]
    }
  }).pipe(Effect.provide(Postgres.layer(Redacted.make(servers.url), { maxConnections: 3 })))
}).pipe(Effect.scoped)

CommandLine.main({
  name: "citus",
  does: "Distributes the tables over workers of Citus on this machine. Kills a worker and the coordinator, and moves a shard, while orders of one seller and of two are sent. When it passes, every acknowledged order is stored, with all of its shipments, counts and reserved units, and nothing is left prepared. Then it measures orders per second of one to three workers, each with a part of a core, while the coordinator and three hosts have the rest. It needs Linux, root, and a PostgreSQL with Citus.",
  options: {
    workers: CommandLine.whole("workers", 3, "most workers", 9),
    serverCpu: CommandLine.positive("server-cpu", 0.5, "cores of each worker"),
    seconds: CommandLine.whole("seconds", 10, "seconds of each measurement")
  },
  run: ({ seconds, serverCpu, workers }) =>
    Effect.gen(function* () {
      const { faults, figures } = yield* disturbed
      const counts = Array.from({ length: workers }, (_, nth) => nth + 1)
      const measured = yield* Effect.forEach(counts, (count) => rates(count, serverCpu, seconds))
      return {
        claim: "every acknowledged order is stored as a whole",
        figures: Object.assign({}, figures, ...measured),
        faults
      }
    })
})
