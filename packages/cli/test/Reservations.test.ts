import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { reservations } from "../src/commands/Stock.ts"

const movement = (reserved: number, reference: string | null) => ({
  changeNumber: 1,
  at: 0,
  onHand: 0,
  reserved,
  unsellable: 0,
  reason: reference === null ? "checkpoint" : "reserve",
  reference
})

describe("The reservations of a level", () => {
  it("are what movements have left reserved, and none of a shipment whose reservation is in the checkpoint", () => {
    const movements = [
      movement(3, null),
      movement(2, "placed"),
      movement(-3, "folded"),
      movement(1, "b"),
      movement(-1, "b")
    ]
    deepStrictEqual([...reservations(movements)], [["placed", 2]])
  })
})
