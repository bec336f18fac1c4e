/**
 * A host that keeps stock and prices in tables of its own and leaves everything else to StorageSql: the two ports, filled
 * by names, without any of our rows. Products and locations are read through their ports.
 */
import { Directory } from "@crossdock/access"
import { ProductStore } from "@crossdock/catalog"
import { Services } from "@crossdock/host"
import { type Discrepancy, Level, StockLevels } from "@crossdock/inventory"
import {
  type CompanyId,
  StaleWrite,
  type StockKey,
  type StockRows,
  StorageError,
  stockKeyOrder,
  Transaction
} from "@crossdock/kernel"
import { PriceStore, type PriceUpdate } from "@crossdock/pricing"
import { StorageSql } from "@crossdock/storage-sql"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/** Level or price of a key, and the version that a write must find. `owner` is a marketplace's slug, or empty. */
const tables = [
  `CREATE TABLE IF NOT EXISTS shop_stock (company INTEGER, location TEXT, sku TEXT, version INTEGER, changed INTEGER,
     body TEXT, PRIMARY KEY (company, location, sku))`,
  `CREATE TABLE IF NOT EXISTS shop_moves (company INTEGER, location TEXT, sku TEXT, body TEXT)`,
  `CREATE TABLE IF NOT EXISTS shop_deleted (company INTEGER, location TEXT, sku TEXT, owner TEXT, body TEXT,
     PRIMARY KEY (company, location, sku, owner))`,
  `CREATE TABLE IF NOT EXISTS shop_prices (company INTEGER, location TEXT, sku TEXT, version INTEGER, changed INTEGER,
     body TEXT, PRIMARY KEY (company, location, sku))`
]

interface Row {
  readonly sku: string
  readonly location: string
  readonly changed: number
  readonly owner: string
  readonly body: string
}

const stored = (error: unknown) => new StorageError({ operation: "OwnStock", cause: error })
const guarded = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, (error) => (error instanceof StaleWrite ? error : stored(error)))
const read = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.mapError(effect, stored)

/** By code point: JavaScript compares UTF-16 units. */
const byText = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
const bySequence = (a: Level.Level, b: Level.Level) =>
  a.changeNumber - b.changeNumber || byText(a.sku, b.sku) || byText(a.location, b.location)
