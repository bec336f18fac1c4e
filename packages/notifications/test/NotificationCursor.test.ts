import type { Level } from "@crossdock/inventory"
import { stockKeyText } from "@crossdock/kernel"
import { Limits, NotificationCursor } from "@crossdock/notifications"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"
import { keyOf, level, textOf } from "./Stock.ts"

const { isBeyond, readAfter, start, nextBatch, wholeChanges } = NotificationCursor

const isRising = (levels: ReadonlyArray<Level.Level>): boolean =>
  levels.every((one, i) => i === 0 || (levels[i - 1]?.changeNumber ?? 0) <= one.changeNumber)

/**
 * All batches, one after the other.
 */
const drain = (all: ReadonlyArray<Level.Level>, from: NotificationCursor.Cursor, size?: number) => {
  const batches: Array<ReadonlyArray<Level.Level>> = []
  let cursor = from
  // More rounds than levels: it does not go on.
  for (let round = 0; round <= all.length; round++) {
    // As a storage returns them: the levels marked after the cursor's last whole change.
    const marked = all.filter((one) => one.changeNumber > readAfter(cursor))
    const { levels, reach } = nextBatch({ cursor, again: [], marked }, size)
    if (levels.length === 0) return { batches, cursor }
    batches.push(levels)
    cursor = reach
  }
  throw new Error("the batches have no end")
}

