import { Money } from "@crossdock/kernel"
import {
  isOnTheWayBack,
  isOpen,
  Lifecycle,
  noMeta,
  OperationalStatus,
  type OrderStatus,
  orderStatusOf,
  qcReasonsOf,
  refusalCode,
  refusalCodes,
  reportOrReturn,
  type Shipment,
  type ShipmentCommand,
  type StockEffect,
  slice,
  statusChangedAt
} from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertFalse, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { FastCheck } from "effect"
import { all, ask, at, item, later, make, oneA, placed, refusal, run, standing, type Way } from "./Fixtures.ts"

const stranger = [{ itemId: "z", quantity: 1 }]
const twoB = [{ itemId: "b", quantity: 2 }]
const onlyB = [{ itemId: "b", quantity: 1 }]
const cancelledA = placed("seller", { items: [item("a", 2, { cancelled: 2 }), item("b", 1)] })
const told = (stock: ReadonlyArray<StockEffect>) =>
  stock.map(({ itemId, kind, quantity, sku }) => `${kind} ${quantity} ${itemId} ${sku}`)
const delivered = standing("delivery_done", { invoiced: true, ships: "marketplace" })
const back = standing("return_bag_delivered", { way: "return" })
const refused = (code: string, shipment: Shipment, command: ShipmentCommand, returns: ReadonlyArray<Shipment> = []) =>
  strictEqual(refusal(shipment, command, returns).code, code)

