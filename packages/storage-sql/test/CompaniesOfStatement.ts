/**
 * Which companies a statement needs, as a database sees it whose tables are distributed by company: PostgreSQL's own planner
 * says which condition finds each row, and a condition on a company's number names the part of the database that has them.
 */
import { required } from "@crossdock/kernel"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly Alias?: string
  readonly Operation?: string
  readonly Output?: ReadonlyArray<string>
  readonly Plans?: ReadonlyArray<Plan>
  readonly [property: string]: unknown
}

/**
 * `companies` are those that conditions and rows name. Of the tables with a company, `byRow` are those into which rows are
 * inserted that each name their own, and `unnamed` those of which rows of any company are found.
 */
export interface Reach {
  /** What it does to which tables, such as "INSERT crossdock_levels"; LOCK is FOR UPDATE, of a statement that writes nothing. */
  readonly does: ReadonlyArray<string>
  readonly isRead: boolean
  readonly tables: ReadonlyArray<string>
  readonly companies: ReadonlySet<number>
  readonly byRow: ReadonlySet<string>
  readonly unnamed: ReadonlySet<string>
}

/** The tables with a company: the column that has it, and its place among the columns. */
export type Distributed = ReadonlyMap<string, { readonly column: string; readonly at: number }>

export const distributed = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ table: string; column: string; at: number }>`
      SELECT c.relname AS table, a.attname AS column, a.attnum - 1 AS at FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid
        AND a.attname = CASE c.relname WHEN 'crossdock_companies' THEN 'id' ELSE 'company_id' END
      WHERE c.relkind = 'r' AND c.relname LIKE 'crossdock%'`
  ),
  (found): Distributed => new Map(found.map(({ at, column, table }) => [table, { column, at }]))
)

const nodesOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const conditions = ["Index Cond", "Recheck Cond", "Filter", "Join Filter", "Hash Cond", "Merge Cond"]

const numbers = (text: string): ReadonlyArray<number> => [...text.matchAll(/-?\d+/g)].map(([number]) => Number(number))

/** The companies that a text of conditions compares the column with; none when it has no constant. */
const compared = (text: string, column: string): ReadonlyArray<number> => {
  const one = new RegExp(`\\b${column} = '?(-?\\d+)'?(?:::bigint)?\\)`).exec(text)
  if (one !== null) return numbers(one[1] ?? "")
  const many = new RegExp(`\\b${column} = ANY \\('\\{([^}]*)\\}'`).exec(text)
  return many === null ? [] : numbers(many[1] ?? "")
}

/** The companies of rows that are parameters: a list of values, or one JSON text of them all, of which `output` reads a column. */
const ofRows = (output: string, values: ReadonlyArray<unknown>, width: number): ReadonlyArray<number> => {
  const listed = /column(\d+)$/.exec(output)
  if (listed !== null) return values.filter((_, nth) => nth % width === Number(listed[1]) - 1).map(Number)
  const read = /->> (\d+)\)/.exec(output)
  const rows = values.find((value) => typeof value === "string" && value.startsWith("[["))
  if (read === null || rows === undefined) return []
  return (JSON.parse(String(rows)) as ReadonlyArray<ReadonlyArray<unknown>>).map((row) => Number(row[Number(read[1])]))
}

const ofPlan = (plan: Plan, tables: Distributed, text: string, values: ReadonlyArray<unknown>): Reach => {
  const nodes = nodesOf(plan)
  const companies = new Set<number>()
  const [byRow, unnamed] = [new Set<string>(), new Set<string>()]
  const named = new Set<string>()
  for (const node of nodes) {
    const table = node["Relation Name"]
    const key = table === undefined ? undefined : tables.get(table)
    if (table === undefined || key === undefined || node.Operation !== undefined) continue
    const column = `${node.Alias}.${key.column}`
    const found = compared(conditions.map((name) => String(node[name] ?? "")).join(" "), column)
    for (const company of found) companies.add(company)
    if (found.length === 0) unnamed.add(table)
    else named.add(column)
  }
  for (const node of nodes.filter(({ Operation }) => Operation === "Insert")) {
    const table = node["Relation Name"] ?? ""
    const key = tables.get(table)
    if (key === undefined) continue
    // Subqueries of the row come before what makes the row.
    const source = node.Plans?.find((one) => one["Parent Relationship"] === "Outer")
    const output = source?.Output?.[key.at] ?? ""
    const value = /^'?(-?\d+)'?(?:::bigint)?$/.exec(output)
    if (value !== null) companies.add(Number(value[1]))
    else if (!named.has(output)) {
      byRow.add(table)
      const width = (/\(([^()]*)\)\s*VALUES/.exec(text)?.[1] ?? "").split(",").length
      for (const company of ofRows(output, values, width)) companies.add(company)
    }
  }
  const tablesRead = [...new Set(nodes.flatMap((node) => node["Relation Name"] ?? []))].sort()
  const writes = nodes.flatMap(({ Operation, "Relation Name": table }) =>
    Operation === undefined ? [] : [`${Operation.toUpperCase()} ${table}`]
  )
  const isRead = writes.length === 0 && !/\bFOR UPDATE\b/.test(text)
  return {
    does: writes.length > 0 ? writes : [`${isRead ? "READ" : "LOCK"} ${tablesRead.join(" ")}`],
    isRead,
    tables: tablesRead,
    companies,
    byRow,
    unnamed
  }
}

/**
 * The statement is planned with its parameters and not run.
 */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* distributed
  return (text: string, values: ReadonlyArray<unknown>) =>
    Effect.map(
      sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }> }>(
        `EXPLAIN (FORMAT JSON, VERBOSE) ${text}`,
        [...values]
      ),
      ([row]) => ofPlan(required(row?.["QUERY PLAN"][0], "a plan").Plan, tables, text, values)
    )
})
