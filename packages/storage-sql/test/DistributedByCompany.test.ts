import { readFileSync } from "node:fs"
import * as Goods from "@crossdock/histories/Goods"
import * as History from "@crossdock/histories/History"
import * as World from "@crossdock/histories/World"
import { Inventory } from "@crossdock/inventory"
import { Orders } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import { noMeta, reportOrReturn, Shipments } from "@crossdock/shipments"
import { Seed } from "@crossdock/storage-laws"
import { everyLaw } from "@crossdock/storage-laws/EveryLaw"
import { StorageSql } from "@crossdock/storage-sql"
import * as Random from "@crossdock/system-tests/Random"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as CompaniesOfStatement from "./CompaniesOfStatement.ts"
import { postgres } from "./Databases.ts"
import * as StatementLog from "./StatementLog.ts"

const storage = () =>
  Seed.layer.pipe(Layer.provideMerge(StorageSql.layer), Layer.provideMerge(StatementLog.layer(postgres())))

/** docs/guides/growing.md shows these lists. */
const guide = readFileSync(new URL("../../../docs/guides/growing.md", import.meta.url), "utf8")

/** What locks or writes rows of several companies with one statement, or may, and why. */
const statements: Readonly<Record<string, string>> = {
  "INSERT crossdock_agreements": "never in practice: the services insert rows of one company at a time",
  "INSERT crossdock_invoices": "never in practice: the services insert rows of one company at a time",
  "LOCK crossdock_agreements crossdock_companies": "in a billing run",
  "LOCK crossdock_companies": "in a write of several companies",
  "UPDATE crossdock_companies": "in a write of several companies",
  "INSERT crossdock_audit_records": "in a write of several companies",
  "INSERT crossdock_events": "in a write of several companies",
  "INSERT crossdock_shipments": "never in practice: the services insert rows of one company at a time",
  "INSERT crossdock_shipment_awbs": "never in practice: the services insert rows of one company at a time",
  "INSERT crossdock_shipment_skus": "never in practice: the services insert rows of one company at a time",
  "INSERT crossdock_shipment_fields": "never in practice: the services insert rows of one company at a time",
  "INSERT crossdock_companies": "in an import by the platform",
  "INSERT crossdock_locations": "in an import by the platform",
  "INSERT crossdock_brands": "in an import by the platform",
  "INSERT crossdock_deleted_levels": "when a marketplace's location code moves to another company",
  "LOCK crossdock_event_endpoints": "when a command encrypts all stored secrets",
  "UPDATE crossdock_event_endpoints": "when a command encrypts all stored secrets, or in a write of several companies",
  "DELETE crossdock_catalog_writes": "when the host deletes expired rows; it skips locked rows",
  "DELETE crossdock_dead_letters": "when the host deletes expired rows; it skips locked rows",
  "DELETE crossdock_event_dead_letters": "when the host deletes expired rows; it skips locked rows"
}

/** What locks a whole table, or rewrites it. */
const wholeTables = [
  "LOCK TABLE crossdock_marketplaces IN SHARE ROW EXCLUSIVE MODE",
  "VACUUM FULL crossdock_customers",
  "VACUUM FULL crossdock_event_endpoints",
  "VACUUM FULL crossdock_marketplaces",
  "VACUUM FULL crossdock_orders, crossdock_shipments"
]

/** All that an order does that is rejected. */
const judged = "LOCK crossdock_levels crossdock_locations crossdock_sizes"

/** Units of work of several companies, by a table that no other one writes. */
const unitsOfSeveral = [
  ["an order over several companies", judged],
  ["an order over several companies", "INSERT crossdock_orders"],
  ["a marketplace's report about shipments of several companies", "UPDATE crossdock_shipments"],
  ["the registration of a marketplace, or resending its stock", "UPDATE crossdock_channels"],
  ["the registration of a marketplace, or resending its stock", "INSERT crossdock_marketplaces"],
  ["an import by the platform", "INSERT crossdock_brands"]
] as const

