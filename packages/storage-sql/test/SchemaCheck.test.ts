import { Distribution, StorageSql, UnusableSchema } from "@crossdock/storage-sql"
import * as Migrations from "@crossdock/storage-sql/Migrations"
import { describe, it } from "@effect/vitest"
import { assertInstanceOf, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Logger } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as SchemaCheck from "../src/SchemaCheck.ts"
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
    hash: SchemaCheck.hashes.sqlite,
    changedType: [
      `ALTER TABLE crossdock_plans RENAME TO old`,
      `CREATE TABLE crossdock_plans (id TEXT PRIMARY KEY, body BLOB NOT NULL)`
    ],
    typeMessage:
      "column crossdock_plans.body is BLOB NOT NULL instead of TEXT NOT NULL; table crossdock_plans is different",
    columnDropped: "column crossdock_sizes.position is missing; table crossdock_sizes is different",
    columnAdded: "column crossdock_sizes.colour was added; table crossdock_sizes is different",
    dropTrigger: `DROP TRIGGER crossdock_levels_begin`,
    migrateLater: [
      `CREATE TRIGGER later AFTER INSERT ON crossdock_migrations WHEN NEW.migration_id = 1
        BEGIN INSERT INTO crossdock_migrations (migration_id, name) VALUES (99, 'later'); END`
    ],
    addTrigger: [
      `CREATE TRIGGER drop_records BEFORE INSERT ON crossdock_audit_records BEGIN SELECT RAISE(IGNORE); END`
    ],
    otherTable: `CREATE TABLE crossdock_of_the_host (id INTEGER PRIMARY KEY, name TEXT UNIQUE)`
  },
  {
    engine: "PostgreSQL",
    database: postgres({ isEmpty: true }),
    hash: SchemaCheck.hashes.postgres,
    changedType: [`ALTER TABLE crossdock_plans ALTER COLUMN body TYPE varchar(100) COLLATE "C"`],
    typeMessage: `column crossdock_plans.body is character varying(100) COLLATE C NOT NULL instead of text COLLATE C NOT NULL`,
    columnDropped: "column crossdock_sizes.position is missing",
    columnAdded: "column crossdock_sizes.colour was added",
    dropTrigger: `DROP TRIGGER crossdock_levels_begin ON crossdock_levels`,
    migrateLater: [
      `CREATE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO crossdock_migrations (migration_id, name) VALUES (99, 'later'); RETURN NULL; END $$`,
      `CREATE TRIGGER later AFTER INSERT ON crossdock_migrations
        FOR EACH ROW WHEN (NEW.migration_id = 1) EXECUTE FUNCTION later()`
    ],
    addTrigger: [
      `CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
      `CREATE TRIGGER drop_records BEFORE INSERT ON crossdock_audit_records FOR EACH ROW EXECUTE FUNCTION nothing()`
    ],
    otherTable: `CREATE TABLE crossdock_of_the_host (id integer PRIMARY KEY, name text UNIQUE)`
  }
]

describe("the schema of distributed tables", () => {
  it.effect("is that of all migrations with other keys: a start knows it by its hash", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const statements = Object.values(Migrations.statements).flatMap((of) => of(sql))
      const facts = yield* SchemaCheck.drafted([...statements, ...Distribution.keys])
      strictEqual(SchemaCheck.hashOf(facts), SchemaCheck.hashes.distributed)
    }).pipe(Effect.provide(postgres({ isEmpty: true })))
  )
})

for (const one of engines) {
  describe(`the schema at the start of a storage on ${one.engine}`, () => {
    const fresh = (test: Effect.Effect<void, unknown, SqlClient.SqlClient>) => () =>
      Effect.provide(test, Layer.fresh(one.database))

    it.effect(
      "is the one that the migrations make of an empty database: a start knows it by its hash",
      fresh(
        Effect.gen(function* () {
          yield* Migrations.run
          strictEqual(SchemaCheck.hashOf(yield* SchemaCheck.read), one.hash)
        })
      )
    )

    it.effect(
      "is drafted beside a database, of which nothing stays",
      fresh(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* Migrations.run
          const facts = yield* SchemaCheck.read
          const statements = Object.values(Migrations.statements).flatMap((of) => of(sql))
          deepStrictEqual(yield* SchemaCheck.drafted(statements), facts)
          deepStrictEqual(yield* SchemaCheck.drafted(statements), facts)
          deepStrictEqual(yield* SchemaCheck.read, facts)
        })
      )
    )

    it.effect(
      "a database that a later release wrote is rejected, before anything is done to it",
      fresh(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const last = Math.max(...Object.keys(Migrations.migrations).map((name) => Number.parseInt(name, 10)))
          const later = `The database was written by a later release (migration ${last + 1}_x is unknown): start that release, or restore a backup`
          strictEqual(
            yield* failureAfter([`INSERT INTO crossdock_migrations (migration_id, name) VALUES (${last + 1}, 'x')`]),
            later
          )
          yield* sql`DELETE FROM crossdock_migrations WHERE migration_id BETWEEN 3 AND ${last}`
          strictEqual(yield* failure, later)
          strictEqual((yield* sql`SELECT 1 AS one FROM crossdock_migrations`).length, 3)
        })
      )
    )

    it.effect(
      "a database that a later release migrates at the same time is rejected",
      fresh(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`CREATE TABLE crossdock_migrations (
            migration_id INTEGER PRIMARY KEY, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, name VARCHAR(255) NOT NULL)`
          for (const statement of one.migrateLater) yield* sql.unsafe(statement)
          strictEqual(
            yield* failure,
            `The database was written by a later release (migration 99_later is unknown): start that release, or restore a backup`
          )
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
      ["without a table", [`DROP TABLE crossdock_invoices`], "table crossdock_invoices is missing"],
      [
        "with another unique index, which would reject writes",
        [`CREATE UNIQUE INDEX one_name ON crossdock_sizes (company_id, name)`],
        "index one_name was added"
      ],
      ["with another trigger", one.addTrigger, "trigger drop_records was added"]
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
          const atOnce = Effect.all([failure, failure, failure], { concurrency: 3 })
          deepStrictEqual(yield* Effect.provide(atOnce, Logger.layer([])), [undefined, undefined, undefined])
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
    }).pipe(Effect.provide(Layer.fresh(postgres({ isEmpty: true }))))
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
      "a trigger that runs on replicas alone",
      [`ALTER TABLE crossdock_levels ENABLE REPLICA TRIGGER crossdock_levels_begin`],
      "trigger crossdock_levels_begin is different"
    ],
    [
      "a rule that drops audit records",
      [`CREATE RULE forget AS ON INSERT TO crossdock_audit_records DO INSTEAD NOTHING`],
      "rule forget was added"
    ],
    [
      "row security",
      [`ALTER TABLE crossdock_audit_records ENABLE ROW LEVEL SECURITY`],
      "table crossdock_audit_records is different"
    ],
    ["a policy", [`CREATE POLICY own ON crossdock_audit_records USING (company_id = 1)`], "policy own was added"],
    [
      "a table whose rows are read with those of ours",
      [`CREATE TABLE more_prices () INHERITS (crossdock_prices)`],
      "child table more_prices was added"
    ],
    [
      "a table that is a part of another one",
      [
        `CREATE TABLE whole (slug text COLLATE "C" NOT NULL, body text COLLATE "C" NOT NULL)`,
        `ALTER TABLE crossdock_marketplaces INHERIT whole`
      ],
      "parent table whole was added"
    ],
    [
      "a check that was never applied to the rows",
      [
        `ALTER TABLE crossdock_levels DROP CONSTRAINT crossdock_levels_check`,
        `ALTER TABLE crossdock_levels ADD CONSTRAINT crossdock_levels_check
          CHECK (on_hand >= 0 AND reserved >= 0 AND unsellable >= 0) NOT VALID`
      ],
      "constraint crossdock_levels.crossdock_levels_check is different"
    ],
    [
      "a check that was added",
      [`ALTER TABLE crossdock_levels ADD CONSTRAINT few CHECK (on_hand < 10) NOT VALID`],
      "constraint crossdock_levels.few was added"
    ],
    [
      "a key that is checked later",
      [
        `ALTER TABLE crossdock_sizes DROP CONSTRAINT crossdock_sizes_sku`,
        `ALTER TABLE crossdock_sizes ADD CONSTRAINT crossdock_sizes_sku UNIQUE (company_id, sku_digest) DEFERRABLE`
      ],
      "index crossdock_sizes_sku is different"
    ],
    [
      "a digest that is no longer generated",
      [`ALTER TABLE crossdock_sizes ALTER COLUMN sku_digest DROP EXPRESSION`],
      `column crossdock_sizes.sku_digest is bytea instead of bytea GENERATED sha256(decode(replace(sku, '\\'::text, '\\\\'::text), 'escape'::text))`
    ],
    [
      "a view of less",
      [
        `CREATE OR REPLACE VIEW crossdock_movement_lines AS
          SELECT c.company_id, c.number, c.location_id, c.size_id, c.on_hand, c.reserved, c.unsellable,
            'checkpoint'::text AS reason, NULL::text AS reference FROM crossdock_checkpoints c`
      ],
      "view crossdock_movement_lines is different"
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
      }).pipe(Effect.provide(Layer.fresh(postgres({ isEmpty: true }))))
    )
  }
})
