import { SignInAttempts } from "@crossdock/access"
import { AuditStore, CompanyWrite } from "@crossdock/audit"
import { BillingStore } from "@crossdock/billing"
import { CatalogWriteStore, ProductStore, SkuShipments } from "@crossdock/catalog"
import { DigestNode } from "@crossdock/crypto"
import { Inventory, Listings, StockLevels } from "@crossdock/inventory"
import { CompanyId, Ids } from "@crossdock/kernel"
import { type Marketplace, MarketplaceStore } from "@crossdock/marketplaces"
import { EventEndpointStore, NotificationStore, Notifications } from "@crossdock/notifications"
import { Orders } from "@crossdock/orders"
import { orderDraft } from "@crossdock/orders/testing"
import { ShipmentStore } from "@crossdock/shipments"
import { placedShipment } from "@crossdock/shipments/testing"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { DatabaseFacts, StorageSql } from "@crossdock/storage-sql"
import { layer } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { postgres, sqliteFile } from "./Databases.ts"
import * as RowsRead from "./RowsRead.ts"

const services = Layer.mergeAll(Notifications.layer, Layer.provide(Orders.layer, Inventory.layer)).pipe(
  Layer.provide(CompanyWrite.layer),
  Layer.provide([DigestNode.layer, Ids.layer])
)

const onDatabase = (database: typeof sqliteFile) =>
  Layer.mergeAll(services, RowsRead.layer).pipe(Layer.provideMerge(Layer.provideMerge(StorageSql.layer, database)))

const marketplaceOf = (slug: string, companies: ReadonlyArray<CompanyId>): Marketplace => ({
  slug,
  name: slug,
  currency: "INR",
  locations: companies.map((companyId) => ({ companyId, location: "L1", code: `C-${companyId}` })),
  retiredCodes: [],
  skus: null,
  buffers: [],
  webhook: { url: "https://example.com", secret: "whsec_c2VjcmV0", retiring: null, authentication: { type: "none" } }
})

const [company, other] = [CompanyId.make(1), CompanyId.make(2)]
const [few, many] = [1000, 50_000]

const { sizes: _, ...product } = Fresh.product(company, "p", [])
const { billingAddress, shippingAddress } = orderDraft()
const methods = { cod: 10_000, prepaid: 0, lines: 10_000, units: 1 }
const facts = {
  ...{ billingAddress, shippingAddress, paymentMode: "COD", methods },
  gstin: null,
  couponOwner: null,
  taxExempt: false
}

/** What is read of each table, the same in every row. */
const bodies = {
  product: JSON.stringify(product),
  size: JSON.stringify(Fresh.size("sku")),
  facts: JSON.stringify(facts),
  shipment: JSON.stringify(placedShipment())
}

/** A table with a row `i` for each number from `from` to `to`. */
const numbers = (from: number, to: number) =>
  Effect.map(SqlClient.SqlClient, (sql) =>
    sql.onDialectOrElse({
      orElse: () =>
        `(WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to}) SELECT i FROM n) n`,
      pg: () => `generate_series(${from}, ${to}) n(i)`
    })
  )