/** Unique indexes without a company, of tables that have one. */
const globalKeys: Readonly<Record<string, string>> = {
  crossdock_agreements_link: "It is the secret link of a confirmation, with 256 random bits",
  crossdock_archived_orders_pkey:
    "It is the marketplace's order id, which is used only once. This index stays unchanged, on the coordinator",
  crossdock_catalog_writes_pkey: "It is a number that the database assigns",
  crossdock_locations_pkey: "It is a number that the database assigns",
  crossdock_products_pkey: "It is a number that the database assigns",
  crossdock_shipments_pkey: "It consists of a time and at least 7 random digits",
  crossdock_sizes_pkey: "It is a number that the database assigns"
}

const withoutCompany = [
  "crossdock_accounts",
  "crossdock_coupons",
  "crossdock_extensions",
  "crossdock_idempotency",
  "crossdock_marketplaces",
  "crossdock_migrations",
  "crossdock_orders",
  "crossdock_plans",
  "crossdock_reference",
  "crossdock_secrets",
  "crossdock_sign_in_failures",
  "crossdock_versions"
]

/** A marketplace sells of both companies in one order, and cancels it with one request. */
const cancelledOfBoth = Effect.gen(function* () {
  const shipments = World.companies.map((company) =>
    orderShipment({
      externalShipmentId: `S${company}`,
      location: `bazaar-${company}-L1`,
      selfShip: true,
      lines: [orderLine({ externalLineId: "0", sku: "P1-S" })]
    })
  )
  const bazaar = World.marketplace("bazaar")
  const placed = yield* (yield* Orders.Orders).place(bazaar, orderDraft({ externalOrderId: "BOTH", shipments }))
  const cancel = (newShipmentId: string) =>
    reportOrReturn({
      by: "marketplace",
      items: null,
      returnId: null,
      newShipmentId,
      meta: noMeta,
      status: "cancelled_customer"
    })
  const { status } = yield* (yield* Shipments.Shipments).moveAsMarketplace(
    bazaar,
    "status",
    placed.shipments.map(({ shipmentId }, at) => Result.succeed({ shipmentId, path: `/${at}`, command: cancel }))
  )
  strictEqual(status, "SUCCESS")
})

const isPlanned = (text: string) => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text)

const flat = (text: string) => text.replaceAll(/\s+/g, " ").trim()

const inOrder = (texts: Iterable<string>) => [...new Set(texts)].sort()

/** Plans each text with up to three of its lists of parameters. */
const fewOfEach = (all: ReadonlyArray<StatementLog.Logged>) => {
  const count = new Map<string, number>()
  return all.filter(({ text }) => {
    count.set(text, (count.get(text) ?? 0) + 1)
    return (count.get(text) ?? 0) <= 3
  })
}

