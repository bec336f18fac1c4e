/**
 * The group of stock ports on the shop's own table. What it writes is part of our transactions, and of the shop's.
 */
import { Directory } from "@crossdock/access"
import { isBatchTracked, ProductStore, SkuStock } from "@crossdock/catalog"
import { type Level, Listings, StockLevels } from "@crossdock/inventory"
import { type CompanyId, Page, present, StaleWrite, type StockKey, StorageError, Transaction } from "@crossdock/kernel"
import { PriceStore } from "@crossdock/pricing"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { ShopStock } from "./Shop.ts"

const stored = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, (cause) =>
    cause instanceof StaleWrite ? cause : new StorageError({ operation: "StockOfShop", cause })
  ) as Effect.Effect<A, Extract<E, StaleWrite> | StorageError, R>

const stale = new StaleWrite({ operation: "StockOfShop.save" })
const nameOf = ({ location, sku }: StockKey) => `${location}\n${sku}`
const skusOf = (keys: ReadonlyArray<StockKey>) => [...new Set(keys.map(({ sku }) => sku))]

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [directory, products] = [yield* Directory, yield* ProductStore]
  const { run } = yield* Transaction.Transaction

  /** A level without stock: one that was deleted with its product, or that a marketplace lacks. */
  const withoutStock = sql.literal(`companyId, location, sku, 0 AS sizeId, 0 AS locationId, 0 AS onHand, 0 AS reserved,
    0 AS unsellable, 0 AS version, changeNumber, changedAt`)
  const level =
    sql.literal(`companyId, location, sku, 0 AS sizeId, 0 AS locationId, onHand, reserved, unsellable, version,
    changeNumber, changedAt`)

  const rowsOf = (company: CompanyId, skus: ReadonlyArray<string>) =>
    sql<ShopStock>`SELECT * FROM shop_stock WHERE companyId = ${company} AND ${sql.in("sku", skus)}`
  const soldOf = (company: CompanyId, skus: ReadonlyArray<string>) =>
    Effect.map(products.sold(company, skus), (found) => new Set(found.map(({ sku }) => sku)))
  const currenciesOf = (company: CompanyId) =>
    Effect.map(directory.locations([company]), (all) => new Map(all.map((one) => [one.code, one.currency])))

  /** One answer for each key, where the SKU is sold and the location exists. */
  const load = <A>(company: CompanyId, keys: ReadonlyArray<StockKey>, of: (row: ShopStock, currency: string) => A) =>
    Effect.gen(function* () {
      const [currencies, sold] = [yield* currenciesOf(company), yield* soldOf(company, skusOf(keys))]
      const rows = new Map((yield* rowsOf(company, skusOf(keys))).map((row) => [nameOf(row), row]))
      const none = { onHand: 0, reserved: 0, unsellable: 0, changeNumber: 0, changedAt: 0, mrp: 0, esp: 0 }
      return keys.map((key) => {
        const currency = currencies.get(key.location)
        if (currency === undefined) return "UNKNOWN_LOCATION"
        if (!sold.has(key.sku)) return "UNKNOWN_SKU"
        const added = { ...none, ...key, companyId: company, version: 0, priceVersion: 0, modifiedAt: 0 }
        return of(rows.get(nameOf(key)) ?? added, currency)
      })
    }).pipe(stored)

  /** Writes only where the version is still the one that was read, and a first one only while the SKU is sold. */
  const put = (
    column: "version" | "priceVersion",
    company: CompanyId,
    { location, sku, version }: StockKey & { readonly version: number },
    at: number,
    numbers: Readonly<Record<string, number>>
  ) =>
    Effect.gen(function* () {
      if (version === 0 && !(yield* soldOf(company, [sku])).has(sku)) return yield* stale
      yield* sql`INSERT INTO shop_stock ${sql.insert({ companyId: company, location, sku })} ON CONFLICT DO NOTHING`
      const written =
        yield* sql`UPDATE shop_stock SET modifiedAt = MAX(modifiedAt, ${at}), ${sql.update({ ...numbers, [column]: version + 1 })}
        WHERE companyId = ${company} AND location = ${location} AND sku = ${sku} AND ${sql(column)} = ${version} RETURNING sku`
      if (written.length === 0) return yield* stale
    })

  const levels = StockLevels.of({
    load: (company, keys) =>
      load(company, keys, ({ esp, modifiedAt, mrp, priceVersion, ...row }) => ({ ...row, sizeId: 0, locationId: 0 })),
    save: (company, changeNumber, changedAt, changes) =>
      Effect.forEach(changes, ({ after, before, marked, movements }) =>
        Effect.gen(function* () {
          if (after.companyId !== company) return yield* stale
          const { location, onHand, reserved, sku, unsellable } = after
          const mark = marked ? { changeNumber, changedAt } : before
          const numbers = { onHand, reserved, unsellable, changeNumber: mark.changeNumber, changedAt: mark.changedAt }
          yield* put("version", company, before, changedAt, numbers)
          for (const { onHand, reason, reserved, unsellable } of movements) {
            const move = { companyId: company, location, sku, onHand, reserved, unsellable, reason }
            yield* sql`INSERT INTO shop_moves ${sql.insert(move)}`
          }
        })
      ).pipe(run, stored, Effect.asVoid),
    marked: (company, locations, after, limit, marketplace) =>
      sql<Level.Level>`SELECT * FROM (SELECT ${level} FROM shop_stock UNION ALL
          SELECT ${withoutStock} FROM shop_deleted d WHERE marketplace IN ('', ${marketplace}) AND NOT EXISTS (
            SELECT 1 FROM shop_stock s WHERE s.companyId = d.companyId AND s.location = d.location AND s.sku = d.sku
            AND s.changeNumber >= d.changeNumber))
        WHERE companyId = ${company} AND changeNumber > ${after} AND ${sql.in("location", locations)}
        ORDER BY changeNumber, sku, location`.pipe(
        // All levels of the last change among them.
        Effect.map((all) => all.filter((one) => one.changeNumber <= (all[limit - 1] ?? one).changeNumber)),
        stored
      ),
    deleted: (company, keys, marketplace) =>
      sql<Level.Level>`SELECT ${withoutStock} FROM shop_deleted
        WHERE companyId = ${company} AND marketplace IN ('', ${marketplace}) AND ${sql.in("sku", skusOf(keys))}`.pipe(
        Effect.map((all) => all.filter((one) => keys.some((key) => nameOf(key) === nameOf(one)))),
        stored
      ),
    markMissing: (marketplace, from, to, changeNumber, at) => {
      const known = ({ companyId, location }: typeof from) => sql`
        SELECT sku FROM shop_stock WHERE companyId = ${companyId} AND location = ${location} AND changeNumber > 0 UNION
        SELECT sku FROM shop_deleted WHERE companyId = ${companyId} AND location = ${location}
          AND marketplace IN ('', ${marketplace})`
      return stored(sql`INSERT OR REPLACE INTO shop_deleted
        SELECT ${to.companyId}, ${to.location}, sku, ${marketplace}, ${changeNumber}, ${at} FROM (${known(from)})
        WHERE sku NOT IN (${known(to)})`)
    },
    foldMovements: () => Effect.succeed(0),
    discrepancies: (company) =>
      Effect.gen(function* () {
        const rows = yield* sql<ShopStock & { moves: string }>`SELECT s.*, (
            SELECT json_object('onHand', TOTAL(onHand), 'reserved', TOTAL(reserved), 'unsellable', TOTAL(unsellable))
            FROM shop_moves m WHERE m.companyId = s.companyId AND m.location = s.location AND m.sku = s.sku) AS moves
          FROM shop_stock s WHERE companyId = ${company}`
        const sold = yield* soldOf(company, skusOf(rows))
        return rows.flatMap(({ location, moves, onHand, reserved, sku, unsellable }) => {
          const stock = { onHand, reserved, unsellable }
          const movements: typeof stock = JSON.parse(moves)
          if (sold.has(sku) && JSON.stringify(stock) === JSON.stringify(movements)) return []
          return [{ sku: sold.has(sku) ? sku : null, location, level: stock, movements }]
        })
      }).pipe(stored)
  })

  const prices = PriceStore.of({
    load: (company, keys) =>
      load(company, keys, ({ esp, location, mrp, priceVersion, sku }, currency) => ({
        ...{ location, sku, sizeId: 0, locationId: 0, currency },
        ...{ mrp: mrp ?? 0, esp: esp ?? 0, version: priceVersion }
      })),
    save: (company, at, changes) =>
      Effect.forEach(changes, ({ after: { esp, mrp }, before }) =>
        put("priceVersion", company, before, at, { mrp, esp })
      ).pipe(run, stored, Effect.asVoid)
  })

  const listed = (company: CompanyId, locations: ReadonlyArray<string> | null, skus: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const rows = yield* sql<ShopStock>`SELECT * FROM shop_stock WHERE companyId = ${company}
        AND ${locations === null ? sql`1` : sql.in("location", locations)}
        AND ${skus.length === 0 ? sql`1` : sql.in("sku", skus)} ORDER BY sku, location`
      const currencies = yield* currenciesOf(company)
      const found = yield* products.find(company, { itemCodes: [], slugs: [], skus: skusOf(rows) })
      const sizes = new Map(found.flatMap((one) => one.sizes.map(({ name, sku }) => [sku, { one, size: name }])))
      return rows.flatMap(({ changeNumber, changedAt, companyId, priceVersion, version, ...row }) => {
        const { one, size } = sizes.get(row.sku) ?? {}
        if (one === undefined || size === undefined) return []
        const { brand, itemCode, name } = one
        return [
          {
            ...row,
            itemCode,
            name,
            brand,
            size,
            currency: present(currencies.get(row.location), "the currency of a location"),
            batch: isBatchTracked(one)
          }
        ]
      })
    }).pipe(stored)

  const listings = Listings.of({
    page: (company, { locations, skus }, page) =>
      Effect.map(listed(company, locations, skus), (all) =>
        all.slice(Page.offset(page), Page.offset(page) + page.size)
      ),
    count: (company, { locations, skus, withBatches }) =>
      Effect.map(listed(company, locations, skus), (all) => all.filter(({ batch }) => withBatches || !batch).length)
  })

  const skuStock = SkuStock.of({
    // SQLite has one writer at a time.
    lock: () => Effect.void,
    reserved: (company, skus) =>
      rowsOf(company, skus).pipe(
        Effect.map((rows) => new Set(skusOf(rows.filter(({ reserved }) => reserved > 0)))),
        stored
      ),
    remove: (company, skus, { at, changeNumber }) =>
      Effect.gen(function* () {
        const theirs = sql`companyId = ${company} AND ${sql.in("sku", skus)}`
        const marked = sql`SELECT location, sku FROM shop_stock WHERE ${theirs} AND changeNumber > 0`
        yield* sql`DELETE FROM shop_deleted WHERE companyId = ${company} AND (location, sku) IN (${marked})`
        yield* sql`INSERT INTO shop_deleted SELECT ${company}, location, sku, '', ${changeNumber}, ${at} FROM (${marked})`
        yield* sql`DELETE FROM shop_stock WHERE ${theirs}`
        yield* sql`DELETE FROM shop_moves WHERE ${theirs}`
      }).pipe(stored)
  })

  return Layer.mergeAll(
    Layer.succeed(StockLevels, levels),
    Layer.succeed(PriceStore, prices),
    Layer.succeed(Listings, listings),
    Layer.succeed(SkuStock, skuStock)
  )
})

export const layer = Layer.unwrap(make)
