import { MarketplaceStore } from "@crossdock/marketplaces"
import { Signature } from "@crossdock/notifications/node"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Logger } from "effect"
import * as Hosts from "./Hosts.ts"
import { a, accepting, b, c, eventsOf, receiver } from "./Received.ts"
import * as Receiver from "./Receiver.ts"

describe("WebhookWorker", () => {
  it.live("a change is sent at once, signed, with the marketplace's code and the latest quantity", () =>
    Effect.gen(function* () {
      const bazaar = yield* accepting
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Hosts.setStock([
          { sku: a, quantity: 5 },
          { sku: b, quantity: 7, location: "BOM1" }
        ])
        const { body, headers } = yield* bazaar.received
        assertTrue(Signature.matches(Receiver.secret, headers, body, Math.floor(Date.now() / 1000)))
        const events = eventsOf({ body })
        deepStrictEqual(
          events.map(({ location_id, quantity, sku, type }) => [sku, location_id, quantity, type]),
          [
            [a, "B-BLR", 5, "inventory.updated"],
            [b, "B-BOM", 7, "inventory.updated"]
          ]
        )
        assertTrue(events.every(({ occurred_at }) => Math.abs(Date.now() - Date.parse(occurred_at)) < 10_000))
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.live("batches have at most 500 events, in sequence order, each level once, even for one change of 1,300", () =>
    Effect.gen(function* () {
      const bazaar = yield* accepting
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", null)], Hosts.skus)
        yield* Hosts.setStock([{ sku: c, quantity: 1, location: "BOM1" }])
        yield* Hosts.setStock(Hosts.skus.map((sku, i) => ({ sku, quantity: i + 1 })))
        yield* Hosts.setStock([{ sku: b, quantity: 9, location: "BOM1" }])
        const marketplaceStore = yield* MarketplaceStore
        yield* marketplaceStore.put(Hosts.marketplace("bazaar", bazaar.webhook))
        yield* bazaar.received
        yield* Hosts.notified("bazaar")
        const sizes = bazaar.all.map((one) => eventsOf(one).length)
        assertTrue(Math.max(...sizes) === 500 && sizes.length <= 4, `batches of ${sizes}`)
        const events = bazaar.all.flatMap(eventsOf)
        const sequences = events.map(({ sequence }) => sequence)
        deepStrictEqual(
          sequences,
          sequences.toSorted((x, y) => x - y)
        )
        strictEqual(new Set(events.map(({ event_id }) => event_id)).size, 1302)
        deepStrictEqual(
          events.map((one) => `${one.sku} ${one.location_id} ${one.quantity}`).toSorted(),
          [...(yield* Hosts.sellable(Hosts.skus))].map(([name, quantity]) => `${name} ${quantity}`).toSorted()
        )
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.live("a receiver that hangs delays neither another marketplace nor its own end", () =>
    Effect.gen(function* () {
      const bazaar = yield* receiver(() => "hang")
      const souk = yield* accepting
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook), Hosts.marketplace("souk", souk.webhook)])
        yield* Hosts.setStock([{ sku: a, quantity: 1 }])
        yield* bazaar.received
        for (let quantity = 2; quantity <= 6; quantity++) {
          yield* Hosts.setStock([{ sku: b, quantity }])
          yield* Effect.repeat(souk.received, {
            until: (one) => eventsOf(one).some((event) => event.quantity === quantity)
          })
        }
        strictEqual(bazaar.all.length, 1)
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.live("a write that changes no sellable quantity sends nothing", () =>
    Effect.gen(function* () {
      const bazaar = yield* accepting
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        yield* bazaar.received
        yield* Hosts.notified("bazaar")
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        yield* Hosts.setStock([{ sku: b, quantity: 0 }])
        yield* Hosts.notified("bazaar")
        // The next notification shows that nothing was sent before it.
        yield* Hosts.setStock([{ sku: c, quantity: 1 }])
        deepStrictEqual(
          eventsOf(yield* bazaar.received).map(({ sku }) => sku),
          [c]
        )
        strictEqual(bazaar.all.length, 2)
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.live("stock of a location that the marketplace doesn't sell from is never sent", () =>
    Effect.gen(function* () {
      const bazaar = yield* accepting
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([
          Hosts.marketplace(
            "bazaar",
            bazaar.webhook,
            Hosts.mapped.filter(({ location }) => location === "BOM1")
          )
        ])
        yield* Hosts.setStock([{ sku: a, quantity: 5, location: "HIDDEN" }])
        yield* Hosts.setStock([{ sku: a, quantity: 6, location: "BLR1" }])
        yield* Hosts.notified("bazaar")
        yield* Hosts.setStock(["HIDDEN", "BOM1", "BLR1"].map((location) => ({ sku: b, quantity: 7, location })))
        yield* bazaar.received
        yield* Hosts.notified("bazaar")
        deepStrictEqual(
          bazaar.all.flatMap(eventsOf).map(({ location_id, quantity, sku }) => [sku, location_id, quantity]),
          [[b, "B-BOM", 7]]
        )
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.live("two hosts on one database send every body once", () =>
    Effect.gen(function* () {
      const bazaar = yield* accepting
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Layer.build(Layer.fresh(Hosts.host(file)))
        for (let quantity = 1; quantity <= 20; quantity++) {
          yield* Hosts.setStock([{ sku: a, quantity }])
          yield* Hosts.notified("bazaar")
        }
        const events = bazaar.all.flatMap(eventsOf)
        strictEqual(new Set(events.map(({ event_id }) => event_id)).size, events.length)
        strictEqual(events.at(-1)?.quantity, 20)
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.live("secrets, addresses and bodies never appear in logs", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make((entry) => {
        lines.push(Logger.formatJson.log(entry) + Logger.formatLogFmt.log(entry))
      })
      const bazaar = yield* receiver((n) => (n === 0 ? 500 : 200))
      const file = yield* Hosts.databaseFile
      const webhook = (token: string, path = "") => ({
        ...bazaar.webhook,
        url: `${bazaar.webhook.url}${path}`,
        authentication: { type: "bearer", token } as const
      })
      const dead = { ...webhook("bad\ntoken-secret"), url: "http://127.0.0.1:1/path-secret?key=query-secret" }
      yield* Effect.gen(function* () {
        yield* Hosts.fill([
          Hosts.marketplace("bazaar", webhook("token-secret", "&key=query-secret")),
          Hosts.marketplace("broken", dead),
          Hosts.marketplace("rejecting", { ...dead, authentication: { type: "none" } })
        ])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        yield* bazaar.received
        yield* bazaar.received
        yield* Hosts.notified("bazaar")
        yield* Hosts.eventually(
          "three marketplaces rejected",
          Effect.sync(() =>
            ["bazaar", "broken", "rejecting"].every((name) => lines.some((line) => line.includes(name)))
          )
        )
      }).pipe(Effect.provide(Hosts.host(file)), Effect.provide(Logger.layer([logger])))
      assertTrue(lines.length >= 3)
      const text = lines.join("\n")
      for (const secret of [Receiver.secret.slice(6), "token-secret", "path-secret", "query-secret", a]) {
        assertTrue(!text.includes(secret), `${secret} in ${text}`)
      }
    })
  )
})
