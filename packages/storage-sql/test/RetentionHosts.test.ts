import { EventLog } from "@crossdock/audit"
import { StockLevels } from "@crossdock/inventory"
import { Transaction } from "@crossdock/kernel"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import { StorageSql } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"

/** A company with an old event and an old movement of nothing. */
const old = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO crossdock_companies (id, name, legal_name) VALUES (1, 'One', 'One')`
  yield* sql`INSERT INTO crossdock_events (company_id, last, change_number, at, body) VALUES (1, 1, 1, 0, '[]')`
  yield* sql`INSERT INTO crossdock_movements (company_id, number, at, lines) VALUES (1, 1, 0, '[]')`
})

describe("Hosts that delete old rows of one PostgreSQL at once", () => {
  it.live("don't wait for each other: one deletes, the other one finds nothing to do", () =>
    Effect.gen(function* () {
      const url = yield* PostgresDatabase.make(inject("postgres"))
      const host = Layer.build(Layer.fresh(Layer.provideMerge(StorageSql.layer, Postgres.layer(url))))
      const [first, second] = [yield* host, yield* host]
      yield* Effect.provideContext(old, first)
      const deleting = (one: typeof first) =>
        Effect.all([Context.get(one, EventLog).drop(1, 10), Context.get(one, StockLevels).foldMovements(1, 10)])
      const both = Effect.gen(function* () {
        const deleted = yield* deleting(first)
        const meanwhile = yield* deleting(second)
        return [deleted, meanwhile]
      })
      deepStrictEqual(yield* Context.get(first, Transaction.Transaction).run(both), [
        [1, 1],
        [0, 0]
      ])
    })
  )
})
