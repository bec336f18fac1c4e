import { Level, type MarkedChange, StockLevels } from "@crossdock/inventory"
import type { CompanyId, StockKey, Stored, Transaction } from "@crossdock/kernel"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import { concurrently } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import { about, allKnown, column, columns, type Laws, sortedBy } from "./Laws.ts"
import { Seed, seller } from "./Seed.ts"
import { key } from "./StockRowLaws.ts"

const at = 1_790_000_000_000

export const loadAll = (company: CompanyId, keys: ReadonlyArray<StockKey>) =>
  Effect.flatMap(StockLevels, (levels) => Effect.flatMap(levels.load(company, keys), allKnown))

export const load = (company: CompanyId, one: StockKey) =>
  Effect.flatMap(loadAll(company, [one]), ([level]) => Effect.fromNullishOr(level)).pipe(Effect.orDie)

export const add = (level: Level.Level, units: number, marked = true): MarkedChange & Level.LevelChange => ({
  ...Level.move(Level.unchanged(level), {
    onHand: units,
    reserved: 0,
    unsellable: 0,
    reason: "adjust",
    reference: null
  }),
  marked
})

export const addEach = (levels: ReadonlyArray<Level.Level>, units: number) => levels.map((level) => add(level, units))

/** The time of the change with this number. Changes are one second apart. */
export const timeOf = (number: number): number => at + number * 1000

export const save = (company: CompanyId, number: number, changes: ReadonlyArray<MarkedChange>) =>
  Effect.flatMap(StockLevels, (levels) => levels.save(company, number, timeOf(number), changes))

export const stock = (
  company: CompanyId,
  sku: string,
  onHand: number,
  more: { at?: number; location?: string; marked?: boolean; number?: number; reserved?: number } = {}
) =>
  Effect.gen(function* () {
    const { at = 1, location, marked = true, number, reserved = 0 } = more
    const [levels, level] = [yield* StockLevels, yield* load(company, key(sku, location))]
    const movement = { onHand, reserved, unsellable: 0, reason: "set", reference: null } as const
    const change = { ...Level.move(Level.unchanged(level), movement), marked }
    yield* levels.save(company, number ?? level.changeNumber + 1, at, [change])
  })

export const increment = (company: CompanyId, keys: ReadonlyArray<StockKey>) =>
  Effect.flatMap(loadAll(company, keys), (levels) =>
    save(company, Math.max(...column(levels, "version")) + 1, addEach(levels, 1))
  )

export const briefly = (levels: ReadonlyArray<Level.Level>) => levels.map(({ location, sku }) => `${sku}@${location}`)

export const stockMovementLaws = (laws: Laws<StockLevels | Seed | Transaction.Transaction>): void => {
  const { concurrent, law } = about(StockLevels, laws)
  law("levels equal the sum of their movements, or are named", function* (levels) {
    const company = yield* seller(["L1"], ["s1", "s2", "s3"])
    const change = Level.move(add(yield* load(company, key("s1")), 10), Level.movementOf.reserve(4, "ship"))
    yield* save(company, 1, [{ ...change, marked: true }, add(yield* load(company, key("s2")), 2)])
    const consumed = Level.move(Level.unchanged(yield* load(company, key("s1"))), Level.movementOf.consume(3, "ship"))
    yield* save(company, 2, [{ ...consumed, marked: false }])
    deepStrictEqual(yield* levels.discrepancies(company), [])
    const [right, unborn] = [yield* load(company, key("s2")), yield* load(company, key("s3"))]
    const forged = { ...add(right, 5), after: { ...right, onHand: 9, reserved: 1, unsellable: 2 } }
    yield* save(company, 3, [forged, { ...add(unborn, 6), movements: [] }])
    const units = (onHand: number, reserved = 0, unsellable = 0) => ({ onHand, reserved, unsellable })
    deepStrictEqual(sortedBy(yield* levels.discrepancies(company), "sku"), [
      { ...key("s2"), level: units(9, 1, 2), movements: units(7) },
      { ...key("s3"), level: units(6), movements: units(0) }
    ])
  })

  law("a level whose SKU was deleted without it is named as one without a SKU", function* (levels) {
    const seed = yield* Seed
    const company = yield* seller(["L1"], ["s1", "s2"])
    for (const sku of ["s1", "s2"]) yield* save(company, 1, [add(yield* load(company, key(sku)), 3)])
    yield* seed.products(company, [Fresh.product(company, "item", ["s2"])])
    const units = { onHand: 3, reserved: 0, unsellable: 0 }
    deepStrictEqual(yield* levels.discrepancies(company), [
      { sku: null, location: "L1", level: units, movements: units }
    ])
  })

  law("old movements are folded into one for each level, which is their sum, again and again", function* (levels) {
    const company = yield* seller(["L1", "L2"], ["s1", "s2"])
    const keys = [key("s1"), key("s2"), key("s1", "L2")]
    const first = -(yield* Fresh.companyId)
    const foldAll: Stored<void> = Effect.flatMap(levels.foldMovements(first + 3, 1), (folded) =>
      folded > 0 ? foldAll : Effect.void
    )
    for (const round of [0, 1]) {
      for (const later of [0, 1, 2, 3]) {
        const found = yield* loadAll(company, keys)
        const changes = found.map((level, i) => add(level, 10 + i - later))
        yield* levels.save(company, 4 * round + later + 1, first + later, changes)
      }
      yield* foldAll
      deepStrictEqual(yield* levels.discrepancies(company), [])
    }
    deepStrictEqual(columns(yield* loadAll(company, keys), "onHand", "version").flat(), [68, 8, 76, 8, 84, 8])
  })

  concurrent("hosts may fold at once while stock is written", function* (levels) {
    const company = yield* seller(["L1"], ["s1", "s2"])
    const first = -(yield* Fresh.companyId)
    const keys = [key("s1"), key("s2")]
    for (let number = 1; number <= 20; number++) {
      const found = yield* loadAll(company, keys)
      yield* levels.save(company, number, first + number, addEach(found, number))
    }
    const fold = Effect.repeat(levels.foldMovements(first + 100, 3), { times: 5 })
    yield* concurrently([fold, fold, fold, increment(company, keys), fold])
    deepStrictEqual(yield* levels.discrepancies(company), [])
    strictEqual((yield* load(company, key("s1"))).onHand, 211)
    yield* Effect.repeat(levels.foldMovements(first + 100, 100), { until: (folded) => folded === 0 })
  })
}
