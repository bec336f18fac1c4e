import { returnableUnits, unitsByItem, unitsLeft, unitsUnsettled } from "@crossdock/returns"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"

const line = (id: string, ordered: number, cancelled = 0) => ({ id, ordered, cancelled })

describe("The units that may still be returned", () => {
  it("are those that are neither cancelled nor in a return, open or closed", () => {
    const returns = [{ items: [line("a", 2)] }, { items: [line("a", 1), line("b", 1)] }]
    deepStrictEqual(
      returnableUnits([line("a", 5, 1), line("b", 1), line("c", 3)], returns),
      new Map([
        ["a", 1],
        ["b", 0],
        ["c", 3]
      ])
    )
  })

  it("are all that is left before the first return", () =>
    deepStrictEqual(
      returnableUnits([line("a", 2, 2), line("b", 2)], []),
      new Map([
        ["a", 0],
        ["b", 2]
      ])
    ))
})

describe("Units", () => {
  it("of portions of one item add up", () => {
    const portions = [
      { itemId: "a", quantity: 2 },
      { itemId: "b", quantity: 1 },
      { itemId: "a", quantity: 3 }
    ]
    deepStrictEqual(
      [...unitsByItem(portions)],
      [
        ["a", 5],
        ["b", 1]
      ]
    )
  })

  it("without a result are those that are left less those that passed or failed", () => {
    const checked = { ...line("a", 9, 2), good: 3, bad: 1 }
    deepStrictEqual([unitsLeft(checked), unitsUnsettled(checked)], [7, 3])
    strictEqual(unitsUnsettled({ ...checked, good: 6 }), 0)
  })
})
