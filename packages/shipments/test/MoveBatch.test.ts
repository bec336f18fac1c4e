import { AwbUse, MoveBatch, type OpenAwb, type Shipment, type ShipmentCommand } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { prop } from "../../kernel/test/prop.ts"
import { later, placed } from "./Fixtures.ts"

interface Asked {
  readonly shipmentId: string
  readonly awb: string
  readonly courier?: string
  readonly dispatch: boolean
}

const command = ({ awb, courier = "Swift", dispatch }: Asked): ShipmentCommand => ({
  _tag: "AssignAwb",
  by: "seller",
  awbNumber: awb,
  courierName: courier,
  autoDispatch: dispatch
})

const requestOf = (asked: Asked, at: number): MoveBatch.MoveRequest => ({
  shipmentId: asked.shipmentId,
  path: `/${at}`,
  awbs: [asked.awb],
  command: () => command(asked)
})

const start = ["1", "2", "3"].map((id) => ({ ...placed("seller", { status: "bag_packed" }), id, forwardId: id }))

const openAwbs = (all: ReadonlyArray<Shipment>): ReadonlyArray<OpenAwb> =>
  all.flatMap(({ courier, id }) =>
    (courier?.awbNumbers ?? []).map((awb) => ({ shipmentId: id, courier: courier?.name ?? "", awb }))
  )

/** The outcome of each record, and what the shipments are after them. */
const run = (shipments: ReadonlyArray<Shipment>, records: ReadonlyArray<Asked>) => {
  const batch = MoveBatch.begin("awb", shipments, [], AwbUse.make(openAwbs(shipments)))
  const outcomes = records.map((one, at) => {
    const moved = batch.move(requestOf(one, at), command(one), later, () => true)
    return Result.isSuccess(moved) ? "ok" : moved.failure.code
  })
  const updates = new Map(batch.changes().updates.map(({ after }) => [after.id, after]))
  return { outcomes, shipments: shipments.map((one) => updates.get(one.id) ?? one) }
}

const singly = (records: ReadonlyArray<Asked>) =>
  records.reduce<ReturnType<typeof run>>(
    (before, record) => {
      const { outcomes, shipments } = run(before.shipments, [record])
      return { outcomes: [...before.outcomes, ...outcomes], shipments }
    },
    { outcomes: [], shipments: start }
  )

const asked = FastCheck.record({
  shipmentId: FastCheck.constantFrom("1", "2", "3"),
  awb: FastCheck.constantFrom("X", "Y", "Z"),
  courier: FastCheck.constantFrom("Swift", "SWIFT ", "\tswift", "Straße", "STRASSE", "Other"),
  dispatch: FastCheck.boolean()
})

describe("One bulk", () => {
  prop("of AWBs equals its records sent one by one", [FastCheck.array(asked, { maxLength: 8 })], ([records]) => {
    deepStrictEqual(run(start, records), singly(records))
  })

  prop(
    "leaves an AWB of a courier on one open shipment, however the courier's name is written",
    [FastCheck.array(asked, { maxLength: 8 })],
    ([records]) => {
      const carried = openAwbs(run(start, records).shipments).map(({ awb, courier }) =>
        JSON.stringify([courier.trim().toUpperCase(), awb])
      )
      deepStrictEqual(carried, [...new Set(carried)])
    }
  )

  it("may give one shipment the AWB that another has just freed", () => {
    const records = [
      { shipmentId: "1", awb: "X", dispatch: false },
      { shipmentId: "1", awb: "Y", dispatch: false },
      { shipmentId: "2", awb: "X", dispatch: false },
      { shipmentId: "3", awb: "Y", dispatch: false }
    ]
    deepStrictEqual(run(start, records).outcomes, ["ok", "ok", "ok", "A409"])
  })
})
