import { Events } from "@crossdock/audit"
import type { StorageError } from "@crossdock/kernel"
import { EventDeliveries, Notifications } from "@crossdock/notifications"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Fiber, Layer, Logger } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as EventHosts from "./EventHosts.ts"
import * as Hosts from "./Hosts.ts"
import * as Received from "./Received.ts"
import * as Receiver from "./Receiver.ts"

const migrated = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO crossdock_migrations (migration_id, name) VALUES (9999, 'later')`
  yield* TestClock.adjust("1 second")
})

const operationOf = <A>(begin: Effect.Effect<A, StorageError>) =>
  Effect.match(begin, { onFailure: ({ cause }) => String(cause).includes("A later release"), onSuccess: () => "begun" })

/** A claim of it would keep hosts of the later release from the delivery, and its answer could not be stored. */
describe("A host whose database is migrated by a later release while it runs", () => {
  const database = Layer.unwrap(Effect.map(Hosts.databaseFile, BetterSqlite3.layer))

  it.effect("begins no notification of stock", () =>
    Effect.gen(function* () {
      yield* Hosts.fill([Hosts.marketplace("bazaar", Receiver.webhookOf("https://bazaar.example"))])
      yield* Hosts.setStock([{ sku: "SKU-0001", quantity: 5 }])
      yield* migrated
      const { begin } = yield* Notifications.Notifications
      strictEqual(yield* operationOf(begin(Received.key)), true)
    }).pipe(
      Effect.provide(Layer.unwrap(Effect.map(Hosts.databaseFile, Hosts.ground))),
      Effect.provide(Logger.layer([]))
    )
  )

  it.effect("begins no webhook of events, and hands out no events to consumers", () =>
    Effect.gen(function* () {
      yield* Hosts.fill([])
      yield* EventHosts.register("https://erp.example")
      yield* EventHosts.changeStock([5])
      yield* migrated
      const { begin } = yield* EventDeliveries.EventDeliveries
      strictEqual(yield* operationOf(begin(EventHosts.key)), true)

      const { consume } = yield* Events.Events
      const handled: Array<number> = []
      const fiber = yield* Effect.forkChild(
        consume({
          group: "erp",
          companies: null,
          handler: (events) => Effect.sync(() => void handled.push(...events.map(({ number }) => number)))
        })
      )
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.interrupt(fiber)
      deepStrictEqual(handled, [])
    }).pipe(Effect.provide(EventHosts.ground(database)), Effect.provide(Logger.layer([])))
  )
})