describe("Codes of refusals", () => {
  it("O400: confirm names a cancelled item", () => refused("O400", cancelledA, ask.confirm(oneA)))
  it("O400: confirm of a cancelled shipment", () => refused("O400", standing("cancelled_seller"), ask.confirm()))
  it("O404: confirm names an item that is not of the shipment", () => refused("O404", placed(), ask.confirm(stranger)))
  it("O409: confirm leaves out an item", () => refused("O409", placed(), ask.confirm(oneA)))
  it("O409: confirm names another quantity than is left", () => {
    refused("O409", placed(), ask.confirm([...onlyB, ...oneA]))
    refused("O409", placed(), ask.confirm([...all, ...oneA]))
  })
  it("O409: confirm of a confirmed shipment", () => refused("O409", standing("bag_confirmed"), ask.confirm()))
  it("X400: cancel of what was picked", () => refused("X400", standing("bag_picked"), ask.cancel()))
  it("X400: cancel of a cancelled one", () => refused("X400", standing("cancelled_customer"), ask.cancel()))
  it("X400: cancel of a part after invoicing", () => refused("X400", standing("bag_invoiced"), ask.cancel(oneA)))
  it("X404: cancel names an item that is not of the shipment", () => refused("X404", placed(), ask.cancel(stranger)))
  it("X409: cancel of more than is left", () => {
    refused("X409", placed(), ask.cancel(twoB))
    refused("X409", placed(), ask.cancel([...all, ...oneA]))
    refused("X409", cancelledA, ask.cancel(oneA))
    refused("X409", standing("bag_packed"), ask.cancel([...all, ...oneA]))
  })
  it("IN400: invoice names an item that is not of the shipment", () =>
    refused("IN400", standing("bag_confirmed"), ask.sale({ items: [{ itemId: "z", quantity: 1, imei: [] }] })))
  it("IN401: sale invoice of a cancelled shipment", () => refused("IN401", standing("cancelled_seller"), ask.sale()))
  it("IN403: sale invoice before confirm", () => refused("IN403", placed(), ask.sale()))
  it("IN403: credit note before the return is accepted", () => {
    refused("IN403", back, ask.credit())
    refused("IN403", standing("rto_in_transit", { way: "rto", invoiced: true }), ask.credit())
  })
  it("IN422: sale invoice on a return or an RTO", () => {
    refused("IN422", back, ask.sale())
    refused("IN422", standing("rto_bag_delivered", { way: "rto", invoiced: true }), ask.sale())
  })
  it("IN422: credit note on a forward shipment that was not cancelled after invoicing", () => {
    refused("IN422", delivered, ask.credit())
    refused("IN422", placed(), ask.credit())
    refused("IN422", standing("cancelled_seller"), ask.credit())
  })
  it("IN453: a second sale invoice", () => refused("IN453", standing("bag_packed", { invoiced: true }), ask.sale()))
  it("IN453: a second credit note", () => {
    refused("IN453", standing("credit_note_generated", { way: "return" }), ask.credit())
    refused("IN453", standing("cancelled_seller", { invoiced: true, credited: true }), ask.credit())
  })
  it("INVALID_RECORD: more serial numbers than units", () => {
    const items = [{ itemId: "a", quantity: 1, imei: ["1", "2"] }]
    refused("INVALID_RECORD", standing("bag_confirmed"), ask.sale({ items }))
    refused(
      "INVALID_RECORD",
      standing("bag_confirmed"),
      ask.sale({ items: [{ itemId: "b", quantity: null, imei: ["1", "2"] }] })
    )
  })
  it("INVALID_RECORD: more serial numbers than the units that a cancellation left or an invoice covers", () => {
    const items = [{ itemId: "a", quantity: null, imei: ["1", "2"] }]
    const partly = run(standing("bag_confirmed"), ask.cancel(oneA))
    refused("INVALID_RECORD", partly, ask.sale({ items }))
    const credit = { ...ask.credit(), items: items.map((one) => ({ ...one, imei: ["1"] })) } as ShipmentCommand
    strictEqual(run(partly, ask.sale(), ask.cancel([...oneA, ...onlyB]), credit).creditNote?.number, "CN-1")
  })
  it("INVALID_RECORD: no units named", () => refused("INVALID_RECORD", placed(), ask.cancel([])))
  it("CR400: pack of what has no courier yet", () => refused("CR400", standing("bag_invoiced"), ask.pack))
  it("CR401: pack of a cancelled shipment", () => refused("CR401", standing("cancelled_seller"), ask.pack))
  it("D400: dispatch of what is not packed", () => refused("D400", standing("dp_assigned"), ask.dispatch()))
  it("D400: dispatch of a part", () => refused("D400", standing("bag_packed"), ask.dispatch(oneA)))
  it("D401: dispatch of a cancelled shipment", () => refused("D401", standing("cancelled_seller"), ask.dispatch()))
  it("D404: dispatch names an item that is not of the shipment", () =>
    refused("D404", standing("bag_packed"), ask.dispatch(stranger)))
  it("A400: awb too early, too late, or by the seller where the courier is still to be assigned", () => {
    refused("A400", placed(), ask.awb("seller"))
    refused("A400", standing("bag_picked"), ask.awb("seller"))
    refused("A400", standing("bag_invoiced", { ships: "marketplace" }), ask.awb("seller"))
    refused("A400", standing("return_initiated", { way: "return", ships: "marketplace" }), ask.awb("seller"))
  })
  it("A400: the marketplace's awb assigns no courier where the courier port ships", () =>
    refused("A400", standing("bag_invoiced", { ships: "courier" }), ask.awb("marketplace")))
  it("A400: autoDispatch on a return", () =>
    refused("A400", standing("return_dp_assigned", { way: "return" }), ask.awb("seller", true)))
  it("A422: the seller's awb on a shipment that it does not ship itself", () => {
    refused("A422", standing("dp_assigned", { ships: "courier" }), ask.awb("seller"))
    refused("A422", standing("bag_packed", { ships: "marketplace" }), ask.awb("seller", true))
  })
  it("S400: a move that is not in the table, with the reason, both statuses and what is allowed", () => {
    const { code, details, message } = refusal(placed(), ask.status("delivery_done"))
    strictEqual(code, "S400")
    deepStrictEqual(details, {
      current: "placed",
      target: "delivery_done",
      allowed: ["cancelled_customer"],
      reason: "INVALID_TRANSITION"
    })
    for (const part of ["placed", "delivery_done", "cancelled_customer"]) assertTrue(message.includes(part))
  })
  it("S400: a text that is no status", () => {
    const { code, details } = refusal(delivered, ask.status("teleported"))
    deepStrictEqual([code, details.reason, details.target], ["S400", "INVALID_TRANSITION", "teleported"])
  })
  it("S400: what only the marketplace may tell, told by the seller", () => {
    refused("S400", placed(), ask.status("cancelled_customer", "seller"))
    refused("S400", delivered, ask.giveBack(null, { by: "seller" }))
    refused("S400", standing("bag_invoiced", { ships: "marketplace" }), ask.status("dp_assigned", "seller"))
  })
  it("S400: a plain report never moves a delivered shipment to return_initiated", () =>
    refused("S400", delivered, ask.status("return_initiated")))
  it("S404: a return names an item that is not of the shipment", () => {
    refused("S404", delivered, ask.giveBack(stranger))
    const nameless = { itemId: null, externalLineId: null, quantity: 1, reason: null }
    refused("S404", delivered, ask.giveBack(null, { items: [nameless] }))
    const unnamed = { ...delivered, items: [item("a", 2, { externalLineId: null })] }
    refused("S404", unnamed, ask.giveBack(null, { items: [nameless] }))
  })
  it("S409: more units than are left to return", () => refused("S409", delivered, ask.giveBack(twoB)))
  it("S409: nothing is left to return", () => {
    const accepted = { ...make(delivered, ask.giveBack()).created, status: "return_accepted" } as Shipment
    refused("S409", delivered, ask.giveBack(), [accepted])
    refused("S409", delivered, ask.giveBack(oneA), [accepted])
  })
  it("R400: quality check of what is not delivered back", () => {
    refused("R400", standing("return_bag_in_transit", { way: "return" }), ask.qc())
    refused("R400", delivered, ask.qc())
  })
  it("R404: quality check names an item that is not of the shipment", () => refused("R404", back, ask.qc(stranger)))
  it("R409: quality check of more than is left", () => {
    refused("R409", back, ask.qc(twoB))
    refused("R409", run(back, ask.qc(onlyB)), ask.qc(onlyB, true))
  })
  it("R409: quality check of an accepted return", () =>
    refused("R409", standing("return_accepted", { way: "return" }), ask.qc()))
  it("SHIPMENT_LOCKED: any move of a locked shipment, also a repeat", () => {
    const locked = run(delivered, ask.lock)
    refused("SHIPMENT_LOCKED", locked, ask.status("delivery_done"))
    refused("SHIPMENT_LOCKED", locked, ask.giveBack())
    deepStrictEqual(refusal(locked, ask.giveBack()).details, { current: "delivery_done", allowed: [] })
    deepStrictEqual(Lifecycle.allowedMoves(locked, "marketplace"), [])
    deepStrictEqual(Lifecycle.allowedTargets(locked, "marketplace"), [])
    assertTrue(make(locked, ask.lock).unchanged)
    assertTrue(make(delivered, ask.unlock).unchanged)
  })
  it("not found, another location and numbers in use have their codes for services", () => {
    const codes = Object.entries(refusalCodes).map(([family, { notFound, otherLocation }]) => [
      family,
      notFound,
      otherLocation
    ])
    deepStrictEqual(codes, [
      ["confirm", "O404", "O422"],
      ["cancel", "X404", "X422"],
      ["invoiceUpdate", "IN400", "IN400"],
      ["pack", "CR404", "CR422"],
      ["courierDetails", "C404", "C404"],
      ["labels", "L400", "L400"],
      ["invoice", "IN400", "IN400"],
      ["dispatch", "D404", "D422"],
      ["awb", "A404", "A404"],
      ["status", "S404", "S422"],
      ["return", "R404", "R422"]
    ])
    strictEqual(refusalCode("awb", "taken"), "A409")
    strictEqual(refusalCode("invoiceUpdate", "taken"), "IN422")
    strictEqual(refusalCode("labels", "wrongStatus"), "L403")
    strictEqual(refusalCode("invoice", "wrongStatus"), "IN403")
    strictEqual(refusalCode("labels", "cancelled"), "L403")
    strictEqual(refusalCode("courierDetails", "wrongStatus"), "C404")
  })
})

