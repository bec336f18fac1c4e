/** Tests the moves and the money of the playground, without a browser. */
import { deepStrictEqual } from "node:assert/strict"
import { Result } from "effect"
import { describe, it } from "vitest"
import * as Journey from "../src/Journey.ts"
import { priced, returned } from "../src/Money.ts"
import { movesFrom } from "../src/Moves.ts"

/** The steps of these moves. All moves must be accepted. */
const stepsOf = (...names: ReadonlyArray<string>) => {
  const steps = [Journey.start]
  for (const name of names) {
    const moves = movesFrom(Journey.statusOf(steps.at(-1) ?? Journey.start))
    const move = moves.find((one) => one.name === name)
    if (move !== undefined) steps.push(Result.getOrThrow(Journey.next(steps, move)))
  }
  return steps
}

const line = { quantity: 3, esp: 333.33, discount: 100, coupon: 50, delivery: 40, taxRate: 12 }

describe("The playground", () => {
  it("moves a shipment to its customer, and its return back into the stock", () => {
    const steps = stepsOf(
      ...["confirm", "invoiceUpdate sale", "pack", "dispatch", "status delivery_done"],
      ...["status return_initiated", "status return_bag_in_transit", "status return_bag_delivered", "return (QC)"]
    )
    deepStrictEqual(
      steps.flatMap(({ reached }) => reached),
      [
        ...["placed", "bag_confirmed", "bag_invoiced", "dp_assigned", "bag_packed", "bag_picked", "delivery_done"],
        ...["return_dp_assigned", "return_bag_in_transit", "return_bag_delivered", "return_accepted"]
      ]
    )
    deepStrictEqual(
      steps.flatMap(({ stock }) => stock.map(({ kind, quantity }) => [kind, quantity])),
      [
        ["consume", 2],
        ["restock", 2]
      ]
    )
  })

  it("says why a move is rejected", () => {
    const steps = stepsOf("confirm", "cancel everything")
    const [move] = movesFrom("placed").filter(({ name }) => name === "confirm")
    deepStrictEqual(move && Result.isFailure(Journey.next(steps, move)), true)
  })

  it("divides the money of a line without losing a paisa", () => {
    const amounts = returned(line, 1).map(([what, ...shares]) => [what, ...shares.map(Number)])
    for (const [what, kept = 0, back = 0, whole = 0] of amounts)
      deepStrictEqual(Math.round((Number(kept) + Number(back)) * 100), Math.round(Number(whole) * 100), String(what))
  })

  it("prices an order with the taxes of its states, or says what doesn't add up", () => {
    const taxes = (to: string) =>
      Result.getOrThrow(priced(line, "Karnataka", to)).flatMap(([what]) => /^of it ([A-Z]+)$/.exec(what)?.[1] ?? [])
    deepStrictEqual([taxes("Karnataka"), taxes("Goa")], [["CGST", "SGST"], ["IGST"]])
    const [fault = ""] = Result.getOrThrow(Result.flip(priced({ ...line, discount: 2_000 }, "Goa", "Goa")))
    deepStrictEqual(fault.startsWith("OUT_OF_RANGE /shipments/0/lines/0"), true)
  })
})