const nameOf = ({ location, sku }: StockKey) => `${location}\n${sku}`
const empty = { onHand: 0, reserved: 0, unsellable: 0, version: 0, changeNumber: 0, changedAt: 0 }

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [directory, products] = [yield* Directory, yield* ProductStore]
  const { run } = yield* Transaction.Transaction
  yield* Effect.forEach(tables, (statement) => Effect.orDie(sql.unsafe(statement)))

  const rowsOf = <A>(table: string, company: CompanyId) =>
    Effect.map(sql<Row>`SELECT * FROM ${sql.literal(table)} WHERE company = ${company}`, (rows) =>
      rows.map((row) => ({ ...row, value: JSON.parse(row.body) as A }))
    )
  const levelsOf = (company: CompanyId) =>
    Effect.map(rowsOf<Level.Level>("shop_stock", company), (rows) => rows.map(({ value }) => value))
  const deletedFor = (company: CompanyId, marketplace: string) =>
    Effect.map(rowsOf<Level.Level>("shop_deleted", company), (rows) =>
      rows.filter(({ owner }) => owner === "" || owner === marketplace).map(({ value }) => value)
    )

  const soldOf = (company: CompanyId, keys: ReadonlyArray<StockKey>) =>
    Effect.map(
      products.sold(company, [...new Set(keys.map(({ sku }) => sku))]),
      (found) => new Set(found.map(({ sku }) => sku))
    )

  const loadAll = <A>(
    table: string,
    company: CompanyId,
    keys: ReadonlyArray<StockKey>,
    of: (row: A | undefined, key: StockKey, currency: string) => A
  ) =>
    Effect.gen(function* () {
      const places = new Map((yield* directory.locations([company])).map((one) => [one.code, one.currency]))
      const sold = yield* soldOf(company, keys)
      const rows = new Map((yield* rowsOf<A>(table, company)).map((row) => [nameOf(row), row.value]))
      return keys.map((key) => {
        const currency = places.get(key.location)
        if (currency === undefined) return "UNKNOWN_LOCATION"
        return sold.has(key.sku) ? of(rows.get(nameOf(key)), key, currency) : "UNKNOWN_SKU"
      })
    })

  /** Each row only where the version is still the one that was read, and where the SKU of a new row is still there. */
  const put = (
    table: string,
    company: CompanyId,
    at: number,
    changes: ReadonlyArray<{ readonly version: number; readonly value: StockKey }>
  ) =>
    Effect.gen(function* () {
      const sold = yield* soldOf(
        company,
        changes.map(({ value }) => value)
      )
      if (changes.some(({ value, version }) => version === 0 && !sold.has(value.sku))) {
        return yield* new StaleWrite({ operation: "OwnStock.save" })
      }
      for (const { value, version } of changes) {
        const written = yield* sql<{ sku: string }>`
          INSERT INTO ${sql.literal(table)} (company, location, sku, version, changed, body)
          SELECT ${company}, ${value.location}, ${value.sku}, 1, ${at}, ${JSON.stringify(value)} WHERE ${version} = 0 OR EXISTS
            (SELECT 1 FROM ${sql.literal(table)} WHERE company = ${company} AND location = ${value.location} AND sku = ${value.sku})
          ON CONFLICT (company, location, sku) DO UPDATE SET version = ${version + 1}, changed = excluded.changed,
            body = excluded.body WHERE version = ${version} RETURNING sku`
        if (written.length !== 1) return yield* new StaleWrite({ operation: "OwnStock.save" })
      }
    })

  const bury = (company: CompanyId, owner: string, level: Level.Level) =>
    sql`INSERT INTO shop_deleted (company, location, sku, owner, body)
        VALUES (${company}, ${level.location}, ${level.sku}, ${owner}, ${JSON.stringify(level)})
        ON CONFLICT (company, location, sku, owner) DO UPDATE SET body = excluded.body`

  const listOf =
    <A extends StockKey>(table: string): StockRows<A> =>
    (company, { locations, skus }, after, limit) =>
      read(
        Effect.gen(function* () {
          const rows = yield* rowsOf<A>(table, company)
          const sold = yield* soldOf(company, rows)
          return rows
            .map(({ changed, value }) => ({ ...value, modifiedAt: changed }))
            .filter(({ location, sku }) => sold.has(sku) && (locations?.includes(location) ?? true))
            .filter((row) => skus.length === 0 || skus.includes(row.sku))
            .filter((row) => after === null || stockKeyOrder(row, after) > 0)
            .sort(stockKeyOrder)
            .slice(0, limit)
        })
      )

  const removeFrom = (names: ReadonlyArray<string>, company: CompanyId, skus: ReadonlyArray<string>) =>
    Effect.forEach(
      names,
      (table) => sql`DELETE FROM ${sql.literal(table)} WHERE company = ${company} AND ${sql.in("sku", skus)}`,
      { discard: true }
    )

  const levels = StockLevels.of({
    load: (company, keys) =>
      read(
        loadAll<Level.Level>(
          "shop_stock",
          company,
          keys,
          (row, key) => row ?? { companyId: company, ...key, sizeId: 0, locationId: 0, ...empty }
        )
      ),
    save: (company, changeNumber, at, changes) =>
      guarded(
        run(
          Effect.gen(function* () {
            if (changes.some(({ after }) => after.companyId !== company)) {
              return yield* new StaleWrite({ operation: "OwnStock.save" })
            }
            const next = changes.map(({ after, before, marked }) => ({
              version: before.version,
              value: {
                ...after,
                version: before.version + 1,
                changeNumber: marked ? changeNumber : before.changeNumber,
                changedAt: marked ? at : before.changedAt
              }
            }))
            yield* put("shop_stock", company, at, next)
            for (const { after, movements } of changes) {
              yield* sql`INSERT INTO shop_moves (company, location, sku, body)
                VALUES (${company}, ${after.location}, ${after.sku}, ${JSON.stringify(movements)})`
            }
          })
        )
      ),
    marked: (company, locations, after, limit, marketplace) =>
      read(
        Effect.gen(function* () {
          const present = yield* levelsOf(company)
          const marks = new Map(present.map((level) => [nameOf(level), level.changeNumber]))
          const deleted = (yield* deletedFor(company, marketplace)).filter(
            (one) => (marks.get(nameOf(one)) ?? 0) < one.changeNumber
          )
          const found = [...present, ...deleted]
            .filter((level) => level.changeNumber > after && locations.includes(level.location))
            .sort(bySequence)
          const last = found[limit - 1]?.changeNumber ?? Number.POSITIVE_INFINITY
          return found.filter(({ changeNumber }) => changeNumber <= last)
        })
      ),
    deleted: (company, keys, marketplace) =>
      read(
        Effect.map(deletedFor(company, marketplace), (found) => {
          const wanted = new Set(keys.map(nameOf))
          return found.filter((level) => wanted.has(nameOf(level)))
        })
      ),
    markMissing: (marketplace, from, to, changeNumber, at) =>
      read(
        Effect.gen(function* () {
          const at2 = (company: CompanyId, location: string) =>
            Effect.map(Effect.all([levelsOf(company), deletedFor(company, marketplace)]), (all) =>
              all.flat().filter((level) => level.location === location && level.changeNumber > 0)
            )
          const there = new Set((yield* at2(to.companyId, to.location)).map(({ sku }) => sku))
          for (const { sku } of yield* at2(from.companyId, from.location)) {
            if (there.has(sku)) continue
            yield* bury(
              to.companyId,
              marketplace,
              Level.deleted(to.companyId, { sku, location: to.location }, changeNumber, at)
            )
          }
        })
      ),
    list: listOf<Level.Level>("shop_stock"),
    remove: (company, skus, { at, changeNumber }) =>
      read(
        Effect.gen(function* () {
          const going = (yield* levelsOf(company)).filter(({ sku }) => skus.includes(sku))
          for (const level of going.filter(({ changeNumber }) => changeNumber > 0)) {
            yield* sql`DELETE FROM shop_deleted WHERE company = ${company} AND location = ${level.location} AND sku = ${level.sku}`
            yield* bury(company, "", Level.deleted(company, level, changeNumber, at))
          }
          yield* removeFrom(["shop_stock", "shop_moves"], company, skus)
        })
      ),
    foldMovements: () => Effect.succeed(0),
    discrepancies: (company) =>
      read(
        Effect.gen(function* () {
          const moves = yield* rowsOf<ReadonlyArray<Level.Movement>>("shop_moves", company)
          const levels = yield* levelsOf(company)
          const sold = yield* soldOf(company, levels)
          return levels.flatMap((level): ReadonlyArray<Discrepancy> => {
            const own = moves.filter((row) => nameOf(row) === nameOf(level)).flatMap(({ value }) => value)
            const sum = (of: (move: Level.Movement) => number) => own.reduce((total, move) => total + of(move), 0)
            const found = {
              onHand: sum((_) => _.onHand),
              reserved: sum((_) => _.reserved),
              unsellable: sum((_) => _.unsellable)
            }
            const { location, onHand, reserved, unsellable } = level
            const sku = sold.has(level.sku) ? level.sku : null
            const agrees = onHand === found.onHand && reserved === found.reserved && unsellable === found.unsellable
            return agrees && sku !== null
              ? []
              : [{ sku, location, level: { onHand, reserved, unsellable }, movements: found }]
          })
        })
      )
  })

  const prices = PriceStore.of({
    load: (company, keys) =>
      read(
        loadAll<PriceUpdate.Price>(
          "shop_prices",
          company,
          keys,
          (row, key, currency) => row ?? { ...key, sizeId: 0, locationId: 0, currency, mrp: 0, esp: 0, version: 0 }
        )
      ),
    save: (company, at, changes) =>
      guarded(
        run(
          put(
            "shop_prices",
            company,
            at,
            changes.map(({ after, before }) => ({
              version: before.version,
              value: { ...after, version: before.version + 1 }
            }))
          )
        )
      ).pipe(Effect.asVoid),
    list: listOf<PriceUpdate.Price>("shop_prices"),
    remove: (company, skus) => read(removeFrom(["shop_prices"], company, skus))
  })

  return Layer.merge(Layer.succeed(StockLevels, levels), Layer.succeed(PriceStore, prices))
})

export const layer = Layer.unwrap(make)

/**
 * Every port of such a host; its client is left to give.
 */
export const everyPort = Services.readers.pipe(
  Layer.provideMerge(layer),
  Layer.provideMerge(Layer.mergeAll(StorageSql.orders, StorageSql.marketplaces, StorageSql.ledger)),
  Layer.provideMerge(Layer.mergeAll(StorageSql.access, StorageSql.catalog)),
  Layer.provideMerge(StorageSql.base)
)
