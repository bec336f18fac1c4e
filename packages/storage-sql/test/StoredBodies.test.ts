import { readdirSync, readFileSync } from "node:fs"
import { Directory } from "@crossdock/access"
import { AuditStore, EventLog, viewOf } from "@crossdock/audit"
import { BillingStore } from "@crossdock/billing"
import { CatalogWriteStore, ProductStore, ReferenceStore } from "@crossdock/catalog"
import { StockLevels } from "@crossdock/inventory"
import { CompanyId, Idempotency, StoredBody } from "@crossdock/kernel"
import { MarketplaceStore } from "@crossdock/marketplaces"
import { EventEndpointStore, NotificationStore } from "@crossdock/notifications"
import { endpoint } from "@crossdock/notifications/testing"
import { OrderStore } from "@crossdock/orders"
import { ShipmentStore } from "@crossdock/shipments"
import { StorageSql } from "@crossdock/storage-sql"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, throws } from "@effect/vitest/utils"
import { Cause, Effect, Exit, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { addresses, principals } from "../src/access/DirectorySql.ts"
import { eventDrafts } from "../src/audit/AuditStoreSql.ts"
import { agreements, coupons, customers, extensions, invoices, plans } from "../src/billing/BillingStoreSql.ts"
import { products, reference, sizes, writes } from "../src/catalog/CatalogTables.ts"
import { answers } from "../src/kernel/IdempotencySql.ts"
import { marketplaces } from "../src/marketplaces/MarketplaceStoreSql.ts"
import { eventDeadLetters, eventEndpoints } from "../src/notifications/EventEndpointStoreSql.ts"
import { channels, deadLetters } from "../src/notifications/NotificationStoreSql.ts"
import { facts, orders } from "../src/orders/OrderStoreSql.ts"
import { shipments } from "../src/shipments/ShipmentTables.ts"
import { sqliteFile } from "./Databases.ts"
import { company } from "./fixtures/Reads.ts"
import { fill, fixtures } from "./OldDatabases.ts"

const key = { principal: "integration:seller-1", method: "PUT", path: "/ims/v3/inventory", key: "key-1" }
const at = Date.UTC(2026, 0, 1)

/** What no fixture has, as this release writes it. */
const more = Effect.gen(function* () {
  const [directory, writeStore, channelStore] = [yield* Directory, yield* CatalogWriteStore, yield* NotificationStore]
  const [location] = yield* directory.locations([company])
  const place = { address1: "1 MG Road", address2: null, city: "Bengaluru", state: "Karnataka", pincode: "560001" }
  const address = { ...place, country: "India", phone: null, gstin: null }
  // What shipments show of an order of an earlier release is not read, but made again from the order.
  const orderStore = yield* OrderStore
  for (const one of yield* orderStore.page(null, 100)) yield* orderStore.replace(one)
  if (location !== undefined) yield* directory.putLocations([{ ...location, address }])
  const failures = [{ index: 0, code: "INVALID_RECORD", message: "no" }]
  yield* writeStore.insert({ companyId: company, traceId: "t1", total: 2, failures, at })
  const references = yield* ReferenceStore
  yield* references.put({
    departments: [],
    categories: [],
    templates: [],
    attributes: [
      { slug: "color", name: "Colour", categories: "*", schema: { type: "str", mandatory: false, multi: false } }
    ],
    hsCodes: [{ code: "61091000", type: "HS", description: "T-shirts", countryCode: "IN" }],
    taxRules: [
      {
        id: "gst-5",
        name: "GST 5",
        status: "ACTIVE",
        versions: [
          { versionStatus: "LIVE", applicableFrom: "2025-09-22", components: [{ name: "IGST", rate: 5, threshold: 1 }] }
        ]
      }
    ]
  })
  const stock = { sku: "s", location: "L1", code: "M-1", quantity: 1, changeNumber: 9, sequence: 9, occurredAt: at }
  yield* channelStore.addDeadLetter({
    companyId: company,
    marketplace: "bazaar",
    id: "d1",
    events: [{ eventId: "e1", ...stock }],
    failures: 9,
    since: at,
    at,
    failure: "503"
  })
  const endpointStore = yield* EventEndpointStore
  yield* endpointStore.save(endpoint({ companyId: company }))
  const event = { companyId: company, number: 1, change: 1, at, type: "price.changed", version: 1, data: { sku: "s" } }
  const given = { failures: 9, since: at, at, failure: "503" }
  yield* endpointStore.putDeadLetter({ companyId: company, endpoint: "erp", id: "d2", events: [event], ...given })
  const log = yield* AuditStore
  const [head] = yield* log.lock([company])
  const { events = 0, sequence = 0 } = head ?? {}
  const entity = { id: "r1", entityType: "price", entityId: "p", action: "set", hash: "h", personal: null }
  const happened = [{ type: "price.changed", version: 1, data: { sku: "s" } }]
  const record = { _id: "r1", company, sequence: sequence + 1, at, request_id: null, logs: {} }
  const named = { entity: { type: "price", id: "p", action: "set" }, recorded_by: { kind: "system", id: "host" } }
  yield* log.append(
    [{ companyId: company, sequence: sequence + 1, at, body: JSON.stringify({ ...record, ...named }), ...entity }],
    [{ companyId: company, first: events + 1, change: sequence + 1, at, drafts: happened }]
  )
})

interface Stored {
  readonly table: string
  readonly column: string
  /** Which of the rows, when the others have another form. */
  readonly where?: string
  readonly form: { readonly read: (text: string, id: string) => unknown }
  readonly name: string
  /** Reads some of the rows. */
  readonly read: Effect.Effect<unknown, unknown>
}

/** Every column of stored bodies. */
const everyColumn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [billing, directory, writeStore] = [yield* BillingStore, yield* Directory, yield* CatalogWriteStore]
  const [levels, markets, channelStore] = [yield* StockLevels, yield* MarketplaceStore, yield* NotificationStore]
  const [orderStore, productStore, shipmentStore] = [yield* OrderStore, yield* ProductStore, yield* ShipmentStore]
  const [{ read }, idempotency] = [yield* ReferenceStore, yield* Idempotency.Idempotency]
  const first = (column: string, table: string) =>
    Effect.flatMap(sql<{ id: string }>`SELECT MAX(${sql.literal(column)}) AS id FROM ${sql.literal(table)}`, ([row]) =>
      Effect.fromNullishOr(row?.id)
    )
  const shipment = yield* first("id", "crossdock_shipments")
  const sku = yield* first("sku", "crossdock_sizes")
  const order = yield* first("id", "crossdock_orders")
  const [extension, agreement] = [
    yield* first("id", "crossdock_extensions"),
    yield* first("id", "crossdock_agreements")
  ]
  const invoice = yield* first("id", "crossdock_invoices")
  const perOrder = Effect.forEach(["bazaar", "souk"], (marketplace) => orderStore.byId(marketplace, order))
  const perCompany = <A, E>(of: (company: CompanyId) => Effect.Effect<A, E>) =>
    Effect.forEach([CompanyId.make(1), CompanyId.make(2)], of)
  const found = perCompany((one) => productStore.find(one, { itemCodes: [], slugs: [], skus: [sku] }))
  const body = "body"
  const [eventLog, endpointStore] = [yield* EventLog, yield* EventEndpointStore]
  const endpointKey = { companyId: company, id: "erp" }
  const change = yield* first("change_number", "crossdock_events")
  return [
    {
      table: "crossdock_events",
      column: body,
      form: eventDrafts,
      name: `events of change ${change} of company 1`,
      read: eventLog.read(company, 0, 10)
    },
    {
      table: "crossdock_accounts",
      column: "principal",
      form: principals,
      name: "principal of integration seller-1",
      read: directory.account("integration", "seller-1")
    },
    {
      table: "crossdock_locations",
      column: "address",
      form: addresses,
      name: "address of location L1 of company 1",
      read: directory.locations([company])
    },
    {
      table: "crossdock_agreements",
      column: body,
      form: agreements,
      name: `agreement ${agreement}`,
      read: perCompany((one) => billing.agreement(one, agreement))
    },
    {
      table: "crossdock_invoices",
      column: body,
      form: invoices,
      name: `invoice ${invoice}`,
      read: perCompany((one) => billing.invoice(one, invoice))
    },
    {
      table: "crossdock_customers",
      column: body,
      form: customers,
      name: "customer 1",
      read: billing.customer(company)
    },
    { table: "crossdock_plans", column: body, form: plans, name: "plan basic", read: billing.plan("basic") },
    {
      table: "crossdock_extensions",
      column: body,
      form: extensions,
      name: `extension ${extension}`,
      read: billing.extension(extension)
    },
    { table: "crossdock_coupons", column: body, form: coupons, name: "coupon TEN", read: billing.coupon("TEN") },
    { table: "crossdock_products", column: body, form: products, name: "product", read: found },
    { table: "crossdock_sizes", column: body, form: sizes, name: `size ${sku}`, read: found },
    {
      table: "crossdock_sizes",
      column: body,
      form: sizes,
      name: `size ${sku}`,
      read: perCompany((one) => productStore.sold(one, [sku]))
    },
    {
      table: "crossdock_catalog_writes",
      column: body,
      form: writes,
      name: "catalog write t1",
      read: writeStore.find(company, "t1")
    },
    {
      table: "crossdock_idempotency",
      column: "answer",
      form: answers,
      name: "answer of Idempotency-Key key-1 of integration:seller-1",
      read: idempotency.find(key)
    },
    {
      table: "crossdock_marketplaces",
      column: body,
      form: marketplaces,
      name: "marketplace bazaar",
      read: markets.all
    },
    {
      table: "crossdock_marketplaces",
      column: body,
      form: marketplaces,
      name: "marketplace bazaar",
      read: markets.find("bazaar")
    },
    {
      table: "crossdock_channels",
      column: body,
      form: channels,
      name: "channel bazaar of company 1",
      read: channelStore.channels
    },
    {
      table: "crossdock_dead_letters",
      column: body,
      form: deadLetters,
      name: "dead letter d1",
      read: channelStore.deadLetters("bazaar")
    },
    {
      table: "crossdock_dead_letters",
      column: body,
      form: deadLetters,
      name: "dead letter d1",
      read: channelStore.takeDeadLetter({ marketplace: "bazaar", companyId: company }, "d1")
    },
    ...[endpointStore.find(endpointKey), endpointStore.list(company), endpointStore.pending(at)].map((read) => ({
      table: "crossdock_event_endpoints",
      column: body,
      form: eventEndpoints,
      name: "endpoint erp of company 1",
      read: read as Effect.Effect<unknown, unknown>
    })),
    ...[endpointStore.deadLetters(endpointKey), endpointStore.deadLetter(endpointKey, "d2")].map((read) => ({
      table: "crossdock_event_dead_letters",
      column: body,
      form: eventDeadLetters,
      name: "dead letter of events d2",
      read: read as Effect.Effect<unknown, unknown>
    })),
    { table: "crossdock_orders", column: body, form: orders, name: `order ${order}`, read: perOrder },
    {
      table: "crossdock_orders",
      column: "facts",
      form: facts,
      name: `order of shipment ${shipment}`,
      read: perCompany((one) => shipmentStore.withOrders(one, [shipment]))
    },
    {
      table: "crossdock_shipments",
      column: body,
      form: shipments,
      name: `shipment ${shipment}`,
      read: perCompany((one) => shipmentStore.load(one, [shipment]))
    },
    {
      table: "crossdock_movements",
      column: "lines",
      form: { read: (text) => JSON.parse(text) },
      name: "movements of change",
      read: levels.foldMovements(Number.MAX_SAFE_INTEGER, 100)
    },
    ...Object.entries(reference).map(([kind, form]) => ({
      table: "crossdock_reference",
      column: body,
      where: `kind = '${kind}'`,
      form,
      name: "",
      read
    }))
  ] satisfies ReadonlyArray<Stored>
})

