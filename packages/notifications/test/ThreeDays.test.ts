/**
 * A receiver is down for three days while stock changes and senders die. `npm run lab -- notification-soak` runs it with a million
 * changes on 10,000 keys.
 */
import { Notifications } from "@crossdock/notifications"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { caller } from "./EventHosts.ts"
import * as Hosts from "./Hosts.ts"
import { key, type StockEvent } from "./Received.ts"
import * as Receiver from "./Receiver.ts"

const full = process.env.SOAK === "1"
const scale = full ? { keys: 10_000, changes: 1_000_000, kills: 100 } : { keys: 1000, changes: 20_000, kills: 20 }
const hour = 3_600_000
const from = 1_790_000_000_000

describe("A receiver that is down for three days", () => {
  it.effect(
    "is equal afterwards, by one event a key, and never takes an older value for a newer",
    () =>
      Effect.gen(function* () {
        const file = yield* Hosts.databaseFile
        const skus = Array.from({ length: scale.keys / 2 }, (_, i) => `SKU-${String(i).padStart(5, "0")}`)
        const places = skus.flatMap((sku) => ["BLR1", "BOM1"].map((location) => ({ sku, location })))
        yield* Effect.gen(function* () {
          const notifications = yield* Notifications.Notifications
          yield* TestClock.setTime(from)
          yield* Hosts.fill([Hosts.marketplace("bazaar", Receiver.webhookOf("http://127.0.0.1:1"))], skus)
          const bulks = scale.changes / 500
          let tries = 0
          let kills = 0
          let quantity = 0
          for (let bulk = 0; bulk < bulks; bulk++) {
            yield* TestClock.setTime(from + Math.floor((bulk * 72 * hour) / bulks))
            const first = (bulk * 137) % places.length
            yield* Hosts.setStock(
              Array.from({ length: 500 }, (_, i) => ({
                ...(places[(first + i * 7) % places.length] ?? { sku: "", location: "" }),
                quantity: ++quantity % 1_000_000
              }))
            )
            const delivery = yield* notifications.begin(key)
            if (delivery === undefined) continue
            // A sender that was killed says nothing any more; its claim ends on its own.
            if (kills < scale.kills && tries++ % 3 > 0) kills++
            else yield* notifications.settle(delivery, { _tag: "Answered", status: 503 })
          }
          yield* TestClock.setTime(from + 72 * hour)
          const began = performance.now()
          yield* notifications.wake(caller, "bazaar")
          const kept = new Map<string, StockEvent>()
          const events = new Map<string, number>()
          for (;;) {
            const delivery = yield* notifications.begin(key)
            if (delivery === undefined) break
            for (const event of JSON.parse(delivery.body) as ReadonlyArray<StockEvent>) {
              const name = `${event.sku} ${event.location_id}`
              events.set(name, (events.get(name) ?? 0) + 1)
              assertTrue(event.sequence > (kept.get(name)?.sequence ?? 0), `${name} went back`)
              kept.set(name, event)
            }
            strictEqual(yield* notifications.settle(delivery, { _tag: "Answered", status: 200 }), "accepted")
          }
          const took = performance.now() - began
          strictEqual(kills, scale.kills)
          assertTrue(took < 60_000, `${took} ms`)
          deepStrictEqual([...new Set(events.values())], [1])
          const believed = [...kept].map(([name, event]) => [name, event.quantity] as const).toSorted()
          deepStrictEqual(believed, [...(yield* Hosts.sellable(skus))].toSorted())
          strictEqual(believed.length, scale.keys)
          deepStrictEqual(yield* notifications.deadLetters("bazaar"), [])
          if (full)
            yield* Effect.logInfo(`${scale.changes} changes, ${kills} kills, equal after ${Math.round(took)} ms`)
        }).pipe(Effect.provide(Hosts.ground(file)))
      }),
    { timeout: full ? 3_600_000 : 300_000 }
  )
})
