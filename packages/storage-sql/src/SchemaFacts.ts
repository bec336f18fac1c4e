/**
 * A schema as facts: one for each table, column, constraint, index, trigger, rule, policy, child table and function of ours.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"

/** What a database says of one thing. `owner` is its table or view, empty for a function. */
export interface Fact {
  readonly owner: string
  readonly name: string
  readonly detail: string
}

type IsOurs = (column: string) => Fragment

/** The text of a table has its constraints. */
const ofSqlite = (sql: SqlClient.SqlClient, isOurs: IsOurs) => sql<Fact>`
  SELECT m.name AS owner, 'column ' || m.name || '.' || c.name AS name,
    c.type || CASE c."notnull" WHEN 1 THEN ' NOT NULL' ELSE '' END
      || CASE WHEN c.dflt_value IS NULL THEN '' ELSE ' DEFAULT ' || c.dflt_value END AS detail
  FROM sqlite_schema m, pragma_table_xinfo(m.name) c WHERE m.type = 'table' AND ${isOurs("m.name")}
  UNION ALL
  SELECT m.tbl_name, m.type || ' ' || m.name, m.sql
  FROM sqlite_schema m WHERE ${isOurs("m.tbl_name")} AND m.sql IS NOT NULL`

/**
 * Of the tables that statements find without naming their schema. PostgreSQL's versions write a view's text differently, so
 * that only its columns and those that it reads are compared. What a unique constraint says, its index says.
 */
const ofPostgres = (sql: SqlClient.SqlClient, isOurs: IsOurs) => sql<Fact>`
  WITH own AS (
    SELECT c.oid, c.relname, c.relkind, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity FROM pg_class c
    WHERE c.relkind IN ('r', 'p', 'v') AND ${isOurs("c.relname")} AND pg_table_is_visible(c.oid))
  SELECT o.relname AS owner, CASE o.relkind WHEN 'v' THEN 'view ' ELSE 'table ' END || o.relname AS name,
    CASE o.relpersistence WHEN 'p' THEN 'permanent' ELSE 'not permanent' END
      || CASE o.relkind WHEN 'p' THEN ' PARTITIONED' ELSE '' END
      || CASE WHEN o.relrowsecurity OR o.relforcerowsecurity THEN ' ROW SECURITY' ELSE '' END
      || COALESCE((
        SELECT ' OF ' || string_agg(DISTINCT (d.refobjid::regclass || '.' || a.attname) COLLATE "C", ', ')
        FROM pg_rewrite w
        JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
          AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> o.oid
        JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid AND a.attnum > 0
        WHERE w.ev_class = o.oid AND w.rulename = '_RETURN'), '') AS detail
  FROM own o
  UNION ALL
  SELECT o.relname, 'column ' || o.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod)
    || CASE WHEN l.collname IS NULL OR o.relkind = 'v' THEN '' ELSE ' COLLATE ' || l.collname END
    || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
    || CASE a.attidentity WHEN '' THEN '' ELSE ' IDENTITY' END
    || COALESCE(CASE a.attgenerated WHEN '' THEN ' DEFAULT ' ELSE ' GENERATED ' END
      || pg_get_expr(d.adbin, d.adrelid), '')
  FROM own o
  JOIN pg_attribute a ON a.attrelid = o.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_collation l ON l.oid = a.attcollation
  LEFT JOIN pg_attrdef d ON d.adrelid = o.oid AND d.adnum = a.attnum
  UNION ALL
  SELECT o.relname, 'constraint ' || o.relname || '.' || c.conname, pg_get_constraintdef(c.oid, true)
  FROM own o JOIN pg_constraint c ON c.conrelid = o.oid AND c.contype IN ('c', 'f', 'x')
  UNION ALL
  SELECT o.relname, 'index ' || i.relname,
    pg_get_indexdef(i.oid, 0, true) || CASE WHEN x.indisvalid THEN '' ELSE ' INVALID' END
      || CASE WHEN x.indimmediate THEN '' ELSE ' DEFERRABLE' END
  FROM own o JOIN pg_index x ON x.indrelid = o.oid JOIN pg_class i ON i.oid = x.indexrelid
  UNION ALL
  SELECT o.relname, 'trigger ' || t.tgname,
    pg_get_triggerdef(t.oid, true) || CASE t.tgenabled WHEN 'O' THEN '' ELSE ' ENABLED ' || t.tgenabled::text END
  FROM own o JOIN pg_trigger t ON t.tgrelid = o.oid AND NOT t.tgisinternal
  UNION ALL
  SELECT o.relname, 'rule ' || r.rulename, pg_get_ruledef(r.oid, true)
  FROM own o JOIN pg_rewrite r ON r.ev_class = o.oid AND r.rulename <> '_RETURN'
  UNION ALL
  SELECT o.relname, 'policy ' || p.polname, COALESCE(pg_get_expr(p.polqual, p.polrelid), '')
  FROM own o JOIN pg_policy p ON p.polrelid = o.oid
  UNION ALL
  SELECT o.relname, 'child table ' || h.inhrelid::regclass::text, ''
  FROM own o JOIN pg_inherits h ON h.inhparent = o.oid
  UNION ALL
  SELECT o.relname, 'parent table ' || h.inhparent::regclass::text, ''
  FROM own o JOIN pg_inherits h ON h.inhrelid = o.oid
  UNION ALL
  SELECT '', 'function ' || p.proname, p.prosrc
  FROM pg_proc p WHERE ${isOurs("p.proname")} AND pg_function_is_visible(p.oid)`

/** SQLite quotes a name once it was changed, also after it was changed back. */
const plain = (detail: string): string =>
  detail
    .replace(/\s+/g, " ")
    .replace(/"(crossdock_\w+)"/g, "$1")
    .trim()

/** What our names begin with, in the database and in its facts. */
const ours = "crossdock_"

/** Names of a draft: as long as ours, since PostgreSQL shortens long names that it makes. */
const draft = "crossplan_"

const readNamed = (prefix: string): Effect.Effect<ReadonlyArray<Fact>, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const isOurs: IsOurs = (column) =>
      sql.literal(`substr(${column}, 1, ${prefix.length}) = '${prefix}' AND ${column} <> '${prefix}migrations'`)
    const found = yield* sql.onDialectOrElse({ orElse: () => ofSqlite(sql, isOurs), pg: () => ofPostgres(sql, isOurs) })
    const named = (text: string) => text.replaceAll(prefix, ours)
    return found
      .map(({ detail, name, owner }) => ({ owner: named(owner), name: named(name), detail: plain(named(detail)) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  })

/** The facts of the database, by name, without differences in white space and quotes. */
export const read = readNamed(ours)

/** Ends a draft with its facts, so that it is rolled back. */
class Drafted extends Data.TaggedError("Drafted")<{ readonly facts: ReadonlyArray<Fact> }> {}

/**
 * The facts of what the statements make of an empty database: they run on other names, in a transaction that is rolled back.
 */
export const drafted = (statements: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const statement of statements) yield* sql.unsafe(statement.replaceAll(ours, draft))
    return yield* new Drafted({ facts: yield* readNamed(draft) })
  }).pipe(
    (work) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(work)),
    Effect.catchTag("Drafted", ({ facts }) => Effect.succeed(facts))
  )
