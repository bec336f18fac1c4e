import { Transaction } from "@crossdock/kernel"
import { StorageSql } from "@crossdock/storage-sql"
import { layer } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { type Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
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
