import { StorageError } from "@crossdock/kernel"
import * as NodeSqlite from "@crossdock/storage-sql/NodeSqlite"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { named } from "../src/TransactionSql.ts"
import { postgres, sqliteFile } from "./Databases.ts"

const databases = [
  ["better-sqlite3", sqliteFile, "SELECT length(zeroblob(1000000001))", "SELECT nothing"],
  ["node:sqlite", NodeSqlite.layer(":memory:"), "SELECT length(zeroblob(1000000001))", "SELECT nothing"],
  ["PostgreSQL", postgres(), "SELECT length(repeat('x', 1073741824))", "SELECT nothing"]
] as const

describe("A value that is longer than the database takes", () => {
  for (const [name, database, tooLong, wrong] of databases) {
    it.effect(`fails as one on ${name}, which no other failure does`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const failures = yield* Effect.forEach([tooLong, wrong], (text) => Effect.flip(named("test")(sql.unsafe(text))))
        assertTrue(failures.every((failure) => failure instanceof StorageError))
        deepStrictEqual(
          failures.map((failure) => (failure instanceof StorageError ? failure.isTooLarge : undefined)),
          [true, false]
        )
      }).pipe(Effect.provide(Layer.orDie(database)), Effect.scoped)
    )
  }
})