describe("Confirm and cancel", () => {
  it("confirm names what a partial cancel has left", () => {
    strictEqual(run(placed(), ask.cancel(oneA), ask.confirm([...oneA, ...onlyB])).status, "bag_confirmed")
    strictEqual(run(cancelledA, ask.confirm(onlyB)).status, "bag_confirmed")
  })

  it("a cancelled part becomes a shipment of its own and its units are released", () => {
    const { created, shipment, stock } = make(placed(), ask.cancel(oneA, "6"))
    deepStrictEqual(told(stock), ["release 1 a SKU-a"])
    deepStrictEqual(
      [shipment.status, shipment.version, shipment.modifiedAt, ...shipment.items.map(({ cancelled }) => cancelled)],
      ["placed", 2, later, 1, 0]
    )
    strictEqual(created?.id, "00000000000000000002")
    deepStrictEqual(
      [created?.forwardId, created?.journey, created?.status, created?.createdAt],
      [shipment.id, "forward", "cancelled_seller", later]
    )
    deepStrictEqual(
      created?.items.map(({ cancelled, id, ordered }) => [id, ordered, cancelled]),
      [["a", 1, 1]]
    )
    deepStrictEqual(created?.events, [
      { status: "cancelled_seller", at: later, location: null, remark: "6", reasonCode: null }
    ])
  })

  it("cancel of all that is left keeps the id and releases it all", () => {
    const { created, shipment, stock } = make(run(placed(), ask.cancel(oneA)), ask.cancel([...oneA, ...onlyB], "6"))
    strictEqual(created, null)
    strictEqual(shipment.status, "cancelled_seller")
    deepStrictEqual(told(stock), ["release 1 a SKU-a", "release 1 b SKU-b"])
    deepStrictEqual(
      shipment.items.map(({ cancelled }) => cancelled),
      [2, 1]
    )
    strictEqual(shipment.events.at(-1)?.remark, "6")
  })

  it("quantities of a line that is named twice add up", () => {
    strictEqual(run(placed(), ask.confirm([...oneA, ...onlyB, ...oneA])).status, "bag_confirmed")
    deepStrictEqual(told(make(placed(), ask.cancel([...oneA, ...oneA])).stock), ["release 2 a SKU-a"])
  })

  it("the marketplace's cancelled_customer releases the stock", () => {
    const { shipment, stock } = make(standing("bag_packed"), ask.status("cancelled_customer"))
    strictEqual(shipment.status, "cancelled_customer")
    deepStrictEqual(told(stock), ["release 2 a SKU-a", "release 1 b SKU-b"])
  })

  it("a credit note after a cancellation keeps the status and what was invoiced", () => {
    const shipment = run(standing("bag_confirmed"), ask.sale(), ask.cancel(), ask.credit())
    strictEqual(shipment.status, "cancelled_seller")
    strictEqual(shipment.creditNote?.number, "CN-1")
    deepStrictEqual(
      shipment.items.map(({ cancelled, invoiced }) => [cancelled, invoiced]),
      [
        [2, 2],
        [1, 1]
      ]
    )
  })
})

