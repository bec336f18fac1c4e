/** Stores shipments. Each shipment is one JSON body, with columns for searches. */
import { SkuShipments } from "@crossdock/catalog"
import { type CompanyId, Instant, Page, Transaction } from "@crossdock/kernel"
import { shipmentOrderOf } from "@crossdock/orders"
import type { OrderedShipment, Shipment, ShipmentChange, ShipmentFilter } from "@crossdock/shipments"
import { isOpen, mayMoveStock, orderStatusOf, ShipmentStore } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Dialect from "../Dialect.ts"
import { type BodyRow, bodyOf, type Counted, each, expectRows, inserted, pageOf, rows, texts } from "../Dialect.ts"
import * as Distribution from "../Distribution.ts"
import { facts, orders } from "../orders/OrderStoreSql.ts"
import { afterTriggers, allOrNothing, named } from "../TransactionSql.ts"
import { countingTriggers, shipments } from "./ShipmentTables.ts"

const columns = Dialect.columns(`
  company_id integer, id text, location text, marketplace text, order_id text, forward_id text, order_status text,
  order_date integer, is_open integer, invoice_number text, credit_note_number text, version integer, body text`)

const changeColumns = Dialect.columns(`
  id text, expected integer, order_status text, is_open integer, invoice_number text, credit_note_number text,
  version integer, body text`)

const movable = (shipment: Shipment) => [
  orderStatusOf(shipment),
  isOpen(shipment) ? 1 : 0,
  shipment.invoice?.number ?? null,
  shipment.creditNote?.number ?? null,
  shipment.version,
  shipments.write(shipment)
]

const rowOf = (shipment: Shipment) => {
  const [orderStatus = null, ...rest] = movable(shipment)
  const { companyId, forwardId, id, location, marketplace, orderDate, orderId } = shipment
  return [companyId, id, location, marketplace, orderId, forwardId, orderStatus, orderDate, ...rest]
}

const ifAny = <A>(values: ReadonlyArray<A>, statement: (values: ReadonlyArray<A>) => Fragment) =>
  values.length === 0 ? [] : [statement(values)]

/** A table of texts by which shipments are found, such as AWBs. `more` is an optional additional column. */
const side = (
  sql: SqlClient,
  table: string,
  column: string,
  textsOf: (shipment: Shipment) => ReadonlyArray<string>,
  more?: { readonly name: string; readonly valueOf: (shipment: Shipment) => string | null }
) => {
  const names = ["company_id", column, "shipment_id", ...(more === undefined ? [] : [more.name])]
  const columns = Dialect.columns(names.map((name, at) => `${name} ${at === 0 ? "integer" : "text"}`).join(", "))
  const rowsOf = (one: Shipment) =>
    textsOf(one).map((text) => [one.companyId, text, one.id, ...(more === undefined ? [] : [more.valueOf(one)])])
  return {
    isChanged: ({ after, before }: ShipmentChange) => JSON.stringify(rowsOf(after)) !== JSON.stringify(rowsOf(before)),
    put: (shipments: ReadonlyArray<Shipment>) =>
      ifAny(
        shipments.flatMap(rowsOf),
        (values) => sql`${inserted(sql, table, columns, values)} ON CONFLICT DO NOTHING`
      ),
    remove: (company: CompanyId, changes: ReadonlyArray<ShipmentChange>) => {
      const before = changes.map((change) => change.before)
      const isText = () => Dialect.isTextOf(sql, column, texts(sql, before.flatMap(textsOf)))
      return ifAny(
        before.flatMap(rowsOf),
        (values) => sql`
        DELETE FROM ${sql.literal(table)}
        WHERE company_id = ${company} AND ${isText()}
          AND (${sql.literal(column)}, shipment_id) IN (
            SELECT ${sql.literal(`r.${column}`)}, r.shipment_id FROM ${rows(sql, columns, values)} r)`
      )
    }
  }
}

const skusOf = (shipment: Shipment) =>
  mayMoveStock(shipment) ? [...new Set(shipment.items.map(({ sku }) => sku))] : []

