/** Rows in memory, and their order. Tables are immutable, so a rollback drops the transaction's copy. */
import { Text } from "@crossdock/kernel"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as Result from "effect/Result"

type Rows<Row> = HashMap.HashMap<string, Row>

/** By table, then tenant, then key. */
export type Tables = HashMap.HashMap<string, HashMap.HashMap<number, Rows<unknown>>>

export const empty: Tables = HashMap.empty()

/** The tenant of rows without a company. */
export const noCompany = 0

export const writeEach = <Item, E>(
  tables: Tables,
  items: ReadonlyArray<Item>,
  write: (tables: Tables, item: Item) => Result.Result<Tables, E>
): Result.Result<readonly [undefined, Tables], E> => {
  let written: Result.Result<Tables, E> = Result.succeed(tables)
  for (const item of items) written = Result.flatMap(written, (before) => write(before, item))
  return Result.map(written, (after) => [undefined, after] as const)
}

/** One kind of rows. Every access names the tenant. A write returns the tables with its rows. */
export interface Table<Row> {
  readonly get: (tables: Tables, tenant: number, key: string) => Row | undefined
  readonly entries: (tables: Tables, tenant: number) => ReadonlyArray<readonly [key: string, row: Row]>
  readonly rows: (tables: Tables, tenant: number) => Array<Row>
  readonly all: (tables: Tables) => Array<Row>
  /** All tenants that ever had a row. */
  readonly tenants: (tables: Tables) => ReadonlyArray<number>
  readonly put: (tables: Tables, tenant: number, rows: ReadonlyArray<readonly [key: string, row: Row]>) => Tables
  readonly putEach: <Item>(
    tables: Tables,
    tenant: number,
    items: ReadonlyArray<Item>,
    entryOf: (item: Item, at: number) => readonly [key: string, row: Row]
  ) => Tables
  readonly remove: (tables: Tables, tenant: number, keys: ReadonlyArray<string>) => Tables
}

/** `name` must be unique: only this table knows the type of its rows. */
export const make = <Row>(name: string): Table<Row> => {
  const rowsOf = (tables: Tables, tenant: number): Rows<Row> =>
    HashMap.get(tables, name).pipe(
      Option.flatMap((tenants) => HashMap.get(tenants, tenant)),
      Option.getOrElse(HashMap.empty<string, unknown>)
    ) as Rows<Row>

  const change = (tables: Tables, tenant: number, edit: (rows: Rows<Row>) => void): Tables => {
    const tenants = Option.getOrElse(HashMap.get(tables, name), HashMap.empty<number, Rows<unknown>>)
    return HashMap.set(tables, name, HashMap.set(tenants, tenant, HashMap.mutate(rowsOf(tables, tenant), edit)))
  }

  const rows = (tables: Tables, tenant: number) => [...HashMap.values(rowsOf(tables, tenant))]

  const tenants = (tables: Tables) =>
    Option.match(HashMap.get(tables, name), { onNone: () => [], onSome: (found) => [...HashMap.keys(found)] })

  const put: Table<Row>["put"] = (tables, tenant, entries) =>
    change(tables, tenant, (rows) => {
      for (const [key, row] of entries) HashMap.set(rows, key, row)
    })

  return {
    get: (tables, tenant, key) => Option.getOrUndefined(HashMap.get(rowsOf(tables, tenant), key)),
    entries: (tables, tenant) => HashMap.toEntries(rowsOf(tables, tenant)),
    rows,
    all: (tables) => tenants(tables).flatMap((tenant) => rows(tables, tenant)),
    tenants,
    put,
    putEach: (tables, tenant, items, entryOf) => put(tables, tenant, items.map(entryOf)),
    remove: (tables, tenant, keys) =>
      change(tables, tenant, (rows) => {
        for (const key of keys) HashMap.remove(rows, key)
      })
  }
}

const serials = make<number>("serials")

/** The storage's next short key, from 1. */
export const nextSerial = (tables: Tables): readonly [serial: number, tables: Tables] => {
  const serial = (serials.get(tables, noCompany, "last") ?? 0) + 1
  return [serial, serials.put(tables, noCompany, [["last", serial]])]
}

export const byNumberThenText = <Row>(
  number: (row: Row) => number,
  text: { readonly [K in keyof Row]: Row[K] extends string ? K : never }[keyof Row]
): Order.Order<Row> =>
  Order.combine(
    Order.mapInput(Order.Number, number),
    Order.mapInput(Text.order, (row) => String(row[text]))
  )
