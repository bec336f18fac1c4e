/** Checks that a database has the migrations and the schema of this release. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Hash from "effect/Hash"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Distribution from "./Distribution.ts"
import { UnusableSchema } from "./UnusableDatabase.ts"

/** One object of the database. `owner` is the table or view that contains the object. For a function, `owner` is empty. */
export interface Fact {
  readonly owner: string
  readonly name: string
  readonly detail: string
}

type IsOurs = (column: string) => Fragment

const ofSqlite = (sql: SqlClient, isOurs: IsOurs) => sql<Fact>`
  SELECT m.name AS owner, 'column ' || m.name || '.' || c.name AS name,
    c.type || CASE c."notnull" WHEN 1 THEN ' NOT NULL' ELSE '' END
      || CASE WHEN c.dflt_value IS NULL THEN '' ELSE ' DEFAULT ' || c.dflt_value END AS detail
  FROM sqlite_schema m, pragma_table_xinfo(m.name) c WHERE m.type = 'table' AND ${isOurs("m.name")}
  UNION ALL
  SELECT m.tbl_name, m.type || ' ' || m.name, m.sql
  FROM sqlite_schema m WHERE ${isOurs("m.tbl_name")} AND m.sql IS NOT NULL`

/** The objects of a PostgreSQL database. Views are compared by columns, because their texts differ between versions. */
const ofPostgres = (sql: SqlClient, isOurs: IsOurs) => sql<Fact>`
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

/** Removes differences that don't matter, such as the quotes that SQLite adds to the name of a renamed object. */
const plain = (detail: string): string =>
  detail
    .replace(/\s+/g, " ")
    .replace(/"(crossdock_\w+)"/g, "$1")
    .trim()

const ours = "crossdock_"

/** The prefix of names in a draft of the schema, as long as ours, because PostgreSQL shortens long generated names. */
const draft = "crossplan_"

const readNamed = (prefix: string): Effect.Effect<ReadonlyArray<Fact>, SqlError, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const isOurs: IsOurs = (column) =>
      sql.literal(`substr(${column}, 1, ${prefix.length}) = '${prefix}' AND ${column} <> '${prefix}migrations'`)
    const found = yield* sql.onDialectOrElse({ orElse: () => ofSqlite(sql, isOurs), pg: () => ofPostgres(sql, isOurs) })
    const named = (text: string) => text.replaceAll(prefix, ours)
    return found
      .map(({ detail, name, owner }) => ({ owner: named(owner), name: named(name), detail: plain(named(detail)) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  })

/** The objects of the database, sorted by name. Their texts have uniform white space and quotes. */
export const read = readNamed(ours)

class Drafted extends Data.TaggedError("Drafted")<{ readonly facts: ReadonlyArray<Fact> }> {}

/** The objects that the statements would make. They are made under draft names, in a transaction that is rolled back. */
export const drafted = (statements: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    for (const statement of statements) yield* sql.unsafe(statement.replaceAll(ours, draft))
    return yield* new Drafted({ facts: yield* readNamed(draft) })
  }).pipe(
    (work) => Effect.flatMap(SqlClient, (sql) => sql.withTransaction(work)),
    Effect.catchTag("Drafted", ({ facts }) => Effect.succeed(facts))
  )

/** The applied migrations, sorted by number. The list is empty if the database has no table of migrations. */
export const applied = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [table] = yield* sql.onDialectOrElse({
    orElse: () => sql`SELECT 1 AS one FROM sqlite_schema WHERE name = 'crossdock_migrations'`,
    pg: () => sql`SELECT 1 AS one WHERE to_regclass('crossdock_migrations') IS NOT NULL`
  })
  if (table === undefined) return []
  return yield* sql<{ migration_id: number; name: string }>`
    SELECT migration_id, name FROM crossdock_migrations ORDER BY migration_id`
})

/** Fails if the database has a migration that `migrations` lacks, or if a migration before its last one is missing. */
export const ledger = (migrations: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const known = migrations.map((key) => {
      const [id = "", ...name] = key.split("_")
      return `${Number(id)}_${name.join("_")}`
    })
    const found = (yield* applied).map(({ migration_id, name }) => `${migration_id}_${name}`)
    const unknown = found.find((one) => !known.includes(one))
    if (unknown !== undefined) {
      const message = `The database was written by a later release (migration ${unknown} is unknown): start that release, or restore a backup`
      return yield* new UnusableSchema({ message })
    }
    const lacking = known.slice(0, known.indexOf(found.at(-1) ?? "") + 1).find((one) => !found.includes(one))
    if (lacking === undefined) return
    const message = `The database's list of migrations was changed by hand (${lacking} is missing, later ones are there): restore a backup`
    return yield* new UnusableSchema({ message })
  })

