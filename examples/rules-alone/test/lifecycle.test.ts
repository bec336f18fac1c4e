/** The lifecycle: the allowed moves of a shipment, and their effect on the shipment and on stock. */
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import { Lifecycle, noMeta, type OperationalStatus, type ShipmentCommand } from "@crossdock/shipments"
import { placedShipment, shipmentItem } from "@crossdock/shipments/testing"
import { Result } from "effect"
import { describe, it } from "vitest"

const shipment = placedShipment({ items: [shipmentItem({ ordered: 3 })] })

const inStatus = (to: OperationalStatus) => Lifecycle.evolve(shipment, { _tag: "Moved", at: 1, to, meta: noMeta })

const confirm = (quantity: number): ShipmentCommand => ({ _tag: "Confirm", items: [{ itemId: "1", quantity }] })

const cancel = (quantity: number): ShipmentCommand => ({
  _tag: "Cancel",
  items: [{ itemId: "1", quantity, reasonCode: null }],
  partId: "part"
})

const report = (status: OperationalStatus): ShipmentCommand => ({ _tag: "Report", by: "seller", status, meta: noMeta })

describe("A shipment", () => {
  it("is confirmed whole: fewer units are cancelled first", () => {
    const { code, message } = Result.getOrThrow(Result.flip(Lifecycle.move(shipment, confirm(2), 2)))
    deepStrictEqual([code, message.includes("3 units left, not 2")], ["O409", true])

    const { created, shipment: rest } = Result.getOrThrow(Lifecycle.move(shipment, cancel(1), 2))
    deepStrictEqual([rest.status, created?.status], ["placed", "cancelled_seller"])
    strictEqual(Result.getOrThrow(Lifecycle.move(rest, confirm(2), 3)).shipment.status, "bag_confirmed")
  })

  it("releases its units when it is cancelled, and consumes them when it is picked", () => {
    const stockOf = (from: OperationalStatus, command: ShipmentCommand) =>
      Result.getOrThrow(Lifecycle.move(inStatus(from), command, 2)).stock.map(({ kind, quantity }) => [kind, quantity])
    deepStrictEqual(stockOf("bag_packed", cancel(3)), [["release", 3]])
    deepStrictEqual(stockOf("bag_packed", report("bag_picked")), [["consume", 3]])
  })

  it("can't be cancelled after it was picked, and the rejection lists what is allowed instead", () => {
    const { details } = Result.getOrThrow(Result.flip(Lifecycle.move(inStatus("bag_picked"), cancel(3), 2)))
    deepStrictEqual([details.current, details.allowed.includes("status delivery_done")], ["bag_picked", true])
  })

  it("may be reported twice: the repeat succeeds and changes nothing", () => {
    strictEqual(Result.getOrThrow(Lifecycle.move(inStatus("bag_picked"), report("bag_picked"), 2)).unchanged, true)
  })

  it("moves no more while it is locked", () => {
    const locked = { ...shipment, locked: true }
    strictEqual(Result.getOrThrow(Result.flip(Lifecycle.move(locked, confirm(3), 2))).code, "SHIPMENT_LOCKED")
  })
})
