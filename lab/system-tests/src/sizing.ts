/** `npm run lab -- sizing` measures how many bytes the database grows per order and per change of stock or price. */
import "@crossdock/cli/NodeVersion"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Api from "./Api.ts"
import * as Cluster from "./Cluster.ts"
import * as CommandLine from "./CommandLine.ts"
import * as Sample from "./demo/Sample.ts"

type Sizes = ReadonlyMap<string, number>

const sizes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.onDialectOrElse({
    pg: () => sql<{ name: string; bytes: string }>`
      SELECT relname AS name, pg_total_relation_size(oid)::text AS bytes FROM pg_class
      WHERE relkind = 'r' AND relname LIKE 'crossdock%'`,
    orElse: () => sql<{ name: string; bytes: string }>`
      SELECT tbl_name AS name, CAST(SUM(pgsize) AS TEXT) AS bytes
      FROM dbstat JOIN sqlite_master ON sqlite_master.name = dbstat.name GROUP BY tbl_name`
  })
  return new Map(rows.map(({ bytes, name }) => [name, Number(bytes)]))
})

const sizesOf = ({ url }: Cluster.Cluster): Promise<Sizes> =>
  sizes.pipe(
    Effect.provide(
      url.startsWith("sqlite:")
        ? BetterSqlite3.layer(url.slice("sqlite:".length))
        : Postgres.layer(Redacted.make(url), { maxConnections: 1 })
    ),
    Effect.runPromise
  )

const address = {
  name: "A Customer",
  phone: "+91 80 0000 0000",
  address1: "1 Market Road",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}

const succeed = async (request: Promise<Api.Answer<unknown>>) => {
  const { body, status } = await request
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
}

interface Work {
  readonly seller: Api.Api
  readonly marketplace: Api.Api
  readonly skus: ReadonlyArray<string>
}

interface Kind {
  readonly name: string
  /** The number of records per request. */
  readonly records: number
  readonly once: (work: Work, nth: number) => Promise<unknown>
}

const stock = ({ seller, skus }: Work, quantity: number) =>
  succeed(
    seller.call(
      "PUT",
      "/ims/v3/inventory",
      skus.map((sku) => ({ location_id: "BLR1", sku, quantity }))
    )
  )

const kinds: ReadonlyArray<Kind> = [
  {
    name: "order of 3 lines",
    records: 1,
    once: ({ marketplace, skus }, nth) =>
      succeed(
        marketplace.call("POST", "/order/api/v1/bazaar/create", {
          external_order_id: `SIZE-${nth}`,
          ordering_currency: "INR",
          payment: { mode: "PREPAID" },
          billing_address: address,
          shipping_address: address,
          shipments: [
            {
              external_shipment_id: "S1",
              location_id: "BLR1",
              lines: [0, 1, 2].map((line) => ({ sku: skus[(nth + line) % skus.length], quantity: 1, esp: 100 }))
            }
          ]
        })
      )
  },
  { name: "change of stock, 200 a request", records: 200, once: (work, nth) => stock(work, 1_000_000 + nth) },
  {
    name: "change of stock, alone",
    records: 1,
    once: ({ seller, skus, ...work }, nth) =>
      stock({ ...work, seller, skus: [skus[nth % skus.length] ?? ""] }, 2_000_000 + nth)
  },
  {
    name: "change of a price, 200 a request",
    records: 200,
    once: ({ seller, skus }, nth) =>
      succeed(
        seller.call(
          "PUT",
          "/ims/v3/price",
          skus.map((sku) => ({ location_id: "BLR1", sku, esp: 100 + nth, mrp: 1_000 + nth, currency: "INR" }))
        )
      )
  }
]

const shownTables = 6

const growth = (before: Sizes, after: Sizes, records: number) => {
  const each = [...after].map(
    ([name, bytes]) => [name.replace("crossdock_", ""), (bytes - (before.get(name) ?? 0)) / records] as const
  )
  const total = each.reduce((sum, [, bytes]) => sum + bytes, 0)
  const largest = each.filter(([, bytes]) => bytes >= 1).sort(([, one], [, other]) => other - one)
  const tables = largest.slice(0, shownTables).map(([name, bytes]) => `${name} ${Math.round(bytes)}`)
  return `${Math.round(total)} bytes (${tables.join(", ")})`
}

const skus = (await Sample.products()).slice(0, 200).map(({ sku }) => sku)

CommandLine.main({
  name: "sizing",
  does: "Sends orders and changes of stock and prices to a host, and prints what its database grew by for each of them, by table.",
  options: { database: CommandLine.database, requests: CommandLine.whole("requests", 1_000, "requests of each kind") },
  run: ({ database, requests }) =>
    Effect.flatMap(Cluster.make(database, 1), (cluster) =>
      Effect.promise(async () => {
        const url = cluster.hosts[0]?.url ?? ""
        const [seller, marketplace] = [await Api.seller(url), await Api.marketplace(url)]
        const work = { seller, marketplace, skus }
        await stock(work, 100_000)
        const figures: Record<string, string> = {}
        for (const { name, once, records } of kinds) {
          const before = await sizesOf(cluster)
          const count = records === 1 ? requests : Math.ceil(requests / 20)
          for (let nth = 1; nth <= count; nth++) await once(work, nth)
          figures[name] = growth(before, await sizesOf(cluster), count * records)
        }
        seller.close()
        marketplace.close()
        return { claim: "every request was answered", figures, faults: [] }
      })
    )
})
