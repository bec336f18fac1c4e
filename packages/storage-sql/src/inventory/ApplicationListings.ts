/**
 * Adapter: the view of stock and prices in a table of the program's own, with the names of our products.
 */
import { type ListingFilter, Listings } from "@crossdock/inventory"
import { type CompanyId, Page, required } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as ApplicationStock from "../ApplicationStock.ts"
import { named, texts } from "../Database.ts"
import * as Dialect from "../Dialect.ts"
import { listingOf, type Row } from "./ListingsSql.ts"

export const make = (tables: ApplicationStock.Names) =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const [sku, location] = [Dialect.byCodePoint(sql, "v.sku"), Dialect.byCodePoint(sql, "v.location")]

    const rows = (company: CompanyId, { locations, skus }: ListingFilter) => sql`
      SELECT * FROM ${ApplicationStock.levels(sql, tables)} v
      WHERE v.company_id = ${company} AND ${ApplicationStock.isSold(sql, company, "v.sku")}
        AND ${locations === null ? sql`1 = 1` : Dialect.isOneOf(sql, "v.location", locations)}
        AND ${skus.length === 0 ? sql`1 = 1` : Dialect.isAnyOf(sql, "v.sku", texts(sql, skus))}`

    const sizeOf = (company: CompanyId) =>
      Dialect.lookUp(
        sql,
        "CROSS",
        "crossdock_sizes",
        "s",
        sql`s.company_id = ${company} AND ${Dialect.isText(sql, "s.sku", sku)}`
      )

    return Listings.of({
      page: (company, filter, page) =>
        sql<Row>`
          SELECT s.sku, l.code, p.item_code, p.name, p.brand, s.name AS size, l.currency, p.batch, v.mrp, v.esp,
            v.on_hand, v.reserved, v.unsellable, v.modified_at AS level_at, v.modified_at AS price_at
          FROM (${rows(company, filter)} ORDER BY ${sku}, ${location} LIMIT ${page.size} OFFSET ${Page.offset(page)}) v
          ${sizeOf(company)}
          CROSS JOIN crossdock_products p
          CROSS JOIN crossdock_locations l
          WHERE p.company_id = ${company} AND p.id = s.product_id AND l.company_id = ${company} AND l.code = ${location}
          ORDER BY ${sku}, ${location}`.pipe(
          Effect.map((found) => found.map(listingOf)),
          named("Listings.page")
        ),
      count: (company, filter) => {
        const withoutBatches = sql`${sizeOf(company)} CROSS JOIN crossdock_products p
          WHERE p.company_id = ${company} AND p.id = s.product_id AND p.batch = 0`
        return sql<{ count: number }>`
          SELECT COUNT(*) AS count FROM (${rows(company, filter)}) v ${filter.withBatches ? sql`` : withoutBatches}`.pipe(
          Effect.map(([row]) => required(row, "a count").count),
          named("Listings.count")
        )
      }
    })
  })
