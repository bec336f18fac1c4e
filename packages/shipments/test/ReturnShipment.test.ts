import type { Shipment, ShipmentCommand } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { all, ask, at, delivered, item, make, oneA, onlyB, rejected, standing } from "./Fixtures.ts"

describe("Returns", () => {
  const opened = (command: ShipmentCommand, returns: ReadonlyArray<Shipment> = [], from = delivered): Shipment => {
    const { created } = make(from, command, returns)
    assertTrue(created !== null, "no return was opened")
    return created
  }
  const units = (shipment: Shipment) => shipment.items.map(({ id, ordered }) => `${ordered} ${id}`)

  it("a return is a new shipment; the delivered one only gets a new version", () => {
    const { created, shipment, stock } = make(delivered, ask.giveBack(null, { returnId: "R1" }))
    deepStrictEqual({ ...shipment, version: 1, modifiedAt: at }, delivered)
    strictEqual(shipment.version, delivered.version + 1)
    deepStrictEqual(stock, [])
    deepStrictEqual(
      [
        created?.id,
        created?.forwardId,
        created?.journey,
        created?.status,
        created?.returnId,
        created?.invoice,
        created?.version
      ],
      ["00000000000000000003", delivered.id, "return", "return_initiated", "R1", null, 1]
    )
    deepStrictEqual(
      created?.events.map(({ status }) => status),
      ["return_initiated"]
    )
  })

  it("a self-ship return is assigned at once", () => {
    const { events, status } = opened(ask.giveBack(), [], standing("handed_over_to_customer", { invoiced: true }))
    strictEqual(status, "return_dp_assigned")
    deepStrictEqual(
      events.map((entry) => entry.status),
      ["return_initiated", "return_dp_assigned"]
    )
  })

  it("items are named by our id or by the marketplace's line, with a reason", () => {
    const items = [
      { itemId: null, externalLineId: "line-b", quantity: 1, reason: "too small" },
      { itemId: "a", externalLineId: null, quantity: 1, reason: null }
    ]
    const created = opened(ask.giveBack(null, { items }))
    deepStrictEqual(
      created.items.map(({ id, ordered, returnReason }) => [id, ordered, returnReason]),
      [
        ["a", 1, null],
        ["b", 1, "too small"]
      ]
    )
  })

  it("of two items that share a line of the marketplace the first is meant, and of two reasons the first is kept", () => {
    const shared = { ...delivered, items: ["a", "b"].map((id) => ({ ...item(id, 1), externalLineId: "line" })) }
    const byLine = { itemId: null, externalLineId: "line", quantity: 1, reason: null }
    deepStrictEqual(units(opened(ask.giveBack(null, { items: [byLine] }), [], shared)), ["1 a"])
    const twice = ["too small", "damaged"].map((reason) => ({ itemId: "a", externalLineId: null, quantity: 1, reason }))
    deepStrictEqual(
      opened(ask.giveBack(null, { items: twice })).items.map(({ ordered, returnReason }) => [ordered, returnReason]),
      [[2, "too small"]]
    )
  })

  it("without items all units not yet returned come back, never the cancelled ones", () => {
    const some = opened(ask.giveBack(oneA))
    deepStrictEqual(units(opened(ask.giveBack(), [some])), ["1 a", "1 b"])
    const partly = { ...delivered, items: [item("a", 2, { cancelled: 1, splitOff: 1 }), item("b", 1)] }
    deepStrictEqual(units(opened(ask.giveBack(), [], partly)), ["1 a", "1 b"])
    rejected("S409", partly, ask.giveBack(all))
  })

  it("the same units of an open return, or the same return id, are a repeat", () => {
    const open = opened(ask.giveBack(oneA, { returnId: "R1" }))
    assertTrue(make(delivered, ask.giveBack(oneA), [open]).unchanged)
    assertTrue(
      make(delivered, ask.giveBack(all, { returnId: "R1" }), [{ ...open, status: "credit_note_generated" }]).unchanged
    )
    assertTrue(make(open, ask.giveBack()).unchanged)
  })

  it("other units make a further return, and so do the same units once the first return is over", () => {
    const open = opened(ask.giveBack(oneA, { returnId: "R1" }))
    deepStrictEqual(units(opened(ask.giveBack(onlyB), [open])), ["1 b"])
    deepStrictEqual(units(opened(ask.giveBack([...oneA, ...onlyB]), [open])), ["1 a", "1 b"])
    deepStrictEqual(units(opened(ask.giveBack(oneA), [{ ...open, status: "return_accepted" }])), ["1 a"])
  })

  it("the same units under another return id are further units while any are left, else a repeat", () => {
    const first = opened(ask.giveBack(oneA, { returnId: "R1" }))
    const second = opened(ask.giveBack(oneA, { returnId: "R2" }), [first])
    deepStrictEqual([units(second), second.returnId], [["1 a"], "R2"])
    assertTrue(make(delivered, ask.giveBack(oneA, { returnId: "R3" }), [first, second]).unchanged)
    assertTrue(make(delivered, ask.giveBack(oneA, { returnId: "R2" }), [opened(ask.giveBack(oneA))]).unchanged)
    const both = [...oneA, ...onlyB]
    const open = opened(ask.giveBack(both, { returnId: "R1" }))
    assertTrue(make(delivered, ask.giveBack(both, { returnId: "R2" }), [open]).unchanged)
    // Only one of its two items has as many units.
    rejected("S409", delivered, ask.giveBack(all), [open])
  })

  it("returning everything again is a repeat while the return is open, unless it has another return id", () => {
    const open = opened(ask.giveBack(null, { returnId: "R1" }))
    assertTrue(make(delivered, ask.giveBack(), [open]).unchanged)
    rejected("S409", delivered, ask.giveBack(null, { returnId: "R2" }), [open])
  })

  it("units of all returns together never exceed what was delivered", () => {
    const open = opened(ask.giveBack(oneA))
    rejected("S409", delivered, ask.giveBack([{ itemId: "a", quantity: 2 }]), [open])
    rejected("S409", delivered, ask.giveBack(all), [{ ...open, status: "bag_lost" }])
  })
})