describe("Invoice and courier", () => {
  it("the sale invoice of a self-ship shipment goes on to dp_assigned, both steps in the history", () => {
    const { events, shipment } = make(standing("bag_confirmed"), ask.sale())
    deepStrictEqual(
      shipment.events.slice(-2).map(({ status }) => status),
      ["bag_invoiced", "dp_assigned"]
    )
    strictEqual(shipment.courier, null)
    strictEqual(shipment.version, 1 + events.length)
  })

  it("the sale invoice of any other shipment waits for its courier", () => {
    strictEqual(run(standing("bag_confirmed", { ships: "courier" }), ask.sale()).status, "bag_invoiced")
    strictEqual(run(standing("bag_confirmed", { ships: "marketplace" }), ask.sale()).status, "bag_invoiced")
  })

  it("the invoice keeps its fields, the serial numbers and the packages", () => {
    const box = { id: "p1", lengthCm: 10, widthCm: 10, heightCm: 10, weightGrams: 500 }
    const command = ask.sale({ items: [{ itemId: "a", quantity: 2, imei: ["1", "2"] }], packages: [box] })
    const { invoice, items, packages } = run(
      { ...standing("bag_confirmed"), packages: [{ ...box, id: "old" }] },
      command
    )
    deepStrictEqual([invoice?.number, invoice?.at, packages], ["INV-1", later, [box]])
    deepStrictEqual(
      items.map(({ imei, invoiced }) => [imei.length, invoiced]),
      [
        [2, 2],
        [0, 1]
      ]
    )
    deepStrictEqual(run({ ...standing("bag_confirmed"), packages: [box] }, ask.sale()).packages, [box])
  })

  it("the credit note of a return is recorded beside no invoice", () => {
    const { creditNote, invoice, status } = run(standing("return_accepted", { way: "return" }), ask.credit())
    deepStrictEqual(
      [creditNote?.number, creditNote?.at, invoice, status],
      ["CN-1", later, null, "credit_note_generated"]
    )
  })

  it("the courier port assigns where it ships, out and back", () => {
    const out = run(standing("bag_invoiced", { ships: "courier" }), ask.courier("courier"))
    deepStrictEqual([out.status, out.courier?.awbNumbers], ["dp_assigned", ["SW1"]])
    const home = standing("return_initiated", { way: "return", ships: "courier" })
    strictEqual(run(home, ask.courier("courier")).status, "return_dp_assigned")
    const nameless = run(home, { _tag: "AssignCourier", by: "courier", courier: null })
    deepStrictEqual([nameless.status, nameless.courier], ["return_dp_assigned", null])
  })

  it("the marketplace assigns by awb or by status where it ships, out and back", () => {
    const out = standing("bag_invoiced", { ships: "marketplace" })
    const assigned = run(out, ask.awb("marketplace"))
    deepStrictEqual(
      [assigned.status, assigned.courier?.name, assigned.courier?.awbNumbers],
      ["dp_assigned", "Rapid", ["AWB1"]]
    )
    strictEqual(run(out, ask.status("dp_assigned")).status, "dp_assigned")
    const home = standing("return_initiated", { way: "return", ships: "marketplace" })
    strictEqual(run(home, ask.awb("marketplace")).status, "return_dp_assigned")
    strictEqual(run(home, ask.status("return_dp_assigned")).status, "return_dp_assigned")
  })

  it("awb stores courier and number and moves only with autoDispatch", () => {
    const still = make(standing("bag_packed"), ask.awb("seller"))
    deepStrictEqual(
      [still.shipment.status, still.shipment.courier, still.stock, still.unchanged],
      ["bag_packed", { name: "Rapid", code: "Rapid", awbNumbers: ["AWB1"] }, [], false]
    )
    strictEqual(run(standing("dp_assigned"), ask.awb("seller", true)).status, "bag_picked")
  })

  it("the stock is consumed on whichever move first picks or hands over", () => {
    const consumed = ["consume 2 a SKU-a", "consume 1 b SKU-b"]
    for (const command of [ask.awb("seller", true), ask.status("bag_picked"), ask.status("handed_over_to_customer")]) {
      deepStrictEqual(told(make(standing("dp_assigned"), command).stock), consumed)
      deepStrictEqual(told(make(standing("bag_packed"), command).stock), consumed)
    }
    deepStrictEqual(told(make(standing("bag_packed"), ask.dispatch(all)).stock), consumed)
    deepStrictEqual(make(standing("bag_picked"), ask.status("delivery_done")).stock, [])
  })
})