/** What belongs to company 1 and to others, about the thing that is asked for and not, `from` to `to`. */
const fill = (from: number, to: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const n = yield* numbers(from, to)
    const statements = [
      `INSERT INTO crossdock_products (company_id, item_code, name, folded_name, brand, slug, hs_code, batch, body,
          created_at, modified_at)
        SELECT 1, 'p' || i, 'n', 'n', 'b', 's' || i, '1', 0, '${bodies.product}', i, i FROM ${n}`,
      `INSERT INTO crossdock_sizes (company_id, product_id, sku, name, position, body)
        SELECT 1, p.id, 'sku' || n.i, 'M', 0, '${bodies.size}' FROM ${n} JOIN crossdock_products p ON p.item_code = 'p' || n.i`,
      `INSERT INTO crossdock_levels (company_id, location_id, size_id, on_hand, reserved, unsellable, version, sequence,
          changed_at, modified_at)
        SELECT 1, 1, s.id, 1, 0, 0, 1, 1, 1, 1 FROM ${n} JOIN crossdock_sizes s ON s.sku = 'sku' || n.i`,
      `INSERT INTO crossdock_orders (id, marketplace, external_order_id, facts, body)
        SELECT 'o' || i, 'm', 'e' || i, '${bodies.facts}', '{}' FROM ${n}`,
      `INSERT INTO crossdock_shipments (id, company_id, location, marketplace, order_id, forward_id, order_status,
          order_date, is_open, version, body)
        SELECT 'z' || i, 1, 'L1', 'm', 'o' || i, 'z' || i, 'CREATED', CAST(i AS BIGINT) * 86400000, 1, 1,
          '${bodies.shipment}' FROM ${n}`,
      `INSERT INTO crossdock_shipment_skus (company_id, sku, shipment_id) SELECT 1, 'sku' || i, 'z' || i FROM ${n}`,
      `INSERT INTO crossdock_shipment_skus (company_id, sku, shipment_id) SELECT 1, 'often', 'z' || i FROM ${n}`,
      `INSERT INTO crossdock_audit_records (company_id, sequence, id, at, entity_type, entity_id, action, hash, body)
        SELECT 1, i, 'r' || i, i, CASE WHEN i % 2 = 0 THEN 'order' ELSE 'price' END, 'e', 'a', 'h', '{}' FROM ${n}`,
      `INSERT INTO crossdock_dead_letters (company_id, marketplace, id, at, body)
        SELECT i, 'other', 'd' || i, i, '{}' FROM ${n}`,
      `INSERT INTO crossdock_event_dead_letters (company_id, endpoint, id, at, body)
        SELECT i, 'other', 'd' || i, i, '{}' FROM ${n}`,
      `INSERT INTO crossdock_event_endpoints (company_id, id, reached, is_paused, resends, version, body)
        SELECT i, 'idle', 0, 0, 0, 1, '{}' FROM ${n}`,
      `INSERT INTO crossdock_catalog_writes (company_id, trace_id, body, finished_at)
        SELECT i, 't' || i, '{}', 1000000 + i FROM ${n}`,
      `INSERT INTO crossdock_movements (company_id, number, lines, at) SELECT 1, i, '[]', 1000000 + i FROM ${n}`,
      `INSERT INTO crossdock_agreements (company_id, id, kind, status, slot, created_at, version, body)
        SELECT CASE WHEN i % 2 = 0 THEN 1 ELSE i END, 'a' || i, 'plan', CASE WHEN i % 2 = 0 THEN 'cancelled' ELSE 'active' END,
          CASE WHEN i % 2 = 0 THEN NULL ELSE 'plan' END, i, 1, '{}' FROM ${n} WHERE i > 1`,
      `INSERT INTO crossdock_sign_in_failures (subject, at) SELECT 'other' || i, 1000000 + i FROM ${n}`
    ]
    for (const statement of statements) yield* sql.unsafe(statement)
    yield* sql.unsafe(sql.onDialectOrElse({ orElse: () => "SELECT 1 AS one", pg: () => "VACUUM ANALYZE" }))
  })

type Ports =
  | SqlClient.SqlClient
  | BillingStore
  | SkuShipments
  | AuditStore
  | Listings
  | ProductStore
  | ShipmentStore
  | NotificationStore
  | EventEndpointStore
  | SignInAttempts.SignInAttempts
  | CatalogWriteStore
  | StockLevels

const page = { number: 1, size: 20 }
const everything = { locations: null, skus: [] }

const ofCodes = { itemCodes: ["p7", "p8"], sort: "created" } as const
const ofSlug = { itemCodes: [], slug: "s7", sort: "created" } as const

const twenty = Array.from({ length: 20 }, (_, i) => `z${i + 1}`)

