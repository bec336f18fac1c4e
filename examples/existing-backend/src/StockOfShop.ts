/**
 * The group of stock ports on the shop's own tables. What it writes is part of our transactions, and of the shop's.
 */
import { Directory } from "@crossdock/access"
import { isBatchTracked, ProductStore, SkuStock } from "@crossdock/catalog"
import { type Discrepancy, type Level, Listings, StockLevels } from "@crossdock/inventory"
import { type CompanyId, Page, StaleWrite, type StockKey, StorageError, Transaction } from "@crossdock/kernel"
import { type Price, PriceStore } from "@crossdock/pricing"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

type Numbers = Pick<Level.Level, "onHand" | "reserved" | "unsellable">

const guarded = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, (error) =>
    error instanceof StaleWrite ? error : new StorageError({ operation: "StockOfShop", cause: error })
  )
const reading = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, (error) => new StorageError({ operation: "StockOfShop", cause: error }))

const stale = new StaleWrite({ operation: "StockOfShop.save" })
const nameOf = ({ location, sku }: StockKey) => `${location}\n${sku}`
const skusOf = (keys: ReadonlyArray<StockKey>) => [...new Set(keys.map(({ sku }) => sku))]

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [directory, products] = [yield* Directory, yield* ProductStore]
  const { run } = yield* Transaction.Transaction

  const levelColumns =
    sql.literal(`companyId, location, sku, 0 AS sizeId, 0 AS locationId, onHand, reserved, unsellable,
    version, changeNumber, changedAt`)
  /** A level that was deleted with its product, or that a marketplace lacks. */
  const deletedColumns =
    sql.literal(`companyId, location, sku, 0 AS sizeId, 0 AS locationId, 0 AS onHand, 0 AS reserved,
    0 AS unsellable, 0 AS version, changeNumber, changedAt`)

  const levelsOf = (company: CompanyId, skus: ReadonlyArray<string>) =>
    sql<Level.Level>`SELECT ${levelColumns} FROM shop_stock WHERE companyId = ${company} AND ${sql.in("sku", skus)}`
  const pricesOf = (company: CompanyId, skus: ReadonlyArray<string>) =>
    sql<Price.Price>`SELECT location, sku, mrp, esp, version, 0 AS sizeId, 0 AS locationId FROM shop_prices
      WHERE companyId = ${company} AND ${sql.in("sku", skus)}`
  const deletedOf = (company: CompanyId, marketplace: string) =>
    sql<Level.Level>`SELECT ${deletedColumns} FROM shop_deleted WHERE companyId = ${company} AND marketplace IN ('', ${marketplace})`
  const soldOf = (company: CompanyId, skus: ReadonlyArray<string>) =>
    Effect.map(products.sold(company, skus), (found) => new Set(found.map(({ sku }) => sku)))

  /** One answer for each key: the row, or a new one where the SKU is sold and the location exists. */
  const answers = <A extends StockKey>(
    company: CompanyId,
    keys: ReadonlyArray<StockKey>,
    found: ReadonlyArray<A>,
    of: (row: A | undefined, key: StockKey, currency: string) => A
  ) =>
    Effect.gen(function* () {
      const currencies = new Map((yield* directory.locations([company])).map((one) => [one.code, one.currency]))
      const sold = yield* soldOf(company, skusOf(keys))
      const rows = new Map(found.map((row) => [nameOf(row), row]))
      return keys.map((key) => {
        const currency = currencies.get(key.location)
        if (currency === undefined) return "UNKNOWN_LOCATION"
        return sold.has(key.sku) ? of(rows.get(nameOf(key)), key, currency) : "UNKNOWN_SKU"
      })
    })

  /** Writes a row only where its version is still the one that was read. */
  const put = (
    table: string,
    company: CompanyId,
    { location, sku }: StockKey,
    version: number,
    numbers: Readonly<Record<string, number>>
  ) =>
    Effect.flatMap(
      version === 0
        ? sql`INSERT INTO ${sql(table)} ${sql.insert({ companyId: company, location, sku, ...numbers, version: 1 })}
            ON CONFLICT DO NOTHING RETURNING sku`
        : sql`UPDATE ${sql(table)} SET ${sql.update({ ...numbers, version: version + 1 })} WHERE companyId = ${company}
            AND location = ${location} AND sku = ${sku} AND version = ${version} RETURNING sku`,
      (written) => (written.length === 1 ? Effect.void : Effect.fail(stale))
    )
  /** A new row needs a SKU that is still sold. */
  const checkNew = (company: CompanyId, changes: ReadonlyArray<{ readonly before: StockKey & { version: number } }>) =>
    Effect.gen(function* () {
      const added = skusOf(changes.flatMap(({ before }) => (before.version === 0 ? [before] : [])))
      if (added.length > 0 && (yield* soldOf(company, added)).size < added.length) return yield* stale
    })

  const levels = StockLevels.of({
    load: (company, keys) =>
      reading(
        Effect.flatMap(levelsOf(company, skusOf(keys)), (found) =>
          answers(company, keys, found, (row, key) => {
            const none = { onHand: 0, reserved: 0, unsellable: 0, version: 0, changeNumber: 0, changedAt: 0 }
            return row ?? { companyId: company, ...key, sizeId: 0, locationId: 0, ...none }
          })
        )
      ),
    save: (company, changeNumber, at, changes) =>
      guarded(
        run(
          Effect.gen(function* () {
            if (changes.some(({ after }) => after.companyId !== company)) return yield* stale
            yield* checkNew(company, changes)
            for (const { after, before, marked, movements } of changes) {
              const { location, onHand, reserved, sku, unsellable } = after
              const mark = marked ? { changeNumber, changedAt: at } : before
              const { changedAt, changeNumber: number } = mark
              const numbers = { onHand, reserved, unsellable, changeNumber: number, changedAt, modifiedAt: at }
              yield* put("shop_stock", company, after, before.version, numbers)
              for (const { onHand, reason, reserved, unsellable } of movements) {
                const move = { companyId: company, location, sku, onHand, reserved, unsellable, reason }
                yield* sql`INSERT INTO shop_moves ${sql.insert(move)}`
              }
            }
          })
        )
      ),
    marked: (company, locations, after, limit, marketplace) =>
      reading(
        Effect.map(
          sql<Level.Level>`SELECT * FROM (
              SELECT ${levelColumns} FROM shop_stock UNION ALL
              SELECT ${deletedColumns} FROM shop_deleted d WHERE marketplace IN ('', ${marketplace}) AND NOT EXISTS (
                SELECT 1 FROM shop_stock s WHERE s.companyId = d.companyId AND s.location = d.location AND s.sku = d.sku
                AND s.changeNumber >= d.changeNumber))
            WHERE companyId = ${company} AND changeNumber > ${after} AND ${sql.in("location", locations)}
            ORDER BY changeNumber, sku, location`,
          (found) => {
            const last = found[limit - 1]?.changeNumber ?? Number.POSITIVE_INFINITY
            return found.filter(({ changeNumber }) => changeNumber <= last)
          }
        )
      ),
    deleted: (company, keys, marketplace) =>
      reading(
        Effect.map(deletedOf(company, marketplace), (found) => {
          const wanted = new Set(keys.map(nameOf))
          return found.filter((level) => wanted.has(nameOf(level)))
        })
      ),
    markMissing: (marketplace, from, to, changeNumber, at) => {
      const known = (one: typeof from) => sql`
        SELECT sku FROM shop_stock WHERE companyId = ${one.companyId} AND location = ${one.location} AND changeNumber > 0
        UNION SELECT sku FROM shop_deleted
        WHERE companyId = ${one.companyId} AND location = ${one.location} AND marketplace IN ('', ${marketplace})`
      return reading(
        sql`INSERT OR REPLACE INTO shop_deleted (companyId, location, sku, marketplace, changeNumber, changedAt)
          SELECT ${to.companyId}, ${to.location}, sku, ${marketplace}, ${changeNumber}, ${at} FROM (${known(from)})
          WHERE sku NOT IN (${known(to)})`
      )
    },
    foldMovements: () => Effect.succeed(0),
    discrepancies: (company) =>
      reading(
        Effect.gen(function* () {
          const rows = yield* sql<Level.Level & { o: number; r: number; u: number }>`
            SELECT s.*, COALESCE(SUM(m.onHand), 0) AS o, COALESCE(SUM(m.reserved), 0) AS r, COALESCE(SUM(m.unsellable), 0) AS u
            FROM shop_stock s LEFT JOIN shop_moves m
              ON m.companyId = s.companyId AND m.location = s.location AND m.sku = s.sku
            WHERE s.companyId = ${company} GROUP BY s.location, s.sku`
          const sold = yield* soldOf(company, skusOf(rows))
          const numbers = ({ onHand, reserved, unsellable }: Numbers) => ({ onHand, reserved, unsellable })
          return rows.flatMap(({ o, r, u, ...row }): ReadonlyArray<Discrepancy> => {
            const agrees = row.onHand === o && row.reserved === r && row.unsellable === u
            if (agrees && sold.has(row.sku)) return []
            const movements = { onHand: o, reserved: r, unsellable: u }
            return [{ sku: sold.has(row.sku) ? row.sku : null, location: row.location, level: numbers(row), movements }]
          })
        })
      )
  })

  const prices = PriceStore.of({
    load: (company, keys) =>
      reading(
        Effect.flatMap(pricesOf(company, skusOf(keys)), (found) =>
          answers(company, keys, found, (row, key, currency) => {
            const none = { ...key, sizeId: 0, locationId: 0, mrp: 0, esp: 0, version: 0 }
            return { ...(row ?? none), currency }
          })
        )
      ),
    save: (company, at, changes) =>
      guarded(
        run(
          Effect.andThen(
            checkNew(company, changes),
            Effect.forEach(
              changes,
              ({ after, before }) =>
                put("shop_prices", company, after, before.version, { mrp: after.mrp, esp: after.esp, modifiedAt: at }),
              { discard: true }
            )
          )
        )
      )
  })

  const listed = (company: CompanyId, locations: ReadonlyArray<string> | null, skus: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const rows = yield* sql<StockKey & Numbers & { mrp: number | null; esp: number | null; modifiedAt: number }>`
        SELECT k.location, k.sku, COALESCE(s.onHand, 0) AS onHand, COALESCE(s.reserved, 0) AS reserved,
          COALESCE(s.unsellable, 0) AS unsellable, p.mrp, p.esp,
          MAX(COALESCE(s.modifiedAt, 0), COALESCE(p.modifiedAt, 0)) AS modifiedAt
        FROM (SELECT companyId, location, sku FROM shop_stock UNION SELECT companyId, location, sku FROM shop_prices) k
        LEFT JOIN shop_stock s USING (companyId, location, sku) LEFT JOIN shop_prices p USING (companyId, location, sku)
        WHERE k.companyId = ${company} AND ${locations === null ? sql`1` : sql.in("k.location", locations)}
          AND ${skus.length === 0 ? sql`1` : sql.in("k.sku", skus)} ORDER BY k.sku, k.location`
      const currencies = new Map((yield* directory.locations([company])).map((one) => [one.code, one.currency]))
      const found = yield* products.find(company, { itemCodes: [], slugs: [], skus: skusOf(rows) })
      const sizes = new Map(found.flatMap((product) => product.sizes.map((size) => [size.sku, { product, size }])))
      return rows.flatMap((row) => {
        const sold = sizes.get(row.sku)
        if (sold === undefined) return []
        const { brand, itemCode, name } = sold.product
        const currency = currencies.get(row.location) ?? ""
        return [{ ...row, itemCode, name, brand, size: sold.size.name, currency, batch: isBatchTracked(sold.product) }]
      })
    })

  const listings = Listings.of({
    page: (company, { locations, skus }, page) =>
      reading(
        Effect.map(listed(company, locations, skus), (all) =>
          all.slice(Page.offset(page), Page.offset(page) + page.size)
        )
      ),
    count: (company, { locations, skus, withBatches }) =>
      reading(
        Effect.map(listed(company, locations, skus), (all) => all.filter(({ batch }) => withBatches || !batch).length)
      )
  })

  const skuStock = SkuStock.of({
    // SQLite has one writer at a time.
    lock: () => Effect.void,
    reserved: (company, skus) =>
      reading(
        Effect.map(
          levelsOf(company, skus),
          (all) => new Set(all.flatMap(({ reserved, sku }) => (reserved > 0 ? [sku] : [])))
        )
      ),
    remove: (company, skus, { at, changeNumber }) =>
      reading(
        Effect.gen(function* () {
          const of = sql`companyId = ${company} AND ${sql.in("sku", skus)}`
          const marked = sql`SELECT location, sku FROM shop_stock WHERE ${of} AND changeNumber > 0`
          yield* sql`DELETE FROM shop_deleted WHERE companyId = ${company} AND (location, sku) IN (${marked})`
          yield* sql`INSERT INTO shop_deleted SELECT ${company}, location, sku, '', ${changeNumber}, ${at} FROM (${marked})`
          for (const table of ["shop_stock", "shop_moves", "shop_prices"])
            yield* sql`DELETE FROM ${sql(table)} WHERE ${of}`
        })
      )
  })

  return Layer.mergeAll(
    Layer.succeed(StockLevels, levels),
    Layer.succeed(PriceStore, prices),
    Layer.succeed(Listings, listings),
    Layer.succeed(SkuStock, skuStock)
  )
})

export const layer = Layer.unwrap(make)