/** The tables of texts by which shipments are found. */
export const sidesOf = (sql: SqlClient) => [
  side(sql, "crossdock_shipment_awbs", "awb", ({ courier }) => courier?.awbNumbers ?? [], {
    name: "courier",
    valueOf: ({ courier }) => courier?.name ?? null
  }),
  side(sql, "crossdock_shipment_skus", "sku", skusOf),
  side(sql, "crossdock_shipment_fields", "field", ({ filters = [] }) => filters)
]

interface OrderedRow extends BodyRow {
  readonly facts: string
  /** The whole body of the order. It is read only if an earlier release stored fewer facts. */
  readonly whole: string | null
}

/** The text `"units":` is always a field, because JSON escapes quotes inside a string. */
const orderColumns = `o.facts,
          CASE WHEN o.facts LIKE '%"methods":%' AND o.facts NOT LIKE '%"units":%' THEN o.body END AS whole`

const shipmentOf = bodyOf(shipments)

const orderedOf = (row: OrderedRow): OrderedShipment => ({
  shipment: shipmentOf(row),
  order: row.whole === null ? facts.read(row.facts, row.id) : shipmentOrderOf(orders.read(row.whole, row.id))
})

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const whole = allOrNothing(sql)
  const afterCounting = afterTriggers(sql, countingTriggers)
  const sides = sidesOf(sql)
  const apart = yield* Distribution.isDistributed(sql)
  const ofOrder = sql.literal(apart ? "b.order_id, NULL AS facts, NULL AS whole" : orderColumns)
  const joinOrders = (kind: string) => sql.literal(apart ? "" : `${kind} crossdock_orders o ON o.id = b.order_id`)

  /** On Citus, adds the facts of orders with a second statement, because a join would copy all orders. */
  const withFacts = <Read>(found: ReadonlyArray<Read & { readonly order_id?: string }>) =>
    apart
      ? Effect.map(
          sql<{ readonly id: string; readonly facts: string; readonly whole: string | null }>`
            SELECT o.id, ${sql.literal(orderColumns)} FROM crossdock_orders o
            WHERE ${Dialect.isOneOf(sql, "o.id", [...new Set(found.flatMap((row) => row.order_id ?? []))])}`,
          (read) => {
            const byId = new Map(read.map(({ facts, id, whole }) => [id, { facts, whole }]))
            return found.map((row) => ({ ...row, ...byId.get(row.order_id ?? "") }))
          }
        )
      : Effect.succeed(found)

  const conditions = (company: CompanyId, filter: ShipmentFilter): Fragment =>
    sql.and([
      filter.isOpen === undefined ? sql`s.company_id = ${company}` : Dialect.besidesId(sql, "s.company_id", company),
      ...(filter.locations === null ? [] : [Dialect.isOneOf(sql, "s.location", filter.locations)]),
      ...(filter.id === undefined ? [] : [sql`s.id = ${filter.id}`]),
      ...(filter.orderStatus === undefined ? [] : [sql`s.order_status = ${filter.orderStatus}`]),
      // Only open shipments, and those that came back and aren't checked yet, have rows in this table.
      ...(filter.isOpen === undefined
        ? []
        : [
            sql`s.is_open = 1`,
            sql`s.id IN (SELECT u.shipment_id FROM crossdock_shipment_skus u WHERE u.company_id = ${company})`
          ]),
      ...(filter.marketplace === undefined ? [] : [sql`s.marketplace = ${filter.marketplace}`]),
      ...(filter.from === undefined ? [] : [sql`s.order_date >= ${filter.from * Instant.dayMillis}`]),
      ...(filter.to === undefined ? [] : [sql`s.order_date < ${(filter.to + 1) * Instant.dayMillis}`]),
      ...(filter.fields ?? []).map(
        (one) => sql`s.id IN (
          SELECT f.shipment_id FROM crossdock_shipment_fields f
          WHERE f.company_id = ${company} AND ${Dialect.isText(sql, "f.field", sql`${one}`)})`
      )
    ])

  /** The total of a list. It is counted if the filter has an id, openness or custom fields, else read from the counters. */
  const totalOf = (company: CompanyId, filter: ShipmentFilter): Fragment =>
    filter.id === undefined && filter.isOpen === undefined && filter.fields === undefined
      ? sql`
      SELECT COALESCE(SUM(c.total), 0) AS total FROM crossdock_shipment_counts c
      WHERE ${sql.and([
        sql`c.company_id = ${company}`,
        ...(filter.orderStatus === undefined ? [] : [sql`c.order_status = ${filter.orderStatus}`]),
        ...(filter.locations === null ? [] : [Dialect.isOneOf(sql, "c.location", filter.locations)]),
        ...(filter.from === undefined ? [] : [sql`c.day >= ${filter.from}`]),
        ...(filter.to === undefined ? [] : [sql`c.day <= ${filter.to}`]),
        ...(filter.marketplace === undefined ? [] : [sql`c.marketplace = ${filter.marketplace}`])
      ])}`
      : sql`SELECT COUNT(*) AS total FROM crossdock_shipments s WHERE ${conditions(company, filter)}`

  return ShipmentStore.of({
    load: (company, ids) =>
      sql<BodyRow>`
        SELECT s.id, s.body FROM crossdock_shipments s
        WHERE ${Dialect.besidesId(sql, "s.company_id", company)} AND ${Dialect.isOneOf(sql, "s.id", ids)}
        ORDER BY s.id ${Dialect.locked(sql, "s")}`.pipe(each(shipmentOf), named("ShipmentStore.load")),
    withOrders: (company, ids) =>
      sql<OrderedRow>`
        SELECT b.id, b.body, ${ofOrder} FROM crossdock_shipments b ${joinOrders("JOIN")}
        WHERE ${Dialect.besidesId(sql, "b.company_id", company)} AND ${Dialect.isOneOf(sql, "b.id", ids)}`.pipe(
        Effect.flatMap(withFacts),
        each(orderedOf),
        named("ShipmentStore.withOrders")
      ),
    returnsOf: (company, forwardIds) =>
      sql<BodyRow>`
        SELECT s.id, s.body FROM crossdock_shipments s
        WHERE s.company_id = ${company} AND ${Dialect.isOneOf(sql, "s.forward_id", forwardIds)} AND s.forward_id <> s.id
        ORDER BY s.id`.pipe(
        Effect.map((found) => found.map(shipmentOf).filter(({ journey }) => journey === "return")),
        named("ShipmentStore.returnsOf")
      ),
    companiesOf: (marketplace, ids) =>
      sql<{ id: string; companyId: CompanyId }>`
        SELECT id, company_id AS "companyId" FROM crossdock_shipments
        WHERE ${Dialect.isOneOf(sql, "id", ids)}
          AND marketplace = ${marketplace}`.pipe(each(Dialect.plain), named("ShipmentStore.companiesOf")),
    ofOrder: (orderId) =>
      sql<BodyRow>`
        SELECT id, body FROM crossdock_shipments WHERE order_id = ${orderId}
        ORDER BY id`.pipe(each(shipmentOf), named("ShipmentStore.ofOrder")),
    insert: (shipments) =>
      expectRows(
        sql,
        "ShipmentStore.insert",
        shipments.length,
        sql`${inserted(sql, "crossdock_shipments", columns, shipments.map(rowOf))} ON CONFLICT DO NOTHING`,
        { besides: sides.flatMap(({ put }) => put(shipments)) }
      ).pipe(named("ShipmentStore.insert"), whole, Transaction.write),
    // The ids are also passed as a list. If only the rows had them, SQLite would read the whole table.
    update: (company, changes) => {
      if (changes.length === 0) return Effect.void
      const values = changes.map(({ after, before }) => [after.id, before.version, ...movable(after)])
      const ids = changes.map(({ after }) => after.id)
      const moved = sides.map((one) => ({ ...one, changed: changes.filter(one.isChanged) }))
      const written = sql`
        UPDATE crossdock_shipments SET order_status = r.order_status, is_open = r.is_open,
          invoice_number = r.invoice_number, credit_note_number = r.credit_note_number, version = r.version,
          body = r.body
        FROM ${rows(sql, changeColumns, values)} r
        WHERE ${Dialect.besidesId(sql, "crossdock_shipments.company_id", company)} AND crossdock_shipments.id = r.id
          AND ${Dialect.isOneOf(sql, "crossdock_shipments.id", ids)}
          AND crossdock_shipments.version = r.expected`
      const besides = moved.flatMap(({ changed, remove }) => remove(company, changed))
      // Rows are removed first and added afterwards, because the same row may be removed and added.
      const put = moved.flatMap(({ changed, put }) => put(changed.map(({ after }) => after)))
      return expectRows(sql, "ShipmentStore.update", changes.length, written, { besides }).pipe(
        (stored) => Transaction.together(stored, ...put.map((one) => sql`${one}`)),
        Effect.asVoid,
        named("ShipmentStore.update"),
        whole,
        Transaction.write
      )
    },
    usedInvoiceNumbers: (company, numbers) =>
      sql<{ number: string }>`
        SELECT invoice_number AS number FROM crossdock_shipments
        WHERE company_id = ${company} AND ${Dialect.isTextOf(sql, "invoice_number", texts(sql, numbers))}
        UNION SELECT credit_note_number FROM crossdock_shipments
        WHERE company_id = ${company} AND ${Dialect.isTextOf(sql, "credit_note_number", texts(sql, numbers))}
        UNION SELECT number FROM crossdock_archived_numbers
        WHERE company_id = ${company} AND ${Dialect.isTextOf(sql, "number", texts(sql, numbers))}`.pipe(
        each((row) => row.number),
        named("ShipmentStore.usedInvoiceNumbers")
      ),
    openAwbs: (company, awbs) =>
      sql<{ shipmentId: string; courier: string; awb: string }>`
        SELECT a.shipment_id AS "shipmentId", a.courier, a.awb
        FROM crossdock_shipment_awbs a
        JOIN crossdock_shipments s ON s.company_id = a.company_id AND s.id = a.shipment_id
        WHERE a.company_id = ${company} AND ${Dialect.isTextOf(sql, "a.awb", texts(sql, awbs))}
          AND s.is_open = 1`.pipe(each(Dialect.plain), named("ShipmentStore.openAwbs")),
    byAwb: (company, awb) =>
      sql<BodyRow>`
        SELECT s.id, s.body FROM crossdock_shipment_awbs a
        JOIN crossdock_shipments s ON s.company_id = a.company_id AND s.id = a.shipment_id
        WHERE a.company_id = ${company} AND ${Dialect.isText(sql, "a.awb", sql`${awb}`)}
        ORDER BY s.is_open DESC, s.id DESC`.pipe(each(shipmentOf), named("ShipmentStore.byAwb")),
    page: (company, filter, page) =>
      sql<Counted<OrderedRow>>`
        SELECT n.total, b.id, b.body, ${ofOrder} FROM (${totalOf(company, filter)}) n
        LEFT JOIN (
          SELECT s.id, s.order_date FROM crossdock_shipments s WHERE ${conditions(company, filter)}
          ORDER BY s.order_date DESC, s.id DESC LIMIT ${page.size} OFFSET ${Page.offset(page)}) k ON 1 = 1
        LEFT JOIN crossdock_shipments b ON b.company_id = ${company} AND b.id = k.id
        ${joinOrders("LEFT JOIN")}
        ORDER BY k.order_date DESC, k.id DESC`.pipe(
        Effect.flatMap(withFacts),
        Effect.map(pageOf(orderedOf)),
        afterCounting,
        named("ShipmentStore.page")
      )
  })
})

export const layer = Layer.effect(ShipmentStore, make)

const makeSkuShipments = Effect.gen(function* () {
  const sql = yield* SqlClient

  return SkuShipments.of({
    open: (company, skus) =>
      sql<{ sku: string }>`
        SELECT r.value AS sku FROM ${texts(sql, skus)} r WHERE EXISTS (
          SELECT 1 FROM crossdock_shipment_skus s
          WHERE s.company_id = ${company} AND ${Dialect.isText(sql, "s.sku", sql`r.value`)} ${Dialect.alone(sql)})`.pipe(
        Effect.map((found) => new Set(found.map(({ sku }) => sku))),
        named("SkuShipments.open")
      )
  })
})

/** Finds which SKUs are in shipments that can still move stock. A product with one of these SKUs can't be deleted. */
export const skuShipments = Layer.effect(SkuShipments, makeSkuShipments)