describe("The status operation", () => {
  it("a repeat succeeds and changes nothing, also of a status that nobody may tell", () => {
    for (const status of ["placed", "bag_packed", "cancelled_customer"] as const) {
      const shipment = standing(status)
      deepStrictEqual(make(shipment, ask.status(status, "seller")), {
        shipment,
        created: null,
        events: [],
        stock: [],
        unchanged: true
      })
    }
  })

  it("what is told along stands until it is told again", () => {
    const meta = {
      ...noMeta,
      remark: "rain",
      dpLocation: "12.9,77.6",
      reasonCode: 7,
      promisedDeliveryDate: "2026-02-01",
      estimatedDeliveryDate: "2026-02-02"
    }
    const shipment = run(standing("bag_picked"), ask.status("out_for_delivery", "seller", meta))
    deepStrictEqual(shipment.events.at(-1), {
      status: "out_for_delivery",
      at: later,
      location: "12.9,77.6",
      remark: "rain",
      reasonCode: 7
    })
    const after = run(shipment, ask.status("delivery_done", "seller"))
    deepStrictEqual(
      [after.lastLocation, after.promisedDeliveryDate, after.estimatedDeliveryDate, after.events.at(-1)?.location],
      ["12.9,77.6", "2026-02-01", "2026-02-02", null]
    )
    strictEqual(statusChangedAt(after), later)
    strictEqual(statusChangedAt({ ...after, events: [] }), at)
  })

  it("a lost bag shows where it was lost and gives nothing back", () => {
    const lost = (from: Shipment) => make(from, ask.status("bag_lost"))
    const out = lost(standing("out_for_delivery"))
    deepStrictEqual([orderStatusOf(out.shipment), out.stock], ["TRANSIT", []])
    strictEqual(orderStatusOf(lost(standing("rto_in_transit", { way: "rto" })).shipment), "RETURN_PROCESSING")
    strictEqual(orderStatusOf(lost(standing("return_bag_in_transit", { way: "return" })).shipment), "RETURN_PROCESSING")
  })

  it("deadstock writes off the units that have no result", () => {
    const { shipment, stock } = make(run(back, ask.qc(oneA)), ask.status("deadstock"))
    strictEqual(shipment.status, "deadstock")
    deepStrictEqual(told(stock), ["unsellable 1 a SKU-a", "unsellable 1 b SKU-b"])
  })

  it("a return status sent to the forward shipment goes to its one open return", () => {
    const open = make(delivered, ask.giveBack()).created
    assertTrue(open !== null)
    const { shipment } = make(delivered, ask.status("return_bag_in_transit"), [open])
    deepStrictEqual([shipment.id, shipment.status], [open.id, "return_bag_in_transit"])
    const there: Shipment = { ...open, status: "return_bag_delivered" }
    assertTrue(make(delivered, ask.status("return_bag_delivered"), [there]).unchanged)
    refused("S400", delivered, ask.status("return_bag_in_transit"))
    refused("S400", delivered, ask.status("return_bag_in_transit"), [open, { ...open, id: "other" }])
    refused("S400", delivered, ask.status("return_bag_delivered"), [{ ...open, status: "return_accepted" }])
    refused("SHIPMENT_LOCKED", { ...delivered, locked: true }, ask.status("return_bag_in_transit"), [open])
    refused("SHIPMENT_LOCKED", delivered, ask.status("return_bag_in_transit"), [{ ...open, locked: true }])
    strictEqual(make(open, ask.status("return_dp_assigned"), [there]).shipment.id, open.id)
    assertTrue(make(delivered, ask.status("delivery_done"), [open]).unchanged)
  })

  it("one record of the operation is a report, or the beginning of a return", () => {
    const record = { by: "marketplace", meta: noMeta, items: null, returnId: "R1", newShipmentId: "9" } as const
    deepStrictEqual(reportOrReturn({ ...record, status: "bag_lost" }), ask.status("bag_lost"))
    deepStrictEqual(
      reportOrReturn({ ...record, status: "return_initiated" }),
      ask.giveBack(null, { returnId: "R1", newShipmentId: "9" })
    )
  })
})

