/** Returns. A return is a separate shipment, and its quality check decides which units are sold again. */
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import { returnableUnits } from "@crossdock/returns"
import { Lifecycle, noMeta, type OperationalStatus, type Shipment, type ShipmentCommand } from "@crossdock/shipments"
import { placedShipment, shipmentItem } from "@crossdock/shipments/testing"
import { Result } from "effect"
import { describe, it } from "vitest"

const moved = (shipment: Shipment, to: OperationalStatus) =>
  Lifecycle.evolve(shipment, { _tag: "Moved", at: 1, to, meta: noMeta })

const delivered = moved(placedShipment({ items: [shipmentItem({ ordered: 3 })] }), "delivery_done")

const open = (quantity: number, newShipmentId: string): ShipmentCommand => ({
  _tag: "InitiateReturn",
  by: "marketplace",
  items: [{ itemId: "1", externalLineId: null, quantity, reason: "too small" }],
  returnId: null,
  newShipmentId,
  meta: noMeta
})

const check = (quantity: number, bad: boolean): ShipmentCommand => ({
  _tag: "CheckQuality",
  items: [{ itemId: "1", quantity, reasonCode: bad ? 113 : null }],
  bad
})

const first = Result.getOrThrow(Lifecycle.move(delivered, open(2, "R1"), 2)).created ?? delivered

describe("A return", () => {
  it("is a new shipment; the delivered one stays delivered", () => {
    deepStrictEqual([first.id, first.journey, first.items[0]?.ordered], ["R1", "return", 2])
    strictEqual(Result.getOrThrow(Lifecycle.move(delivered, open(2, "R1"), 2)).shipment.status, "delivery_done")
  })

  it("has only units that are in no other return", () => {
    deepStrictEqual(returnableUnits(delivered.items, [first]), new Map([["1", 1]]))
    const rejected = Lifecycle.move(delivered, open(3, "R2"), 3, { returns: [moved(first, "return_accepted")] })
    strictEqual(
      Result.getOrThrow(Result.flip(rejected)).message.includes("1 unit delivered and not yet returned"),
      true
    )
  })

  it("is accepted when every unit is checked: good ones are sold again, bad ones are not", () => {
    const back = moved(first, "return_bag_delivered")
    const half = Result.getOrThrow(Lifecycle.move(back, check(1, false), 3))
    deepStrictEqual([half.shipment.status, half.stock[0]?.kind], ["return_bag_delivered", "restock"])

    const whole = Result.getOrThrow(Lifecycle.move(half.shipment, check(1, true), 4))
    deepStrictEqual([whole.shipment.status, whole.stock[0]?.kind], ["return_accepted", "unsellable"])
    deepStrictEqual(whole.shipment.items[0]?.qcReasons, [{ code: 113, reason: "damaged" }])
  })
})
