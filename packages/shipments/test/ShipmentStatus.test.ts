import { Lifecycle, mayMoveStock, type OperationalStatus, operationalStatuses } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import { all, ask, later, oneA, standing } from "./Fixtures.ts"

const commands = [
  ask.confirm(),
  ask.cancel(),
  ask.cancel(oneA),
  ask.dispatch(),
  ask.awb("seller", true),
  ask.giveBack(all),
  ask.qc(),
  ask.qc(oneA, true),
  ...operationalStatuses.flatMap((status) => [ask.status(status, "seller"), ask.status(status, "marketplace")])
]

const movesStock = (status: OperationalStatus): boolean =>
  (["seller", "courier", "marketplace"] as const).some((ships) =>
    (["out", "rto", "return"] as const).some((way) =>
      commands.some((command) => {
        const moved = Lifecycle.move(standing(status, { ships, way }), command, later)
        return Result.isSuccess(moved) && moved.success.stock.length > 0
      })
    )
  )

describe("A status in which a shipment may move stock", () => {
  it("is every status from which some command moves stock", () => {
    const others = operationalStatuses.filter((status) => !mayMoveStock({ status }))
    deepStrictEqual(others.filter(movesStock), [])
  })

  it("excludes those in which a shipment has ended", () =>
    deepStrictEqual(
      operationalStatuses.filter((status) => !mayMoveStock({ status })),
      [
        "handed_over_to_customer",
        "delivery_done",
        "return_accepted",
        "credit_note_generated",
        "deadstock",
        "bag_lost",
        "cancelled_customer",
        "cancelled_seller"
      ]
    ))
})
