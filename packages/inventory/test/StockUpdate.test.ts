import { Level, StockUpdate } from "@crossdock/inventory"
import { stockLevel } from "@crossdock/inventory/testing"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { prop } from "../../kernel/test/prop.ts"

const level = (onHand: number, reserved = 0, sizeId = 1) =>
  stockLevel({ sku: `SKU-${sizeId}`, sizeId, onHand, reserved })

const input = (
  index: number,
  quantity: number,
  from: StockUpdate.StockInput["level"],
  expected: number | null = null
) => ({
  index,
  record: { location: "BLR1", sku: "SKU-1", quantity, expected },
  level: from
})

const outcomesOf = (policy: "set" | "adjust", inputs: ReadonlyArray<StockUpdate.StockInput>) =>
  StockUpdate.applyUpdates(policy, inputs).map((outcome) =>
    Result.isSuccess(outcome) ? outcome.success.after.onHand : outcome.failure.code
  )

describe("A bulk stock write", () => {
  it("sets the stock on hand, or adds to it, as the policy says", () => {
    deepStrictEqual(outcomesOf("set", [input(0, 7, level(5))]), [7])
    deepStrictEqual(outcomesOf("adjust", [input(0, 7, level(5))]), [12])
    deepStrictEqual(outcomesOf("adjust", [input(0, -5, level(5))]), [0])
  })

  it("never goes below 0: NEGATIVE_STOCK for an adjustment, INVALID_RECORD for a quantity that is set", () => {
    deepStrictEqual(outcomesOf("adjust", [input(0, -6, level(5))]), ["NEGATIVE_STOCK"])
    deepStrictEqual(outcomesOf("set", [input(0, -1, level(5))]), ["INVALID_RECORD"])
    deepStrictEqual(outcomesOf("set", [input(0, 1, level(5)), input(1, -1, level(5))]), [1, "INVALID_RECORD"])
    deepStrictEqual(outcomesOf("set", [input(0, 0, level(5))]), [0])
  })

  it("never goes above a billion", () => {
    deepStrictEqual(outcomesOf("set", [input(0, Level.maxUnits, level(5))]), [Level.maxUnits])
    deepStrictEqual(outcomesOf("adjust", [input(0, 1, level(Level.maxUnits))]), ["INVALID_RECORD"])
  })

  it("rejects an unknown SKU and an unknown location, each with its path", () => {
    const outcomes = StockUpdate.applyUpdates("set", [input(3, 1, "UNKNOWN_SKU"), input(4, 1, "UNKNOWN_LOCATION")])
    deepStrictEqual(
      outcomes.map((outcome) => (Result.isFailure(outcome) ? [outcome.failure.code, outcome.failure.path] : null)),
      [
        ["UNKNOWN_SKU", "/3/sku"],
        ["UNKNOWN_LOCATION", "/4/location_id"]
      ]
    )
  })

  it("rejects the second accepted record for a SKU at a location; a rejected one before does not count", () => {
    deepStrictEqual(outcomesOf("set", [input(0, 1, level(5)), input(1, 2, level(5))]), [1, "DUPLICATE_RECORD"])
    deepStrictEqual(outcomesOf("set", [input(0, 1, level(5), 4), input(1, 2, level(5))]), ["STALE_QUANTITY", 2])
    deepStrictEqual(outcomesOf("set", [input(0, 1, level(5)), input(1, 2, level(5, 0, 2))]), [1, 2])
  })

  it("is a compare-and-set when an expected quantity is given, and gives the present quantity when it differs", () => {
    deepStrictEqual(outcomesOf("set", [input(0, 9, level(5), 5)]), [9])
    const [outcome] = StockUpdate.applyUpdates("set", [input(0, 9, level(5), 6)])
    deepStrictEqual(outcome !== undefined && Result.isFailure(outcome) ? outcome.failure.details : null, {
      current_quantity: 5
    })
  })

  it("writes no movement when the quantity stays the same", () => {
    const [outcome] = StockUpdate.applyUpdates("set", [input(0, 5, level(5))])
    deepStrictEqual(outcome !== undefined && Result.isSuccess(outcome) ? outcome.success.movements : null, [])
  })
})

