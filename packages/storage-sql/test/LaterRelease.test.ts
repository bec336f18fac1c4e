import { Directory } from "@crossdock/access"
import { Transaction } from "@crossdock/kernel"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageSql } from "@crossdock/storage-sql"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Logger } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { postgres, sqliteFile } from "./Databases.ts"

for (const [name, database] of [
  ["SQLite", sqliteFile],
  ["PostgreSQL", postgres({ isEmpty: true })]
] as const) {
  describe(`A host on ${name} whose database is migrated by a later release while it runs`, () => {
    it.effect("writes no more within a second, says why, and is no longer ready; reads go on", () =>
      Effect.gen(function* () {
        const lines: Array<unknown> = []
        const log = Logger.make(({ message }) => lines.push(message))
        yield* Effect.gen(function* () {
          const [directory, sql] = [yield* Directory, yield* SqlClient.SqlClient]
          const { probe = Effect.void, run } = yield* Transaction.Transaction
          const [one, other] = [Fresh.company(yield* Fresh.companyId), Fresh.company(yield* Fresh.companyId)]
          yield* run(directory.putCompanies([one]))
          yield* probe
          yield* sql`INSERT INTO crossdock_migrations (migration_id, name) VALUES (9999, 'later')`
          yield* TestClock.adjust("1 second")
          const failure = yield* Effect.flip(run(directory.putCompanies([other])))
          assertTrue(String(failure.cause).includes("A later release has migrated the database (to migration 9999)"))
          deepStrictEqual([yield* Effect.flip(probe), yield* Effect.flip(run(Effect.void))], [failure, failure])
          deepStrictEqual([yield* directory.company(one.id), yield* directory.company(other.id)], [one, undefined])
          strictEqual(lines.length, 1)
        }).pipe(Effect.provide(StorageSql.layer), Effect.provide([database, Logger.layer([log])]))
      })
    )
  })
}
