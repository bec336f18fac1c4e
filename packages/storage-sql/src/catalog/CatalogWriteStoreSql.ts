/**
 * Adapter: writes of products. A write is one JSON body; beside it stands what it is claimed by.
 */
import { type CatalogWrite, CatalogWriteStore } from "@crossdock/catalog"
import { CompanyId, StaleWrite } from "@crossdock/kernel"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { named } from "../Database.ts"

interface Row {
  readonly body: string
}

const writeOf = (row: Row | undefined): CatalogWrite.CatalogWrite | undefined =>
  row === undefined ? undefined : JSON.parse(row.body)

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const is = ({ companyId, traceId }: CatalogWrite.WriteKey) => sql`company_id = ${companyId} AND trace_id = ${traceId}`

  return CatalogWriteStore.of({
    insert: (write) =>
      sql`
        INSERT INTO crossdock_catalog_writes (company_id, trace_id, stage, owner, claimed_until, body)
        VALUES (${write.companyId}, ${write.traceId}, ${write.stage}, NULL, 0, ${JSON.stringify(write)})`.pipe(
        Effect.asVoid,
        named("CatalogWriteStore.insert")
      ),
    find: (companyId, traceId) =>
      sql<Row>`SELECT body FROM crossdock_catalog_writes WHERE ${is({ companyId, traceId })}`.pipe(
        Effect.map(([row]) => writeOf(row)),
        named("CatalogWriteStore.find")
      ),
    due: (now) =>
      sql<{ company_id: number; trace_id: string }>`
        SELECT w.company_id, w.trace_id FROM crossdock_catalog_writes w
        WHERE w.stage = 'RUNNING' AND w.claimed_until <= ${now} AND w.id = (
          SELECT MIN(o.id) FROM crossdock_catalog_writes o WHERE o.company_id = w.company_id AND o.stage = 'RUNNING')
        ORDER BY w.id`.pipe(
        Effect.map((found) =>
          found.map((row) => ({ companyId: CompanyId.make(row.company_id), traceId: row.trace_id }))
        ),
        named("CatalogWriteStore.due")
      ),
    claim: (key, owner, now, until) =>
      sql<Row>`
        UPDATE crossdock_catalog_writes SET owner = ${owner}, claimed_until = ${until}
        WHERE ${is(key)} AND stage = 'RUNNING' AND claimed_until <= ${now} RETURNING body`.pipe(
        Effect.map(([row]) => writeOf(row)),
        named("CatalogWriteStore.claim")
      ),
    finish: (write, owner) =>
      sql`
        UPDATE crossdock_catalog_writes SET stage = ${write.stage}, owner = NULL, body = ${JSON.stringify(write)}
        WHERE ${is(write)} AND stage = 'RUNNING' AND owner = ${owner} RETURNING id`.pipe(
        Effect.filterOrFail(
          (written) => written.length === 1,
          () => new StaleWrite({ operation: "CatalogWriteStore.finish" })
        ),
        Effect.asVoid,
        named("CatalogWriteStore.finish")
      ),
    release: (key, owner) =>
      sql`
        UPDATE crossdock_catalog_writes SET owner = NULL, claimed_until = 0
        WHERE ${is(key)} AND stage = 'RUNNING' AND owner = ${owner}`.pipe(
        Effect.asVoid,
        named("CatalogWriteStore.release")
      )
  })
})

export const layer: Layer.Layer<CatalogWriteStore, never, SqlClient.SqlClient> = Layer.effect(CatalogWriteStore, make)
