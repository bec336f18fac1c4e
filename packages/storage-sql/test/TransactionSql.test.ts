import { Transaction } from "@crossdock/kernel"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { StorageSql } from "@crossdock/storage-sql"
import * as NodePostgres from "@crossdock/storage-sql/NodePostgres"
import { layer } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Cause, type Context, Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import pg from "pg"
import { inject } from "vitest"
import { postgres, sqliteFile } from "./Databases.ts"

/**
 * A row whose reference is looked at when the transaction commits, and refers to nothing.
 */
const tables = [
  `CREATE TABLE test_parents (id BIGINT PRIMARY KEY)`,
  `CREATE TABLE test_children (parent BIGINT REFERENCES test_parents (id) DEFERRABLE INITIALLY DEFERRED)`
]

const prepared = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.onDialectOrElse({ orElse: () => sql`PRAGMA foreign_keys = ON`, pg: () => Effect.void })
    yield* Effect.forEach(tables, (table) => sql.unsafe(table))
  })
)

/** Statements of an application that begin with a word that ends or divides its transaction, several at once, and others. */
const statements = {
  both: {
    rejected: [
      "COMMIT",
      "commit;",
      "\n\t;ROLLBACK",
      " -- done\n rollback",
      "/* x */ SAVEPOINT mine",
      "RELEASE mine",
      "BEGIN",
      "END",
      "START TRANSACTION",
      "ABORT",
      "PREPARE TRANSACTION 'x'"
    ],
    several: [
      "SELECT 1; END",
      "SELECT 'it''s'; COMMIT",
      `SELECT 1 AS "a;b"; COMMIT`,
      "SELECT '--'; COMMIT",
      "SELECT '/*'; COMMIT; SELECT '*/'"
    ],
    accepted: [
      "SELECT '; COMMIT' AS a, 'it''s; END' AS b",
      `SELECT 1 AS "; COMMIT", 2 AS "a""; END"`,
      "SELECT 1 -- ; END",
      "SELECT 1 /* ; END */",
      "SELECT CASE WHEN true THEN 1 ELSE 2\nEND",
      "SELECT 1 AS commits"
    ]
  },
  sqlite: {
    rejected: ["/* /* */ COMMIT", "--\r-\nCOMMIT", "-- x\rSELECT 1\nROLLBACK"],
    several: [
      "CREATE TRIGGER a AFTER INSERT ON test_parents BEGIN SELECT 1; END; COMMIT",
      "CREATE TABLE begins (id); END",
      "INSERT OR ROLLBACK INTO test_parents (id) VALUES (900)",
      "SELECT $a$; COMMIT; SELECT $a$",
      "SELECT 1 /* /* */; COMMIT"
    ],
    accepted: [
      `CREATE TRIGGER test_added AFTER INSERT ON test_parents WHEN new.id > 10000
       BEGIN
         UPDATE test_parents SET id = CASE WHEN id > 200 THEN 200 ELSE id END;
         DELETE FROM test_children;
       END;`,
      "CREATE TEMP TRIGGER test_temporary AFTER INSERT ON main.test_parents BEGIN SELECT 1; END",
      "SELECT 1 AS [; COMMIT], 2 AS `; END`"
    ]
  },
  pg: {
    rejected: ["-- x\rCOMMIT", "/* /* */ x */ COMMIT", "/* /* */ ' */ COMMIT --'"],
    several: [
      String.raw`SELECT E'\\'; COMMIT`,
      String.raw`SELECT '\'; COMMIT`,
      String.raw`SELECT date'\'; COMMIT --'`,
      "SELECT $$x$$; COMMIT; SELECT $$y$$",
      "SELECT $a$ $A$ ' $a$; COMMIT --'",
      "SELECT 1; /* /* */ -- */ COMMIT",
      "SELECT 1; /* /* */ $$ */ COMMIT /* $$ */",
      "SELECT E'a'\n'\\'' ; COMMIT --'",
      "CREATE FUNCTION a() RETURNS int BEGIN ATOMIC SELECT 1; END; COMMIT",
      "DO $$ BEGIN COMMIT; END $$"
    ],
    accepted: [
      "DO $$ BEGIN PERFORM 1; END $$",
      "DO $body$ BEGIN PERFORM '$$'; END; $body$",
      `CREATE FUNCTION test_one() RETURNS trigger LANGUAGE plpgsql AS $é1$
       BEGIN
         RETURN new;
       END;
       $é1$`,
      "CREATE OR REPLACE FUNCTION test_two() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 2 END; END",
      String.raw`SELECT E'\'; COMMIT', e'''; END'`,
      "SELECT CASE WHEN true THEN 1 /* a /* b */ c */ END",
      "SELECT U&'; COMMIT'",
      "SELECT ARRAY['a]; COMMIT']"
    ]
  }
}

