import type { Brand, KeptProduct, ProductFilter, ReferenceData, SoldSku } from "@crossdock/catalog"
import {
  CatalogWriteStore,
  filterText,
  isBatchTracked,
  isReturnless,
  ProductStore,
  ReferenceStore,
  referenceKeys,
  returnlessValues
} from "@crossdock/catalog"
import { type CompanyId, Page, Text } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Struct from "effect/Struct"
import { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Dialect from "../Dialect.ts"
import { each, rows, rowsOf, texts } from "../Dialect.ts"
import { deleteOld } from "../ExpiredRows.ts"
import { allOrNothing, named } from "../TransactionSql.ts"
import { products as productBodies, reference, sizes as sizeBodies, writes } from "./CatalogTables.ts"

const referenceColumns = Dialect.columns("kind text, id text, body text, position integer")
const brandColumns = Dialect.columns("company_id integer, uid integer, name text")
const productColumns = Dialect.columns(`
  item_code text, name text, folded_name text, brand text, brand_uid integer, slug text, hs_code text,
  batch integer, body text`)
const idColumns = Dialect.columns("id integer")
const slugColumns = Dialect.columns("brand text, slug text")
const sizeColumns = Dialect.columns("item_code text, sku text, name text, position integer, body text")

/** Makes the writers of a company's products and brands wait for each other. ON CONFLICT handles only one unique index. */
const alone = (sql: SqlClient, companies: ReadonlyArray<CompanyId>) => {
  const ids = [...new Set(companies)].sort((a, b) => a - b).map((id) => [id])
  return Dialect.onPostgres(
    sql,
    () => sql`
      SELECT pg_advisory_xact_lock(hashtextextended('crossdock_products ' || r.id, 0)) FROM ${rows(sql, idColumns, ids)} r`
  )
}

const rowsOfKind = <K extends keyof ReferenceData>(data: ReferenceData, kind: K) =>
  data[kind].map((item, position) => [kind, referenceKeys[kind](item), reference[kind].write(item), position])

interface ReferenceRow {
  readonly kind: keyof ReferenceData
  readonly id: string
  readonly body: string
}

export const makeReference = Effect.gen(function* () {
  const sql = yield* SqlClient
  const whole = allOrNothing(sql)
  const nextVersion = sql`
    INSERT INTO crossdock_versions (name, version) VALUES ('reference', 1)
    ON CONFLICT (name) DO UPDATE SET version = crossdock_versions.version + 1`

  return ReferenceStore.of({
    put: (data) =>
      sql`INSERT INTO crossdock_reference (kind, id, body, position)
          SELECT r.kind, r.id, r.body, r.position
          FROM ${rows(
            sql,
            referenceColumns,
            Struct.keys(referenceKeys).flatMap((kind) => rowsOfKind(data, kind))
          )} r WHERE true
          ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body, position = excluded.position`.pipe(
        Effect.andThen(nextVersion),
        Effect.asVoid,
        named("ReferenceStore.put"),
        whole
      ),
    version: sql<{ version: number }>`SELECT version FROM crossdock_versions WHERE name = 'reference'`.pipe(
      Effect.map(([row]) => row?.version ?? 0),
      named("ReferenceStore.version")
    ),
    brands: (company) =>
      sql<{ uid: number; name: string }>`
        SELECT uid, name FROM crossdock_brands WHERE company_id = ${company} ORDER BY uid`.pipe(
        each(({ name, uid }): Brand => ({ companyId: company, uid, name })),
        named("ReferenceStore.brands")
      ),
    // Products of a renamed brand first get a temporary brand, because brands may swap names and rows are checked one by one.
    putBrands: (brands) =>
      Effect.gen(function* () {
        const owners = brands.map(({ companyId }) => companyId)
        yield* alone(sql, owners)
        const put = rowsOf(sql, brandColumns, brands, (_) => [_.companyId, _.uid, _.name])
        const renamed = yield* sql<{ readonly company_id: CompanyId }>`
          SELECT DISTINCT b.company_id FROM ${put} r
          CROSS JOIN crossdock_brands b WHERE b.company_id = r.company_id AND b.uid = r.uid AND b.name <> r.name`
        // The companies are values, because Citus can't use a subquery here.
        const companies = renamed.map(({ company_id }) => company_id)
        const isIn = (table: string) => Dialect.isOneOf(sql, `${table}.company_id`, companies)
        if (renamed.length > 0)
          yield* sql`
            UPDATE crossdock_products SET brand = '.' || b.uid FROM crossdock_brands b, ${put} r
            WHERE b.company_id = r.company_id AND b.uid = r.uid AND b.name <> r.name
              AND crossdock_products.company_id = r.company_id AND crossdock_products.brand = b.name
              AND ${isIn("crossdock_products")} AND ${isIn("b")}`
        yield* sql`
          INSERT INTO crossdock_brands (company_id, uid, name)
          SELECT r.company_id, r.uid, r.name FROM ${put} r WHERE true
          ON CONFLICT (company_id, uid) DO UPDATE SET name = excluded.name`
        if (renamed.length > 0)
          yield* sql`
            UPDATE crossdock_products SET brand = r.name FROM ${put} r
            WHERE crossdock_products.company_id = r.company_id AND crossdock_products.brand = '.' || r.uid
              AND ${isIn("crossdock_products")}`
      }).pipe(named("ReferenceStore.putBrands"), whole),
    read: sql<ReferenceRow>`
      SELECT kind, id, body FROM crossdock_reference ORDER BY kind, position`.pipe(
      Effect.map((found) => {
        const of = <K extends keyof ReferenceData>(kind: K): ReadonlyArray<ReferenceData[K][number]> =>
          found.filter((row) => row.kind === kind).map((row) => reference[kind].read(row.body, row.id))
        return Record.map(referenceKeys, (_, kind) => of(kind)) as ReferenceData
      }),
      named("ReferenceStore.read")
    )
  })
})

/** A product, a size (then `sku` isn't null), or a total (then `id` is `noProduct`, and `created_at` is the total). */
interface FoundRow {
  readonly id: number
  readonly body: string
  readonly brand: string
  readonly created_at: number
  readonly modified_at: number
  readonly sku: string | null
  readonly position: number
}

const noProduct = 0

interface SoldRow extends Omit<SoldSku, "weight"> {
  readonly body: string
}

const soldOf = ({ body, ...row }: SoldRow): SoldSku => ({ ...row, weight: sizeBodies.read(body, row.sku).weight })

export const makeProducts = Effect.gen(function* () {
  const sql = yield* SqlClient
  const whole = allOrNothing(sql)

  const textIn = (column: string, values: ReadonlyArray<string>): Fragment =>
    Dialect.isTextOf(sql, column, texts(sql, values))

  const productsOf = (company: CompanyId, itemCode: string): Fragment =>
    productBy(company, Dialect.isText(sql, "p.item_code", sql.literal(itemCode)))

  const productBy = (company: CompanyId, condition: Fragment): Fragment =>
    Dialect.lookUp(sql, "CROSS", "crossdock_products", "p", sql`p.company_id = ${company} AND ${condition}`)

  const sizesOf = (company: CompanyId): Fragment => Dialect.lookUpSize(sql, "CROSS", company, sql`r.value`)

  const productOfSize = (company: CompanyId): Fragment => productBy(company, sql`p.id = s.product_id`)

  const idsBySku = (company: CompanyId, skus: ReadonlyArray<string>): Fragment =>
    sql`SELECT DISTINCT s.product_id AS id FROM ${texts(sql, skus)} r ${sizesOf(company)}`

  /** Reads products and their sizes in one statement, so that both are of one snapshot. `besides` adds rows. */
  const read = (company: CompanyId, ids: Fragment, besides: Fragment = sql``) =>
    Effect.map(
      sql<FoundRow>`
        WITH f AS (${ids})
        SELECT p.id, p.body, p.brand, p.created_at, p.modified_at, NULL AS sku, 0 AS position
        FROM f CROSS JOIN crossdock_products p WHERE p.company_id = ${company} AND p.id = f.id
        UNION ALL SELECT s.product_id, s.body, '', 0, 0, s.sku, s.position
        FROM f CROSS JOIN crossdock_sizes s WHERE s.company_id = ${company} AND s.product_id = f.id
        ${besides}`,
      (found) => {
        const sizes = found.filter(({ sku }) => sku !== null)
        const own = Map.groupBy(sizes, ({ id }) => id)
        const sizesOf = (id: number) =>
          (own.get(id) ?? [])
            .toSorted((a, b) => a.position - b.position)
            .map(({ body, sku }) => sizeBodies.read(body, sku ?? ""))
        const products = found.flatMap((row): ReadonlyArray<KeptProduct> => {
          if (row.sku !== null || row.id === noProduct) return []
          const product = { ...productBodies.read(row.body, row.id), brand: row.brand, sizes: sizesOf(row.id) }
          return [{ uid: row.id, createdAt: row.created_at, modifiedAt: row.modified_at, product }]
        })
        return { products, total: found.find(({ id }) => id === noProduct)?.created_at ?? 0 }
      }
    )

  /** FROM and WHERE for products `p` that match a filter. CROSS JOIN makes SQLite start with the item codes. */
  const filtered = (company: CompanyId, { fields = [], itemCodes, name, slug }: ProductFilter): Fragment => {
    const byCode = itemCodes.length > 0
    const from = byCode ? sql`${texts(sql, [...new Set(itemCodes)])} r CROSS JOIN` : sql``
    const conditions = sql.and([
      sql`p.company_id = ${company}`,
      ...(name === undefined ? [] : [Dialect.contains(sql, "p.folded_name", Text.folded(name))]),
      ...(slug === undefined ? [] : [Dialect.isText(sql, "p.slug", sql`${slug}`)]),
      ...(byCode ? [Dialect.isText(sql, "p.item_code", sql`r.value`)] : []),
      ...fields.map((one) => Dialect.contains(sql, "p.body", JSON.stringify(filterText(one))))
    ])
    return sql`${from} crossdock_products p WHERE ${conditions}`
  }

  return ProductStore.of({
    put: (company, products, at) =>
      Effect.gen(function* () {
        yield* alone(sql, [company])
        // Sizes are deleted before products are inserted. The statement then doesn't search for sizes of new products.
        const codes = products.map(({ itemCode }) => itemCode)
        const skus = products.flatMap(({ sizes }) => sizes.map(({ sku }) => sku))
        const known = sql`(SELECT p.id FROM ${texts(sql, codes)} r ${productsOf(company, "r.value")})`
        yield* sql`
          DELETE FROM crossdock_sizes
          WHERE company_id = ${company} AND ${Dialect.isAnyOf(sql, "product_id", known)} AND NOT ${textIn("sku", skus)}`
        const productRows = products.map(({ sizes, ...product }) => [
          product.itemCode,
          product.name,
          Text.folded(product.name),
          product.brand,
          product.brandUid,
          product.slug,
          product.hsCode,
          isBatchTracked(product) ? 1 : 0,
          productBodies.write(product)
        ])
        const put = rows(sql, productColumns, productRows)
        const renamed = sql`(SELECT p.id FROM ${put} r
          ${productsOf(company, "r.item_code")} WHERE p.brand <> r.brand OR p.slug <> r.slug)`
        // Products may swap slugs, and rows are checked one by one, so changed ones first get a slug with a dot.
        yield* sql`
          UPDATE crossdock_products SET slug = '.' || id
          WHERE ${Dialect.besidesId(sql, "company_id", company)} AND ${Dialect.isAnyOf(sql, "id", renamed)}`
        yield* sql`
          INSERT INTO crossdock_products (company_id, item_code, name, folded_name, brand, slug, hs_code, batch, body,
            created_at, modified_at)
          SELECT ${company}, r.item_code, r.name, r.folded_name, COALESCE(b.name, r.brand), r.slug, r.hs_code, r.batch, r.body,
            ${at}, ${at}
          FROM ${put} r
          LEFT JOIN crossdock_brands b ON b.company_id = ${company} AND b.uid = r.brand_uid WHERE true
          ON CONFLICT (company_id, ${Dialect.indexed(sql, "item_code")}) DO UPDATE SET name = excluded.name, folded_name = excluded.folded_name,
            brand = excluded.brand, slug = excluded.slug, hs_code = excluded.hs_code, batch = excluded.batch,
            body = excluded.body, modified_at = excluded.modified_at`
        const sizeRows = products.flatMap(({ itemCode, sizes }) =>
          sizes.map((size, position) => [itemCode, size.sku, size.name, position, sizeBodies.write(size)])
        )
        yield* sql`
          INSERT INTO crossdock_sizes (company_id, product_id, sku, name, position, body)
          SELECT ${company}, f.product_id, f.sku, f.name, f.position, f.body FROM (
            SELECT p.id AS product_id, r.sku, r.name, r.position, r.body
            FROM ${rows(sql, sizeColumns, sizeRows)} r
            ${productsOf(company, "r.item_code")} ${Dialect.alone(sql)}) f WHERE true
          ON CONFLICT (company_id, ${Dialect.indexed(sql, "sku")}) DO UPDATE SET product_id = excluded.product_id, name = excluded.name,
            position = excluded.position, body = excluded.body`
      }).pipe(named("ProductStore.put"), whole),
    remove: (company, itemCodes) =>
      Effect.gen(function* () {
        yield* alone(sql, [company])
        yield* sql`
          DELETE FROM crossdock_sizes WHERE company_id = ${company} AND product_id IN (
            SELECT p.id FROM crossdock_products p
            WHERE p.company_id = ${company} AND ${textIn("p.item_code", itemCodes)})`
        yield* sql`DELETE FROM crossdock_products WHERE company_id = ${company} AND ${textIn("item_code", itemCodes)}`
      }).pipe(named("ProductStore.remove"), whole),
    sold: (company, skus) =>
      sql<SoldRow>`
        SELECT p.name, p.hs_code AS "hsCode", s.sku, s.body FROM ${texts(sql, [...new Set(skus)])} r
        ${sizesOf(company)}
        ${productOfSize(company)} WHERE true`.pipe(each(soldOf), named("ProductStore.sold")),
    // The text search only skips products that can't match. `isReturnless` then checks the others.
    returnless: (company, skus) =>
      sql<{ readonly id: number; readonly body: string; readonly sku: string }>`
        SELECT r.value AS sku, p.id, p.body FROM ${texts(sql, [...new Set(skus)])} r
        ${sizesOf(company)}
        ${productOfSize(company)}
        WHERE ${sql.or(
          returnlessValues.map((value) => Dialect.contains(sql, "p.body", `"returnable":${JSON.stringify(value)}`))
        )}`.pipe(
        Effect.map(
          (found) =>
            new Set(found.filter(({ body, id }) => isReturnless(productBodies.read(body, id))).map(({ sku }) => sku))
        ),
        named("ProductStore.returnless")
      ),
    skusOfAny: (companies, skus) =>
      sql<{ sku: string }>`
        SELECT DISTINCT s.sku FROM crossdock_sizes s
        WHERE ${Dialect.isOneOf(sql, "s.company_id", companies)} AND ${Dialect.isAnyOf(
          sql,
          Dialect.indexedName(sql, "s.sku"),
          Dialect.indexedTexts(sql, texts(sql, skus))
        )}`.pipe(
        Effect.map((found) => new Set(found.map(({ sku }) => sku))),
        named("ProductStore.skusOfAny")
      ),
    find: (company, { itemCodes, skus, slugs }) => {
      const names = rowsOf(sql, slugColumns, slugs, ({ brand, slug }) => [brand, slug])
      const isNamed = sql`${Dialect.isText(sql, "p.slug", sql`r.slug`)} AND ${Dialect.isText(sql, "p.brand", sql`r.brand`)}`
      const ids = sql`
        SELECT p.id FROM ${texts(sql, itemCodes)} r ${productsOf(company, "r.value")}
        UNION ${idsBySku(company, skus)}
        UNION SELECT p.id FROM ${names} r ${productBy(company, isNamed)}`
      return read(company, ids).pipe(
        Effect.map(({ products }) => products.toSorted((a, b) => a.uid - b.uid).map(({ product }) => product)),
        named("ProductStore.find")
      )
    },
    page: (company, filter, page) => {
      const [column, at] =
        filter.sort === "created" ? ["p.created_at", "createdAt" as const] : ["p.modified_at", "modifiedAt" as const]
      // Skips earlier pages without reading their products. A search by slug finds few products, so they are sorted instead.
      const order = filter.slug === undefined ? sql.literal(column) : Dialect.unindexed(sql, column)
      const ids = sql`
        SELECT k.id FROM (SELECT p.id FROM ${filtered(company, filter)}
          ORDER BY ${order} DESC, p.id DESC LIMIT ${page.size} OFFSET ${Page.offset(page)}) k`
      const counted = sql`UNION ALL SELECT ${sql.literal(String(noProduct))}, '', '', COUNT(*), 0, NULL, 0 FROM ${filtered(company, filter)}`
      return read(company, ids, counted).pipe(
        Effect.map(({ products, total }) => ({
          items: products.toSorted((a, b) => b[at] - a[at] || b.uid - a.uid),
          total
        })),
        named("ProductStore.page")
      )
    }
  })
})

interface Row {
  readonly body: string
  readonly finished_at: number
}

export const makeWrites = Effect.gen(function* () {
  const sql = yield* SqlClient

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

export const layer = Layer.mergeAll(
  Layer.effect(ReferenceStore, makeReference),
  Layer.effect(ProductStore, makeProducts),
  Layer.effect(CatalogWriteStore, makeWrites)
)
