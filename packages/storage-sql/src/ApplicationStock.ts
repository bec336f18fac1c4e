/**
 * Stock and prices in a table of the program's own: what its table is called, and how its rows are found, locked and written.
 */
import type { CompanyId, StaleWrite, StockKey } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { expectRows, rows } from "./Database.ts"
import * as Dialect from "./Dialect.ts"

/** The columns by what they contain, with the names that they have unless the program says otherwise. */
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

/** What a column contains. */
export type Column = keyof typeof columnNames

const keyColumns: ReadonlyArray<Column> = ["company", "location", "sku"]
const units: ReadonlyArray<Column> = ["onHand", "reserved", "unsellable"]

/** What is 0 in a row that nothing has changed. */
const counted: ReadonlyArray<Column> = [...units, "version", "priceVersion", "changeNumber", "changedAt", "modifiedAt"]

const stockColumns: ReadonlyArray<Column> = [...keyColumns, ...counted, "mrp", "esp"]

/** The columns of the table of movements. */
export const movementColumns: ReadonlyArray<Column> = [
  ...keyColumns,
  ...units,
  "changeNumber",
  "changedAt",
  "reason",
  "reference"
]

/** The tables of a program that keeps stock and prices itself. */
export interface Tables {
  /** One row for each company, SKU and location, with a unique key on these. Those of a SKU are deleted with its product. */
  readonly stock: string
  /** One row for each movement of a level. None is ever changed; those of a SKU are deleted with its product. */
  readonly movements: string
  /** Columns whose names differ, in both tables. */
  readonly columns?: Partial<Readonly<Record<Column, string>>>
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""').replaceAll(".", '"."')}"`

/** The names of the tables and columns, as SQL. */
export interface Names {
  readonly stock: string
  readonly movements: string
  readonly columns: Readonly<Record<Column, string>>
}

export const names = ({ columns, movements, stock }: Tables): Names => ({
  stock: quoted(stock),
  movements: quoted(movements),
  columns: Object.fromEntries(
    Object.entries({ ...columnNames, ...columns }).map(([column, name]) => [column, quoted(name)])
  ) as Record<Column, string>
})

/** The program's names of these columns, as a list. */
export const listed = ({ columns }: Names, some: ReadonlyArray<Column>): string =>
  some.map((one) => columns[one]).join(", ")

const renamed = (sql: SqlClient.SqlClient, { columns }: Names, table: string, some: ReadonlyArray<Column>) =>
  sql.literal(`(SELECT ${some.map((one) => `${columns[one]} AS ${columnNames[one]}`).join(", ")} FROM ${table})`)

/** The rows of the table of stock, with our names of the columns. */
export const levels = (sql: SqlClient.SqlClient, tables: Names): Fragment =>
  renamed(sql, tables, tables.stock, stockColumns)

/** The rows of the table of movements, with our names of the columns. */
export const movements = (sql: SqlClient.SqlClient, tables: Names): Fragment =>
  renamed(sql, tables, tables.movements, movementColumns)

/** Fails when a table or a column is missing. */
export const checked = (sql: SqlClient.SqlClient, tables: Names): Effect.Effect<void, SqlError> =>
  Effect.asVoid(
    Effect.all([
      sql`SELECT * FROM ${levels(sql, tables)} v WHERE 1 = 0`,
      sql`SELECT * FROM ${movements(sql, tables)} v WHERE 1 = 0`
    ])
  )

/** Whether the SKU, a column, is one of the company's products. */
export const isSold = (sql: SqlClient.SqlClient, company: CompanyId, sku: string): Fragment => sql`
  EXISTS (SELECT 1 FROM crossdock_sizes s
    WHERE s.company_id = ${company} AND ${Dialect.isText(sql, "s.sku", sql.literal(sku))} ${Dialect.alone(sql)})`

/** The rows `v` of the names `r`, for an outer join. Inside a transaction they are locked, in key order. */
export const joined =
  (sql: SqlClient.SqlClient, tables: Names, company: CompanyId) =>
  (wanted: Fragment): Fragment => {
    const { company: ofCompany, location, sku } = tables.columns
    const isRow = (row: string, name: string) =>
      sql`${sql.literal(`${row}.${ofCompany}`)} = ${company}
        AND ${sql.literal(`${row}.${location} = ${name}.location AND ${row}.${sku} = ${name}.sku`)}`
    const order = sql.literal(`k.${sku}, k.${location}`)
    return sql`${Dialect.lockedRows(sql, tables.stock, wanted, isRow("k", "w"), order)} v ON ${isRow("v", "r")}`
  }

/** Locks the rows that fulfil the condition until the transaction ends, in key order. */
export const lock = (
  sql: SqlClient.SqlClient,
  { columns, stock }: Names,
  condition: Fragment,
  waiting: Dialect.Waiting
): Effect.Effect<void, SqlError> =>
  Dialect.lockRows(sql, stock, condition, `${columns.sku}, ${columns.location}`, waiting)

/**
 * A row to write: its key, the version that was read, and the values of the columns. The number of a change is null where it is
 * that of the change that is being written.
 */
export interface Written extends StockKey {
  readonly version: number
  readonly values: ReadonlyArray<number | null>
}

/** How the rows of a port are written: the column with their version, and the other columns. */
export interface Part {
  readonly operation: string
  readonly version: "version" | "priceVersion"
  readonly columns: ReadonlyArray<Column>
}

const keyTypes = { location: "text", sku: "text" } as const

const byKey = (a: StockKey, b: StockKey): number => {
  if (a.sku !== b.sku) return a.sku < b.sku ? -1 : 1
  return a.location < b.location ? -1 : Number(a.location > b.location)
}

/**
 * The statements that write rows whose version is still the one that was read, as the change of this number: all of them, or
 * one fails with `StaleWrite`. A row that isn't there yet is added first, without stock or price; a first write is stale when
 * its SKU was deleted since. What somebody else has locked since is stale, and not waited for, since who has locked it waits for
 * the company, which its writer has.
 */
export const writes = (
  sql: SqlClient.SqlClient,
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
  // With the company as a value of its own, SQLite would go through all rows of the company.
  const isRead = (row: string) =>
    sql.literal(
      [
        ...(["company", "location", "sku"] as const).map((one) => `${row}.${own[one]} = r.${one}`),
        `${row}.${own[version]} = r.read_version`
      ].join(" AND ")
    )
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
