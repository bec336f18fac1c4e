/** Tables in memory, and the order of their rows. They are immutable, so a rollback only drops the transaction's copy. */
import { Page, StaleWrite, Text } from "@crossdock/kernel"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as Result from "effect/Result"

type Key = string | number
type Rows<Row> = HashMap.HashMap<Key, Row>

/** Rows, found by table, then by company, then by key. */
export type Tables = HashMap.HashMap<string, HashMap.HashMap<number, Rows<unknown>>>

export const empty: Tables = HashMap.empty()

const noCompany = 0

/** The answer of a write with the tables after it, or the reason why the write is rejected. */
export type Decided<A, E = never> = Result.Result<readonly [answer: A, tables: Tables], E>

export const stale = (operation: string) => Result.fail(new StaleWrite({ operation }))

/** The result of a write that has no answer. */
export const written = (tables: Tables): Decided<undefined> => Result.succeed([undefined, tables])

export const writeEach = <Item, E>(
  tables: Tables,
  items: ReadonlyArray<Item>,
  write: (tables: Tables, item: Item) => Result.Result<Tables, E>
): Decided<undefined, E> => {
  let all: Result.Result<Tables, E> = Result.succeed(tables)
  for (const item of items) all = Result.flatMap(all, (before) => write(before, item))
  return Result.flatMap(all, written)
}

/** The rows of one kind, by company if they belong to companies. A write returns a new version of all tables. */
export interface Table<Row> {
  readonly get: (tables: Tables, key: Key, company?: number) => Row | undefined
  readonly entries: (tables: Tables, company?: number) => ReadonlyArray<readonly [key: Key, row: Row]>
  readonly rows: (tables: Tables, company?: number) => Array<Row>
  /** Returns the rows of all companies. */
  readonly all: (tables: Tables) => Array<Row>
  /** Returns all companies that ever had a row. */
  readonly companies: (tables: Tables) => ReadonlyArray<number>
  readonly put: (tables: Tables, rows: ReadonlyArray<readonly [key: Key, row: Row]>, company?: number) => Tables
  readonly remove: (tables: Tables, keys: ReadonlyArray<Key>, company?: number) => Tables
}

/** Makes a table. `name` must be unique, because only this table knows the type of its rows. */
export const make = <Row>(name: string): Table<Row> => {
  const rowsOf = (tables: Tables, company: number): Rows<Row> =>
    HashMap.get(tables, name).pipe(
      Option.flatMap((companies) => HashMap.get(companies, company)),
      Option.getOrElse(HashMap.empty<Key, unknown>)
    ) as Rows<Row>

  const change = (tables: Tables, company: number, edit: (rows: Rows<Row>) => void): Tables => {
    const companies = Option.getOrElse(HashMap.get(tables, name), HashMap.empty<number, Rows<unknown>>)
    return HashMap.set(tables, name, HashMap.set(companies, company, HashMap.mutate(rowsOf(tables, company), edit)))
  }

  const rows = (tables: Tables, company = noCompany) => [...HashMap.values(rowsOf(tables, company))]

  const companies = (tables: Tables) =>
    Option.match(HashMap.get(tables, name), { onNone: () => [], onSome: (found) => [...HashMap.keys(found)] })

  return {
    get: (tables, key, company = noCompany) => Option.getOrUndefined(HashMap.get(rowsOf(tables, company), key)),
    entries: (tables, company = noCompany) => HashMap.toEntries(rowsOf(tables, company)),
    rows,
    all: (tables) => companies(tables).flatMap((company) => rows(tables, company)),
    companies,
    put: (tables, entries, company = noCompany) =>
      entries.length === 0
        ? tables
        : change(tables, company, (rows) => {
            for (const [key, row] of entries) HashMap.set(rows, key, row)
          }),
    remove: (tables, keys, company = noCompany) =>
      keys.length === 0
        ? tables
        : change(tables, company, (rows) => {
            for (const key of keys) HashMap.remove(rows, key)
          })
  }
}