/** Runs with the database of an earlier release, upgraded and with what `more` adds. */
const onOldDatabase = <E>(
  use: (every: ReadonlyArray<Stored>) => Effect.Effect<void, E, AuditStore | SqlClient.SqlClient>
) =>
  Effect.gen(function* () {
    for (const fixture of fixtures) {
      yield* Effect.gen(function* () {
        yield* fill(fixture)
        const client = Layer.succeed(SqlClient.SqlClient, yield* SqlClient.SqlClient)
        yield* Effect.gen(function* () {
          yield* more
          yield* use(yield* everyColumn)
        }).pipe(Effect.provide(Layer.provide(StorageSql.layer, client)))
      }).pipe(Effect.provide(Layer.fresh(sqliteFile)))
    }
  })

/** What a read ends with when each row of a column has this text, which is undone afterwards. */
const messageOf = ({ column, read, table, where = "TRUE" }: Stored, text: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE ${sql.literal(table)} SET ${sql.literal(column)} = ${text} WHERE ${sql.literal(where)}`
    const exit = yield* Effect.exit(read)
    const [defect] = Exit.isFailure(exit) ? exit.cause.reasons.filter(Cause.isDieReason) : []
    return yield* Effect.fail(defect === undefined ? `${table}.${column} was read` : String(defect.defect))
  })

/** A body as this release reads it, without its version. */
const added = (
  table: string,
  written: { readonly v?: number; readonly id?: string; readonly seller?: string } | ReadonlyArray<unknown>
) => {
  if (Array.isArray(written)) return written
  const { v: _, ...body } = written as Exclude<typeof written, ReadonlyArray<unknown>>
  if (table === "crossdock_agreements") {
    const { lastBilled: _lastBilled, ...kept } = body as typeof body & { readonly lastBilled?: number }
    return { ...kept, firstId: body.id }
  }
  if (table === "crossdock_channels") return { ...body, aside: [] }
  if (table !== "crossdock_invoices") return body
  return { ...body, seller: { name: body.seller, addressLines: [], taxNumber: null, bank: null } }
}

/** Bodies that can't be read, with what is said of an object and of a list. */
const damages = [
  ['{"secret', "it is not a JSON object", "it is not a JSON array"],
  ['{"v":99,"secret":1}', "it has version 99, and this release knows ", "it is not a JSON array"],
  ['{"secret":1}', "is missing or malformed", "it is not a JSON array"]
] as const

describe("Stored bodies", () => {
  it.live("are read as this release and earlier ones wrote them", () =>
    onOldDatabase((every) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const { column, form, table, where = "TRUE" } of every) {
          const rows = yield* sql<{ text: string }>`
            SELECT ${sql.literal(column)} AS text FROM ${sql.literal(table)}
            WHERE ${sql.literal(`${column} IS NOT NULL AND ${where}`)}`
          assertTrue(rows.length > 0, `${table}.${column} ${where}`)
          for (const { text } of rows) deepStrictEqual(form.read(text, "one"), added(table, JSON.parse(text)))
        }
        const records = yield* Effect.flatMap(AuditStore, (log) => log.read(company, 0, 1_000))
        assertTrue(records.length > 0)
        for (const record of records) {
          const personal: unknown = record.personal === null ? null : JSON.parse(record.personal)
          deepStrictEqual(viewOf(record), { ...JSON.parse(record.body), personal })
        }
      })
    )
  )

  it.live("that are damaged or of a later release are defects that name the record, and nothing of its content", () =>
    onOldDatabase((every) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const stored of every) {
          for (const [text, ofObject, ofList] of damages) {
            const message = String(yield* Effect.flip(sql.withTransaction(messageOf(stored, text))))
            const why = message.includes("not a JSON array") ? ofList : ofObject
            assertTrue(message.startsWith(`UnreadableBody: The stored ${stored.name}`), message)
            assertTrue(message.includes(why) && !message.includes("secret"), message)
          }
        }
      })
    )
  )

  it("of marketplaces and endpoints have a whole webhook, encrypted or in plain", () => {
    const url = "https://erp.example"
    const plain = { url, secret: "secret", retiring: null, authentication: { type: "none" } } as const
    const whole = [plain, { ...plain, retiring: { secret: "secret", until: 1 } }, { url, encrypted: "v1" }]
    const damaged = [
      ["webhook.secret", { url }],
      ["webhook.url", { ...plain, url: undefined }],
      ["webhook.secret", { ...plain, secret: undefined }],
      ["webhook.retiring", { ...plain, retiring: undefined }],
      ["webhook.retiring.until", { ...plain, retiring: { secret: "secret" } }],
      ["webhook.authentication", { ...plain, authentication: undefined }],
      ["webhook.authentication.type", { ...plain, authentication: {} }]
    ] as const
    const bazaar = { slug: "bazaar", name: "Bazaar", currency: "INR", locations: [], skus: null, buffers: [] }
    const bodies = [
      ["marketplace", marketplaces, { ...bazaar, retiredCodes: [] }],
      ["endpoint", eventEndpoints, { v: 2, ...endpoint({ companyId: company }) }]
    ] as const
    for (const [name, form, body] of bodies) {
      const read = (webhook: unknown) => form.read(JSON.stringify({ ...body, webhook }), "one")
      for (const webhook of whole) deepStrictEqual(read(webhook).webhook, webhook)
      for (const [path, webhook] of damaged) {
        const message = `The stored ${name} one can't be read: its ${path} is missing or malformed`
        throws(() => read(webhook), new StoredBody.UnreadableBody(message))
      }
    }
  })

  it("are read in no other way", () => {
    const folder = new URL("../src/", import.meta.url)
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
    const parsing = files.flatMap((name) =>
      Array.from(readFileSync(new URL(name, folder), "utf8").matchAll(/JSON\.parse\(.*?\)/g), ([call]) => [name, call])
    )
    // The first only checks that an imported body is JSON. The second reads what the statement itself gathered.
    deepStrictEqual(parsing, [
      ["CompanyRows.ts", "JSON.parse(value)"],
      ["inventory/StockLevelsSql.ts", "JSON.parse(answer.gathered)"]
    ])
  })
})