/** The reads, and how many rows each may read, however many there are. */
const flat: ReadonlyArray<readonly [name: string, most: number, read: Effect.Effect<unknown, unknown, Ports>]> = [
  [
    "the shipments of a SKU that is to be deleted",
    10,
    Effect.flatMap(SkuShipments, ({ open }) => open(company, ["nowhere", "sku7", "often"]))
  ],
  ["twenty shipments of a bulk", 20, Effect.flatMap(ShipmentStore, ({ load }) => load(company, twenty))],
  ["the entity types of a trail", 40, Effect.flatMap(AuditStore, ({ entityTypes }) => entityTypes(company))],
  ["the dead letters of a marketplace", 0, Effect.flatMap(NotificationStore, ({ deadLetters }) => deadLetters("m"))],
  [
    "a failed sign-in and those that it deletes",
    0,
    Effect.flatMap(SignInAttempts.SignInAttempts, ({ add }) => add(["me"], 9, 5))
  ],
  ["the time of the newest change", 3, DatabaseFacts.newestChange],
  [
    "product writes to delete, when all are new",
    0,
    Effect.flatMap(CatalogWriteStore, ({ deleteBefore }) => deleteBefore(5, 500))
  ],
  [
    "dead letters to delete, when all are new",
    0,
    Effect.flatMap(NotificationStore, ({ deleteDeadLetters }) => deleteDeadLetters(0, 500))
  ],
  [
    "dead letters of events to delete, when all are new",
    0,
    Effect.flatMap(EventEndpointStore, ({ deleteDeadLetters }) => deleteDeadLetters(0, 500))
  ],
  [
    "endpoints with events to receive, when all have received theirs",
    0,
    Effect.flatMap(EventEndpointStore, ({ pending }) => pending(5))
  ],
  ["movements to fold, when all are new", 1, Effect.flatMap(StockLevels, ({ foldMovements }) => foldMovements(5, 500))],
  [
    "a SKU that any seller has",
    10,
    Effect.flatMap(ProductStore, ({ skusOfAny }) => skusOfAny([company, other], ["sku7", "nowhere"]))
  ],
  [
    "another company's products by a part of their name",
    0,
    Effect.flatMap(ProductStore, (port) => port.page(other, { name: "n", itemCodes: [], sort: "created" }, page))
  ],
  [
    "another company's count of listings",
    0,
    Effect.flatMap(Listings, (port) => port.count(other, { ...everything, withBatches: false }))
  ],
  [
    "another company's shipments",
    0,
    Effect.flatMap(ShipmentStore, (port) => port.page(other, { locations: null, orderStatus: "CREATED" }, page))
  ],
  ["a first page of listings", 120, Effect.flatMap(Listings, (port) => port.page(company, everything, page))],
  // PostgreSQL goes through a table of 1,000 at once, through one of 50,000 it does not.
  [
    "products by their item codes",
    3 * few + 20,
    Effect.flatMap(ProductStore, (port) => port.page(company, ofCodes, page))
  ],
  ["products by their slug", 3 * few + 20, Effect.flatMap(ProductStore, (port) => port.page(company, ofSlug, page))],
  ["the running agreements of a company", few, Effect.flatMap(BillingStore, ({ running }) => running(company, "plan"))],
  [
    "a page of listings of a SKU",
    few + 20,
    Effect.flatMap(Listings, (port) => port.page(company, { ...everything, skus: ["sku7"] }, page))
  ]
]