describe("A schema that is distributed by company", () => {
  it.live("has one company in every statement that locks or writes, but for those that the guide lists", () =>
    Effect.gen(function* () {
      const log = yield* StatementLog.StatementLog
      yield* log.taken
      for (const { shown } of everyLaw) yield* shown
      const all = fewOfEach(yield* log.taken)
      const reach = yield* CompaniesOfStatement.make
      const several = new Set<string>()
      let ofOne = 0
      for (const { text, values } of all.filter(({ text }) => isPlanned(text))) {
        const { byRow, companies, does, isRead, unnamed } = yield* reach(text, values)
        if (isRead) continue
        if (byRow.size > 0 || unnamed.size > 0 || companies.size > 1) for (const one of does) several.add(one)
        else if (companies.size === 1) ofOne++
      }
      deepStrictEqual(inOrder(several), inOrder(Object.keys(statements)))
      assertTrue(ofOne > 150, `only ${ofOne} statements of one company were seen`)
      // SET CONSTRAINTS makes triggers run that would run at the end of the transaction.
      const rest = all
        .filter(({ text }) => !isPlanned(text) && !/^SET CONSTRAINTS/.test(text))
        .map(({ text }) => flat(text))
      deepStrictEqual(inOrder(rest), inOrder(wholeTables))
    }).pipe(Effect.provide(storage()))
  )

  it.live("has one company in every unit of work, but for those that the guide lists", () =>
    Effect.gen(function* () {
      const log = yield* StatementLog.StatementLog
      const ports = yield* Effect.context<Layer.Success<ReturnType<typeof storage>>>()
      yield* log.taken
      yield* History.play(Layer.succeedContext(ports), { seed: 201, steps: 150 })
      const stock = Effect.flatMap(Inventory.Inventory, ({ setStock }) =>
        Effect.forEach(World.companies, (company) => setStock(World.seller(company), Goods.some(200)))
      )
      // Whatever the history deleted or took from the marketplace is there again.
      const settled = Effect.andThen(World.settle(World.make(Random.make(201))), stock)
      yield* Effect.provide(Effect.andThen(settled, cancelledOfBoth), World.services(Layer.succeedContext(ports)))
      const all = yield* log.taken
      const reach = yield* CompaniesOfStatement.make
      const units = new Map<object, { readonly companies: Set<number>; readonly does: Set<string> }>()
      for (const { text, unit, values } of all) {
        if (unit === undefined || !isPlanned(text)) continue
        const { companies, does, isRead, unnamed } = yield* reach(text, values)
        if (isRead) continue
        deepStrictEqual([...unnamed], [], `rows of any company: ${flat(text)}`)
        const of = units.get(unit) ?? { companies: new Set(), does: new Set() }
        for (const company of companies) of.companies.add(company)
        for (const one of does) of.does.add(one)
        units.set(unit, of)
      }
      const several = [...units.values()].filter(({ companies }) => companies.size > 1)
      const why = several.map(
        ({ does }) =>
          unitsOfSeveral.find(([, one]) => does.has(one) && (one !== judged || does.size === 1))?.[0] ??
          inOrder(does).join()
      )
      deepStrictEqual(inOrder(why), inOrder(unitsOfSeveral.map(([reason]) => reason)))
      assertTrue(units.size - several.length > 100)
    }).pipe(Effect.scoped, Effect.provide(storage()))
  )

  it.live("has the company in every unique index, or a key that is unique without it, and no foreign key", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* CompaniesOfStatement.distributed
      const indexes = yield* sql<{ table: string; name: string; columns: string }>`
        SELECT t.relname AS table, i.relname AS name, (
          SELECT string_agg(a.attname, ' ') FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attnum = ANY (x.indkey)
        ) AS columns
        FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
        WHERE x.indisunique AND t.relname LIKE 'crossdock%'`
      const without = indexes.filter(({ columns, table }) => {
        const key = tables.get(table)
        return key !== undefined && !columns.split(" ").includes(key.column)
      })
      deepStrictEqual(inOrder(without.map(({ name }) => name)), inOrder(Object.keys(globalKeys)))
      const others = yield* sql<{ name: string }>`
        SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname LIKE 'crossdock%'`
      deepStrictEqual(inOrder(others.map(({ name }) => name).filter((name) => !tables.has(name))), withoutCompany)
      deepStrictEqual(yield* sql`SELECT conname FROM pg_constraint WHERE contype = 'f'`, [])
    }).pipe(Effect.provide(storage()))
  )

  it("is described by the guide, with each of these exceptions and its reason", () => {
    const missing = [
      ...Object.entries(statements).map(([does, why]) => `| \`${does}\` | ${why} |`),
      ...Object.entries(globalKeys).map(([index, why]) => `| \`${index}\` | ${why} |`),
      ...unitsOfSeveral.map(([why]) => `| ${why} |`),
      ...wholeTables.map((text) => `\`${text}\``),
      ...withoutCompany.map((table) => `\`${table}\``)
    ].filter((line) => !guide.includes(line))
    deepStrictEqual(missing, [])
  })
})
