/**
 * The catalog's tables beside products and sizes.
 */
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
