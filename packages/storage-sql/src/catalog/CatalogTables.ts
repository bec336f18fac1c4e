import type { CatalogWrite, Product, ReferenceData, Size } from "@crossdock/catalog"
import { StoredBody } from "@crossdock/kernel"
import type { SqlClient } from "effect/sql/SqlClient"
import type * as SchemaDialect from "../SchemaDialect.ts"

export const statements = ({ identity, text }: ReturnType<typeof SchemaDialect.schemaWords>) => [
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

/** Adds the time at which a write finished, cut out of the text, because PostgreSQL can't parse JSON with an escaped NUL. */
export const finishedWrites = (sql: SqlClient): ReadonlyArray<string> => {
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

/** Removes the table of accepted writes and the column `stage`. Writes are now applied at once, when they are accepted. */
export const appliedWrites: ReadonlyArray<string> = [
  `DROP TABLE crossdock_catalog_accepted`,
  `DROP INDEX crossdock_catalog_writes_running`,
  `ALTER TABLE crossdock_catalog_writes DROP COLUMN stage`
]

/** An index of batch-tracked products, which are few. A count of listings excludes their SKUs. */
export const batchTracked = `CREATE INDEX crossdock_products_batch ON crossdock_products (company_id) WHERE batch = 1`

/** Adds an index of products by slug. PostgreSQL's unique key of brand and slug already begins with the slug. */
export const bySlug = (sql: SqlClient): ReadonlyArray<string> =>
  sql.onDialectOrElse({
    orElse: () => ["CREATE INDEX crossdock_products_by_slug ON crossdock_products (company_id, slug)"],
    pg: () => []
  })

export const products = StoredBody.make<Omit<Product, "sizes">>({
  name: "product",
  fields: {
    ...StoredBody.present(
      "companyId itemCode name slug brand brandUid category departments template hsCode taxRule",
      "countryOfOrigin attributes details"
    ),
    traders: [{ type: true, name: true, address: true }]
  }
})

export const sizes = StoredBody.make<Size>({
  name: "size",
  fields: {
    ...StoredBody.present("sku name price priceEffective length width height weight trackInventory"),
    identifiers: [{ value: true, type: true, primary: true }]
  }
})

export const writes = StoredBody.make<Pick<CatalogWrite, "total" | "failures">>({
  name: "catalog write",
  fields: { total: true, failures: [{ index: true, code: true, message: true }] }
})

export const reference: {
  readonly [K in keyof ReferenceData]: ReturnType<typeof StoredBody.make<ReferenceData[K][number]>>
} = {
  departments: StoredBody.make({ name: "department", fields: { uid: true, name: true, slug: true, isActive: true } }),
  categories: StoredBody.make({
    name: "category",
    fields: StoredBody.present("uid name slug level departments parent l1 l2 isActive channels")
  }),
  templates: StoredBody.make({
    name: "template",
    fields: { slug: true, name: true, departments: true, categories: true, isActive: true }
  }),
  attributes: StoredBody.make({
    name: "attribute",
    fields: { slug: true, name: true, categories: true, schema: { type: true, mandatory: true, multi: true } }
  }),
  hsCodes: StoredBody.make({
    name: "HS code",
    fields: { code: true, type: true, description: true, countryCode: true }
  }),
  taxRules: StoredBody.make({
    name: "tax rule",
    fields: {
      id: true,
      name: true,
      status: true,
      versions: [{ versionStatus: true, applicableFrom: true, components: [{ name: true, rate: true }] }]
    }
  })
}
