/**
 * The laws of `PriceStore`.
 */
import { type CompanyId, Transaction } from "@crossdock/kernel"
import { type Price, PriceStore } from "@crossdock/pricing"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Fresh from "./Fresh.ts"
import { concurrently, exactlyOneSucceeded, type Laws, linger, outcome, waysToWrite } from "./Laws.ts"
import { Seed, seller } from "./Seed.ts"

interface Key {
  readonly sku: string
  readonly location: string
}

const key = (sku: string, location = "L1"): Key => ({ sku, location })

const loadAll = (company: CompanyId, keys: ReadonlyArray<Key>) =>
  Effect.flatMap(PriceStore, (store) => store.load(company, keys)).pipe(
    Effect.flatMap((found) =>
      Effect.all(
        found.map((price) => (typeof price === "object" ? Effect.succeed(price) : Effect.die(new Error(price))))
      )
    )
  )

const load = (company: CompanyId, one: Key) =>
  Effect.flatMap(loadAll(company, [one]), ([price]) => Effect.fromNullishOr(price)).pipe(Effect.orDie)

const raise = (before: Price.Price, by = 1): Price.PriceChange => ({
  before,
  after: { ...before, mrp: before.mrp + 2 * by, esp: before.esp + by }
})

const save = (company: CompanyId, changes: ReadonlyArray<Price.PriceChange>) =>
  Effect.flatMap(PriceStore, (store) => store.save(company, 1, changes))

const raiseAll = (company: CompanyId, keys: ReadonlyArray<Key>) =>
  Effect.flatMap(loadAll(company, keys), (prices) =>
    save(
      company,
      prices.map((price) => raise(price))
    )
  )