const suite = (name: string, database: typeof sqliteFile) =>
  layer(Layer.provideMerge(Layer.merge(StorageSql.layer, Layer.orDie(prepared)), database), {
    timeout: "2 minutes",
    excludeTestServices: true
  })(name, (it) => {
    const countRows = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ n: number }>`SELECT COUNT(*) AS n FROM test_children`
    )

    it.effect("a commit that fails is a StorageError, leaves nothing, and the next transaction works", () =>
      Effect.gen(function* () {
        const [sql, transaction] = [yield* SqlClient.SqlClient, yield* Transaction.Transaction]
        const attempt = transaction.run(sql`INSERT INTO test_children (parent) VALUES (404)`)
        for (const _ of [1, 2, 3]) {
          const error = yield* Effect.flip(attempt)
          deepStrictEqual([error._tag, "operation" in error && error.operation], ["StorageError", "transaction"])
        }
        deepStrictEqual(yield* countRows, [{ n: 0 }])
        strictEqual(yield* transaction.run(Effect.as(sql`SELECT 1 AS one`, "works")), "works")
      })
    )

    it.effect("a statement that fails in an inner transaction does not poison the outer", () =>
      Effect.gen(function* () {
        const [sql, transaction] = [yield* SqlClient.SqlClient, yield* Transaction.Transaction]
        const broken = sql.unsafe("INSERT INTO test_parents (id) VALUES (1), (1)")
        yield* transaction.run(
          Effect.gen(function* () {
            yield* sql`INSERT INTO test_parents (id) VALUES (7)`
            const error = yield* Effect.flip(transaction.run(broken))
            strictEqual(error._tag, "StorageError")
            yield* sql`INSERT INTO test_children (parent) VALUES (7)`
          })
        )
        deepStrictEqual(yield* sql`SELECT id FROM test_parents`, [{ id: 7 }])
        deepStrictEqual(yield* countRows, [{ n: 1 }])
      })
    )

    const statement = (text: string) =>
      Effect.flatMap(Transaction.Transaction, (transaction) => transaction.statement?.(text, []) ?? Effect.void)

    const ofDatabase = Effect.map(SqlClient.SqlClient, (sql) =>
      sql.onDialectOrElse({ orElse: () => statements.sqlite, pg: () => statements.pg })
    )

    it.effect("an application's statement can't begin, end or divide it by its first word", () =>
      Effect.gen(function* () {
        const { accepted, rejected } = yield* ofDatabase
        const { run } = yield* Transaction.Transaction
        const outcomeOf = (text: string) =>
          run(statement(text)).pipe(
            Effect.as("accepted"),
            Effect.catchCause((cause) => Effect.succeed(Cause.pretty(cause).split("\n")[0])),
            Effect.map((outcome) => [text, outcome])
          )
        const rejection = "Error: sql can't begin, end or divide a transaction: ours commits or rolls back as a whole"
        for (const [texts, outcome] of [
          [[...statements.both.rejected, ...rejected], rejection],
          [[...statements.both.accepted, ...accepted], "accepted"]
        ] as const) {
          deepStrictEqual(
            yield* Effect.forEach(texts, outcomeOf),
            texts.map((text) => [text, outcome])
          )
        }
      })
    )

    it.effect("several statements of an application at once leave nothing of a unit that fails", () =>
      Effect.gen(function* () {
        const { several } = yield* ofDatabase
        const sql = yield* SqlClient.SqlClient
        const { run } = yield* Transaction.Transaction
        for (const text of [...statements.both.several, ...several]) {
          yield* Effect.gen(function* () {
            yield* sql`INSERT INTO test_parents (id) VALUES (900)`
            yield* Effect.ignoreCause(statement(text))
            yield* sql`INSERT INTO test_parents (id) VALUES (901)`
            return yield* Effect.fail("the unit fails")
          }).pipe(run, Effect.ignoreCause)
          deepStrictEqual([text, yield* sql`SELECT id FROM test_parents WHERE id >= 900`], [text, []])
        }
      })
    )
  })

layer(Layer.provideMerge(StorageSql.layer, postgres()), { timeout: "2 minutes", excludeTestServices: true })(
  "A host that dies on PostgreSQL",
  (it) => {
    const patience = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ idle_in_transaction_session_timeout: string }>`SHOW idle_in_transaction_session_timeout`
    ).pipe(Effect.map(([row]) => row?.idle_in_transaction_session_timeout))

    it.effect("releases what its transaction locked within 10 s, even when nobody sees its connection end", () =>
      Effect.gen(function* () {
        const transaction = yield* Transaction.Transaction
        strictEqual(yield* transaction.run(patience), "8s")
      })
    )

    it.effect("and at once when its connection ends", () =>
      Effect.gen(function* () {
        const [sql, transaction] = [yield* SqlClient.SqlClient, yield* Transaction.Transaction]
        yield* sql`CREATE TABLE test_locked (id BIGINT PRIMARY KEY)`
        yield* sql`INSERT INTO test_locked (id) VALUES (1)`
        const locked = sql<{ id: number }>`SELECT id FROM test_locked FOR UPDATE SKIP LOCKED`
        // What another host would see.
        const context = yield* Effect.context<never>()
        const outside = <A, E>(effect: Effect.Effect<A, E>) =>
          Effect.updateContext(effect, (_: Context.Context<never>) => context)
        const dead = transaction.run(
          Effect.gen(function* () {
            yield* locked
            const [own] = yield* sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
            const others = outside(locked)
            deepStrictEqual(yield* others, [])
            yield* outside(sql`SELECT pg_terminate_backend(${own?.pid ?? 0}, 5000)`)
            deepStrictEqual(yield* others, [{ id: 1 }])
            return yield* locked
          })
        )
        strictEqual((yield* Effect.flip(dead))._tag, "StorageError")
      })
    )
  }
)

suite("Transactions on SQLite", sqliteFile)
suite("Transactions on PostgreSQL", postgres())
suite(
  "Transactions on an application's pool",
  Layer.unwrap(
    Effect.gen(function* () {
      const connectionString = Redacted.value(yield* PostgresDatabase.make(inject("postgres")))
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => new pg.Pool({ connectionString, max: 4 }).on("error", () => {})),
        (pool) => Effect.promise(() => pool.end())
      )
      return NodePostgres.fromPool(pool)
    })
  )
)