const isColumn = ({ name }: Fact): boolean => name.startsWith("column ")

/** Whether an added object can stay. Only an index that isn't unique can, because it rejects no write. */
const isHarmless = ({ detail, name }: Fact): boolean => name.startsWith("index ") && !/^CREATE UNIQUE /i.test(detail)

const added = (expected: ReadonlyArray<Fact>, actual: ReadonlyArray<Fact>): ReadonlyArray<Fact> => {
  const names = new Set(expected.map(({ name }) => name))
  const owners = new Set(expected.map(({ owner }) => owner))
  return actual.filter(({ name, owner }) => owner !== "" && owners.has(owner) && !names.has(name))
}

/** Describes the differences, columns first. A missing table is listed without its columns and indexes. */
const differences = (expected: ReadonlyArray<Fact>, actual: ReadonlyArray<Fact>): ReadonlyArray<string> => {
  const found = new Map(actual.map((fact) => [fact.name, fact.detail]))
  const owners = new Set(actual.map(({ owner }) => owner))
  const judge = (fact: Fact): ReadonlyArray<string> => {
    const { detail, name, owner } = fact
    if (owner !== "" && !owners.has(owner)) return /^(table|view) /.test(name) ? [`${name} is missing`] : []
    const is = found.get(name)
    if (is === undefined) return [`${name} is missing`]
    if (is === detail) return []
    return [isColumn(fact) ? `${name} is ${is} instead of ${detail}` : `${name} is different`]
  }
  const more = added(expected, actual).filter((fact) => !isHarmless(fact))
  const add = ({ name }: Fact) => `${name} was added`
  return [
    ...expected.filter(isColumn).flatMap(judge),
    ...more.filter(isColumn).map(add),
    ...expected.filter((fact) => !isColumn(fact)).flatMap(judge),
    ...more.filter((fact) => !isColumn(fact)).map(add)
  ]
}

/** The hashes of the expected schema, which a test prints. A database with another hash is compared with a draft. */
export const hashes = { sqlite: -944157983, postgres: -310616257, distributed: 872181983 }

export const hashOf = (facts: ReadonlyArray<Fact>): number =>
  Hash.string(facts.map(({ detail, name, owner }) => [owner, name, detail].join("\n")).join("\n"))

/** Fails unless the schema is the result of all migrations. An added index that isn't unique only causes a warning. */
export const schema = (statements: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const isDistributed = yield* Distribution.isDistributed(sql)
    const ofPostgres = isDistributed ? hashes.distributed : hashes.postgres
    const known = sql.onDialectOrElse({ orElse: () => hashes.sqlite, pg: () => ofPostgres })
    const actual = yield* read
    if (hashOf(actual) === known) return
    const expected = yield* drafted([...statements, ...(isDistributed ? Distribution.keys : [])])
    const found = differences(expected, actual)
    if (found.length > 0) {
      const message = `The database's schema was changed by hand (${found.slice(0, 3).join("; ")}): undo the change, or restore a backup`
      return yield* new UnusableSchema({ message })
    }
    for (const { name, owner } of added(expected, actual))
      yield* Effect.logWarning(`The database has the ${name} of ${owner}, which no migration made`)
  })
