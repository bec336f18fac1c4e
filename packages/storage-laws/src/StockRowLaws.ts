/** Laws that `StockLevels` and `PriceStore` share. Both have rows by company, SKU and location, and write them by version. */
import type { CompanyId, StaleWrite, StockKey, StockRows, Stored, Transaction } from "@crossdock/kernel"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import { concurrently, exactlyOneSucceeded, loadedBehind, retrying, times } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import { allKnown, inTransaction, type Laws, outcome, waysToWrite } from "./Laws.ts"
import { Seed, seller } from "./Seed.ts"

export const key = (sku: string, location = "L1"): StockKey => ({ sku, location })

interface Row extends StockKey {
  readonly version: number
}

/** The reads and writes of a port. `add` increases the `amount` of rows. */
export interface Port<R extends Row, Change, Self> {
  readonly noun: "level" | "price"
  readonly amount: (row: R) => number
  readonly read: (company: CompanyId, keys: ReadonlyArray<StockKey>) => Stored<ReadonlyArray<R | string>, never, Self>
  readonly add: (row: R, by: number) => Change
  readonly save: (company: CompanyId, changes: ReadonlyArray<Change>) => Stored<void, StaleWrite, Self>
  readonly timeOf: (version: number) => number
  readonly list: (
    ...wanted: Parameters<StockRows<object>>
  ) => Stored<ReadonlyArray<StockKey & { readonly modifiedAt: number }>, never, Self>
  readonly remove: (company: CompanyId, skus: ReadonlyArray<string>) => Stored<void, never, Self>
  readonly check?: (company: CompanyId) => Stored<void, never, Self>
}

