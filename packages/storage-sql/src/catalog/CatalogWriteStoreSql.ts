/** Adapter: the outcomes of writes of products. */
import { CatalogWriteStore } from "@crossdock/catalog"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { deleteOld } from "../OldRows.ts"
import { named } from "../TransactionSql.ts"
import { writes } from "./CatalogTables.ts"

interface Row {
  readonly body: string
  readonly finished_at: number
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return CatalogWriteStore.of({
    insert: ({ at, companyId, traceId, ...write }) =>
      sql`
        INSERT INTO crossdock_catalog_writes (company_id, trace_id, finished_at, body)
        VALUES (${companyId}, ${traceId}, ${at}, ${writes.write(write)})`.pipe(
        Effect.asVoid,
        named("CatalogWriteStore.insert")
      ),
    find: (companyId, traceId) =>
      sql<Row>`
        SELECT body, finished_at FROM crossdock_catalog_writes
        WHERE company_id = ${companyId} AND trace_id = ${traceId}`.pipe(
        Effect.map(
          ([row]) => row && { companyId, traceId, ...writes.read(row.body, traceId), at: Number(row.finished_at) }
        ),
        named("CatalogWriteStore.find")
      ),
    deleteBefore: yield* deleteOld(
      sql,
      "CatalogWriteStore.deleteBefore",
      "crossdock_catalog_writes",
      "company_id, id",
      "finished_at"
    )
  })
})

export const layer = Layer.effect(CatalogWriteStore, make)