describe("Returns", () => {
  const opened = (command: ShipmentCommand, returns: ReadonlyArray<Shipment> = [], from = delivered): Shipment => {
    const { created } = make(from, command, returns)
    assertTrue(created !== null, "no return was opened")
    return created
  }
  const units = (shipment: Shipment) => shipment.items.map(({ id, ordered }) => `${ordered} ${id}`)

  it("a return is a new shipment; the delivered one only grows a version", () => {
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

  it("without items all units not yet returned come back, never the cancelled ones", () => {
    const some = opened(ask.giveBack(oneA))
    deepStrictEqual(units(opened(ask.giveBack(), [some])), ["1 a", "1 b"])
    const partly = { ...delivered, items: [item("a", 2, { cancelled: 1 }), item("b", 1)] }
    deepStrictEqual(units(opened(ask.giveBack(), [], partly)), ["1 a", "1 b"])
    refused("S409", partly, ask.giveBack(all))
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

  it("asking again for all of it is a repeat while the return is open, unless another return id is named", () => {
    const open = opened(ask.giveBack(null, { returnId: "R1" }))
    assertTrue(make(delivered, ask.giveBack(), [open]).unchanged)
    refused("S409", delivered, ask.giveBack(null, { returnId: "R2" }), [open])
  })

  it("units of all returns together never exceed what was delivered", () => {
    const open = opened(ask.giveBack(oneA))
    refused("S409", delivered, ask.giveBack([{ itemId: "a", quantity: 2 }]), [open])
    refused("S409", delivered, ask.giveBack(all), [{ ...open, status: "bag_lost" }])
  })
})

describe("Quality check", () => {
  it("good units go back to stock, bad ones to the unsellable count, and the last result accepts", () => {
    const first = make(back, ask.qc(oneA))
    deepStrictEqual([first.shipment.status, told(first.stock)], ["return_bag_delivered", ["restock 1 a SKU-a"]])
    const second = make(first.shipment, ask.qc([...oneA, ...onlyB], true, 113))
    deepStrictEqual(
      [second.shipment.status, told(second.stock)],
      ["return_accepted", ["unsellable 1 a SKU-a", "unsellable 1 b SKU-b"]]
    )
    const damaged = [{ code: 113, reason: "damaged" }]
    deepStrictEqual(
      second.shipment.items.map(({ bad, good, qcReasons }) => ({ good, bad, qcReasons })),
      [
        { good: 1, bad: 1, qcReasons: damaged },
        { good: 0, bad: 1, qcReasons: damaged }
      ]
    )
  })

  it("without items every unit left gets the result", () => {
    const { shipment, stock } = make(run(back, ask.qc(oneA)), ask.qc(null, true))
    strictEqual(shipment.status, "return_accepted")
    deepStrictEqual(told(stock), ["unsellable 1 a SKU-a", "unsellable 1 b SKU-b"])
  })

  it("an RTO is checked like a return", () => {
    const rto = standing("rto_bag_delivered", { way: "rto", invoiced: true })
    strictEqual(run(rto, ask.qc(), ask.credit()).status, "credit_note_generated")
  })

  it("a reason needs bad units and a known code, as a number or as digits", () => {
    const damaged = [{ code: 113, reason: "damaged" }]
    deepStrictEqual(qcReasonsOf(113, true), damaged)
    deepStrictEqual(qcReasonsOf("113", true), damaged)
    for (const [code, bad] of [
      [113, false],
      ["999", true],
      [null, true],
      ["null", true]
    ] as const) {
      deepStrictEqual(qcReasonsOf(code, bad), [])
    }
    const twice = run(back, ask.qc(oneA, true, 113), ask.qc(oneA, true, "113"), ask.qc(onlyB, true, 999))
    deepStrictEqual(
      twice.items.map(({ qcReasons }) => qcReasons),
      [damaged, []]
    )
  })
})

describe("Statuses", () => {
  it("each shows as the order status of the contract", () => {
    const shown: ReadonlyArray<readonly [OrderStatus, string, Way?]> = [
      ["CREATED", "placed"],
      ["CONFIRMED", "bag_confirmed"],
      ["PROCESSING", "bag_invoiced dp_assigned"],
      ["COMPLETED", "bag_packed"],
      [
        "TRANSIT",
        "bag_picked out_for_delivery delivery_attempt_failed delivery_reattempt_requested rejected_by_customer bag_lost"
      ],
      ["HANDED_OVER_TO_CUSTOMER", "handed_over_to_customer"],
      ["DELIVERED", "delivery_done"],
      ["RETURN_PROCESSING", "return_initiated return_dp_assigned return_bag_in_transit bag_lost", "return"],
      ["RETURN_PROCESSING", "rto_in_transit bag_lost", "rto"],
      ["RETURN_DELIVERED", "return_bag_delivered return_accepted deadstock credit_note_generated", "return"],
      ["RETURN_DELIVERED", "rto_bag_delivered return_accepted deadstock credit_note_generated", "rto"],
      ["CANCELLED", "cancelled_customer cancelled_seller"]
    ]
    const seen = new Set<string>()
    for (const [order, statuses, way = "out"] of shown) {
      for (const status of OperationalStatus.literals.filter((one) => statuses.split(" ").includes(one))) {
        strictEqual(orderStatusOf(standing(status, { way })), order, `${status} ${way}`)
        seen.add(status)
      }
    }
    strictEqual(seen.size, OperationalStatus.literals.length)
  })

  it("an AWB number is held until delivered, handed over, cancelled, returned or lost", () => {
    const open =
      "placed bag_confirmed bag_invoiced dp_assigned bag_packed bag_picked out_for_delivery delivery_attempt_failed delivery_reattempt_requested rejected_by_customer rto_in_transit return_initiated return_dp_assigned return_bag_in_transit"
    deepStrictEqual(
      OperationalStatus.literals.filter(isOpen),
      OperationalStatus.literals.filter((one) => open.split(" ").includes(one))
    )
  })

  it("a shipment that was rejected and came straight back is on its way back", () => {
    assertTrue(isOnTheWayBack(run(standing("rejected_by_customer"), ask.status("rto_bag_delivered"))))
    assertFalse(isOnTheWayBack(standing("rejected_by_customer")))
  })

  it("what a seller may ask of a shipment leaves out what only others may", () => {
    deepStrictEqual(Lifecycle.allowedMoves(standing("bag_invoiced", { ships: "marketplace" }), "seller"), [
      "cancel everything"
    ])
    deepStrictEqual(Lifecycle.allowedMoves(standing("bag_invoiced", { ships: "marketplace" }), "marketplace"), [
      "awb, autoDispatch false",
      "status dp_assigned",
      "status cancelled_customer"
    ])
    deepStrictEqual(Lifecycle.allowedMoves(standing("bag_packed", { ships: "courier" }), "seller"), [
      "cancel everything",
      "dispatch",
      "status bag_picked",
      "status handed_over_to_customer"
    ])
  })
})

describe("Amounts of a divided line", () => {
  it.prop(
    "the slices of a line add up to it",
    [
      FastCheck.integer({ min: 0, max: 10 ** 15 }),
      FastCheck.array(FastCheck.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 9 })
    ],
    ([amount, counts]) => {
      const ordered = counts.reduce((sum, count) => sum + count, 0)
      const line = item("a", ordered, {
        taxAmount: Money.MinorUnits.make(amount),
        discount: Money.MinorUnits.make(amount)
      })
      let before = 0
      let tax = 0
      for (const count of counts) {
        const part = slice(line, before, count)
        strictEqual(part.ordered, count)
        strictEqual(part.taxAmount, part.discount)
        tax += part.taxAmount
        before += count
      }
      strictEqual(tax, amount)
    }
  )

  it("a part and the returns after it share a line's amounts without a rest", () => {
    const line = item("a", 3, { taxAmount: Money.MinorUnits.make(101) })
    const start = placed("marketplace", { items: [line] })
    const part = make(start, ask.cancel(oneA))
    const rest = make({ ...part.shipment, status: "placed" }, ask.cancel(oneA))
    deepStrictEqual(
      [rest.created?.items[0]?.taxAmount, slice(line, 2, 1).taxAmount],
      [Money.MinorUnits.make(34), Money.MinorUnits.make(34)]
    )
    const done: Shipment = { ...part.shipment, status: "delivery_done" }
    const first = make(done, ask.giveBack(oneA)).created
    assertTrue(first !== null)
    const second = make(done, ask.giveBack(null), [first]).created
    const taxes = [part.created, first, second].map((one) => one?.items[0]?.taxAmount ?? 0)
    deepStrictEqual(taxes, [33, 34, 34])
  })
})
