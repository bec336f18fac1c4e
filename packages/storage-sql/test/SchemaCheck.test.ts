import { StorageSql, UnusableSchema } from "@crossdock/storage-sql"
import * as Migrations from "@crossdock/storage-sql/Migrations"
import { describe, it } from "@effect/vitest"
import { assertInstanceOf, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Logger } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as ExpectedSchema from "../src/ExpectedSchema.ts"
import { postgres, sqliteFile } from "./Databases.ts"

/** What the start of a storage fails with; undefined when it starts. */
const failure = Effect.match(Effect.scoped(Layer.build(Layer.fresh(StorageSql.layer))), {
  onSuccess: () => undefined,
  onFailure: (error) => {
    assertInstanceOf(error, UnusableSchema)
    return error.message
  }
})

/** The same, of a database to which these statements were done after it was brought up to date. */
const failureAfter = (statements: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    strictEqual(yield* failure, undefined)
    const sql = yield* SqlClient.SqlClient
    for (const statement of statements) yield* sql.unsafe(statement)
    return yield* failure
  })

const changed = (what: string) =>
  `The database's schema was changed by hand (${what}): undo the change, or restore a backup`

const engines = [
  {
    engine: "SQLite",
    database: sqliteFile,
    expected: ExpectedSchema.sqlite,
    changedType: [
      `ALTER TABLE crossdock_plans RENAME TO old`,
      `CREATE TABLE crossdock_plans (id TEXT PRIMARY KEY, body BLOB NOT NULL)`
    ],
    typeMessage:
      "column crossdock_plans.body is BLOB NOT NULL instead of TEXT NOT NULL; table crossdock_plans is different",
    columnDropped: "column crossdock_sizes.position is missing; table crossdock_sizes is different",
    columnAdded: "column crossdock_sizes.colour was added; table crossdock_sizes is different",
    dropTrigger: `DROP TRIGGER crossdock_levels_begin`,
    otherTable: `CREATE TABLE crossdock_of_the_host (id INTEGER PRIMARY KEY, name TEXT UNIQUE)`
  },
  {
    engine: "PostgreSQL",
    database: postgres(),
    expected: ExpectedSchema.postgres,
    changedType: [`ALTER TABLE crossdock_plans ALTER COLUMN body TYPE varchar(100) COLLATE "C"`],
    typeMessage: `column crossdock_plans.body is character varying(100) COLLATE C NOT NULL instead of text COLLATE C NOT NULL`,
    columnDropped: "column crossdock_sizes.position is missing",
    columnAdded: "column crossdock_sizes.colour was added",
    dropTrigger: `DROP TRIGGER crossdock_levels_begin ON crossdock_levels`,
    otherTable: `CREATE TABLE crossdock_of_the_host (id integer PRIMARY KEY, name text UNIQUE)`
  }
]

for (const one of engines) {
  describe(`the schema at the start of a storage on ${one.engine}`, () => {
    const fresh = (test: Effect.Effect<void, unknown, SqlClient.SqlClient>) => () =>
      Effect.provide(test, Layer.fresh(one.database))

    it.effect(
      "is the one that the migrations make of an empty database, as it is written down",
      fresh(
        Effect.gen(function* () {
          yield* Migrations.run
          deepStrictEqual(yield* Migrations.facts, one.expected)
        })
      )
    )

    it.effect(
      "a database that a later release wrote is rejected, before anything is done to it",
      fresh(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const later = `The database was written by a later release (migration 9_x is unknown): start that release, or restore a backup`
          strictEqual(
            yield* failureAfter([`INSERT INTO crossdock_migrations (migration_id, name) VALUES (9, 'x')`]),
            later
          )
          yield* sql`DELETE FROM crossdock_migrations WHERE migration_id BETWEEN 3 AND 8`
          strictEqual(yield* failure, later)
          strictEqual((yield* sql`SELECT 1 AS one FROM crossdock_migrations`).length, 3)
        })
      )
    )

    it.effect(
      "a database whose list of migrations has a gap is rejected",
      fresh(
        Effect.gen(function* () {
          strictEqual(
            yield* failureAfter([`DELETE FROM crossdock_migrations WHERE migration_id = 2`]),
            `The database's list of migrations was changed by hand (2_modified_invoices is missing, later ones are there): restore a backup`
          )
        })
      )
    )

    for (const [what, statements, message] of [
      ["without a column", [`ALTER TABLE crossdock_sizes DROP COLUMN position`], one.columnDropped],
      ["with another column", [`ALTER TABLE crossdock_sizes ADD COLUMN colour INTEGER`], one.columnAdded],
      ["with another type of a column", one.changedType, one.typeMessage],
      [
        "without an index",
        [`DROP INDEX crossdock_shipments_everywhere`],
        "index crossdock_shipments_everywhere is missing"
      ],
      ["without a trigger", [one.dropTrigger], "trigger crossdock_levels_begin is missing"],
      ["without a table", [`DROP TABLE crossdock_invoices`], "table crossdock_invoices is missing"]
    ] as const) {
      it.effect(
        `a database ${what} is rejected, with the difference by name`,
        fresh(
          Effect.gen(function* () {
            strictEqual(yield* failureAfter(statements), changed(message))
          })
        )
      )
    }

    it.effect(
      "a database with tables of the host and another index starts, with a warning about the index alone",
      fresh(
        Effect.gen(function* () {
          const warnings: Array<unknown> = []
          const logger = Logger.make(({ logLevel, message }) => {
            if (logLevel === "Warn") warnings.push(message)
          })
          const renamed = [
            "ALTER TABLE crossdock_movements RENAME TO elsewhere",
            "ALTER TABLE elsewhere RENAME TO crossdock_movements"
          ]
          const statements = [...renamed, one.otherTable, `CREATE INDEX by_name ON crossdock_sizes (company_id, name)`]
          strictEqual(yield* Effect.provide(failureAfter(statements), Logger.layer([logger])), undefined)
          deepStrictEqual(warnings.flat(), [
            "The database has the index by_name of crossdock_sizes, which no migration made"
          ])
        })
      )
    )
  })
}

describe("the schema at the start of a storage on PostgreSQL", () => {
  it.effect("is that of the tables which statements find, whatever other schemas have", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE SCHEMA other`
      yield* sql`CREATE TABLE other.crossdock_sizes (id integer PRIMARY KEY)`
      strictEqual(yield* failure, undefined)
      strictEqual(yield* failure, undefined)
    }).pipe(Effect.provide(Layer.fresh(postgres())))
  )

  for (const [what, statements, message] of [
    [
      "a check removed",
      [`ALTER TABLE crossdock_levels DROP CONSTRAINT crossdock_levels_check`],
      "constraint crossdock_levels.crossdock_levels_check is missing"
    ],
    [
      "a trigger that is switched off",
      [`ALTER TABLE crossdock_levels DISABLE TRIGGER crossdock_levels_begin`],
      "trigger crossdock_levels_begin is different"
    ],
    [
      "another function",
      [
        `CREATE OR REPLACE FUNCTION crossdock_count_moved() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`
      ],
      "function crossdock_count_moved is different"
    ]
  ] as const) {
    it.effect(`a database with ${what} is rejected`, () =>
      Effect.gen(function* () {
        strictEqual(yield* failureAfter(statements), changed(message))
      }).pipe(Effect.provide(Layer.fresh(postgres())))
    )
  }
})
