import { MarketplaceStore } from "@crossdock/marketplaces"
import { NotificationChannel, NotificationStore, Notifications } from "@crossdock/notifications"
import { ReceiverKit } from "@crossdock/notifications/node"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Result } from "effect"
import * as Hosts from "./Hosts.ts"
import { a, accepting, b, c, eventsOf, key, receiver } from "./Received.ts"
import * as Receiver from "./Receiver.ts"

const caller = { principal: { kind: "system", id: "test" }, requestId: null } as const

/**
 * A marketplace written with the kit: it keeps the newest quantity of each SKU and location.
 */
const keeping = () => {
  const stock = new Map<string, ReceiverKit.StockEvent>()
  const numbers = new Map<string, number>()
  let missing = 0
  const take = ({ body, headers }: Receiver.Received) => {
    const found = ReceiverKit.receive(
      { body, headers },
      {
        secrets: [Receiver.secret],
        now: Date.now(),
        sequenceOf: ({ location_id, sku }) => stock.get(`${sku} ${location_id}`)?.sequence,
        numberOf: (channel) => numbers.get(channel)
      }
    )
    if (Result.isFailure(found)) return found.failure.status
    for (const event of found.success.events) stock.set(`${event.sku} ${event.location_id}`, event)
    numbers.set(found.success.channel, found.success.number)
    missing += found.success.missing
    return 204
  }
  const quantities = () => [...stock].map(([name, { quantity }]) => [name, quantity] as const).toSorted()
  return { take, quantities, stock, missing: () => missing }
}

const equalTo = (kept: ReturnType<typeof keeping>, skus: ReadonlyArray<string>) =>
  Effect.map(Hosts.sellable(skus), (sellable) => deepStrictEqual(kept.quantities(), [...sellable].toSorted()))

describe("A full reconcile", () => {
  it.live("makes a receiver that lost its data equal again, under new sequences", () =>
    Effect.gen(function* () {
      const kept = keeping()
      const bazaar = yield* receiver((_, one) => kept.take(one))
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        const notifications = yield* Notifications.Notifications
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)], Hosts.skus)
        yield* Hosts.setStock(Hosts.skus.map((sku, i) => ({ sku, quantity: i + 1 })))
        yield* bazaar.received
        yield* Hosts.notified("bazaar")
        yield* equalTo(kept, Hosts.skus)
        const highest = Math.max(...[...kept.stock.values()].map(({ sequence }) => sequence))
        // It lost one half and has wrong quantities of the other.
        for (const [i, [name, event]] of [...kept.stock].entries()) {
          if (i % 2 === 0) kept.stock.delete(name)
          else kept.stock.set(name, { ...event, quantity: -1 })
        }
        yield* notifications.reconcile(caller, "bazaar", [Hosts.company])
        yield* Hosts.notified("bazaar")
        yield* equalTo(kept, Hosts.skus)
        assertTrue([...kept.stock.values()].every(({ sequence }) => sequence > highest))
        strictEqual(kept.missing(), 0)
        // What changes later is newer still.
        yield* Hosts.setStock([{ sku: a, quantity: 77 }])
        yield* Hosts.notified("bazaar")
        strictEqual(kept.stock.get(`${a} B-BLR`)?.quantity, 77)
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.live("sends a location's stock from before it was mapped", () =>
    Effect.gen(function* () {
      const kept = keeping()
      const bazaar = yield* receiver((_, one) => kept.take(one))
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        const marketplaceStore = yield* MarketplaceStore
        const notifications = yield* Notifications.Notifications
        const [first] = Hosts.mapped
        assertTrue(first !== undefined)
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook, [first])])
        yield* Hosts.setStock([
          { sku: a, quantity: 5 },
          { sku: b, quantity: 7, location: "BOM1" }
        ])
        yield* bazaar.received
        yield* Hosts.notified("bazaar")
        deepStrictEqual([...kept.stock.keys()], [`${a} B-BLR`])
        yield* marketplaceStore.put(Hosts.marketplace("bazaar", bazaar.webhook))
        yield* notifications.reconcile(caller, "bazaar", [Hosts.company])
        yield* Hosts.notified("bazaar")
        yield* equalTo(kept, [a, b])
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.live("makes an answer that comes after it void: its events are sent again", () =>
    Effect.gen(function* () {
      const bazaar = yield* accepting
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        const notifications = yield* Notifications.Notifications
        const store = yield* NotificationStore
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        const delivery = yield* notifications.begin(key)
        assertTrue(delivery !== undefined)
        yield* notifications.reconcile(caller, "bazaar", [Hosts.company])
        strictEqual(yield* notifications.settle(delivery, { _tag: "Answered", status: 200 }), "lost")
        const channel = yield* store.find(key)
        deepStrictEqual(channel?.cursor, NotificationChannel.fresh(key).cursor)
        assertTrue((yield* notifications.begin(key)) !== undefined)
      }).pipe(Effect.provide(Hosts.ground(file)))
    })
  )
})

describe("What a marketplace does not sell", () => {
  it.live("is passed over, however much of it comes before what it sells", () =>
    Effect.gen(function* () {
      const bazaar = yield* accepting
      const file = yield* Hosts.databaseFile
      const sold = Hosts.skus.at(-1) ?? ""
      yield* Effect.gen(function* () {
        const marketplaceStore = yield* MarketplaceStore
        yield* Hosts.fill([Hosts.marketplace("bazaar", null)], Hosts.skus)
        yield* Hosts.setStock(Hosts.skus.map((sku, i) => ({ sku, quantity: i + 1 })))
        yield* marketplaceStore.put({ ...Hosts.marketplace("bazaar", bazaar.webhook), skus: [sold] })
        deepStrictEqual(
          eventsOf(yield* bazaar.received).map(({ sku }) => sku),
          [sold]
        )
        yield* Hosts.notified("bazaar")
        strictEqual(bazaar.all.length, 1)
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )
})

describe("A rejected notification", () => {
  it.live("is tried at once when the marketplace is woken, under the number of the try before", () =>
    Effect.gen(function* () {
      const bazaar = yield* receiver((n) => (n < 2 ? 500 : 200))
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        const marketplaceStore = yield* MarketplaceStore
        const notifications = yield* Notifications.Notifications
        const store = yield* NotificationStore
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Hosts.setStock([{ sku: c, quantity: 5 }])
        yield* bazaar.received
        yield* bazaar.received
        yield* Hosts.eventually(
          "rejected twice",
          Effect.map(store.find(key), (channel) => channel?.outstanding?.failures === 2 && channel.lease === null)
        )
        const marketplace = yield* marketplaceStore.find("bazaar")
        assertTrue(marketplace !== undefined)
        const [progress] = yield* notifications.progress(marketplace)
        deepStrictEqual(
          [progress?.failures, progress?.failure, progress?.notifications, progress?.deadLetters],
          [2, "answered with status 500", 0, 0]
        )
        assertTrue((progress?.nextAt ?? 0) > Date.now())
        yield* notifications.wake(caller, "bazaar")
        yield* bazaar.received
        yield* Hosts.notified("bazaar")
        deepStrictEqual(
          bazaar.all.map(({ headers }) => headers[ReceiverKit.numberHeader]),
          ["1", "1", "1"]
        )
        strictEqual((yield* notifications.progress(marketplace))[0]?.notifications, 1)
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )
})