/** A table whose rows contain their own key and company. */
export interface Keyed<Row> extends Table<Row> {
  /** Finds the stored row with the same key. */
  readonly find: (tables: Tables, row: Row) => Row | undefined
  readonly save: (tables: Tables, rows: ReadonlyArray<Row>) => Tables
  readonly discard: (tables: Tables, rows: ReadonlyArray<Row>) => Tables
}

export const keyed = <Row>(
  name: string,
  keyOf: (row: Row) => Key,
  companyOf: (row: Row) => number = () => noCompany
): Keyed<Row> => {
  const table = make<Row>(name)
  const byCompany = (rows: ReadonlyArray<Row>) => [...Map.groupBy(rows, companyOf)]
  const entriesOf = (rows: ReadonlyArray<Row>) => rows.map((row) => [keyOf(row), row] as const)
  return {
    ...table,
    find: (tables, row) => table.get(tables, keyOf(row), companyOf(row)),
    save: (tables, rows) =>
      byCompany(rows).reduce((written, [company, own]) => table.put(written, entriesOf(own), company), tables),
    discard: (tables, rows) =>
      byCompany(rows).reduce((left, [company, own]) => table.remove(left, own.map(keyOf), company), tables)
  }
}

export const ofCompanies = <Row extends { readonly companyId: number }>(name: string, keyOf: (row: Row) => Key) =>
  keyed(name, keyOf, ({ companyId }) => companyId)

const saveIf =
  (versionOf: (version: number | undefined) => number | undefined) =>
  <Row extends { readonly version: number }>(table: Keyed<Row>, operation: string, row: Row) =>
  (tables: Tables): Decided<undefined, StaleWrite> =>
    versionOf(table.find(tables, row)?.version) === row.version
      ? written(table.save(tables, [{ ...row, version: row.version + 1 }]))
      : stale(operation)

/** Saves a stored row with the next version. It fails if the row no longer has the version that was read. */
export const updateNext = saveIf((version) => version)

/** Inserts the row if its version is 0. Otherwise it saves the row like `updateNext`. */
export const saveNext = saveIf((version = 0) => version)

/** Deletes at most `limit` rows whose time is earlier than `before`, oldest first. Returns how many it deleted. */
export const deleteOld =
  <Row>(table: Table<Row>, timeOf: (row: Row) => number, before: number, limit: number) =>
  (tables: Tables): readonly [deleted: number, tables: Tables] => {
    const old = table
      .companies(tables)
      .flatMap((company) => table.entries(tables, company).map(([key, row]) => ({ company, key, at: timeOf(row) })))
      .filter(({ at }) => at < before)
      .sort((one, other) => one.at - other.at || Text.order(String(one.key), String(other.key)))
      .slice(0, limit)
    const byCompany = [...Map.groupBy(old, ({ company }) => company)]
    const keysOf = (own: ReadonlyArray<{ readonly key: Key }>) => own.map(({ key }) => key)
    return [old.length, byCompany.reduce((left, [company, own]) => table.remove(left, keysOf(own), company), tables)]
  }

const counters = make<number>("counters")

export const counted = (tables: Tables, counter: string): number => counters.get(tables, counter) ?? 0

/** Takes the next number of a counter. The first number is 1. */
export const count = (tables: Tables, counter: string): readonly [number: number, tables: Tables] => {
  const next = counted(tables, counter) + 1
  return [next, counters.put(tables, [[counter, next]])]
}

/** Takes the next short key of the storage. The first key is 1. */
export const nextSerial = (tables: Tables) => count(tables, "serial")

export const byText = <Name extends string>(text: Name): Order.Order<{ readonly [K in Name]: string }> =>
  Order.mapInput(Text.order, (row) => row[text])

export const byNumberThenText = <Row>(
  number: (row: Row) => number,
  text: { readonly [K in keyof Row]: Row[K] extends string ? K : never }[keyof Row]
): Order.Order<Row> =>
  Order.combine(
    Order.mapInput(Order.Number, number),
    Order.mapInput(Text.order, (row) => String(row[text]))
  )

export const pageOf = <Row>(rows: ReadonlyArray<Row>, page: Page.Page): Page.Paged<Row> => {
  const from = Page.offset(page)
  return { items: rows.slice(from, from + page.size), total: rows.length }
}
