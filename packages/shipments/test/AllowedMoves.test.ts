import { Lifecycle, type Party, type Shipment, type ShipmentCommand } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import { asks, situations } from "./ExpectedMoves.ts"
import { all, ask, delivered, later, make, oneA, placed, rejection, standing } from "./Fixtures.ts"

const steps = (shipment: Shipment, command: ShipmentCommand) => rejection(shipment, command).details.steps

describe("The way to what a status does not allow", () => {
  it("is the shortest, ends with what was asked, and leaves out automatic moves", () => {
    deepStrictEqual(steps(placed(), ask.pack), ["confirm", "invoiceUpdate sale", "pack"])
    deepStrictEqual(steps(placed("courier"), ask.dispatch()), ["confirm", "invoiceUpdate sale", "pack", "dispatch"])
    deepStrictEqual(steps(standing("delivery_attempt_failed"), ask.qc()), [
      "status rto_in_transit",
      "status rto_bag_delivered",
      "return (QC)"
    ])
  })

  it("names the party for a step that the caller may not make", () => {
    deepStrictEqual(steps(standing("bag_invoiced", { ships: "marketplace", invoiced: true }), ask.pack), [
      "awb with autoDispatch false by the marketplace",
      "pack"
    ])
    deepStrictEqual(steps(standing("bag_packed"), ask.status("return_initiated")), [
      "status handed_over_to_customer",
      "status return_initiated"
    ])
  })

  it("asks the marketplace for nothing that its interface does not take: it assigns no AWB together with a dispatch", () => {
    for (const situation of situations) {
      for (const command of Object.values(asks)) {
        const moved = Lifecycle.move(standing(situation.status, situation), command, later)
        const named = Result.isFailure(moved) ? (moved.failure.details.steps ?? []) : []
        assertTrue(
          !named.includes("awb with autoDispatch true by the marketplace"),
          JSON.stringify([situation, command])
        )
      }
    }
  })

  it("is left out when no way exists, when the move starts here, or while the shipment is locked", () => {
    strictEqual(steps(delivered, ask.pack), undefined)
    strictEqual(steps(standing("cancelled_seller"), ask.confirm()), undefined)
    strictEqual(steps(placed(), ask.confirm(all.slice(1))), undefined)
    strictEqual(steps(make(placed(), ask.lock).shipment, ask.pack), undefined)
  })

  it("can be followed to its end, from every situation to every move that is asked", () => {
    let followed = 0
    for (const { status, ...options } of situations) {
      for (const command of Object.values(asks)) {
        const start = standing(status, options)
        const rejected = Result.getOrUndefined(Result.flip(Lifecycle.move(start, command, later)))
        const named = rejected?.details.steps ?? []
        let shipment = named.length === 0 ? start : assigned(start, options.ships)
        for (const step of named) {
          const moved = Lifecycle.move(shipment, commandOf(step, askerOf(command)), later)
          assertTrue(Result.isSuccess(moved), `${start.status} ${options.ships}: ${named.join(", ")}; not ${step}`)
          shipment = assigned(moved.success.shipment, options.ships)
        }
        followed += named.length === 0 ? 0 : 1
      }
    }
    assertTrue(followed > 500, String(followed))
  })
})

const askerOf = (command: ShipmentCommand): "seller" | "marketplace" =>
  "by" in command && command.by === "marketplace" ? "marketplace" : "seller"

const commandOf = (step: string, asker: "seller" | "marketplace"): ShipmentCommand => {
  const [name = "", other] = step.split(" by the ")
  const by = other === "seller" || other === "marketplace" ? other : asker
  if (name === "status return_initiated") return ask.giveBack(null, { by })
  if (name.startsWith("status ")) return ask.status(name.slice("status ".length), by)
  const command = {
    confirm: ask.confirm(),
    "cancel a part": ask.cancel(oneA),
    "cancel everything": ask.cancel(),
    "invoiceUpdate sale": ask.sale(),
    "invoiceUpdate return": ask.credit(),
    pack: ask.pack,
    dispatch: ask.dispatch(),
    "awb with autoDispatch false": ask.awb(by),
    "awb with autoDispatch true": ask.awb(by, true),
    "return (QC)": ask.qc()
  }[name]
  assertTrue(command !== undefined, step)
  return command
}

/** The automatic move: the courier port assigns immediately, and a seller that ships itself is its own courier. */
const assigned = (shipment: Shipment, ships: Party): Shipment =>
  ships === "marketplace"
    ? shipment
    : Result.match(Lifecycle.move(shipment, ask.courier(ships), later), {
        onFailure: () => shipment,
        onSuccess: (moved) => moved.shipment
      })
