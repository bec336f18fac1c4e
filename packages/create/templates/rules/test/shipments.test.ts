import { Lifecycle, noMeta, type OperationalStatus, type ShipmentCommand } from "@crossdock/shipments"
import { placedShipment, shipmentItem } from "@crossdock/shipments/testing"
import { Result } from "effect"
import { describe, expect, it } from "vitest"

const shipment = placedShipment({ items: [shipmentItem({ ordered: 3 })] })
const inStatus = (to: OperationalStatus) => Lifecycle.evolve(shipment, { _tag: "Moved", at: 1, to, meta: noMeta })
const confirm = (quantity: number): ShipmentCommand => ({ _tag: "Confirm", items: [{ itemId: "1", quantity }] })
const cancel = (quantity: number): ShipmentCommand => ({
  _tag: "Cancel",
  items: [{ itemId: "1", quantity, reasonCode: null }],
  partId: "part"
})

describe("A shipment", () => {
  it("is confirmed with all of its units", () => {
    expect(Result.getOrThrow(Lifecycle.move(shipment, confirm(3), 2)).shipment.status).toBe("bag_confirmed")
    expect(Result.getOrThrow(Result.flip(Lifecycle.move(shipment, confirm(2), 2))).code).toBe("O409")
  })

  it("becomes two when a part of it is cancelled", () => {
    const { created, shipment: rest } = Result.getOrThrow(Lifecycle.move(shipment, cancel(1), 2))
    expect([rest.status, created?.status]).toEqual(["placed", "cancelled_seller"])
  })

  it("releases its stock when it is cancelled", () => {
    const { stock } = Result.getOrThrow(Lifecycle.move(inStatus("bag_packed"), cancel(3), 2))
    expect(stock.map(({ kind, quantity }) => [kind, quantity])).toEqual([["release", 3]])
  })

  it("can't be cancelled once the courier has it, and the rejection lists the allowed moves", () => {
    const { details } = Result.getOrThrow(Result.flip(Lifecycle.move(inStatus("bag_picked"), cancel(3), 2)))
    expect(details.allowed).toContain("status delivery_done")
  })
})
