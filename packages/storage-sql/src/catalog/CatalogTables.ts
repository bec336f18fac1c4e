/**
 * The catalog's tables beside products and sizes.
 */
import type * as SqlClient from "effect/sql/SqlClient"
import type * as Dialect from "../Dialect.ts"

export const statements = ({ identity, text }: ReturnType<typeof Dialect.schemaWords>) => [
  `CREATE TABLE crossdock_reference_version (name ${text} PRIMARY KEY, version BIGINT NOT NULL)`,
  `CREATE TABLE crossdock_catalog_writes (
    id ${identity}, company_id BIGINT NOT NULL, trace_id ${text} NOT NULL, stage ${text} NOT NULL,
    body ${text} NOT NULL, UNIQUE (company_id, trace_id)
  )`,
  `CREATE TABLE crossdock_catalog_accepted (
    company_id BIGINT NOT NULL, trace_id ${text} NOT NULL, body ${text} NOT NULL, UNIQUE (company_id, trace_id)
  )`,
  `CREATE INDEX crossdock_catalog_writes_running ON crossdock_catalog_writes (company_id, id) WHERE stage = 'RUNNING'`,
  `CREATE INDEX crossdock_products_created ON crossdock_products (company_id, created_at, id)`,
  `CREATE INDEX crossdock_products_modified ON crossdock_products (company_id, modified_at, id)`
]

/**
 * When a write was finished, so that old ones are found. A finished write's `modifiedAt` is the time of it; on PostgreSQL,
 * which reads no JSON that contains the escape of NUL, it is cut out of the text.
 */
export const finishedWrites = (sql: SqlClient.SqlClient): ReadonlyArray<string> => {
  const modifiedAt = sql.onDialectOrElse({
    orElse: () => `body ->> '$.modifiedAt'`,
    pg: () => `substring(body from '"modifiedAt":([0-9]+)')::bigint`
  })
  return [
    `ALTER TABLE crossdock_catalog_writes ADD COLUMN finished_at BIGINT`,
    `UPDATE crossdock_catalog_writes SET finished_at = ${modifiedAt} WHERE stage = 'COMPLETED'`,
    `CREATE INDEX crossdock_catalog_writes_finished ON crossdock_catalog_writes (finished_at) WHERE finished_at IS NOT NULL`
  ]
}

/** A write is applied when it is accepted: none is running any more, and nothing accepted has to be kept for later. */
export const appliedWrites: ReadonlyArray<string> = [
  `DROP TABLE crossdock_catalog_accepted`,
  `DROP INDEX crossdock_catalog_writes_running`,
  `ALTER TABLE crossdock_catalog_writes DROP COLUMN stage`
]

/** Batch-tracked products are few, and a count of listings leaves their SKUs out. */
export const batchTracked = `CREATE INDEX crossdock_products_batch ON crossdock_products (company_id) WHERE batch = 1`

/**
 * A list of products may ask for a slug. The unique key of brand and slug begins with the slug on PostgreSQL, and with the brand
 * on SQLite.
 */
export const bySlug = (sql: SqlClient.SqlClient): ReadonlyArray<string> =>
  sql.onDialectOrElse({
    orElse: () => ["CREATE INDEX crossdock_products_by_slug ON crossdock_products (company_id, slug)"],
    pg: () => []
  })
