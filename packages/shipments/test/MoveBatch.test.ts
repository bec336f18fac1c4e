import {
  awbUse,
  Lifecycle,
  MoveBatch,
  type OpenAwb,
  type OperationFamily,
  type Shipment,
  type ShipmentCommand
} from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { prop } from "../../kernel/test/prop.ts"
import { asks, situations } from "./ExpectedMoves.ts"
import { later, placed, standing } from "./Fixtures.ts"

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
  command: () => command(asked)
})

const start = ["1", "2", "3"].map((id) => ({ ...placed("seller", { status: "bag_packed" }), id, forwardId: id }))

const openAwbs = (all: ReadonlyArray<Shipment>): ReadonlyArray<OpenAwb> =>
  all.flatMap(({ courier, id }) =>
    (courier?.awbNumbers ?? []).map((awb) => ({ shipmentId: id, courier: courier?.name ?? "", awb }))
  )

/** The outcome of each record, and the shipments after them. */
const run = (shipments: ReadonlyArray<Shipment>, records: ReadonlyArray<Asked>) => {
  const batch = MoveBatch.begin("awb", shipments, [], awbUse(openAwbs(shipments)))
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

  const blanks = ["\u00a0", "\t", "\u2003", "   "]
  const writings: ReadonlyArray<(text: string) => string> = [
    (text) => text.normalize("NFC"),
    (text) => text.normalize("NFD"),
    ...blanks.flatMap((blank) => [
      (text: string) => `${blank}${text}${blank}`,
      (text: string) => text.replaceAll(" ", blank)
    ])
  ]
  const nameWritings = [
    ...writings,
    (text: string) => text.toUpperCase(),
    (text: string) => text.toLowerCase(),
    (text: string) => text.normalize("NFKC")
  ]
  const words = FastCheck.array(
    FastCheck.string({ unit: "grapheme", minLength: 1, maxLength: 3 }).filter((text) => /^\S+$/u.test(text)),
    { minLength: 1, maxLength: 3 }
  ).map((all) => all.join(" "))

  prop(
    "leaves an AWB on one open shipment, in whatever way it and its courier's name are written",
    [words, FastCheck.constantFrom(...nameWritings), words, FastCheck.constantFrom(...writings)],
    ([courier, otherName, awb, otherAwb]) => {
      const records = [
        { shipmentId: "1", awb, courier, dispatch: false },
        { shipmentId: "2", awb: otherAwb(awb), courier: otherName(courier), dispatch: false }
      ]
      deepStrictEqual(run(start, records).outcomes, ["ok", "A409"])
      deepStrictEqual(singly(records).outcomes, ["ok", "A409"])
    }
  )

  it("compares couriers' names in every case, composition, width and with any blanks", () => {
    for (const [name, other] of [
      ["\u0390", "\u0399\u0308\u0301"],
      ["Straße", "STRASSE"],
      ["ΟΔΟΣ", "οδος"],
      ["Ｓｗｉｆｔ", "swift"],
      ["Blue Dart", "blue\u00a0 DART"]
    ] as const) {
      const records = [
        { shipmentId: "1", awb: "X", courier: name, dispatch: false },
        { shipmentId: "2", awb: "X", courier: other, dispatch: false }
      ]
      deepStrictEqual([name, ...run(start, records).outcomes], [name, "ok", "A409"])
    }
  })

  it("compares AWBs in their case", () => {
    const records = [
      { shipmentId: "1", awb: "z1", dispatch: false },
      { shipmentId: "2", awb: "Z1", dispatch: false }
    ]
    deepStrictEqual(run(start, records).outcomes, ["ok", "ok"])
  })

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

const familyOf = {
  Confirm: "confirm",
  Cancel: "cancel",
  InvoiceSale: "invoiceUpdate",
  CreditNote: "invoiceUpdate",
  AssignCourier: "awb",
  Pack: "pack",
  Dispatch: "dispatch",
  AssignAwb: "awb",
  Report: "status",
  InitiateReturn: "status",
  CheckQuality: "return",
  Lock: "lock",
  Unlock: "lock"
} as const satisfies Record<ShipmentCommand["_tag"], OperationFamily>

describe("The operations whose stock levels are locked", () => {
  it("are those that change stock in some situation", () => {
    const moving = situations.flatMap(({ status, ...rest }) =>
      Object.values(asks).flatMap((one) => {
        const moved = Lifecycle.move(standing(status, rest), one, later)
        return Result.isSuccess(moved) && moved.success.stock.length > 0 ? [familyOf[one._tag]] : []
      })
    )
    deepStrictEqual(new Set(moving), new Set(Lifecycle.standard.movesStock))
  })
})
