import { Transaction } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Deferred, Effect, Exit, Layer, Random, Scope } from "effect"
import { Limits } from "../src/Limits.ts"
import * as Hosts from "./Hosts.ts"
import { a, accepting, b, channel, eventsOf, idOf, receiver, type StockEvent } from "./Received.ts"

describe("WebhookWorker when receivers and hosts fail", () => {
  it.live("a rejected body is sent again under its webhook id, and a changed one under a new id", () =>
    Effect.gen(function* () {
      const bazaar = yield* receiver((n) => (n < 2 ? 500 : 200))
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        const first = yield* bazaar.received
        const second = yield* bazaar.received
        strictEqual(second.body, first.body)
        strictEqual(idOf(second), idOf(first))
        yield* Hosts.setStock([{ sku: a, quantity: 4 }])
        const third = yield* bazaar.received
        assertTrue(idOf(third) !== idOf(first))
        deepStrictEqual(
          eventsOf(third).map(({ quantity }) => quantity),
          [4]
        )
        yield* Hosts.notified("bazaar")
        strictEqual(bazaar.all.length, 3)
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.live("1,000 changes of one SKU while the receiver is down are one event with the latest quantity", () =>
    Effect.gen(function* () {
      let down = true
      const bazaar = yield* receiver(() => (down ? 503 : 200))
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Hosts.setStock([{ sku: a, quantity: 5000 }])
        yield* bazaar.received
        const transaction = yield* Transaction.Transaction
        // One commit for 50 changes: a thousand commits would show nothing more.
        for (let first = 1; first <= 1000; first += 50) {
          const quantities = Array.from({ length: 50 }, (_, i) => first + i)
          yield* transaction.run(Effect.forEach(quantities, (quantity) => Hosts.setStock([{ sku: a, quantity }])))
        }
        down = false
        yield* Hosts.notified("bazaar")
        const accepted = eventsOf(bazaar.all.at(-1) ?? { body: "[]" })
        deepStrictEqual(
          accepted.map(({ quantity, sku }) => [sku, quantity]),
          [[a, 1000]]
        )
        assertTrue(bazaar.all.every((one) => eventsOf(one).length === 1))
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.live("a delivery without an answer when its host stopped is sent by the next host under the same id", () =>
    Effect.gen(function* () {
      const bazaar = yield* receiver((n) => (n === 0 ? "hang" : 200))
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        yield* bazaar.received
      }).pipe(Effect.provide(Hosts.host(file)))
      const before = performance.now()
      yield* Effect.gen(function* () {
        yield* bazaar.received
        yield* Hosts.notified("bazaar")
      }).pipe(Effect.provide(Hosts.host(file)))
      assertTrue(performance.now() - before < Limits.claimMillis, "the claim was given back")
      const [first, second, ...more] = bazaar.all
      assertTrue(first !== undefined && second !== undefined)
      strictEqual(second.body, first.body)
      strictEqual(idOf(second), idOf(first))
      deepStrictEqual(more, [])
    })
  )

  it.live("changes while no host ran are sent by the next, and accepted ones are not sent again", () =>
    Effect.gen(function* () {
      const bazaar = yield* accepting
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        yield* bazaar.received
        yield* Hosts.notified("bazaar")
      }).pipe(Effect.provide(Hosts.host(file)))
      yield* Hosts.setStock([{ sku: b, quantity: 6 }]).pipe(Effect.provide(Hosts.ground(file)))
      yield* Effect.gen(function* () {
        yield* bazaar.received
        yield* Hosts.notified("bazaar")
      }).pipe(Effect.provide(Hosts.host(file)))
      deepStrictEqual(
        bazaar.all.map((one) => eventsOf(one).map(({ sku }) => sku)),
        [[a], [b]]
      )
    })
  )

  it.live("an answer that has come is stored before the host stops", () =>
    Effect.gen(function* () {
      const bazaar = yield* accepting
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        const answered = yield* Deferred.make<void>()
        const scope = yield* Scope.make()
        yield* Layer.build(
          Hosts.workerWith((real) => ({
            settle: (delivery, answer) =>
              Deferred.succeed(answered, undefined).pipe(
                Effect.andThen(Effect.yieldNow),
                Effect.repeat({ times: 50 }),
                Effect.andThen(real.settle(delivery, answer))
              )
          }))
        ).pipe(Scope.provide(scope))
        yield* Deferred.await(answered)
        yield* Scope.close(scope, Exit.void)
        const { cursor, lease, outstanding } = (yield* channel) ?? {}
        deepStrictEqual([cursor?.changeNumber, lease, outstanding], [1, null, null])
      }).pipe(Effect.provide(Hosts.ground(file)))
    })
  )

  for (const step of ["due", "begin", "settle"] as const) {
    it.live(`a worker that met a defect in ${step} goes on`, () =>
      Effect.gen(function* () {
        const bazaar = yield* accepting
        const file = yield* Hosts.databaseFile
        yield* Effect.gen(function* () {
          yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
          yield* Hosts.setStock([{ sku: a, quantity: 5 }])
          let broken = true
          const dies = Effect.suspend(() => {
            const now = broken
            broken = false
            return now ? Effect.die(new Error("a defect")) : Effect.void
          })
          yield* Layer.build(
            Hosts.workerWith(({ begin, due, release, settle }) => ({
              due: step === "due" ? Effect.andThen(dies, due) : due,
              begin: (key) => (step === "begin" ? Effect.andThen(dies, begin(key)) : begin(key)),
              // A claim lapses after 15 s; it is released here to keep the test short.
              settle: (delivery, answer) =>
                step === "settle" && broken
                  ? Effect.andThen(release(delivery), Effect.andThen(dies, Effect.succeed("lost" as const)))
                  : settle(delivery, answer)
            }))
          )
          yield* Hosts.notified("bazaar")
          strictEqual(bazaar.all.length, step === "settle" ? 2 : 1)
          strictEqual(broken, false)
        }).pipe(Effect.provide(Hosts.ground(file)))
      })
    )
  }

  it.live("the receiver that keeps the highest sequence ends equal to stock, whatever fails on the way", () =>
    Effect.gen(function* () {
      const seed = Math.floor(Math.random() * 2 ** 31)
      const chances = Array.from({ length: 10_000 }, (_, i) => (i * 7919 + seed) % 100)
      let failing = true
      const kept = new Map<string, StockEvent>()
      const bazaar = yield* receiver((n, one) => {
        const chance = failing ? (chances[n] ?? 100) : 100
        // Some are kept but rejected, and some are cut off, kept or not.
        if (chance >= 30) {
          for (const event of eventsOf(one)) {
            const name = `${event.sku} ${event.location_id}`
            if ((kept.get(name)?.sequence ?? 0) < event.sequence) kept.set(name, event)
          }
        }
        if (chance < 20 || (chance >= 30 && chance < 40)) return 500
        if (chance < 30 || (chance >= 40 && chance < 50)) {
          one.answer.destroy()
          return "hang"
        }
        return 200
      })
      const file = yield* Hosts.databaseFile
      const sold = Hosts.skus.slice(0, 15)
      const change = Effect.gen(function* () {
        const count = yield* Random.nextIntBetween(1, 7)
        const records = yield* Effect.replicateEffect(
          Effect.gen(function* () {
            const sku = sold[yield* Random.nextIntBetween(0, sold.length - 1)] ?? a
            const location = ["BLR1", "BOM1", "HIDDEN"][yield* Random.nextIntBetween(0, 2)] ?? "BLR1"
            return { sku, location, quantity: yield* Random.nextIntBetween(0, 49) }
          }),
          count
        )
        yield* Hosts.setStock([...new Map(records.map((one) => [`${one.sku} ${one.location}`, one])).values()])
      })
      yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)], sold).pipe(Effect.provide(Hosts.ground(file)))
      // Stopped wherever it is.
      const run = Effect.suspend(() =>
        Effect.replicateEffect(change, 40, { discard: true }).pipe(Effect.provide(Hosts.host(file)))
      )
      yield* Effect.replicateEffect(run, 4, { discard: true }).pipe(Random.withSeed(seed))
      failing = false
      yield* Effect.gen(function* () {
        yield* Hosts.notified("bazaar")
        const stock = yield* Hosts.sellable(sold)
        deepStrictEqual(
          [...kept].map(([name, { quantity }]) => `${name} ${quantity}`).sort(),
          [...stock].map(([name, quantity]) => `${name} ${quantity}`).sort(),
          `seed ${seed}`
        )
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )
})