const suite = (name: string, database: typeof sqliteFile) =>
  layer(onDatabase(database), { timeout: "4 minutes", excludeTestServices: true })(name, (it) => {
    it.effect(
      "read as much of 50,000 rows as of 1,000: shipments of a bulk and of a SKU, running agreements, products by code and slug, listings of SKUs, entity types, dead letters, idle endpoints, sign-ins, what is old, a page of listings, what another company has",
      () =>
        Effect.gen(function* () {
          const [sql, reads] = [yield* SqlClient.SqlClient, yield* RowsRead.RowsRead]
          yield* sql`INSERT INTO crossdock_companies (id, name, legal_name) VALUES (1, ${"A"}, ${"A"})`
          yield* sql`INSERT INTO crossdock_locations (company_id, code, name, currency, handling_hours)
            VALUES (1, ${"L1"}, ${"Store"}, ${"INR"}, 1)`
          for (const [from, to] of [
            [1, few],
            [few + 1, many]
          ] as const) {
            yield* fill(from, to)
            for (const [what, most, read] of flat) {
              const { rows, scans } = yield* reads.of(read)
              deepStrictEqual(scans, [], `${what}: ${scans.join("\n")}`)
              assertTrue(rows <= most, `${what}: ${rows} rows of ${to}`)
            }
          }
        })
    )

    it.effect("find and change the twenty shipments of a bulk by their ids, not among all of the company's", () =>
      Effect.gen(function* () {
        const [reads, store] = [yield* RowsRead.RowsRead, yield* ShipmentStore]
        const changes = twenty.map((id) => {
          const before = { ...placedShipment(), companyId: company, id, version: 1 }
          return { before, after: { ...before, version: 2 } }
        })
        for (const work of [
          store.load(company, twenty),
          store.withOrders(company, twenty),
          store.update(company, changes)
        ]) {
          const { ofCompany, scans, statements } = yield* reads.of(work)
          deepStrictEqual([...ofCompany, ...scans], [], statements.join("\n"))
        }
      })
    )

    it.effect("pass the pages before a late one in an index, without their bodies", () =>
      Effect.gen(function* () {
        const reads = yield* RowsRead.RowsRead
        const late = { number: 2000, size: 20 }
        const [shipments, products] = [yield* ShipmentStore, yield* ProductStore]
        const lists = [
          shipments.page(company, { locations: null, orderStatus: "CREATED" }, late),
          shipments.page(company, { locations: ["L1"], orderStatus: "CREATED" }, late),
          products.page(company, { itemCodes: [], sort: "created" }, late)
        ]
        const found = yield* reads.of(Effect.all(lists))
        deepStrictEqual(found.scans, [])
        for (const text of found.statements.filter((one) => one.includes("OFFSET"))) {
          assertTrue(!/^SELECT[^(]*FROM \( ?SELECT[^(]*body/.test(text), text)
        }
      })
    )

    it.effect("read the marketplaces for notifications only after one has changed", () =>
      Effect.gen(function* () {
        const [reads, store] = [yield* RowsRead.RowsRead, yield* MarketplaceStore]
        const { due } = yield* Notifications.Notifications
        const readsBodies = Effect.map(reads.of(due), ({ statements }) =>
          statements.some((text) => text.includes("FROM crossdock_marketplaces"))
        )
        yield* store.put(marketplaceOf("bazaar", [company]))
        strictEqual(yield* readsBodies, true)
        strictEqual(yield* readsBodies, false)
        yield* store.put({ ...marketplaceOf("bazaar", [company]), name: "Renamed" })
        strictEqual(yield* readsBodies, true)
        strictEqual(yield* readsBodies, false)
      })
    )

    it.effect("take as many statements to reject an order at an unknown location of 40 sellers as of one", () =>
      Effect.gen(function* () {
        const [reads, store] = [yield* RowsRead.RowsRead, yield* MarketplaceStore]
        const { place } = yield* Orders.Orders
        const statementsOf = (slug: string, sellers: number) =>
          Effect.gen(function* () {
            const companies = Array.from({ length: sellers }, (_, i) => CompanyId.make(1000 + i))
            yield* store.put(marketplaceOf(slug, companies))
            const caller = { principal: { kind: "marketplace", id: slug }, requestId: null } as const
            const { statements } = yield* reads.of(Effect.flip(place(caller, orderDraft())))
            return statements.length
          })
        strictEqual(yield* statementsOf("m40", 40), yield* statementsOf("m1", 1))
      })
    )
  })

suite("Costs on SQLite", sqliteFile)
suite("Costs on PostgreSQL", postgres())
