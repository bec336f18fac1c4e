/** Stock and prices in the application's own tables: the columns, and how rows are found, locked and written. */
import { type ListingFilter, Listings, type StockLevels } from "@crossdock/inventory"
import type { CompanyId, StaleWrite, StockKey, StockRows } from "@crossdock/kernel"
import { Page, required, Transaction } from "@crossdock/kernel"
import { PriceStore, type PriceUpdate } from "@crossdock/pricing"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Dialect from "./Dialect.ts"
import { each, expectRows, rows, texts } from "./Dialect.ts"
import * as DeletedLevels from "./inventory/DeletedLevels.ts"
import { listingOf, type Row } from "./inventory/ListingsSql.ts"
import * as StockLevelsSql from "./inventory/StockLevelsSql.ts"
import { isAfter } from "./inventory/StockRows.ts"
import { allOrNothing, named } from "./TransactionSql.ts"

const columnNames = {
  company: "company_id",
  location: "location",
  sku: "sku",
  onHand: "on_hand",
  reserved: "reserved",
  unsellable: "unsellable",
  mrp: "mrp",
  esp: "esp",
  version: "version",
  priceVersion: "price_version",
  changeNumber: "change_number",
  changedAt: "changed_at",
  modifiedAt: "modified_at",
  reason: "reason",
  reference: "reference"
} as const

export type Column = keyof typeof columnNames

const keyColumns: ReadonlyArray<Column> = ["company", "location", "sku"]
const units: ReadonlyArray<Column> = ["onHand", "reserved", "unsellable"]

const counted: ReadonlyArray<Column> = [...units, "version", "priceVersion", "changeNumber", "changedAt", "modifiedAt"]

const stockColumns: ReadonlyArray<Column> = [...keyColumns, ...counted, "mrp", "esp"]

export const movementColumns: ReadonlyArray<Column> = [
  ...keyColumns,
  ...units,
  "changeNumber",
  "changedAt",
  "reason",
  "reference"
]

