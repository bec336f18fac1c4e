/**
 * Adapter: writes of products. A write is one JSON body, and what it accepted another, in a table of its own.
 */
import { type CatalogWrite, CatalogWriteStore } from "@crossdock/catalog"
import { CompanyId, StaleWrite } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { affected, named } from "../Database.ts"
import * as Dialect from "../Dialect.ts"
import { allOrNothing } from "../TransactionSql.ts"
import { accepted, writes } from "./CatalogBodies.ts"

interface Row {
  readonly body: string
}

const finishedAt = ({ modifiedAt, stage }: CatalogWrite.CatalogWrite): number | null =>
  stage === "COMPLETED" ? modifiedAt : null

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const whole = allOrNothing(sql)
  const is = ({ companyId, traceId }: CatalogWrite.WriteKey) => sql`company_id = ${companyId} AND trace_id = ${traceId}`

  return CatalogWriteStore.of({
    insert: (write, products) =>
      Effect.gen(function* () {
        yield* sql`
          INSERT INTO crossdock_catalog_writes (company_id, trace_id, stage, finished_at, body)
          VALUES (${write.companyId}, ${write.traceId}, ${write.stage}, ${finishedAt(write)}, ${writes.write(write)})`
        if (products.length === 0) return
        yield* sql`
          INSERT INTO crossdock_catalog_accepted (company_id, trace_id, body)
          VALUES (${write.companyId}, ${write.traceId}, ${accepted.write(products)})`
      }).pipe(named("CatalogWriteStore.insert"), whole),
    accepted: (key) =>
      sql<Row>`SELECT body FROM crossdock_catalog_accepted WHERE ${is(key)}`.pipe(
        Effect.map(([row]): CatalogWrite.Accepted => (row === undefined ? [] : accepted.read(row.body, key.traceId))),
        named("CatalogWriteStore.accepted")
      ),
    find: (companyId, traceId) =>
      sql<Row>`SELECT body FROM crossdock_catalog_writes WHERE ${is({ companyId, traceId })}`.pipe(
        Effect.map(([row]) => row && writes.read(row.body, traceId)),
        named("CatalogWriteStore.find")
      ),
    due: sql<{ company_id: number; trace_id: string }>`
      SELECT w.company_id, w.trace_id FROM crossdock_catalog_writes w
      WHERE w.id IN (
        SELECT MIN(o.id) FROM crossdock_catalog_writes o WHERE o.stage = 'RUNNING' GROUP BY o.company_id)
      ORDER BY w.id`.pipe(
      Effect.map((found) => found.map((row) => ({ companyId: CompanyId.make(row.company_id), traceId: row.trace_id }))),
      named("CatalogWriteStore.due")
    ),
    lock: (key) =>
      sql<Row>`
        SELECT w.body FROM crossdock_catalog_writes w
        WHERE ${is(key)} AND w.stage = 'RUNNING' ${Dialect.lockedSkippingLocked(sql, "w")}`.pipe(
        Effect.map(([row]) => row && writes.read(row.body, key.traceId)),
        named("CatalogWriteStore.lock")
      ),
    finish: (write) =>
      sql`
        UPDATE crossdock_catalog_writes SET stage = ${write.stage}, finished_at = ${finishedAt(write)},
          body = ${writes.write(write)}
        WHERE ${is(write)} AND stage = 'RUNNING' RETURNING id`.pipe(
        Effect.filterOrFail(
          (written) => written.length === 1,
          () => new StaleWrite({ operation: "CatalogWriteStore.finish" })
        ),
        Effect.andThen(sql`DELETE FROM crossdock_catalog_accepted WHERE ${is(write)}`),
        Effect.asVoid,
        named("CatalogWriteStore.finish"),
        whole
      ),
    deleteCompleted: (before, limit) =>
      sql`
        DELETE FROM crossdock_catalog_writes WHERE (company_id, id) IN (
          SELECT w.company_id, w.id FROM crossdock_catalog_writes w
          WHERE w.finished_at < ${before} ORDER BY w.finished_at LIMIT ${limit}
          ${Dialect.lockedSkippingLocked(sql, "w")})`.raw.pipe(
        Effect.map(affected),
        named("CatalogWriteStore.deleteCompleted")
      )
  })
})

export const layer: Layer.Layer<CatalogWriteStore, never, SqlClient.SqlClient> = Layer.effect(CatalogWriteStore, make)