export const priceStoreLaws = ({ concurrent, law }: Laws<PriceStore | Seed | Transaction.Transaction>): void => {
  law("a price that is not stored yet has version 0 and the location's currency", function* () {
    const company = yield* seller(["L1"], ["s1"])
    const { locationId, sizeId, ...price } = yield* load(company, key("s1"))
    deepStrictEqual(price, { sku: "s1", location: "L1", currency: "INR", mrp: 0, esp: 0, version: 0 })
  })

  law("there is one answer for each key, in the order of the keys, also for unknown and repeated ones", function* () {
    const store = yield* PriceStore
    const company = yield* seller(["L1", "L2"], Fresh.shuffled)
    yield* save(company, [raise(yield* load(company, key("z", "L2")), 3)])
    const keys = [key("z", "L2"), key("none"), key("a"), key("a", "none"), key("none", "none"), key("z", "L2")]
    const answers = yield* store.load(company, keys)
    deepStrictEqual(
      answers.map((answer) => (typeof answer === "object" ? [answer.sku, answer.location, answer.esp] : answer)),
      [["z", "L2", 3], "UNKNOWN_SKU", ["a", "L1", 0], "UNKNOWN_LOCATION", "UNKNOWN_LOCATION", ["z", "L2", 3]]
    )
    deepStrictEqual(yield* store.load(company, []), [])
  })

  law("what was saved is read back, one version later, to the last of 15 digits", function* () {
    const company = yield* seller(["L1"], ["s1"])
    const empty = yield* load(company, key("s1"))
    const after = { ...empty, mrp: 999_999_999_999_999, esp: 999_999_999_999_998 }
    yield* save(company, [{ before: empty, after }])
    deepStrictEqual(yield* load(company, key("s1")), { ...after, version: 1 })
    yield* save(company, [])
    yield* raiseAll(company, [key("s1")])
    strictEqual((yield* load(company, key("s1"))).version, 2)
  })

  law(
    "a price that was changed since it was read is a stale write, on the first write and on later ones",
    function* () {
      const company = yield* seller(["L1"], ["s1"])
      const first = yield* load(company, key("s1"))
      strictEqual(yield* outcome(save(company, [raise({ ...first, version: 4 })])), "StaleWrite")
      yield* raiseAll(company, [key("s1")])
      const second = yield* load(company, key("s1"))
      yield* raiseAll(company, [key("s1")])
      const present = yield* load(company, key("s1"))
      for (const stale of [first, second, { ...present, version: 9 }]) {
        strictEqual(yield* outcome(save(company, [raise(stale, 50)])), "StaleWrite")
      }
      deepStrictEqual(yield* load(company, key("s1")), present)
    }
  )

  law(
    "a price of a SKU that was deleted since it was read is a stale write, and nothing of it is stored",
    function* () {
      const [store, seed] = [yield* PriceStore, yield* Seed]
      const company = yield* seller(["L1"], ["s1", "s2"])
      const read = yield* loadAll(company, [key("s1"), key("s2")])
      yield* seed.products(company, [Fresh.product(company, "item", ["s2"])])
      const changes = read.map((price) => raise(price))
      strictEqual(yield* outcome(save(company, changes)), "StaleWrite")
      deepStrictEqual(yield* store.load(company, [key("s1")]), ["UNKNOWN_SKU"])
      strictEqual((yield* load(company, key("s2"))).version, 0)
    }
  )

  law(
    "when one of several prices is stale, none is saved, and nothing of the transaction that it fails remains",
    function* () {
      const transaction = yield* Transaction.Transaction
      const company = yield* seller(["L1"], ["s1", "s2", "s3"])
      const keys = [key("s1"), key("s2"), key("s3")]
      const all = (yield* loadAll(company, keys)).map((price) => raise(price, 9))
      yield* save(company, all.slice(1, 2))
      const attempt = outcome(save(company, all))
      strictEqual(yield* attempt, "StaleWrite")
      for (const written of waysToWrite) {
        const unit = transaction.run(written(Effect.andThen(save(company, all.slice(2)), save(company, all))))
        strictEqual(yield* outcome(unit), "StaleWrite")
        deepStrictEqual(
          (yield* loadAll(company, keys)).map((price) => price.esp),
          [0, 9, 0]
        )
      }
    }
  )

  law("another company's prices are never seen and never changed", function* () {
    const store = yield* PriceStore
    const one = yield* seller(["L1", "L2"], ["s1", "s2"])
    const other = yield* seller(["L1"], ["s1"])
    yield* raiseAll(one, [key("s1"), key("s2", "L2")])
    deepStrictEqual(yield* store.load(other, [key("s2"), key("s1", "L2")]), ["UNKNOWN_SKU", "UNKNOWN_LOCATION"])
    strictEqual((yield* load(other, key("s1"))).version, 0)
    const own = yield* load(one, key("s1"))
    yield* save(other, [raise(yield* load(other, key("s1")), 8)])
    strictEqual((yield* load(other, key("s1"))).esp, 8)
    // Even when a price that was read for one company is saved for the other.
    yield* outcome(save(other, [raise(own, 100)]))
    deepStrictEqual(yield* load(one, key("s1")), own)
  })

  concurrent("of many who save from one version at once exactly one wins, the others are stale", function* () {
    const transaction = yield* Transaction.Transaction
    const company = yield* seller(["L1"], ["s1"])
    for (const esp of [1, 2]) {
      const before = yield* load(company, key("s1"))
      const attempts = Array.from({ length: 12 }, () => transaction.run(save(company, [raise(before)])))
      exactlyOneSucceeded(yield* concurrently(attempts.map(outcome)))
      strictEqual((yield* load(company, key("s1"))).esp, esp)
    }
  })

  concurrent("fifty who decide on one price at once all arrive", function* () {
    const decide = Transaction.retrying(yield* Transaction.Transaction)
    const company = yield* seller(["L1"], ["s1"])
    yield* concurrently(Array.from({ length: 50 }, () => decide(raiseAll(company, [key("s1")]))))
    const price = yield* load(company, key("s1"))
    deepStrictEqual([price.esp, price.mrp, price.version], [50, 100, 50])
  })

  concurrent("a transaction that loaded a price keeps others from it until it ends", function* () {
    const transaction = yield* Transaction.Transaction
    const company = yield* seller(["L1"], ["s1", "s2"])
    yield* raiseAll(company, [key("s1")])
    const locked = yield* Deferred.make<void>()
    const first = yield* Effect.forkChild(
      transaction.run(
        Effect.gen(function* () {
          const price = yield* load(company, key("s1"))
          yield* Deferred.succeed(locked, undefined)
          yield* linger(load(company, key("s2")))
          yield* save(company, [raise(price)])
        })
      )
    )
    yield* Deferred.await(locked)
    strictEqual((yield* transaction.run(load(company, key("s1")))).version, 2)
    yield* Fiber.join(first)
  })

  concurrent("those who name the same prices in another order do not block each other, stored or new", function* () {
    const decide = Transaction.retrying(yield* Transaction.Transaction)
    const skus = Array.from({ length: 30 }, (_, i) => `s${i}`)
    const company = yield* seller(["L1"], skus)
    const keys = skus.map((sku) => key(sku))
    const writers = Array.from({ length: 16 }, (_, i) => raiseAll(company, i % 2 === 0 ? keys : keys.toReversed()))
    yield* concurrently(writers.map(decide))
    deepStrictEqual(
      (yield* loadAll(company, keys)).map((price) => price.esp),
      keys.map(() => 16)
    )
  })
}
