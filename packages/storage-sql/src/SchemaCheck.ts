/**
 * Whether a database is one that this release can use: it has our migrations and no others, and the schema that they make.
 */
import * as Effect from "effect/Effect"
import * as Hash from "effect/Hash"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as SchemaFacts from "./SchemaFacts.ts"
import { UnusableSchema } from "./UnusableSchema.ts"

type Fact = SchemaFacts.Fact

/** The migrations that the database has, by number. None when it has no table of ours. */
export const applied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql.onDialectOrElse({
    orElse: () => sql`SELECT 1 AS one FROM sqlite_schema WHERE name = 'crossdock_migrations'`,
    pg: () => sql`SELECT 1 AS one WHERE to_regclass('crossdock_migrations') IS NOT NULL`
  })
  if (table === undefined) return []
  return yield* sql<{ migration_id: number; name: string }>`
    SELECT migration_id, name FROM crossdock_migrations ORDER BY migration_id`
})

/** Fails when the database has a migration that is not one of `migrations`, or lacks one before its last. */
export const ledger = (
  migrations: ReadonlyArray<string>
): Effect.Effect<void, SqlError | UnusableSchema, SqlClient.SqlClient> =>
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

/** An index that can make reads faster and writes slower, and changes no answer. A unique one would reject writes. */
const isHarmless = ({ detail, name }: Fact): boolean => name.startsWith("index ") && !/^CREATE UNIQUE /i.test(detail)

/** What `actual` has more than `expected`, of the same tables. */
const added = (expected: ReadonlyArray<Fact>, actual: ReadonlyArray<Fact>): ReadonlyArray<Fact> => {
  const names = new Set(expected.map(({ name }) => name))
  const owners = new Set(expected.map(({ owner }) => owner))
  return actual.filter(({ name, owner }) => owner !== "" && owners.has(owner) && !names.has(name))
}

/**
 * What differs, in words. Columns come first: what differs in one says more than that its table differs. Of a missing table
 * only the table is named.
 */
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

/**
 * The hash of the schema that all migrations make, by which a start knows it without making it again. A test compares them
 * with fresh databases and says what to write here after a migration was added. On a PostgreSQL that words its schema
 * differently, a start compares with a draft.
 */
export const hashes = { sqlite: -520252454, postgres: -76773811 }

export const hashOf = (facts: ReadonlyArray<Fact>): number =>
  Hash.string(facts.map(({ detail, name, owner }) => [owner, name, detail].join("\n")).join("\n"))

/**
 * Fails when the schema is not what the statements of all migrations make, and logs a warning for each index that somebody
 * added, unless it is a unique one.
 */
export const schema = (
  statements: ReadonlyArray<string>
): Effect.Effect<void, SqlError | UnusableSchema, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const actual = yield* SchemaFacts.read
    if (hashOf(actual) === sql.onDialectOrElse({ orElse: () => hashes.sqlite, pg: () => hashes.postgres })) return
    const expected = yield* SchemaFacts.drafted(statements)
    const found = differences(expected, actual)
    if (found.length > 0) {
      const message = `The database's schema was changed by hand (${found.slice(0, 3).join("; ")}): undo the change, or restore a backup`
      return yield* new UnusableSchema({ message })
    }
    for (const { name, owner } of added(expected, actual)) {
      yield* Effect.logWarning(`The database has the ${name} of ${owner}, which no migration made`)
    }
  })
