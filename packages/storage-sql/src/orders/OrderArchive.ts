/** Moves closed orders to a file. The database keeps their external ids and document numbers, which can't be used again. */
import { type CompanyId, required, Transaction } from "@crossdock/kernel"
import type { Order } from "@crossdock/orders"
import type { Shipment } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Dialect from "../Dialect.ts"
import * as SchemaDialect from "../SchemaDialect.ts"
import { sidesOf } from "../shipments/ShipmentStoreSql.ts"
import { shipments } from "../shipments/ShipmentTables.ts"
import { named } from "../TransactionSql.ts"
import { orders } from "./OrderStoreSql.ts"

/** The tables that keep external ids and document numbers of archived orders. */
export const statements = (sql: SqlClient): ReadonlyArray<string> => {
  const { clustered, text } = SchemaDialect.schemaWords(sql)
  const external = SchemaDialect.indexedText(sql, "external_order_id")
  const number = SchemaDialect.indexedText(sql, "number")
  return [
    `CREATE TABLE crossdock_archived_orders (
      ${external.define}, marketplace ${text} NOT NULL, id ${text} NOT NULL, company_id BIGINT NOT NULL,
      PRIMARY KEY (${external.name}, marketplace)
    ) ${clustered}`,
    `CREATE TABLE crossdock_archived_numbers (
      company_id BIGINT NOT NULL, ${number.define}, PRIMARY KEY (company_id, ${number.name})
    ) ${clustered}`
  ]
}

/** An order with all its shipments, oldest first. The shipments may belong to several companies. */
export interface WholeOrder {
  readonly order: Order
  readonly shipments: ReadonlyArray<Shipment>
}

const withShipments = (sql: SqlClient, found: ReadonlyArray<Dialect.BodyRow>) => {
  const ids = found.map(({ id }) => id)
  return Effect.map(
    sql<Dialect.BodyRow & { readonly orderId: string }>`
      SELECT order_id AS "orderId", id, body FROM crossdock_shipments WHERE ${Dialect.isOneOf(sql, "order_id", ids)}
      ORDER BY id`,
    (all) => {
      const ofOrder = Map.groupBy(all, ({ orderId }) => orderId)
      return found.map(
        (row): WholeOrder => ({
          order: Dialect.bodyOf(orders)(row),
          shipments: (ofOrder.get(row.id) ?? []).map(Dialect.bodyOf(shipments))
        })
      )
    }
  )
}

/** Reads at most `limit` orders, sorted by id. Their ids are above `after` and below `before`. */
export const page = (after: string, before: string, limit: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const found = yield* sql<Dialect.BodyRow>`
      SELECT id, body FROM crossdock_orders WHERE id > ${after} AND id < ${before} ORDER BY id LIMIT ${limit}`
    return yield* withShipments(sql, found)
  }).pipe(named("OrderArchive.page"))

/** Reads the orders with these ids that still exist. They can't change until the transaction ends. */
export const load = (ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const ofOrders = Dialect.isOneOf(sql, "order_id", ids)
    yield* Dialect.lockRows(sql, "crossdock_shipments", ofOrders, "company_id, id", "WAIT")
    // This is a separate statement, so that it sees shipments that were added during the wait for the lock.
    return yield* withShipments(
      sql,
      yield* sql<Dialect.BodyRow>`SELECT id, body FROM crossdock_orders WHERE ${Dialect.isOneOf(sql, "id", ids)} ORDER BY id`
    )
  }).pipe(named("OrderArchive.load"))

const numberColumns = Dialect.columns("company_id integer, number text")

/** Deletes shipments. The database keeps the numbers of their invoices and credit notes. */
const removeShipments = (sql: SqlClient, company: CompanyId, shipments: ReadonlyArray<Shipment>) => {
  const changes = shipments.map((one) => ({ before: one, after: one }))
  const ids = shipments.map(({ id }) => id)
  const numbers = shipments.flatMap(({ creditNote, invoice }) =>
    [invoice, creditNote].flatMap((paper) => (paper ? [[company, paper.number]] : []))
  )
  const kept = () =>
    sql`${Dialect.inserted(sql, "crossdock_archived_numbers", numberColumns, numbers)} ON CONFLICT DO NOTHING`
  const removed = sql`
    DELETE FROM crossdock_shipments
    WHERE ${Dialect.besidesId(sql, "company_id", company)} AND ${Dialect.isOneOf(sql, "id", ids)}`
  return Dialect.expectRows(sql, "OrderArchive.remove", ids.length, removed, {
    besides: [
      ...sidesOf(sql).flatMap(({ remove }) => remove(company, changes)),
      ...(numbers.length > 0 ? [kept()] : [])
    ]
  })
}

const archivedColumns = Dialect.columns("external_order_id text, marketplace text, id text, company_id integer")

/** The company that keeps the external id of an order: the company of its first shipment. */
export const companyOf = ({ shipments }: WholeOrder): CompanyId => required(shipments[0], "a shipment").companyId

/** Deletes a company's shipments of loaded orders. It also deletes the orders whose external id the company keeps. */
export const remove = (company: CompanyId, whole: ReadonlyArray<WholeOrder>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const own = whole.flatMap((one) => one.shipments.filter(({ companyId }) => companyId === company))
    const ended = whole.filter((one) => companyOf(one) === company).map(({ order }) => order)
    const removed = removeShipments(sql, company, own)
    if (ended.length === 0) return yield* removed
    const ids = ended.map(({ id }) => id)
    const kept = ended.map(({ draft, id, marketplace }) => [draft.externalOrderId, marketplace, id, company])
    const forgotten = Dialect.expectRows(
      sql,
      "OrderArchive.remove",
      ids.length,
      sql`DELETE FROM crossdock_orders WHERE ${Dialect.isOneOf(sql, "id", ids)}`,
      {
        besides: [
          sql`${Dialect.inserted(sql, "crossdock_archived_orders", archivedColumns, kept)} ON CONFLICT DO NOTHING`
        ]
      }
    )
    // Both are sent together. The commit would otherwise be sent before the second one.
    yield* Transaction.together(removed, forgotten)
  }).pipe(named("OrderArchive.remove"), Transaction.write)

/** The id of an archived order of any marketplace with this external id, or undefined. */
export const idOf = (externalOrderId: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const [row] = yield* sql<{ id: string }>`
      SELECT id FROM crossdock_archived_orders
      WHERE ${Dialect.isText(sql, "external_order_id", sql`${externalOrderId}`)} ORDER BY id DESC LIMIT 1`
    return row?.id
  }).pipe(named("OrderArchive.idOf"))