const quantity = FastCheck.integer({ min: 0, max: 20 })
const movement = FastCheck.oneof(
  ...(["reserve", "release", "consume", "restock", "unsellable"] as const).map((kind) =>
    quantity.map((units) => Level.movementOf[kind](units, "S1"))
  )
)

describe("A level", () => {
  prop(
    "is the sum of its movements and never negative",
    [FastCheck.array(movement), quantity, quantity],
    ([moves, onHand, reserved]) => {
      const before = level(onHand, reserved)
      const change = moves.reduce(Level.move, Level.unchanged(before))
      const sum = (of: (one: Level.Movement) => number) => change.movements.reduce((total, one) => total + of(one), 0)
      strictEqual(change.after.onHand, onHand + sum((one) => one.onHand))
      strictEqual(change.after.reserved, reserved + sum((one) => one.reserved))
      strictEqual(
        change.after.unsellable,
        sum((one) => one.unsellable)
      )
      strictEqual(Math.min(change.after.onHand, change.after.reserved, change.after.unsellable) >= 0, true)
    }
  )

  prop(
    "never exceeds the maximum: the rest of what comes back is a fault, and no unit is lost or counted twice",
    [FastCheck.array(movement), FastCheck.constantFrom("onHand", "unsellable"), quantity],
    ([moves, field, room]) => {
      const start = { ...level(5, 5), [field]: Level.maxUnits - room }
      let change = Level.unchanged(start)
      for (const one of moves) {
        const { after, faults } = Level.move(change, one)
        const rejected = faults.slice(change.faults.length).filter(({ code }) => code === "STOCK_FULL")
        const units = rejected.reduce((sum, fault) => sum + fault.units, 0)
        const came = Math.max(0, one.onHand) + one.unsellable
        const taken = Math.max(0, after.onHand - change.after.onHand) + after.unsellable - change.after.unsellable
        strictEqual(taken + units, came)
        strictEqual(Math.max(after.onHand, after.unsellable) <= Level.maxUnits, true)
        change = Level.move(change, one)
      }
    }
  )

  it("has what each movement of a shipment adds and takes", () => {
    const start = level(10, 4)
    const after = (kind: keyof typeof Level.movementOf) => {
      const { after, faults } = Level.move(Level.unchanged(start), Level.movementOf[kind](3, "S1"))
      return [after.onHand, after.reserved, after.unsellable, faults.length]
    }
    deepStrictEqual(
      {
        reserve: after("reserve"),
        release: after("release"),
        consume: after("consume"),
        restock: after("restock"),
        unsellable: after("unsellable")
      },
      {
        reserve: [10, 7, 0, 0],
        release: [10, 1, 0, 0],
        consume: [7, 1, 0, 0],
        restock: [13, 4, 0, 0],
        unsellable: [10, 4, 3, 0]
      }
    )
  })

  it("says when more is released or consumed than is reserved, and by what", () => {
    const moves = [
      Level.movementOf.release(3, "S1"),
      Level.movementOf.consume(4, "S2"),
      Level.movementOf.release(1, "S3")
    ]
    const change = moves.reduce(Level.move, Level.unchanged(level(10, 5)))
    deepStrictEqual(change.faults, [
      { code: "NOT_RESERVED", reason: "consume", reference: "S2", units: 2 },
      { code: "NOT_RESERVED", reason: "release", reference: "S3", units: 1 }
    ])
    deepStrictEqual([change.after.onHand, change.after.reserved], [6, 0])
  })

  it("can sell what is on hand and not reserved, never less than 0", () => {
    strictEqual(Level.sellable(level(5, 3)), 2)
    strictEqual(Level.sellable(level(3, 5)), 0)
  })
})
