import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { useHost } from "./TestHost.ts"

describe("DATABASE_TIMEOUT_SECONDS", () => {
  let url = ""
  const host = useHost(async () => {
    url = await Effect.map(PostgresDatabase.make(inject("postgres")), Redacted.value).pipe(
      Scope.provide(Effect.runSync(Scope.make())),
      Effect.runPromise
    )
    return { databaseUrl: url, databaseTimeout: 1 }
  })

  const setStock = () =>
    host.acme.call<{ readonly code?: string }>("PUT", "/ims/v3/inventory", [
      { location_id: "BLR1", sku: "85123A", quantity: 1 }
    ])

  it("is how long a write waits for a row that somebody else has locked", async () => {
    const blocked = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const began = performance.now()
      const waited = sql`SELECT id FROM crossdock_companies FOR UPDATE`.pipe(
        Effect.andThen(Effect.promise(setStock)),
        sql.withTransaction
      )
      const { body, status } = yield* waited
      return { answer: [status, body.code], millis: performance.now() - began }
    })
    const { answer, millis } = await Effect.runPromise(
      Effect.provide(blocked, Postgres.layer(Redacted.make(url), { maxConnections: 1 }))
    )
    deepStrictEqual(answer, [503, "STORAGE_UNAVAILABLE"])
    // The default is nine seconds.
    assertTrue(millis < 8_000, `${millis} ms`)
    deepStrictEqual((await setStock()).status, 200)
  })
})