export const stockRowLaws = <R extends Row, Change, Self>(
  { add, amount, check = () => Effect.void, list, noun, read, remove, save, timeOf }: Port<R, Change, Self>,
  { concurrent, law }: Laws<Self | Seed | Transaction.Transaction>
): void => {
  const loadAll = (company: CompanyId, keys: ReadonlyArray<StockKey>) => Effect.flatMap(read(company, keys), allKnown)
  const load = (company: CompanyId, one: StockKey) =>
    Effect.flatMap(loadAll(company, [one]), ([row]) => Effect.fromNullishOr(row)).pipe(Effect.orDie)
  const increment = (company: CompanyId, keys: ReadonlyArray<StockKey>) =>
    Effect.flatMap(loadAll(company, keys), (rows) => {
      const changes = rows.map((row) => add(row, 1))
      return save(company, changes)
    })

  law("there is one answer for each key, in their order, also for unknown and repeated ones", function* () {
    const company = yield* seller(["L1", "L2"], Fresh.shuffled)
    yield* save(company, [add(yield* load(company, key("z", "L2")), 3)])
    const keys = [key("z", "L2"), key("none"), key("a"), key("a", "none"), key("none", "none"), key("A")]
    const answers = yield* read(company, [...keys, key("z", "L2")])
    const [z, ...others] = [["z", "L2", 3], "UNKNOWN_SKU", ["a", "L1", 0], "UNKNOWN_LOCATION", "UNKNOWN_LOCATION"]
    const shown = answers.map((one) => (typeof one === "object" ? [one.sku, one.location, amount(one)] : one))
    deepStrictEqual(shown, [z, ...others, ["A", "L1", 0], z])
    deepStrictEqual(yield* read(company, []), [])
  })

  law(`a ${noun} that changed since it was read, or was never stored, is a stale write`, function* () {
    const company = yield* seller(["L1"], ["s1"])
    const versions = [yield* load(company, key("s1"))]
    const later = versions.map((row) => add({ ...row, version: 4 }, 1))
    strictEqual(yield* outcome(save(company, later)), "StaleWrite")
    yield* save(company, [])
    deepStrictEqual([yield* load(company, key("s1"))], versions)
    for (const by of [1, 2]) {
      yield* save(company, [add(yield* load(company, key("s1")), by)])
      versions.push(yield* load(company, key("s1")))
    }
    const [first, second, present] = versions as [R, R, R]
    for (const stale of [first, second, { ...present, version: 9 }])
      strictEqual(yield* outcome(save(company, [add(stale, 50)])), "StaleWrite")
    deepStrictEqual(yield* load(company, key("s1")), present)
  })

  law(`a ${noun} whose SKU was deleted since it was read is a stale write, and isn't stored`, function* () {
    const company = yield* seller(["L1"], ["s1", "s2"])
    const changes = (yield* loadAll(company, [key("s1"), key("s2")])).map((row) => add(row, 1))
    yield* (yield* Seed).products(company, [Fresh.product(company, "item", ["s2"])])
    strictEqual(yield* outcome(save(company, changes)), "StaleWrite")
    deepStrictEqual(yield* read(company, [key("s1")]), ["UNKNOWN_SKU"])
    strictEqual((yield* load(company, key("s2"))).version, 0)
    yield* check(company)
  })

  law(`one stale ${noun} of several fails its transaction, of which nothing remains`, function* () {
    const company = yield* seller(["L1"], ["s1", "s2", "s3"])
    const keys = [key("s1"), key("s2"), key("s3")]
    const all = (yield* loadAll(company, keys)).map((row) => add(row, 9))
    yield* save(company, all.slice(1, 2))
    strictEqual(yield* outcome(save(company, all)), "StaleWrite")
    deepStrictEqual((yield* loadAll(company, keys)).map(amount), [0, 9, 0])
    for (const written of waysToWrite) {
      const unit = inTransaction(written(Effect.andThen(save(company, all.slice(2)), save(company, all))))
      strictEqual(yield* outcome(unit), "StaleWrite")
      deepStrictEqual((yield* loadAll(company, keys)).map(amount), [0, 9, 0])
    }
    yield* check(company)
  })

  law(`another company's ${noun}s are never seen and never changed`, function* () {
    const [one, other] = [yield* seller(["L1", "L2"], ["s1", "s2"]), yield* seller(["L1"], ["s1"])]
    yield* increment(one, [key("s1"), key("s2", "L2")])
    deepStrictEqual(yield* read(other, [key("s2"), key("s1", "L2")]), ["UNKNOWN_SKU", "UNKNOWN_LOCATION"])
    strictEqual((yield* load(other, key("s1"))).version, 0)
    const own = yield* load(one, key("s1"))
    yield* save(other, [add(yield* load(other, key("s1")), 8)])
    strictEqual(amount(yield* load(other, key("s1"))), 8)
    // A row that was read for one company and is saved for the other doesn't change the stored row.
    yield* outcome(save(other, [add(own, 100)]))
    deepStrictEqual(yield* load(one, key("s1")), own)
  })

  const all = { locations: null, skus: [] }
  const listed = (...wanted: Parameters<StockRows<object>>) =>
    Effect.map(list(...wanted), (rows) => rows.map(({ location, sku }) => `${sku}@${location}`))

  law(`stored ${noun}s are listed by SKU, then location, by code point, in parts after a key`, function* () {
    const company = yield* seller(["b", "B", "é"], Fresh.shuffled)
    deepStrictEqual(yield* listed(company, all, null, 10), [])
    const keys = Fresh.shuffled.flatMap((sku) => ["é", "b", "B"].map((location) => key(sku, location)))
    yield* increment(company, keys)
    const expected = Fresh.inOrder.flatMap((sku) => [`${sku}@B`, `${sku}@b`, `${sku}@é`])
    const rows = yield* list(company, all, null, 1000)
    deepStrictEqual(yield* listed(company, all, null, 1000), expected)
    for (const [nth, row] of rows.entries())
      deepStrictEqual(yield* listed(company, all, row, 4), expected.slice(nth + 1, nth + 5))
    const [first, last] = yield* Fresh.longTexts
    const long = yield* seller(["L1"], [last, first])
    yield* increment(long, [key(last), key(first)])
    deepStrictEqual(yield* listed(long, all, key(first), 9), [`${last}@L1`])
  })

  law(`${noun}s of a filter are listed with the time of their last write, until their SKUs are removed`, function* () {
    const other = yield* seller(["L1"], ["s1"])
    yield* increment(other, [key("s1")])
    const company = yield* seller(["L1", "L2"], ["s1", "s2", "s3"])
    yield* increment(company, [key("s1"), key("s1", "L2"), key("s2", "L2"), key("s3")])
    yield* increment(company, [key("s1")])
    const some = (locations: ReadonlyArray<string> | null, skus: ReadonlyArray<string>) =>
      Effect.map(list(company, { locations, skus }, null, 9), (rows) =>
        rows.map(({ location, modifiedAt, sku }) => [sku, location, modifiedAt])
      )
    const [s1, at2, s2] = [
      ["s1", "L1", timeOf(2)],
      ["s1", "L2", timeOf(1)],
      ["s2", "L2", timeOf(1)]
    ]
    deepStrictEqual(yield* some(["L2", "none", "L2"], []), [at2, s2])
    deepStrictEqual(yield* some(null, ["s1", "none", "S2", "s1"]), [s1, at2])
    deepStrictEqual([yield* some(["L1"], ["s2"]), yield* some([], [])], [[], []])
    yield* (yield* Seed).products(company, [Fresh.product(company, "item", ["s1", "s2"])])
    deepStrictEqual(yield* some(null, []), [s1, at2, s2])
    yield* remove(company, [])
    yield* remove(company, ["s1", "none", "s1"])
    deepStrictEqual(yield* some(null, []), [s2])
    strictEqual((yield* load(company, key("s1"))).version, 0)
    deepStrictEqual(yield* listed(other, all, null, 9), ["s1@L1"])
  })

  concurrent("of many who save from one version at once exactly one wins, the others are stale", function* () {
    const company = yield* seller(["L1"], ["s1"])
    for (const total of [1, 2]) {
      const before = yield* load(company, key("s1"))
      exactlyOneSucceeded(yield* times(12, () => outcome(inTransaction(save(company, [add(before, 1)])))))
      strictEqual(amount(yield* load(company, key("s1"))), total)
    }
    yield* check(company)
  })

  concurrent(`fifty who decide on one ${noun} at once all arrive`, function* () {
    const company = yield* seller(["L1"], ["s1"])
    yield* times(50, () => retrying(increment(company, [key("s1")])))
    const row = yield* load(company, key("s1"))
    deepStrictEqual([amount(row), row.version], [50, 50])
    if ("changeNumber" in row) strictEqual(row.changeNumber, 50)
    yield* check(company)
  })

  concurrent(`a transaction that loaded a ${noun} keeps others from it until it ends`, function* () {
    const company = yield* seller(["L1"], ["s1", "s2"])
    yield* increment(company, [key("s1")])
    const [row, other] = [load(company, key("s1")), load(company, key("s2"))]
    const loaded = yield* loadedBehind(row, other, (before) => save(company, [add(before, 1)]), row)
    strictEqual(loaded.version, 2)
  })

  concurrent(`writers of the same ${noun}s in another order don't block each other, stored or new`, function* () {
    const skus = Array.from({ length: 30 }, (_, i) => `s${i}`)
    const company = yield* seller(["L1"], skus)
    const keys = skus.map((sku) => key(sku))
    const writers = Array.from({ length: 16 }, (_, i) => increment(company, i % 2 === 0 ? keys : keys.toReversed()))
    yield* concurrently(writers.map(retrying))
    deepStrictEqual((yield* loadAll(company, keys)).map(amount), Array(keys.length).fill(16))
    yield* check(company)
  })
}