const keys = FastCheck.tuple(
  FastCheck.stringMatching(/^[a-cA-C"é😀 ]{1,3}$/u),
  FastCheck.constantFrom("L1", "L2", "L 2", 'L"')
).map(([sku, location]) => ({ sku, location }))

const stock = FastCheck.uniqueArray(FastCheck.tuple(keys, FastCheck.integer({ min: 1, max: 6 })), {
  selector: ([key]) => textOf(key),
  maxLength: 40
}).map((found) => found.map(([{ location, sku }, changeNumber]) => level(sku, { location, changeNumber })))

describe("NotificationCursor", () => {
  it("a batch has at most 500 events", () => strictEqual(Limits.batchSize, 500))

  it("successive batches have every level exactly once, by rising change number", () => {
    FastCheck.assert(
      FastCheck.property(stock, FastCheck.integer({ min: 1, max: 7 }), (levels, size) => {
        const { batches, cursor } = drain(levels, start, size)
        const sent = batches.flat()
        deepStrictEqual(sent.map(textOf).sort(), levels.map(textOf).sort())
        assertTrue(isRising(sent))
        assertTrue(batches.every((batch, i) => batch.length === size || i === batches.length - 1))
        strictEqual(levels.some(isBeyond(cursor)), false)
      })
    )
  })

  it("one change that touches 1,300 levels is sent in three batches, each level once", () => {
    const levels = [
      level("before", { changeNumber: 4 }),
      ...Array.from({ length: 1300 }, (_, i) => level(`S${(i * 7919) % 1300}`, { changeNumber: 5 })),
      level("after", { changeNumber: 6 })
    ]
    const { batches, cursor } = drain(levels, start)
    deepStrictEqual(
      batches.map((batch) => batch.length),
      [500, 500, 302]
    )
    deepStrictEqual(batches.flat().map(textOf).sort(), levels.map(textOf).sort())
    assertTrue(isRising(batches.flat()))
    deepStrictEqual(cursor, { changeNumber: 6, within: null })
  })

  it("in the middle of a change the cursor has the last key that was sent, and the change is read again", () => {
    const levels = ["a", "b", "c"].map((sku) => level(sku, { changeNumber: 9 }))
    const { reach } = nextBatch({ cursor: start, again: [], marked: levels }, 2)
    deepStrictEqual(reach, { changeNumber: 9, within: { sku: "b", location: "L1" } })
    strictEqual(readAfter(reach), 8)
    strictEqual(readAfter({ changeNumber: 9, within: null }), 9)
    deepStrictEqual(levels.map(isBeyond(reach)), [false, false, true])
    strictEqual(isBeyond(reach)(level("c", { changeNumber: 8 })), false)
  })

  it("a level that changes while its change is being sent is sent with its new change number", () => {
    const levels = ["a", "b", "c", "d"].map((sku) => level(sku, { changeNumber: 9 }))
    const { reach } = nextBatch({ cursor: start, again: [], marked: levels }, 2)
    const later = levels.map((one) => (one.sku === "a" || one.sku === "c" ? { ...one, changeNumber: 10 } : one))
    deepStrictEqual(
      drain(later, reach, 2)
        .batches.flat()
        .map(({ changeNumber, sku }) => [sku, changeNumber]),
      [
        ["d", 9],
        ["a", 10],
        ["c", 10]
      ]
    )
  })

  it("the cursor stays when nothing is pending", () => {
    const cursor = { changeNumber: 3, within: { sku: "a", location: "L1" } }
    deepStrictEqual(nextBatch({ cursor, again: [], marked: [level("a", { changeNumber: 3 })] }), {
      levels: [],
      reach: cursor
    })
  })

  it("levels to be sent again come first, count towards the size, and never move the cursor", () => {
    const cursor = { changeNumber: 5, within: null }
    const again = [level("y", { changeNumber: 3 }), level("x", { changeNumber: 2 })]
    const marked = ["a", "b"].map((sku, i) => level(sku, { changeNumber: 6 + i }))
    const full = nextBatch({ cursor, again, marked }, 2)
    deepStrictEqual(full.levels.map(textOf), ["x@L1", "y@L1"])
    deepStrictEqual(full.reach, cursor)
    const mixed = nextBatch({ cursor, again, marked }, 3)
    deepStrictEqual(mixed.levels.map(textOf), ["x@L1", "y@L1", "a@L1"])
    deepStrictEqual(mixed.reach, { changeNumber: 6, within: null })
  })

  it("a level that is pending anyway is not sent twice", () => {
    const one = level("a", { changeNumber: 8 })
    const cursor = { changeNumber: 5, within: null }
    deepStrictEqual(nextBatch({ cursor, again: [one], marked: [one] }).levels, [one])
    // It changed between the two reads.
    deepStrictEqual(nextBatch({ cursor, again: [level("a", { changeNumber: 3 })], marked: [one] }).levels, [one])
  })

  it("with levels to be sent again, every level is still sent once, by rising change number", () => {
    FastCheck.assert(
      FastCheck.property(
        stock,
        FastCheck.integer({ min: 0, max: 6 }),
        FastCheck.integer({ min: 1, max: 50 }),
        (levels, changeNumber, size) => {
          const cursor = { changeNumber, within: null }
          const { levels: sent } = nextBatch({ cursor, again: levels, marked: levels }, size)
          strictEqual(sent.length, Math.min(size, levels.length))
          strictEqual(new Set(sent.map(textOf)).size, sent.length)
          assertTrue(isRising(sent))
        }
      )
    )
  })

  it("a change that may have been cut off is left out", () => {
    const levels = [1, 2, 2, 3, 3].map((changeNumber, i) => level(`s${i}`, { changeNumber }))
    deepStrictEqual(wholeChanges(levels, 6), levels)
    deepStrictEqual(wholeChanges(levels, 5), levels.slice(0, 3))
    deepStrictEqual(wholeChanges(levels.slice(1, 3), 2), [])
    deepStrictEqual(wholeChanges([], 1), [])
  })

  it("keys that look alike stay apart", () => {
    const texts = [
      { sku: "a", location: "b c" },
      { sku: "a b", location: "c" },
      { sku: 'a","b', location: "c" },
      { sku: "a", location: 'b","c' }
    ].map((key) => stockKeyText(keyOf(key)))
    strictEqual(new Set(texts).size, 4)
  })
})
