import { type Listing, type ListingFilter, Listings } from "@crossdock/inventory"
import { type CompanyId, Page, required } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Dialect from "../Dialect.ts"
import { each, texts } from "../Dialect.ts"
import { named } from "../TransactionSql.ts"
import { isOfFilter } from "./StockRows.ts"

export interface Row extends Omit<Listing, "batch" | "modifiedAt"> {
  readonly batch: number
  readonly levelAt: number
  readonly priceAt: number
}

export const listingOf = ({ batch, levelAt, priceAt, ...row }: Row): Listing => ({
  ...row,
  batch: batch === 1,
  modifiedAt: Math.max(levelAt, priceAt)
})

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient

  const placesOf = (company: CompanyId, { locations }: ListingFilter): Fragment => sql`
    SELECT l.id FROM crossdock_locations l
    WHERE l.company_id = ${company} AND ${locations === null ? sql`1 = 1` : Dialect.isOneOf(sql, "l.code", locations)}`

  const sizesOf = (company: CompanyId, skus: ReadonlyArray<string>): Fragment => sql`
    SELECT s.id FROM crossdock_sizes s
    WHERE s.company_id = ${company} AND ${Dialect.isTextOf(sql, "s.sku", texts(sql, skus))}`

  const batchSizes = (company: CompanyId): Fragment => sql`
    SELECT s.id FROM crossdock_products p
    CROSS JOIN crossdock_sizes s
    WHERE p.company_id = ${company} AND p.batch = 1 AND s.company_id = ${company} AND s.product_id = p.id`

  /** The short keys of the listings on one page, in the order of indexes: by SKU, then by location code. */
  const keysOf = (company: CompanyId, filter: ListingFilter, page: Page.Page): Fragment => sql`
    SELECT s.id AS size_id, l.id AS location_id
    FROM crossdock_sizes s
    CROSS JOIN crossdock_locations l
    WHERE s.company_id = ${company} AND l.company_id = ${company}
      AND (EXISTS (SELECT 1 FROM crossdock_levels v
          WHERE v.company_id = ${company} AND v.location_id = l.id AND v.size_id = s.id ${Dialect.alone(sql)})
        OR EXISTS (SELECT 1 FROM crossdock_prices r
          WHERE r.company_id = ${company} AND r.location_id = l.id AND r.size_id = s.id ${Dialect.alone(sql)}))
      AND ${isOfFilter(sql, filter)}
    ORDER BY ${Dialect.byText(sql, "s.sku")}, l.code LIMIT ${page.size} OFFSET ${Page.offset(page)}`

  return Listings.of({
    page: (company, filter, page) =>
      sql<Row>`
        SELECT s.sku, l.code AS location, p.item_code AS "itemCode", p.name, p.brand, s.name AS size, l.currency, p.batch,
          r.mrp, r.esp, COALESCE(v.on_hand, 0) AS "onHand", COALESCE(v.reserved, 0) AS reserved,
          COALESCE(v.unsellable, 0) AS unsellable, COALESCE(v.modified_at, 0) AS "levelAt",
          COALESCE(r.modified_at, 0) AS "priceAt"
        FROM (${keysOf(company, filter, page)}) k
        CROSS JOIN crossdock_sizes s
        CROSS JOIN crossdock_locations l
        CROSS JOIN crossdock_products p
        LEFT JOIN crossdock_levels v
          ON v.company_id = ${company} AND v.location_id = k.location_id AND v.size_id = k.size_id
        LEFT JOIN crossdock_prices r
          ON r.company_id = ${company} AND r.location_id = k.location_id AND r.size_id = k.size_id
        WHERE s.company_id = ${company} AND s.id = k.size_id AND l.company_id = ${company} AND l.id = k.location_id
          AND p.company_id = ${company} AND p.id = s.product_id
        ORDER BY s.sku, l.code`.pipe(each(listingOf), named("Listings.page")),
    // Each level is a listing, and so is each price without a level. The count reads only batch-tracked products.
    count: (company, filter) =>
      sql<{ count: number }>`
        SELECT COUNT(*) AS count FROM (
          SELECT v.size_id FROM crossdock_levels v
          WHERE v.company_id = ${company} AND v.location_id IN (${placesOf(company, filter)})
          UNION ALL
          SELECT r.size_id FROM crossdock_prices r
          WHERE r.company_id = ${company} AND r.location_id IN (${placesOf(company, filter)}) AND NOT EXISTS (
            SELECT 1 FROM crossdock_levels v
            WHERE v.company_id = ${company} AND v.location_id = r.location_id AND v.size_id = r.size_id)) f
        WHERE ${filter.skus.length === 0 ? sql`1 = 1` : sql`f.size_id IN (${sizesOf(company, filter.skus)})`}
          AND ${filter.withBatches ? sql`1 = 1` : sql`f.size_id NOT IN (${batchSizes(company)})`}`.pipe(
        Effect.map(([row]) => required(row, "a count").count),
        named("Listings.count")
      )
  })
})

export const layer = Layer.effect(Listings, make)
