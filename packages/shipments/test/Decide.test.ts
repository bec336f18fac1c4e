import {
  isOnTheWayBack,
  isOpen,
  Lifecycle,
  noMeta,
  type OrderStatus,
  operationalStatuses,
  orderStatusOf,
  reportOrReturn,
  type Shipment,
  type ShipmentCommand,
  statusChangedAt
} from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertFalse, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import {
  all,
  ask,
  at,
  back,
  cancelledA,
  delivered,
  effectTexts,
  later,
  make,
  oneA,
  onlyB,
  placed,
  rejected,
  run,
  standing,
  type Way
} from "./Fixtures.ts"

describe("Confirm and cancel", () => {
  it("confirm names the units that a partial cancel left", () => {
    strictEqual(run(placed(), ask.cancel(oneA), ask.confirm([...oneA, ...onlyB])).status, "bag_confirmed")
    strictEqual(run(cancelledA, ask.confirm(onlyB)).status, "bag_confirmed")
  })

  it("a cancelled part becomes a shipment of its own and its units are released", () => {
    const { created, shipment, stock } = make(placed(), ask.cancel(oneA, "6"))
    deepStrictEqual(effectTexts(stock), ["release 1 a SKU-a"])
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

  it("cancel of all that is left keeps the id and releases all units", () => {
    const { created, shipment, stock } = make(run(placed(), ask.cancel(oneA)), ask.cancel([...oneA, ...onlyB], "6"))
    strictEqual(created, null)
    strictEqual(shipment.status, "cancelled_seller")
    deepStrictEqual(effectTexts(stock), ["release 1 a SKU-a", "release 1 b SKU-b"])
    deepStrictEqual(
      shipment.items.map(({ cancelled }) => cancelled),
      [2, 1]
    )
    strictEqual(shipment.events.at(-1)?.remark, "6")
  })

  it("a cancellation keeps its reasons, each once, and none when it has none", () => {
    const remarkOf = (command: ShipmentCommand) => run(placed(), command).events.at(-1)?.remark
    const [a, b] = all.map((one, nth) => ({ ...one, reasonCode: ["6", "7"][nth] ?? null }))
    deepStrictEqual(
      [
        remarkOf(ask.cancel()),
        remarkOf(ask.cancel(all, "6")),
        remarkOf({ _tag: "Cancel", items: [a, b].flatMap((one) => one ?? []), partId: "2" })
      ],
      [null, "6", "6, 7"]
    )
  })

  it("quantities of an item that is named twice add up", () => {
    strictEqual(run(placed(), ask.confirm([...oneA, ...onlyB, ...oneA])).status, "bag_confirmed")
    deepStrictEqual(effectTexts(make(placed(), ask.cancel([...oneA, ...oneA])).stock), ["release 2 a SKU-a"])
  })

  it("the marketplace's cancelled_customer releases the stock", () => {
    const { shipment, stock } = make(standing("bag_packed"), ask.status("cancelled_customer"))
    strictEqual(shipment.status, "cancelled_customer")
    deepStrictEqual(effectTexts(stock), ["release 2 a SKU-a", "release 1 b SKU-b"])
  })

  it("a credit note after a cancellation keeps the status and what was invoiced", () => {
    const cancelled = run(standing("bag_confirmed"), ask.sale(), ask.cancel())
    const shipment = run(cancelled, ask.credit())
    deepStrictEqual(shipment.events, cancelled.events)
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

  it("the sale invoice of any other shipment leaves it without a courier", () => {
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

  it("the credit note of a return is recorded without an invoice", () => {
    const { creditNote, invoice, status } = run(standing("return_accepted", { way: "return" }), ask.credit())
    deepStrictEqual(
      [creditNote?.number, creditNote?.at, invoice, status],
      ["CN-1", later, null, "credit_note_generated"]
    )
  })

  it("the courier port assigns couriers where it ships, out and back", () => {
    const out = run(standing("bag_invoiced", { ships: "courier" }), ask.courier("courier"))
    deepStrictEqual([out.status, out.courier?.awbNumbers], ["dp_assigned", ["SW1"]])
    const home = standing("return_initiated", { way: "return", ships: "courier" })
    strictEqual(run(home, ask.courier("courier")).status, "return_dp_assigned")
    const nameless = run(home, { _tag: "AssignCourier", by: "courier", courier: null })
    deepStrictEqual([nameless.status, nameless.courier], ["return_dp_assigned", null])
  })

  it("the marketplace assigns couriers by awb or status where it ships, out and back", () => {
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

  it("the stock is consumed by the first move that picks or hands over", () => {
    const consumed = ["consume 2 a SKU-a", "consume 1 b SKU-b"]
    for (const command of [ask.awb("seller", true), ask.status("bag_picked"), ask.status("handed_over_to_customer")]) {
      deepStrictEqual(effectTexts(make(standing("dp_assigned"), command).stock), consumed)
      deepStrictEqual(effectTexts(make(standing("bag_packed"), command).stock), consumed)
    }
    deepStrictEqual(effectTexts(make(standing("bag_packed"), ask.dispatch(all)).stock), consumed)
    deepStrictEqual(make(standing("bag_picked"), ask.status("delivery_done")).stock, [])
  })
})

describe("The status operation", () => {
  it("a repeat succeeds and changes nothing, even of a status that nobody may report", () => {
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

  it("details of a status stay until they are reported again", () => {
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

  it("a lost bag shows where it was lost and returns no units", () => {
    const lost = (from: Shipment) => make(from, ask.status("bag_lost"))
    const out = lost(standing("out_for_delivery"))
    deepStrictEqual([orderStatusOf(out.shipment), out.stock], ["TRANSIT", []])
    strictEqual(orderStatusOf(lost(standing("rto_in_transit", { way: "rto" })).shipment), "RETURN_PROCESSING")
    strictEqual(orderStatusOf(lost(standing("return_bag_in_transit", { way: "return" })).shipment), "RETURN_PROCESSING")
  })

  it("deadstock writes off units without a result", () => {
    const { shipment, stock } = make(run(back, ask.qc(oneA)), ask.status("deadstock"))
    strictEqual(shipment.status, "deadstock")
    deepStrictEqual(effectTexts(stock), ["unsellable 1 a SKU-a", "unsellable 1 b SKU-b"])
  })

  it("a return status sent to the forward shipment goes to its one open return", () => {
    const open = make(delivered, ask.giveBack()).created
    assertTrue(open !== null)
    const { shipment } = make(delivered, ask.status("return_bag_in_transit"), [open])
    deepStrictEqual([shipment.id, shipment.status], [open.id, "return_bag_in_transit"])
    const there: Shipment = { ...open, status: "return_bag_delivered" }
    assertTrue(make(delivered, ask.status("return_bag_delivered"), [there]).unchanged)
    rejected("S400", delivered, ask.status("return_bag_in_transit"))
    rejected("S400", delivered, ask.status("return_bag_in_transit"), [open, { ...open, id: "other" }])
    rejected("S400", delivered, ask.status("return_bag_delivered"), [{ ...open, status: "return_accepted" }])
    rejected("SHIPMENT_LOCKED", { ...delivered, locked: true }, ask.status("return_bag_in_transit"), [open])
    rejected("SHIPMENT_LOCKED", delivered, ask.status("return_bag_in_transit"), [{ ...open, locked: true }])
    strictEqual(make(open, ask.status("return_dp_assigned"), [there]).shipment.id, open.id)
    assertTrue(make(delivered, ask.status("delivery_done"), [open]).unchanged)
  })

  it("a return status with a return's id goes to that return, open or not, and never to another", () => {
    const open = make(delivered, ask.giveBack(null, { returnId: "R2" })).created
    assertTrue(open !== null)
    const closed: Shipment = { ...open, id: "closed", returnId: "R1", status: "return_accepted" }
    const report = (status: string, returnId: string) => ask.status(status, "marketplace", noMeta, returnId)
    strictEqual(make(delivered, report("return_bag_in_transit", "R2"), [closed, open]).shipment.id, open.id)
    rejected("S400", delivered, report("return_bag_in_transit", "R1"), [closed, open])
    rejected("S400", delivered, report("return_bag_in_transit", "R3"), [closed, open])
    const nameless: Shipment = { ...open, returnId: null }
    strictEqual(make(delivered, report("return_bag_in_transit", "R3"), [closed, nameless]).shipment.id, open.id)
  })

  it("one record of the operation is a report, or opens a return", () => {
    const record = { by: "marketplace", meta: noMeta, items: null, returnId: "R1", newShipmentId: "9" } as const
    deepStrictEqual(
      reportOrReturn({ ...record, status: "bag_lost" }),
      ask.status("bag_lost", "marketplace", noMeta, "R1")
    )
    deepStrictEqual(
      reportOrReturn({ ...record, status: "return_initiated" }),
      ask.giveBack(null, { returnId: "R1", newShipmentId: "9" })
    )
  })
})

describe("Statuses", () => {
  it("each shows as its order status", () => {
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
      for (const status of operationalStatuses.filter((one) => statuses.split(" ").includes(one))) {
        strictEqual(orderStatusOf(standing(status, { way })), order, `${status} ${way}`)
        seen.add(status)
      }
    }
    strictEqual(seen.size, operationalStatuses.length)
  })

  it("an AWB number is in use until its shipment is delivered, handed over, cancelled, returned or lost", () => {
    const open =
      "placed bag_confirmed bag_invoiced dp_assigned bag_packed bag_picked out_for_delivery delivery_attempt_failed delivery_reattempt_requested rejected_by_customer rto_in_transit return_initiated return_dp_assigned return_bag_in_transit"
    deepStrictEqual(
      operationalStatuses.filter((status) => isOpen({ status })),
      operationalStatuses.filter((one) => open.split(" ").includes(one))
    )
  })

  it("a shipment that was rejected and came straight back is on its way back", () => {
    assertTrue(isOnTheWayBack(run(standing("rejected_by_customer"), ask.status("rto_bag_delivered"))))
    assertFalse(isOnTheWayBack(standing("rejected_by_customer")))
  })

  it("the moves allowed to a seller leave out those of others", () => {
    deepStrictEqual(Lifecycle.allowedMoves(standing("bag_invoiced", { ships: "marketplace" }), "seller"), [
      "cancel everything"
    ])
    deepStrictEqual(Lifecycle.allowedMoves(standing("bag_invoiced", { ships: "marketplace" }), "marketplace"), [
      "awb with autoDispatch false",
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
