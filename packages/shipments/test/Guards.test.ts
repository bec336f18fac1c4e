/** A host's guards: a move that fails one isn't offered, isn't a step to another move, and is rejected in the guard's words. */
import { extendLifecycle, Lifecycle } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import { all, ask, make, placed, rejection, run, standing } from "./Fixtures.ts"

const sunday = Date.UTC(2026, 10, 29)
const monday = sunday + 86_400_000

const notOnSundays = Lifecycle.guard({
  on: ["dispatch", "awbDispatch", "status bag_picked"],
  isMet: (_, { at }) => new Date(at).getUTCDay() !== 0,
  says: "the warehouse rests on Sundays",
  advice: "Send it on Monday.",
  code: "SUNDAY"
})

const lifecycle = Result.getOrThrow(extendLifecycle({ guards: [notOnSundays] }))
const decide = (at: number, shipment = packed, command = ask.dispatch()) =>
  Lifecycle.move(shipment, command, at, { returns: [], lifecycle })

const packed = standing("bag_packed", { invoiced: true })
const rejectedAt = (at: number, shipment = packed, command = ask.dispatch()) =>
  Result.getOrThrow(Result.flip(decide(at, shipment, command)))

describe("An own guard", () => {
  it("rejects its move with its own code, reason and advice, and the move is not among the allowed ones", () => {
    const { code, details, message } = rejectedAt(sunday)
    strictEqual(code, "SUNDAY")
    strictEqual(
      message,
      `Can't dispatch shipment ${packed.id} (bag_packed): the warehouse rests on Sundays. Send it on Monday.`
    )
    deepStrictEqual(details.allowed, [
      "cancel everything",
      "awb with autoDispatch false",
      "status handed_over_to_customer"
    ])
  })

  it("lets its move through when it is met", () => {
    deepStrictEqual(decide(monday), Lifecycle.move(packed, ask.dispatch(), monday))
  })

  it("is on reported statuses too, which aren't INVALID_TRANSITION then", () => {
    const { code, details, message } = rejectedAt(sunday, packed, ask.status("bag_picked"))
    deepStrictEqual([code, details.reason, details.target], ["SUNDAY", undefined, "bag_picked"])
    strictEqual(message.includes("from bag_packed to bag_picked: the warehouse rests on Sundays. Send it on"), true)
  })

  it("is asked about the moves of the steps to a goal", () => {
    const way = (at: number) => rejectedAt(at, standing("dp_assigned", { invoiced: true }), ask.status("delivery_done"))
    deepStrictEqual(way(monday).details.steps, ["status bag_picked", "status delivery_done"])
    deepStrictEqual(way(sunday).details.steps, undefined)
  })

  it("comes after our own guards, and knows the units and the party", () => {
    const few = Lifecycle.guard({
      on: "confirm",
      isMet: (_, { by, units = [] }) => by === "seller" && units.length < 2,
      says: "too many lines",
      advice: "Call us.",
      code: "LINES"
    })
    const table = Result.getOrThrow(extendLifecycle({ guards: [few] }))
    const code = (items = all) =>
      Result.getOrThrow(
        Result.flip(Lifecycle.move(placed(), ask.confirm(items), monday, { returns: [], lifecycle: table }))
      ).code
    deepStrictEqual([code(), code(all.slice(1))], ["LINES", "O409"])
  })

  it("is given its own facts", () => {
    const closed = Lifecycle.guard({
      on: "dispatch",
      facts: async () => new Set(["BLR1"]),
      isMet: ({ location }, { facts }) => !facts.has(location),
      says: "its location is closed",
      advice: "Wait.",
      code: "CLOSED"
    })
    const table = Result.getOrThrow(extendLifecycle({ guards: [notOnSundays, closed] }))
    const move = (location: string) =>
      Lifecycle.move(packed, ask.dispatch(), monday, {
        returns: [],
        lifecycle: table,
        facts: new Map([[closed, new Set([location])]])
      })
    deepStrictEqual([Result.isSuccess(move("DEL1")), Result.isSuccess(move("BLR1"))], [true, false])
  })

  it("of one lifecycle says nothing to another", () => {
    strictEqual(rejection(placed(), ask.dispatch()).code, "D400")
    strictEqual(make(packed, ask.dispatch()).shipment.status, "bag_picked")
    strictEqual(run(placed(), ask.confirm()).status, "bag_confirmed")
  })

  it("that can't work is named with all its faults", () => {
    const wrong = extendLifecycle({
      guards: [
        { ...notOnSundays, on: "assignCourier", code: "D400" },
        { ...notOnSundays, on: [], says: "" },
        { ...notOnSundays, on: "status lost", code: "lost", isMet: undefined as never }
      ]
    })
    deepStrictEqual(Result.getOrThrow(Result.flip(wrong)).faults, [
      "The code of the guard D400 must be capital letters, digits and _, and none of ours",
      "The guard D400 is on assignCourier, which is no move of a caller",
      "The guard SUNDAY needs says and advice, the texts of its rejection",
      "The guard SUNDAY needs on, the move or moves that it is on",
      "The code of the guard lost must be capital letters, digits and _, and none of ours",
      "The guard lost needs isMet, a function",
      "The guard lost is on status lost, which is no move of a caller"
    ])
  })
})
