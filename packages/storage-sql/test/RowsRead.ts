/**
 * Which rows statements read: PostgreSQL counts them, and SQLite says where it would go through a whole table.
 */
import { Context, Duration, Effect, Layer, Ref } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import { MigrationCheck } from "../src/UnusableDatabase.ts"

interface Query {
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
}

interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: ReadonlyArray<Node>
}

export interface Reads {
  /** Rows of tables that PostgreSQL read, whether they were in the answer or not; 0 on SQLite. */
  readonly rows: number
  /** Steps of SQLite's plans that go through a whole table or index of ours; none on PostgreSQL. */
  readonly scans: ReadonlyArray<string>
  /** Steps of SQLite's plans that go through all rows of a company, some of them in the order of an index. */
  readonly ofCompany: ReadonlyArray<string>
  /** The texts of the statements, in order. */
  readonly statements: ReadonlyArray<string>
}

export class RowsRead extends Context.Service<
  RowsRead,
  {
    /** What the statements of `effect` read when they run again after it, undone. */
    readonly of: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<Reads, E, R>
  }
>()("@crossdock/storage-sql/test/RowsRead") {}

const rowsOf = (node: Node): number => {
  const own = ["Rows Removed by Filter", "Rows Removed by Index Recheck"] as const
  const seen = own.reduce((sum, name) => sum + (node[name] ?? 0), node["Actual Rows"])
  const isTable = node["Relation Name"] !== undefined && node["Node Type"].endsWith("Scan")
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0)
  return below + (isTable ? seen * node["Actual Loops"] : 0)
}

/** Our tables of a statement but for the companies, which are few, by the names that its plan has for them. */
const tableNames = (text: string): ReadonlySet<string> =>
  new Set(
    [
      ...text.matchAll(/\b(?:FROM|JOIN|UPDATE|INTO)\s+(crossdock_(?!companies)\w+)(?:\s+(?:AS\s+)?([a-z]\w*))?/g)
    ].flatMap(([, ...found]) => found.filter((one) => one !== undefined))
  )

/** A step of SQLite's plans that goes through a whole table. */
const scan = /^(?:SCAN (\w+)\b|SEARCH (\w+)$)/

/** The table of a step that goes through all of it, by its name in the statement. */
const scanned = (step: string): string | undefined => {
  const [, one, other] = scan.exec(step) ?? []
  return one ?? other
}

/** A step that has only the company, or a value beside it that many rows share. */
const searchOfCompany = /^SEARCH (\w+) .*\(company_id=\?(?: AND (?:location_id|location|order_status)=\?)?\)/

/**
 * The table that a step of SQLite's plan reads as a whole, or as far as it is one company's, by its name in the statement.
 */
export const readAsWhole = (step: string): string | undefined => scanned(step) ?? searchOfCompany.exec(step)?.[1]

/** A write that runs again finds what it wrote already, so it doesn't insist on the number of its rows. */
const uncounted = (text: string): string =>
  text.replace(/1 \/ (\(COUNT\(\*\) = \$\d+\))::integer AS complete/, (_, count: string) => count)

const explain = ({ parameters, text }: Query) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.onDialectOrElse({
      orElse: () =>
        Effect.map(sql.unsafe<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${text}`, parameters), (steps) => {
          const names = tableNames(text)
          const scans = steps.flatMap(({ detail }) => (names.has(scanned(detail) ?? "") ? [detail] : []))
          const ofCompany = steps.flatMap(({ detail }) =>
            names.has(searchOfCompany.exec(detail)?.[1] ?? "") ? [detail] : []
          )
          return { rows: 0, scans, ofCompany }
        }),
      pg: () =>
        Effect.map(
          sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Node }> }>(
            `EXPLAIN (ANALYZE, FORMAT JSON) ${uncounted(text)}`,
            parameters
          ),
          (found) => ({
            rows: found.flatMap((row) => row["QUERY PLAN"]).reduce((sum, { Plan }) => sum + rowsOf(Plan), 0),
            scans: [],
            ofCompany: []
          })
        )
    })
  })

/** Explains in a transaction that fails, since PostgreSQL runs what it explains. */
const undone = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const answer = yield* Effect.flip(sql.withTransaction(Effect.flatMap(Effect.orDie(effect), Effect.fail)))
    return answer as A
  })

/**
 * Notes all that runs on the runtime which this layer is part of.
 */
export const layer = Layer.unwrap(
  Effect.map(Ref.make<ReadonlyArray<Query>>([]), (queries) => {
    const noted = Layer.succeed(Statement.CurrentTransformer, (statement) => {
      const [text, parameters] = statement.compile()
      return Effect.as(
        Ref.update(queries, (before) => [...before, { text, parameters }]),
        statement
      )
    })
    const service = Layer.effect(
      RowsRead,
      Effect.map(SqlClient.SqlClient, (sql) =>
        RowsRead.of({
          of: (effect) =>
            Effect.gen(function* () {
              yield* Ref.set(queries, [])
              yield* effect
              const ran = yield* Ref.get(queries)
              const found = yield* Effect.orDie(undone(Effect.forEach(ran, explain))).pipe(
                Effect.provideService(SqlClient.SqlClient, sql)
              )
              return {
                rows: found.reduce((sum, { rows }) => sum + rows, 0),
                scans: found.flatMap(({ scans }) => scans),
                ofCompany: found.flatMap(({ ofCompany }) => ofCompany),
                statements: ran.map(({ text }) => text.replaceAll(/\s+/g, " ").trim())
              }
            })
        })
      )
    )
    // What comes once a second would be counted at random.
    return Layer.mergeAll(noted, service, Layer.succeed(MigrationCheck, Duration.infinity))
  })
)