/** The names of the tables and columns of an application that keeps stock and prices itself. */
export interface Tables {
  /** The stock table. Its unique key is company, SKU and location. Deleting a product deletes the rows of its SKUs. */
  readonly stock: string
  /** The movements table: a row for each movement of a level, which never changes. Deleting a product deletes its rows. */
  readonly movements: string
  /** The names of columns that differ from the default names. They apply to both tables. */
  readonly columns?: Partial<Readonly<Record<Column, string>>>
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""').replaceAll(".", '"."')}"`

export interface Names extends Tables {
  readonly columns: Readonly<Record<Column, string>>
}

export const names = ({ columns, movements, stock }: Tables): Names => ({
  stock: quoted(stock),
  movements: quoted(movements),
  columns: Record.map({ ...columnNames, ...columns }, quoted)
})

export const listed = ({ columns }: Names, some: ReadonlyArray<Column>): string =>
  some.map((one) => columns[one]).join(", ")

const renamed = (sql: SqlClient, { columns }: Names, table: string, some: ReadonlyArray<Column>) =>
  sql.literal(`(SELECT ${some.map((one) => `${columns[one]} AS ${columnNames[one]}`).join(", ")} FROM ${table})`)

export const levels = (sql: SqlClient, tables: Names): Fragment => renamed(sql, tables, tables.stock, stockColumns)

export const movements = (sql: SqlClient, tables: Names): Fragment =>
  renamed(sql, tables, tables.movements, movementColumns)

export const checked = (sql: SqlClient, tables: Names): Effect.Effect<void, SqlError> =>
  Effect.asVoid(
    Effect.all([
      sql`SELECT * FROM ${levels(sql, tables)} v WHERE 1 = 0`,
      sql`SELECT * FROM ${movements(sql, tables)} v WHERE 1 = 0`
    ])
  )

/** Whether the company has a product with this SKU. `sku` is the name of a column. */
export const isSold = (sql: SqlClient, company: CompanyId, sku: string): Fragment => sql`
  EXISTS (SELECT 1 FROM crossdock_sizes s
    WHERE s.company_id = ${company} AND ${Dialect.isText(sql, "s.sku", sql.literal(sku))} ${Dialect.alone(sql)})`

/** The right side of a LEFT JOIN: the rows `v` of the keys `r`. Inside a transaction, it locks them in key order. */
export const joined =
  (sql: SqlClient, tables: Names, company: CompanyId) =>
  (wanted: Fragment): Fragment => {
    const { company: ofCompany, location, sku } = tables.columns
    const isRow = (row: string, name: string) =>
      sql`${sql.literal(`${row}.${ofCompany}`)} = ${company}
        AND ${sql.literal(`${row}.${location} = ${name}.location AND ${row}.${sku} = ${name}.sku`)}`
    const order = sql.literal(`k.${sku}, k.${location}`)
    return sql`${Dialect.lockedRows(sql, tables.stock, wanted, isRow("k", "w"), order)} v ON ${isRow("v", "r")}`
  }

/** Locks the rows that meet the condition until the transaction ends. They are locked in key order. */
export const lock = (
  sql: SqlClient,
  { columns, stock }: Names,
  condition: Fragment,
  waiting: Dialect.Waiting
): Effect.Effect<void, SqlError> =>
  Dialect.lockRows(sql, stock, condition, `${columns.sku}, ${columns.location}`, waiting)

/** A row to write: its key, the version that was read, and a value per column. A null change number is this change's. */
export interface Written extends StockKey {
  readonly version: number
  readonly values: ReadonlyArray<number | null>
}

/** How a port writes its rows: the column with the version, and the other columns. */
export interface Part {
  readonly operation: string
  readonly version: "version" | "priceVersion"
  readonly columns: ReadonlyArray<Column>
}

const keyTypes = Dialect.columns("location text, sku text")

const byKey = (a: StockKey, b: StockKey): number => {
  if (a.sku !== b.sku) return a.sku < b.sku ? -1 : 1
  return a.location < b.location ? -1 : Number(a.location > b.location)
}

/** Writes rows and adds missing ones. It fails with `StaleWrite` if a row has changed or is locked, or its SKU is deleted. */
export const writes = (
  sql: SqlClient,
  tables: Names,
  { columns, operation, version }: Part
): ((
  company: CompanyId,
  at: number,
  changes: ReadonlyArray<Written>,
  number?: Fragment
) => ReadonlyArray<Effect.Effect<unknown, StaleWrite | SqlError>>) => {
  const { columns: own, stock } = tables
  const types = Object.fromEntries(columns.map((one) => [columnNames[one], "integer" as const]))
  const written = { company: "integer", ...keyTypes, read_version: "integer", ...types } as const
  const added = sql.literal(listed(tables, [...keyColumns, ...counted]))
  const nothing = sql.literal(counted.map(() => "0").join(", "))
  // The company is a column of `r`. If it were a separate parameter, SQLite would read all rows of the company.
  const isRead = (row: string) => {
    const isKey = keyColumns.map((one) => `${row}.${own[one]} = r.${one}`)
    return sql.literal([...isKey, `${row}.${own[version]} = r.read_version`].join(" AND "))
  }
  const column = (one: Column) => sql.literal(own[one])

  const given = (number: Fragment | undefined) =>
    columns.reduce(
      (before, one) => {
        const value = sql.literal(`r.${columnNames[one]}`)
        const isNumber = one === "changeNumber" && number !== undefined
        return sql`${before}, ${column(one)} = ${isNumber ? sql`COALESCE(${value}, ${number})` : value}`
      },
      sql`${column(version)} = r.read_version + 1`
    )

  return (company, at, changes, number) => {
    const sorted = changes.toSorted(byKey)
    const first = sorted.flatMap((one) => (one.version === 0 ? [[one.location, one.sku]] : []))
    const values = sorted.map((one) => [company, one.location, one.sku, one.version, ...one.values])
    const add = sql`
      INSERT INTO ${sql.literal(stock)} (${added})
      SELECT ${company}, r.location, r.sku, ${nothing} FROM ${rows(sql, keyTypes, first)} r WHERE true
      ON CONFLICT DO NOTHING`
    const { condition, from } = Dialect.updated(sql, stock, rows(sql, written, values), isRead)
    const update = sql`
      UPDATE ${sql.literal(stock)} AS v SET ${given(number)},
        ${column("modifiedAt")} = CASE WHEN v.${column("modifiedAt")} > ${at} THEN v.${column("modifiedAt")} ELSE ${at} END
      FROM ${from} WHERE ${condition} AND (r.read_version > 0 OR ${isSold(sql, company, "r.sku")})`
    return [...(first.length === 0 ? [] : [add]), expectRows(sql, operation, changes.length, update)]
  }
}

const rowsOf = (sql: SqlClient, tables: Names, company: CompanyId, { locations, skus }: ListingFilter) => sql`
  SELECT * FROM ${levels(sql, tables)} v
  WHERE v.company_id = ${company} AND ${isSold(sql, company, "v.sku")}
    AND ${locations === null ? sql`1 = 1` : Dialect.isOneOf(sql, "v.location", locations)}
    AND ${skus.length === 0 ? sql`1 = 1` : Dialect.isAnyOf(sql, "v.sku", texts(sql, skus))}`

export const listings = (tables: Names) =>
  Effect.map(SqlClient, (sql) => {
    const [sku, location] = [Dialect.byCodePoint(sql, "v.sku"), Dialect.byCodePoint(sql, "v.location")]
    const rows = (company: CompanyId, filter: ListingFilter) => rowsOf(sql, tables, company, filter)

    const sizeOf = (company: CompanyId) => Dialect.lookUpSize(sql, "CROSS", company, sku)

    return Listings.of({
      page: (company, filter, page) =>
        sql<Row>`
          SELECT s.sku, l.code AS location, p.item_code AS "itemCode", p.name, p.brand, s.name AS size, l.currency, p.batch,
            v.mrp, v.esp, v.on_hand AS "onHand", v.reserved, v.unsellable, v.modified_at AS "levelAt",
            v.modified_at AS "priceAt"
          FROM (${rows(company, filter)} ORDER BY ${sku}, ${location} LIMIT ${page.size} OFFSET ${Page.offset(page)}) v
          ${sizeOf(company)}
          CROSS JOIN crossdock_products p
          CROSS JOIN crossdock_locations l
          WHERE p.company_id = ${company} AND p.id = s.product_id AND l.company_id = ${company} AND l.code = ${location}
          ORDER BY ${sku}, ${location}`.pipe(each(listingOf), named("Listings.page")),
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

const isOf = (sql: SqlClient, { columns }: Names, company: CompanyId, skus: ReadonlyArray<string>) => sql`
  ${sql.literal(columns.company)} = ${company} AND ${Dialect.isAnyOf(sql, columns.sku, texts(sql, skus))}`

/** Deletes the levels of these SKUs, with their prices and movements. */
export const removeLevels =
  (sql: SqlClient, tables: Names): typeof StockLevels.Service.remove =>
  (company, skus, mark) => {
    const theirs = isOf(sql, tables, company, skus)
    const marked = sql`
    SELECT l.id AS location_id, v.sku FROM ${levels(sql, tables)} v
    CROSS JOIN crossdock_locations l
    WHERE v.company_id = ${company} AND ${Dialect.isAnyOf(sql, "v.sku", texts(sql, skus))} AND ${Dialect.unindexed(sql, "v.change_number")} > 0
      AND l.company_id = ${company} AND l.code = ${Dialect.byCodePoint(sql, "v.location")}`
    return Effect.all([
      // NOWAIT prevents a deadlock: a writer that has locked these rows waits for the company, which this write has locked.
      lock(sql, tables, theirs, "NOWAIT"),
      ...DeletedLevels.markDeleted(sql, company, skus, mark, marked),
      sql`DELETE FROM ${sql.literal(tables.stock)} WHERE ${theirs}`,
      sql`DELETE FROM ${sql.literal(tables.movements)} WHERE ${theirs}`
    ]).pipe(Effect.asVoid, named("StockLevels.remove"))
  }

export const rowsAfter =
  <Values>(sql: SqlClient, tables: Names, operation: string, columns: string, condition: string): StockRows<Values> =>
  (company, filter, after, limit) => {
    const [sku, location] = [Dialect.byCodePoint(sql, "v.sku"), Dialect.byCodePoint(sql, "v.location")]
    return sql<StockKey & { readonly modifiedAt: number } & Values>`
      SELECT v.sku AS "sku", v.location AS "location", v.modified_at AS "modifiedAt", ${sql.literal(columns)}
      FROM (${rowsOf(sql, tables, company, filter)}) v
      WHERE ${sql.literal(condition)} AND ${isAfter(sql, after, sku, location)}
      ORDER BY ${sku}, ${location} LIMIT ${limit}`.pipe(named(operation))
  }

export const prices = (tables: Names) =>
  Effect.map(SqlClient, (sql) => {
    const whole = allOrNothing(sql)
    const { esp, mrp, priceVersion } = tables.columns
    const loaded: StockLevelsSql.Read<readonly [string, number, number, number], PriceUpdate.Price> = {
      columns: ["l.currency", ...[mrp, esp, priceVersion].map((column) => `COALESCE(v.${column}, 0)`)],
      of: (place, [currency, mrp, esp, version]) => ({
        ...place,
        sizeId: 0,
        locationId: 0,
        currency,
        mrp,
        esp,
        version
      })
    }
    const write = writes(sql, tables, {
      operation: "PriceStore.save",
      version: "priceVersion",
      columns: ["mrp", "esp"]
    })

    return PriceStore.of({
      load: (company, keys) =>
        StockLevelsSql.loadJoined(sql, company, keys, loaded, joined(sql, tables, company)).pipe(
          named("PriceStore.load")
        ),
      save: (company, at, changes) => {
        const written = changes.map(({ after: { esp, location, mrp, sku }, before: { version } }) => ({
          location,
          sku,
          version,
          values: [mrp, esp]
        }))
        return Transaction.together(...write(company, at, written)).pipe(
          Effect.asVoid,
          named("PriceStore.save"),
          whole,
          Transaction.write
        )
      },
      list: rowsAfter(sql, tables, "PriceStore.list", "v.mrp, v.esp", "v.mrp IS NOT NULL"),
      remove: (company, skus) =>
        sql`
          UPDATE ${sql.literal(tables.stock)} SET ${sql.literal(`${mrp} = NULL, ${esp} = NULL, ${priceVersion} = 0`)}
          WHERE ${isOf(sql, tables, company, skus)}`.pipe(Effect.asVoid, named("PriceStore.remove"))
    })
  })
