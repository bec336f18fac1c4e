/**
 * The laws of `StockLevels`.
 */
import { Level, StockLevels } from "@crossdock/inventory"
import { Transaction } from "@crossdock/kernel"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Fresh from "./Fresh.ts"
import { concurrently, exactlyOneSucceeded, type Laws, linger, outcome, waysToWrite } from "./Laws.ts"
import { Seed, seller } from "./Seed.ts"
import { add, briefly, increment, key, load, loadAll, save, stockMovementLaws, timeOf } from "./StockMovementLaws.ts"

export const stockLevelsLaws = (laws: Laws<StockLevels | Seed | Transaction.Transaction>): void => {
  const { concurrent, law } = laws

  law("a level that is not stored yet has version 0 and no stock", function* () {
    const company = yield* seller(["L1"], ["s1"])
    const { locationId, sizeId, ...level } = yield* load(company, key("s1"))
    deepStrictEqual(level, {
      companyId: company,
      sku: "s1",
      location: "L1",
      onHand: 0,
      reserved: 0,
      unsellable: 0,
      version: 0,
      changeNumber: 0,
      changedAt: 0
    })
  })

  law("there is one answer for each key, in the order of the keys, also for unknown and repeated ones", function* () {
    const levels = yield* StockLevels
    const company = yield* seller(["L1", "L2"], Fresh.shuffled)
    yield* save(company, 1, [add(yield* load(company, key("z", "L2")), 3)])
    const keys = [
      key("z", "L2"),
      key("none"),
      key("a"),
      key("a", "none"),
      key("none", "none"),
      key("z", "L2"),
      key("A")
    ]
    const answers = yield* levels.load(company, keys)
    deepStrictEqual(
      answers.map((answer) => (typeof answer === "object" ? [answer.sku, answer.location, answer.onHand] : answer)),
      [
        ["z", "L2", 3],
        "UNKNOWN_SKU",
        ["a", "L1", 0],
        "UNKNOWN_LOCATION",
        "UNKNOWN_LOCATION",
        ["z", "L2", 3],
        ["A", "L1", 0]
      ]
    )
    deepStrictEqual(yield* levels.load(company, []), [])
  })

  law("what was saved is read back, one version later", function* () {
    const company = yield* seller(["L1"], ["s1"])
    const empty = yield* load(company, key("s1"))
    const change = [Level.movementOf.reserve(4, "ship"), Level.movementOf.unsellable(2, "ship")].reduce(
      Level.move,
      add(empty, 10)
    )
    yield* save(company, 7, [{ ...change, marked: true }])
    const stock = { onHand: 10, reserved: 4, unsellable: 2 }
    const expected = { ...empty, ...stock, version: 1, changeNumber: 7, changedAt: timeOf(7) }
    deepStrictEqual(yield* load(company, key("s1")), expected)
    yield* save(company, 8, [add(expected, Level.maxUnits - 10)])
    deepStrictEqual(yield* load(company, key("s1")), {
      ...expected,
      onHand: Level.maxUnits,
      version: 2,
      changeNumber: 8,
      changedAt: timeOf(8)
    })
  })

  law("no changes are saved as none", function* () {
    const company = yield* seller(["L1"], ["s1"])
    yield* save(company, 1, [])
    strictEqual((yield* load(company, key("s1"))).version, 0)
  })

  law("one change number covers what is saved in several parts", function* () {
    const levels = yield* StockLevels
    const company = yield* seller(["L1"], ["s1", "s2"])
    yield* save(company, 1, [add(yield* load(company, key("s1")), 5)])
    yield* save(company, 1, [add(yield* load(company, key("s1")), 5), add(yield* load(company, key("s2")), 5)])
    strictEqual((yield* load(company, key("s1"))).onHand, 10)
    deepStrictEqual(yield* levels.discrepancies(company), [])
  })

  law(
    "a level that was changed since it was read is a stale write, on the first write and on later ones",
    function* () {
      const company = yield* seller(["L1"], ["s1"])
      const versions = [yield* load(company, key("s1"))]
      for (const number of [1, 2]) {
        yield* save(company, number, [add(yield* load(company, key("s1")), number)])
        versions.push(yield* load(company, key("s1")))
      }
      const [first, second, present] = versions as [Level.Level, Level.Level, Level.Level]
      const unborn = { ...present, version: 9 }
      for (const stale of [first, second, unborn]) {
        strictEqual(yield* outcome(save(company, 3, [add(stale, 50)])), "StaleWrite")
      }
      deepStrictEqual(yield* load(company, key("s1")), present)
    }
  )

  law("a version that was never stored is a stale write where there is no level", function* () {
    const company = yield* seller(["L1"], ["s1"])
    const empty = yield* load(company, key("s1"))
    strictEqual(yield* outcome(save(company, 1, [add({ ...empty, version: 4 }, 1)])), "StaleWrite")
    deepStrictEqual(yield* load(company, key("s1")), empty)
  })

  law(
    "a level of a SKU that was deleted since it was read is a stale write, and nothing of it is stored",
    function* () {
      const [levels, seed] = [yield* StockLevels, yield* Seed]
      const company = yield* seller(["L1"], ["s1", "s2"])
      const read = yield* loadAll(company, [key("s1"), key("s2")])
      yield* seed.products(company, [Fresh.product(company, "item", ["s2"])])
      const changes = read.map((level) => add(level, 1))
      strictEqual(yield* outcome(save(company, 1, changes)), "StaleWrite")
      deepStrictEqual(yield* levels.load(company, [key("s1")]), ["UNKNOWN_SKU"])
      strictEqual((yield* load(company, key("s2"))).version, 0)
      deepStrictEqual(yield* levels.discrepancies(company), [])
    }
  )

  law(
    "when one of several levels is stale, none is saved, and nothing of the transaction that it fails remains",
    function* () {
      const levels = yield* StockLevels
      const transaction = yield* Transaction.Transaction
      const company = yield* seller(["L1"], ["s1", "s2", "s3"])
      const keys = [key("s1"), key("s2"), key("s3")]
      const before = yield* loadAll(company, keys)
      const all = before.map((level) => add(level, 9))
      yield* save(company, 1, all.slice(1, 2))
      strictEqual(yield* outcome(save(company, 2, all)), "StaleWrite")
      deepStrictEqual(
        (yield* loadAll(company, keys)).map((level) => level.onHand),
        [0, 9, 0]
      )
      for (const written of waysToWrite) {
        const unit = transaction.run(written(Effect.andThen(save(company, 2, all.slice(2)), save(company, 3, all))))
        strictEqual(yield* outcome(unit), "StaleWrite")
        deepStrictEqual(
          (yield* loadAll(company, keys)).map((level) => level.onHand),
          [0, 9, 0]
        )
      }
      deepStrictEqual(yield* levels.discrepancies(company), [])
    }
  )

  law("another company's levels are never seen and never changed", function* () {
    const levels = yield* StockLevels
    const one = yield* seller(["L1", "L2"], ["s1", "s2"])
    const other = yield* seller(["L1"], ["s1"])
    yield* save(one, 1, [add(yield* load(one, key("s1")), 5), add(yield* load(one, key("s2", "L2")), 5)])
    deepStrictEqual(yield* levels.load(other, [key("s2"), key("s1", "L2")]), ["UNKNOWN_SKU", "UNKNOWN_LOCATION"])
    strictEqual((yield* load(other, key("s1"))).onHand, 0)
    deepStrictEqual(yield* levels.marked(other, ["L1", "L2"], 0, 10, "m"), [])
    yield* save(other, 1, [add(yield* load(other, key("s1")), 8)])
    const own = yield* load(one, key("s1"))
    strictEqual(own.onHand, 5)
    deepStrictEqual(
      (yield* levels.marked(other, ["L1"], 0, 10, "m")).map((level) => level.onHand),
      [8]
    )
    // Even a level that somebody read for the one company and saves for the other.
    yield* outcome(save(other, 2, [add(own, 100)]))
    deepStrictEqual(yield* load(one, key("s1")), own)
    strictEqual((yield* load(other, key("s1"))).onHand, 8)
  })

  law("a marked change gives its number and time to the level, an unmarked one leaves both", function* () {
    const levels = yield* StockLevels
    const company = yield* seller(["L1"], ["s1", "s2"])
    yield* save(company, 3, [add(yield* load(company, key("s1")), 1), add(yield* load(company, key("s2")), 1, false)])
    yield* save(company, 4, [add(yield* load(company, key("s1")), 1, false)])
    deepStrictEqual(
      (yield* loadAll(company, [key("s1"), key("s2")])).map((level) => [level.changeNumber, level.changedAt]),
      [
        [3, timeOf(3)],
        [0, 0]
      ]
    )
    deepStrictEqual(yield* levels.marked(company, ["L1"], 0, 10, "m"), [yield* load(company, key("s1"))])
  })

  law("marked levels come by rising number, those of the locations only, after the given number", function* () {
    const levels = yield* StockLevels
    const company = yield* seller(["L1", "L2", "L3"], ["s1", "s2"])
    const order = [key("s2", "L2"), key("s1", "L3"), key("s1"), key("s2"), key("s1", "L2")]
    for (const [i, one] of order.entries()) yield* save(company, 10 - i, [add(yield* load(company, one), 1)])
    const marks = Effect.fnUntraced(function* (locations: ReadonlyArray<string>, after: number) {
      return briefly(yield* levels.marked(company, locations, after, 10, "m"))
    })
    deepStrictEqual(yield* marks(["L1", "L2", "L3"], 0), ["s1@L2", "s2@L1", "s1@L1", "s1@L3", "s2@L2"])
    deepStrictEqual(yield* marks(["L1", "L2"], 6), ["s2@L1", "s1@L1", "s2@L2"])
    deepStrictEqual(yield* marks(["L3", "none"], 0), ["s1@L3"])
    deepStrictEqual(yield* marks(["L1", "L2", "L3"], 10), [])
    deepStrictEqual(yield* marks([], 0), [])
  })

  law("a reader that goes on after the last number it has seen reaches every marked level once", function* () {
    const levels = yield* StockLevels
    const skus = Array.from({ length: 9 }, (_, i) => `s${i}`)
    const company = yield* seller(["L1"], skus)
    const all = yield* loadAll(
      company,
      skus.map((sku) => key(sku))
    )
    // Change 1 marks one level, change 2 six at once, change 3 two.
    for (const [number, from, to] of [
      [1, 0, 1],
      [2, 1, 7],
      [3, 7, 9]
    ] as const) {
      yield* save(
        company,
        number,
        all.slice(from, to).map((level) => add(level, 1))
      )
    }
    const read = Effect.fnUntraced(function* (limit: number) {
      const seen: Array<string> = []
      for (let after = 0; ; ) {
        const page = yield* levels.marked(company, ["L1"], after, limit, "m")
        seen.push(...page.map((level) => level.sku))
        const last = page.at(-1)
        if (last === undefined) return seen
        assertTrue(last.changeNumber > after)
        after = last.changeNumber
      }
    })
    for (const limit of [1, 2, 3, 8, 9, 100]) deepStrictEqual(yield* read(limit), skus)
    strictEqual((yield* levels.marked(company, ["L1"], 0, 1, "m")).length, 1)
  })

  law("marked levels of one number are ordered by SKU, then location, by code point", function* () {
    const levels = yield* StockLevels
    const company = yield* seller(["b", "B"], Fresh.shuffled)
    const keys = Fresh.shuffled.flatMap((sku) => [key(sku, "b"), key(sku, "B")])
    yield* save(
      company,
      1,
      (yield* loadAll(company, keys)).map((level) => add(level, 1))
    )
    deepStrictEqual(
      briefly(yield* levels.marked(company, ["b", "B"], 0, 1000, "m")),
      Fresh.inOrder.flatMap((sku) => [`${sku}@B`, `${sku}@b`])
    )
  })

  law("levels and movements of a failed transaction are rolled back together", function* () {
    const levels = yield* StockLevels
    const transaction = yield* Transaction.Transaction
    const company = yield* seller(["L1"], ["s1"])
    const write = increment(company, [key("s1")])
    yield* Effect.flip(transaction.run(Effect.andThen(write, Effect.fail("rejected"))))
    strictEqual((yield* load(company, key("s1"))).version, 0)
    yield* transaction.run(write)
    deepStrictEqual(yield* levels.discrepancies(company), [])
  })

  concurrent("of many who save from one version at once exactly one wins, the others are stale", function* () {
    const levels = yield* StockLevels
    const transaction = yield* Transaction.Transaction
    const company = yield* seller(["L1"], ["s1"])
    for (const number of [1, 2]) {
      const before = yield* load(company, key("s1"))
      const attempts = Array.from({ length: 12 }, () => transaction.run(save(company, number, [add(before, 1)])))
      exactlyOneSucceeded(yield* concurrently(attempts.map(outcome)))
      strictEqual((yield* load(company, key("s1"))).onHand, number)
    }
    deepStrictEqual(yield* levels.discrepancies(company), [])
  })

  concurrent("fifty who decide on one level at once all arrive", function* () {
    const levels = yield* StockLevels
    const decide = Transaction.retrying(yield* Transaction.Transaction)
    const company = yield* seller(["L1"], ["s1"])
    yield* concurrently(Array.from({ length: 50 }, () => decide(increment(company, [key("s1")]))))
    const level = yield* load(company, key("s1"))
    deepStrictEqual([level.onHand, level.version, level.changeNumber], [50, 50, 50])
    deepStrictEqual(yield* levels.discrepancies(company), [])
  })

  concurrent("a transaction that loaded a level keeps others from it until it ends", function* () {
    const transaction = yield* Transaction.Transaction
    const company = yield* seller(["L1"], ["s1", "s2"])
    yield* increment(company, [key("s1")])
    const locked = yield* Deferred.make<void>()
    const first = yield* Effect.forkChild(
      transaction.run(
        Effect.gen(function* () {
          const level = yield* load(company, key("s1"))
          yield* Deferred.succeed(locked, undefined)
          yield* linger(load(company, key("s2")))
          yield* save(company, 2, [add(level, 1)])
        })
      )
    )
    yield* Deferred.await(locked)
    strictEqual((yield* transaction.run(load(company, key("s1")))).version, 2)
    yield* Fiber.join(first)
  })

  concurrent("those who name the same levels in another order do not block each other, stored or new", function* () {
    const levels = yield* StockLevels
    const decide = Transaction.retrying(yield* Transaction.Transaction)
    const skus = Array.from({ length: 30 }, (_, i) => `s${i}`)
    const company = yield* seller(["L1"], skus)
    const keys = skus.map((sku) => key(sku))
    const writers = Array.from({ length: 16 }, (_, i) => increment(company, i % 2 === 0 ? keys : keys.toReversed()))
    yield* concurrently(writers.map(decide))
    deepStrictEqual(
      (yield* loadAll(company, keys)).map((level) => level.onHand),
      keys.map(() => 16)
    )
    deepStrictEqual(yield* levels.discrepancies(company), [])
  })

  // Before 1970, where no other law has anything.

  stockMovementLaws(laws)
}
