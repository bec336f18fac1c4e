/**
 * Adapter: reference data and products.
 */

import {
  isBatchTracked,
  type Product,
  ProductStore,
  type ReferenceData,
  ReferenceStore,
  type Size
} from "@crossdock/catalog"
import type { CompanyId } from "@crossdock/kernel"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { named, rows } from "../Database.ts"
import { run } from "../TransactionSql.ts"

const referenceColumns = { kind: "text", id: "text", body: "text", position: "integer" } as const
const brandColumns = { company_id: "integer", uid: "integer", name: "text" } as const
const productColumns = {
  item_code: "text",
  name: "text",
  brand: "text",
  slug: "text",
  batch: "integer",
  body: "text"
} as const
const sizeColumns = { item_code: "text", sku: "text", name: "text", position: "integer", body: "text" } as const

/**
 * What identifies a record of each kind of reference data.
 */
const keys: { readonly [K in keyof ReferenceData]: (item: ReferenceData[K][number]) => string } = {
  departments: (item) => String(item.uid),
  categories: (item) => String(item.uid),
  templates: (item) => item.slug,
  attributes: (item) => item.slug,
  hsCodes: (item) => item.code,
  taxRules: (item) => item.id
}

const rowsOf = <K extends keyof ReferenceData>(data: ReferenceData, kind: K) =>
  data[kind].map((item, position) => [kind, keys[kind](item), JSON.stringify(item), position])

const kinds = Object.keys(keys) as ReadonlyArray<keyof ReferenceData>

export const makeReference = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return ReferenceStore.of({
    put: (data) =>
      sql`INSERT INTO crossdock_reference (kind, id, body, position)
          SELECT r.kind, r.id, r.body, r.position
          FROM ${rows(
            sql,
            referenceColumns,
            kinds.flatMap((kind) => rowsOf(data, kind))
          )} r WHERE true
          ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body, position = excluded.position`.pipe(
        Effect.asVoid,
        named("ReferenceStore.put")
      ),
    putBrands: (brands) =>
      sql`INSERT INTO crossdock_brands (company_id, uid, name)
          SELECT r.company_id, r.uid, r.name
          FROM ${rows(
            sql,
            brandColumns,
            brands.map((_) => [_.companyId, _.uid, _.name])
          )} r WHERE true
          ON CONFLICT (company_id, uid) DO UPDATE SET name = excluded.name`.pipe(
        Effect.asVoid,
        named("ReferenceStore.putBrands")
      ),
    read: sql<{ kind: keyof ReferenceData; body: string }>`
      SELECT kind, body FROM crossdock_reference ORDER BY kind, position`.pipe(
      Effect.map((found) => {
        const of = <A>(kind: keyof ReferenceData) =>
          found.filter((row) => row.kind === kind).map((row) => JSON.parse(row.body) as A)
        return {
          departments: of<ReferenceData["departments"][number]>("departments"),
          categories: of<ReferenceData["categories"][number]>("categories"),
          templates: of<ReferenceData["templates"][number]>("templates"),
          attributes: of<ReferenceData["attributes"][number]>("attributes"),
          hsCodes: of<ReferenceData["hsCodes"][number]>("hsCodes"),
          taxRules: of<ReferenceData["taxRules"][number]>("taxRules")
        }
      }),
      named("ReferenceStore.read")
    )
  })
})

interface ProductRow {
  readonly id: number
  readonly body: string
}

interface SizeRow {
  readonly product_id: number
  readonly body: string
}

export const makeProducts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const unit = run(sql)

  /**
   * One import of a company at a time. PostgreSQL's ON CONFLICT minds one unique index: of two who bring the same new
   * product at once, one could stumble over the other, that of brand and slug. SQLite has one writer.
   */
  const alone = (company: CompanyId) =>
    sql.onDialectOrElse({
      orElse: () => Effect.void,
      pg: () => sql`SELECT pg_advisory_xact_lock(hashtextextended(${`crossdock_products ${company}`}, 0))`
    })

  return ProductStore.of({
    put: (company, products, at) =>
      Effect.gen(function* () {
        yield* alone(company)
        const productRows = products.map(({ sizes, ...product }) => [
          product.itemCode,
          product.name,
          product.brand,
          product.slug,
          isBatchTracked(product) ? 1 : 0,
          JSON.stringify(product)
        ])
        yield* sql`
          INSERT INTO crossdock_products (company_id, item_code, name, brand, slug, batch, body, created_at, modified_at)
          SELECT ${company}, r.item_code, r.name, r.brand, r.slug, r.batch, r.body, ${at}, ${at}
          FROM ${rows(sql, productColumns, productRows)} r WHERE true
          ON CONFLICT (company_id, item_code) DO UPDATE SET name = excluded.name, brand = excluded.brand,
            slug = excluded.slug, batch = excluded.batch, body = excluded.body, modified_at = excluded.modified_at`
        const sizeRows = products.flatMap((product) =>
          product.sizes.map((size, position) => [product.itemCode, size.sku, size.name, position, JSON.stringify(size)])
        )
        yield* sql`
          INSERT INTO crossdock_sizes (company_id, product_id, sku, name, position, body)
          SELECT p.company_id, p.id, r.sku, r.name, r.position, r.body
          FROM ${rows(sql, sizeColumns, sizeRows)} r
          JOIN crossdock_products p ON p.company_id = ${company} AND p.item_code = r.item_code WHERE true
          ON CONFLICT (company_id, sku) DO UPDATE SET product_id = excluded.product_id, name = excluded.name,
            position = excluded.position, body = excluded.body`
        yield* sql`
          DELETE FROM crossdock_sizes
          WHERE company_id = ${company} AND product_id IN (
            SELECT p.id FROM ${rows(sql, productColumns, productRows)} r
            JOIN crossdock_products p ON p.company_id = ${company} AND p.item_code = r.item_code)
          AND sku NOT IN (SELECT r.sku FROM ${rows(sql, sizeColumns, sizeRows)} r)`
      }).pipe(named("ProductStore.put"), unit),
    bySku: (company, skus) =>
      Effect.gen(function* () {
        const found = yield* sql<ProductRow>`
          SELECT p.id, p.body FROM crossdock_products p WHERE p.company_id = ${company} AND p.id IN (
            SELECT s.product_id FROM crossdock_sizes s
            WHERE s.company_id = ${company} AND ${sql.in("s.sku", skus)}) ORDER BY p.id`
        const sizes = yield* sql<SizeRow>`
          SELECT s.product_id, s.body FROM crossdock_sizes s
          WHERE s.company_id = ${company} AND ${sql.in(
            "product_id",
            found.map((row) => row.id)
          )}
          ORDER BY s.product_id, s.position`
        return found.map((row): Product => {
          const product = JSON.parse(row.body) as Omit<Product, "sizes">
          const own = sizes.filter((size) => size.product_id === row.id)
          return { ...product, sizes: own.map((size) => JSON.parse(size.body) as Size) }
        })
      }).pipe(named("ProductStore.bySku"))
  })
})

export const layer: Layer.Layer<ReferenceStore | ProductStore, never, SqlClient.SqlClient> = Layer.merge(
  Layer.effect(ReferenceStore, makeReference),
  Layer.effect(ProductStore, makeProducts)
)
