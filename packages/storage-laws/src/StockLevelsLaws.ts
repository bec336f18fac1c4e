import { Level, type MarkedChange, StockLevels } from "@crossdock/inventory"
import type { Transaction } from "@crossdock/kernel"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import * as Fresh from "./Fresh.ts"
import { about, column, columns, inTransaction, type Laws, outcome } from "./Laws.ts"
import { type Seed, seller } from "./Seed.ts"
import {
  add,
  addEach,
  briefly,
  increment,
  load,
  loadAll,
  save,
  stockMovementLaws,
  timeOf
} from "./StockMovementLaws.ts"
import { key, type Port, stockRowLaws } from "./StockRowLaws.ts"

const stockLevels: Port<Level.Level, MarkedChange, StockLevels> = {
  noun: "level",
  amount: ({ onHand }) => onHand,
  read: (company, keys) => Effect.flatMap(StockLevels, (levels) => levels.load(company, keys)),
  add: (level, by) => add(level, by),
  save: (company, changes) => save(company, Math.max(0, ...changes.map(({ after }) => after.version)) + 1, changes),
  timeOf,
  list: (...wanted) => Effect.flatMap(StockLevels, (levels) => levels.list(...wanted)),
  remove: (company, skus) =>
    Effect.flatMap(StockLevels, (levels) => levels.remove(company, skus, { changeNumber: 99, at: 99 })),
  check: (company) =>
    Effect.flatMap(StockLevels, (levels) => levels.discrepancies(company)).pipe(
      Effect.map((found) => deepStrictEqual(found, []))
    )
}

export const stockLevelsLaws = (laws: Laws<StockLevels | Seed | Transaction.Transaction>): void => {
  const { law } = about(StockLevels, laws)

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
    const full = { ...expected, onHand: Level.maxUnits, version: 2, changeNumber: 8, changedAt: timeOf(8) }
    deepStrictEqual(yield* load(company, key("s1")), full)
  })

  law("one change number covers what is saved in several parts", function* (levels) {
    const company = yield* seller(["L1"], ["s1", "s2"])
    yield* save(company, 1, [add(yield* load(company, key("s1")), 5)])
    yield* save(company, 1, [add(yield* load(company, key("s1")), 5), add(yield* load(company, key("s2")), 5)])
    strictEqual((yield* load(company, key("s1"))).onHand, 10)
    deepStrictEqual(yield* levels.discrepancies(company), [])
  })

  law("a marked change gives its number and time to the level, an unmarked one leaves both", function* (levels) {
    const company = yield* seller(["L1"], ["s1", "s2"])
    yield* save(company, 3, [add(yield* load(company, key("s1")), 1), add(yield* load(company, key("s2")), 1, false)])
    yield* save(company, 4, [add(yield* load(company, key("s1")), 1, false)])
    const marks = columns(yield* loadAll(company, [key("s1"), key("s2")]), "changeNumber", "changedAt")
    deepStrictEqual(marks.flat(), [3, timeOf(3), 0, 0])
    deepStrictEqual(yield* levels.marked(company, ["L1"], 0, 10, "m"), [yield* load(company, key("s1"))])
  })

  law("marked levels come by rising number, those of the locations only, after the given number", function* (levels) {
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

  law("a reader that goes on after the last number it has seen reaches every marked level once", function* (levels) {
    const skus = Array.from({ length: 9 }, (_, i) => `s${i}`)
    const company = yield* seller(["L1"], skus)
    const keys = skus.map((sku) => key(sku))
    const all = yield* loadAll(company, keys)
    for (const [number, from, to] of [
      [1, 0, 1],
      [2, 1, 7],
      [3, 7, 9]
    ] as const)
      yield* save(company, number, addEach(all.slice(from, to), 1))
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

  law("marked levels of one number are ordered by SKU, then location, by code point", function* (levels) {
    const company = yield* seller(["b", "B"], Fresh.shuffled)
    const keys = Fresh.shuffled.flatMap((sku) => [key(sku, "b"), key(sku, "B")])
    yield* save(company, 1, addEach(yield* loadAll(company, keys), 1))
    const expected = Fresh.inOrder.flatMap((sku) => [`${sku}@B`, `${sku}@b`])
    deepStrictEqual(briefly(yield* levels.marked(company, ["b", "B"], 0, 1000, "m")), expected)
  })

  law("levels and movements of a failed transaction are rolled back together", function* (levels) {
    const company = yield* seller(["L1"], ["s1"])
    const write = increment(company, [key("s1")])
    yield* Effect.flip(inTransaction(Effect.andThen(write, Effect.fail("rejected"))))
    strictEqual((yield* load(company, key("s1"))).version, 0)
    yield* inTransaction(write)
    deepStrictEqual(yield* levels.discrepancies(company), [])
  })

  law("another company's levels are not among the marked, nor saved for this one", function* (levels) {
    const [one, other] = [yield* seller(["L1", "L2"], ["s1", "s2"]), yield* seller(["L1"], ["s1"])]
    yield* increment(one, [key("s1"), key("s2", "L2")])
    deepStrictEqual(yield* levels.marked(other, ["L1", "L2"], 0, 10, "m"), [])
    yield* save(other, 1, [add(yield* load(other, key("s1")), 8)])
    yield* outcome(save(other, 2, [add(yield* load(one, key("s1")), 100)]))
    deepStrictEqual(column(yield* levels.marked(other, ["L1"], 0, 10, "m"), "onHand"), [8])
  })

  stockRowLaws(stockLevels, laws)
  stockMovementLaws(laws)
}
