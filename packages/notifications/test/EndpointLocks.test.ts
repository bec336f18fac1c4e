import { Transaction } from "@crossdock/kernel"
import { EventDeliveries, type EventEndpoint, EventEndpointStore, EventEndpoints } from "@crossdock/notifications"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Logger } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import { appendEvents, caller, ground, key, register } from "./EventHosts.ts"
import * as Hosts from "./Hosts.ts"

/** How many deadlocks the server has counted in a race. A connection reports them when it ends, at the latest. */
const deadlocksOf = <E>(race: Effect.Effect<void, E, Layer.Success<ReturnType<typeof ground>>>) =>
  Effect.gen(function* () {
    const url = yield* PostgresDatabase.make(inject("postgres"))
    const on = <A, F, R>(effect: Effect.Effect<A, F, R>) =>
      Effect.provide(effect, Layer.fresh(Layer.merge(ground(Postgres.layer(url)), Logger.layer([]))))
    yield* on(Effect.andThen(Hosts.fill([]), race))
    const [counted] = yield* on(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ deadlocks: number }>`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`
      )
    )
    return Number(counted?.deadlocks)
  }).pipe(Effect.scoped)

const url = "https://erp.example/events"

describe("Endpoints of events on PostgreSQL", () => {
  it.live("are locked in one order by changes of their company and by the encryption of all", () =>
    Effect.gen(function* () {
      const race = Effect.gen(function* () {
        const store = yield* EventEndpointStore
        const transaction = yield* Transaction.Transaction
        const sql = yield* SqlClient.SqlClient
        for (let n = 99; n >= 0; n--) yield* register(url, { id: `e${String(n).padStart(2, "0")}` })
        const renewAll = Transaction.retrying(transaction)(
          Effect.flatMap(store.lockAfter(null, 500), (all) => store.saveAll(all))
        )
        for (let round = 0; round < 60; round++) {
          yield* sql`UPDATE crossdock_event_endpoints SET next_at = NULL`
          yield* Effect.all([appendEvents([10]), renewAll, renewAll], { concurrency: "unbounded" })
        }
      })
      strictEqual(yield* deadlocksOf(race), 0)
    })
  )

  it.live("are deleted while a dead letter of theirs is accepted", () =>
    Effect.gen(function* () {
      const race = Effect.gen(function* () {
        const store = yield* EventEndpointStore
        const { remove, resend } = yield* EventEndpoints.EventEndpoints
        const { begin, settle } = yield* EventDeliveries.EventDeliveries
        for (let round = 0; round < 60; round++) {
          yield* register(url)
          const letter: EventEndpoint.EventDeadLetter = {
            companyId: key.companyId,
            endpoint: key.id,
            id: "msg_1",
            events: [
              { companyId: key.companyId, number: 1, change: 1, at: 0, type: "stock.changed", version: 1, data: {} }
            ],
            failures: 1,
            since: 0,
            at: 0,
            failure: "503"
          }
          yield* store.putDeadLetter(letter)
          yield* resend(caller, key, "msg_1")
          const delivery = yield* begin(key)
          if (delivery === undefined) return yield* Effect.die("nothing to send")
          yield* Effect.all([settle(delivery, { _tag: "Answered", status: 200 }), remove(caller, key)], {
            concurrency: "unbounded"
          })
        }
      })
      strictEqual(yield* deadlocksOf(race), 0)
    })
  )
})
