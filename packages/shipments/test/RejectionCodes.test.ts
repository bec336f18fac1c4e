import {
  Lifecycle,
  operationalStatuses,
  rejectionCode,
  rejectionCodes,
  type Shipment,
  type ShipmentCommand
} from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import {
  all,
  ask,
  back,
  cancelledA,
  delivered,
  item,
  make,
  oneA,
  onlyB,
  placed,
  rejected,
  rejection,
  run,
  standing,
  stranger,
  twoB
} from "./Fixtures.ts"

describe("Codes of rejections", () => {
  it("O400: confirm names a cancelled item", () => rejected("O400", cancelledA, ask.confirm(oneA)))
  it("O400: confirm of a cancelled shipment", () => rejected("O400", standing("cancelled_seller"), ask.confirm()))
  it("O404: confirm names an item that the shipment does not have", () =>
    rejected("O404", placed(), ask.confirm(stranger)))
  it("O409: confirm leaves out an item", () => rejected("O409", placed(), ask.confirm(oneA)))
  it("O409: confirm names another quantity than is left", () => {
    rejected("O409", placed(), ask.confirm([...onlyB, ...oneA]))
    rejected("O409", placed(), ask.confirm([...all, ...oneA]))
  })
  it("O409: confirm of a confirmed shipment", () => rejected("O409", standing("bag_confirmed"), ask.confirm()))
  it("X400: cancel of a picked shipment", () => rejected("X400", standing("bag_picked"), ask.cancel()))
  it("X400: cancel of a cancelled shipment", () => rejected("X400", standing("cancelled_customer"), ask.cancel()))
  it("X400: cancel of a part after invoicing", () => rejected("X400", standing("bag_invoiced"), ask.cancel(oneA)))
  it("X404: cancel names an item that the shipment does not have", () =>
    rejected("X404", placed(), ask.cancel(stranger)))
  it("X409: cancel of more than is left", () => {
    rejected("X409", placed(), ask.cancel(twoB))
    rejected("X409", placed(), ask.cancel([...all, ...oneA]))
    rejected("X409", cancelledA, ask.cancel(oneA))
    rejected("X409", standing("bag_packed"), ask.cancel([...all, ...oneA]))
  })
  it("IN400: invoice names an item that the shipment does not have", () =>
    rejected("IN400", standing("bag_confirmed"), ask.sale({ items: [{ itemId: "z", quantity: 1, imei: [] }] })))
  it("IN401: sale invoice of a cancelled shipment", () => rejected("IN401", standing("cancelled_seller"), ask.sale()))
  it("IN403: sale invoice before confirm", () => rejected("IN403", placed(), ask.sale()))
  it("IN403: credit note before the return is accepted", () => {
    rejected("IN403", back, ask.credit())
    rejected("IN403", standing("rto_in_transit", { way: "rto", invoiced: true }), ask.credit())
  })
  it("IN422: sale invoice on a return or an RTO", () => {
    rejected("IN422", back, ask.sale())
    rejected("IN422", standing("rto_bag_delivered", { way: "rto", invoiced: true }), ask.sale())
  })
  it("IN422: credit note on a forward shipment that was not cancelled after invoicing", () => {
    rejected("IN422", delivered, ask.credit())
    rejected("IN422", placed(), ask.credit())
    rejected("IN422", standing("cancelled_seller"), ask.credit())
  })
  it("IN453: a second sale invoice", () => rejected("IN453", standing("bag_packed", { invoiced: true }), ask.sale()))
  it("IN453: a second credit note", () => {
    rejected("IN453", standing("credit_note_generated", { way: "return" }), ask.credit())
    rejected("IN453", standing("cancelled_seller", { invoiced: true, credited: true }), ask.credit())
  })
  it("INVALID_RECORD: more serial numbers than units", () => {
    const items = [{ itemId: "a", quantity: 1, imei: ["1", "2"] }]
    rejected("INVALID_RECORD", standing("bag_confirmed"), ask.sale({ items }))
    rejected(
      "INVALID_RECORD",
      standing("bag_confirmed"),
      ask.sale({ items: [{ itemId: "b", quantity: null, imei: ["1", "2"] }] })
    )
  })
  it("INVALID_RECORD: more units on the invoice than the shipment has", () => {
    rejected(
      "INVALID_RECORD",
      standing("bag_confirmed"),
      ask.sale({ items: [{ itemId: "b", quantity: 5, imei: ["1", "2", "3", "4", "5"] }] })
    )
    rejected("INVALID_RECORD", standing("bag_confirmed"), ask.sale({ items: [{ itemId: "b", quantity: 2, imei: [] }] }))
  })
  it("INVALID_RECORD: more serial numbers than the units that a cancellation left or an invoice covers", () => {
    const items = [{ itemId: "a", quantity: null, imei: ["1", "2"] }]
    const partly = run(standing("bag_confirmed"), ask.cancel(oneA))
    rejected("INVALID_RECORD", partly, ask.sale({ items }))
    const credit = { ...ask.credit(), items: items.map((one) => ({ ...one, imei: ["1"] })) } as ShipmentCommand
    strictEqual(run(partly, ask.sale(), ask.cancel([...oneA, ...onlyB]), credit).creditNote?.number, "CN-1")
  })
  it("INVALID_RECORD: an invoice that names an item twice, fewer units than are left, or a serial number twice", () => {
    const start = standing("bag_confirmed")
    const one = (itemId: string, quantity: number | null, ...imei: ReadonlyArray<string>) => ({
      itemId,
      quantity,
      imei
    })
    rejected("INVALID_RECORD", start, ask.sale({ items: [one("a", 2, "1"), one("a", 2, "2")] }))
    rejected("INVALID_RECORD", start, ask.sale({ items: [one("a", 1, "1")] }))
    rejected("INVALID_RECORD", start, ask.sale({ items: [one("a", 2, "1", "1")] }))
  })
  it("an invoice that is accepted can be read back in full", () => {
    const items = [
      { itemId: "a", quantity: 2, imei: ["1", "2"] },
      { itemId: "b", quantity: null, imei: ["3"] }
    ]
    const invoiced = run(standing("bag_confirmed"), ask.sale({ items }))
    deepStrictEqual(
      invoiced.items.map(({ id, imei, invoiced }) => [id, invoiced, imei]),
      [
        ["a", 2, ["1", "2"]],
        ["b", 1, ["3"]]
      ]
    )
  })
  it("INVALID_RECORD: no units named", () => rejected("INVALID_RECORD", placed(), ask.cancel([])))
  it("CR400: pack of a shipment without a courier", () => rejected("CR400", standing("bag_invoiced"), ask.pack))
  it("CR401: pack of a cancelled shipment", () => rejected("CR401", standing("cancelled_seller"), ask.pack))
  it("D400: dispatch of a shipment that is not packed", () => rejected("D400", standing("dp_assigned"), ask.dispatch()))
  it("D400: dispatch of a part", () => rejected("D400", standing("bag_packed"), ask.dispatch(oneA)))
  it("D401: dispatch of a cancelled shipment", () => rejected("D401", standing("cancelled_seller"), ask.dispatch()))
  it("D404: dispatch names an item that the shipment does not have", () =>
    rejected("D404", standing("bag_packed"), ask.dispatch(stranger)))
  it("A400: awb too early, too late, or by the seller where the courier is still to be assigned", () => {
    rejected("A400", placed(), ask.awb("seller"))
    rejected("A400", standing("bag_picked"), ask.awb("seller"))
    rejected("A400", standing("bag_invoiced", { ships: "marketplace" }), ask.awb("seller"))
    rejected("A400", standing("return_initiated", { way: "return", ships: "marketplace" }), ask.awb("seller"))
  })
  it("A400: the marketplace's awb assigns no courier where the courier port ships", () =>
    rejected("A400", standing("bag_invoiced", { ships: "courier" }), ask.awb("marketplace")))
  it("A400: autoDispatch on a return", () =>
    rejected("A400", standing("return_dp_assigned", { way: "return" }), ask.awb("seller", true)))
  it("A422: the seller's awb on a shipment that it does not ship itself", () => {
    rejected("A422", standing("dp_assigned", { ships: "courier" }), ask.awb("seller"))
    rejected("A422", standing("bag_packed", { ships: "marketplace" }), ask.awb("seller", true))
  })
  it("S400: a move that is not in the table, with the reason, both statuses and what is allowed", () => {
    const { code, details, message } = rejection(placed(), ask.status("delivery_done"))
    strictEqual(code, "S400")
    deepStrictEqual(details, {
      current: "placed",
      target: "delivery_done",
      allowed: ["cancelled_customer"],
      steps: ["confirm by the seller", "invoiceUpdate sale by the seller", "status bag_picked", "status delivery_done"],
      reason: "INVALID_TRANSITION"
    })
    for (const part of ["placed", "delivery_done", "cancelled_customer"]) assertTrue(message.includes(part))
  })
  it("S400: a text that is not a status", () => {
    const { code, details } = rejection(delivered, ask.status("teleported"))
    deepStrictEqual([code, details.reason, details.target], ["S400", "INVALID_TRANSITION", "teleported"])
  })
  it("S400: an order status is rejected with the status that it shows, and the way there", () => {
    const { details, message } = rejection(placed(), ask.status("delivered"))
    assertTrue(message.includes("(did you mean delivery_done?)"))
    assertTrue(
      message.includes("To get to delivery_done: have the seller confirm it, then have the seller invoice it,")
    )
    deepStrictEqual(details.steps?.slice(0, 2), ["confirm by the seller", "invoiceUpdate sale by the seller"])
    for (const [shipment, sent] of [
      [delivered, "delivered"],
      [placed(), "CONFIRMED"],
      [standing("out_for_delivery"), "out_for_deliveri"],
      [placed(), "transit"]
    ] as const) {
      const { details, message } = rejection(shipment, ask.status(sent))
      deepStrictEqual(
        [details.steps, message.includes("did you mean"), message.includes("To get to")],
        [undefined, sent === "transit", false]
      )
    }
  })
  it("S400: a status that only the marketplace may report, sent by the seller", () => {
    rejected("S400", placed(), ask.status("cancelled_customer", "seller"))
    rejected("S400", delivered, ask.giveBack(null, { by: "seller" }))
    rejected("S400", standing("bag_invoiced", { ships: "marketplace" }), ask.status("dp_assigned", "seller"))
  })
  it("S400: a plain report never moves a delivered shipment to return_initiated", () =>
    rejected("S400", delivered, ask.status("return_initiated")))
  it("S404: the two ids of a returned line name different lines", () => {
    const both = { itemId: "a", externalLineId: "line-a", quantity: 1, reason: null }
    deepStrictEqual(
      make(delivered, ask.giveBack(null, { items: [both] })).created?.items.map(({ id }) => id),
      ["a"]
    )
    rejected("S404", delivered, ask.giveBack(null, { items: [{ ...both, externalLineId: "line-b" }] }))
  })

  it("S404: a return names an item that the shipment does not have", () => {
    rejected("S404", delivered, ask.giveBack(stranger))
    const nameless = { itemId: null, externalLineId: null, quantity: 1, reason: null }
    rejected("S404", delivered, ask.giveBack(null, { items: [nameless] }))
    const unnamed = { ...delivered, items: [item("a", 2, { externalLineId: null })] }
    rejected("S404", unnamed, ask.giveBack(null, { items: [nameless] }))
  })
  it("S409: more units than are left to return", () => rejected("S409", delivered, ask.giveBack(twoB)))
  it("S409: nothing is left to return", () => {
    const accepted = { ...make(delivered, ask.giveBack()).created, status: "return_accepted" } as Shipment
    rejected("S409", delivered, ask.giveBack(), [accepted])
    rejected("S409", delivered, ask.giveBack(oneA), [accepted])
  })
  it("R400: quality check of a shipment that is not delivered back", () => {
    rejected("R400", standing("return_bag_in_transit", { way: "return" }), ask.qc())
    rejected("R400", delivered, ask.qc())
  })
  it("R404: quality check names an item that the shipment does not have", () =>
    rejected("R404", back, ask.qc(stranger)))
  it("R409: quality check of more than is left", () => {
    rejected("R409", back, ask.qc(twoB))
    rejected("R409", run(back, ask.qc(onlyB)), ask.qc(onlyB, true))
  })
  it("R409: quality check of an accepted return", () =>
    rejected("R409", standing("return_accepted", { way: "return" }), ask.qc()))
  it("SHIPMENT_LOCKED: any move of a locked shipment, even a repeat", () => {
    const locked = run(delivered, ask.lock)
    rejected("SHIPMENT_LOCKED", locked, ask.status("delivery_done"))
    rejected("SHIPMENT_LOCKED", locked, ask.giveBack())
    deepStrictEqual(rejection(locked, ask.giveBack()).details, { current: "delivery_done", allowed: [] })
    deepStrictEqual(Lifecycle.allowedMoves(locked, "marketplace"), [])
    deepStrictEqual(Lifecycle.allowedTargets(locked, "marketplace"), [])
    assertTrue(make(locked, ask.lock).unchanged)
    assertTrue(make(delivered, ask.unlock).unchanged)
  })
  it("services have codes for unknown shipments, other locations and numbers in use", () => {
    const codes = Object.entries(rejectionCodes).map(([family, { notFound, otherLocation }]) => [
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
      ["lock", "NOT_FOUND", "NOT_FOUND"],
      ["return", "R404", "R422"]
    ])
    strictEqual(rejectionCode("awb", "taken"), "A409")
    strictEqual(rejectionCode("invoiceUpdate", "taken"), "IN422")
    strictEqual(rejectionCode("labels", "wrongStatus"), "L403")
    strictEqual(rejectionCode("invoice", "wrongStatus"), "IN403")
    strictEqual(rejectionCode("labels", "cancelled"), "L403")
    strictEqual(rejectionCode("courierDetails", "wrongStatus"), "C404")
  })
})

describe("The item that a rejection is about", () => {
  const aboutOf = (shipment: Shipment, command: ShipmentCommand) => rejection(shipment, command).about
  const sale = (itemId: string, quantity: number | null, ...imei: ReadonlyArray<string>) =>
    ask.sale({ items: [{ itemId, quantity, imei }] })
  const confirmed = standing("bag_confirmed")

  it("is the one that the shipment doesn't have", () => {
    deepStrictEqual(aboutOf(placed(), ask.confirm(stranger)), { item: "z", field: "item" })
    deepStrictEqual(aboutOf(confirmed, sale("z", 1)), { item: "z", field: "item" })
  })
  it("is the one that is cancelled, or has another quantity", () => {
    deepStrictEqual(aboutOf(cancelledA, ask.confirm()), { item: "a", field: "item" })
    deepStrictEqual(aboutOf(placed(), ask.cancel(twoB)), { item: "b", field: "quantity" })
    deepStrictEqual(aboutOf(back, ask.qc(twoB)), { item: "b", field: "quantity" })
  })
  it("is the one of an invoice that appears twice, or whose quantity or serial numbers don't fit", () => {
    const twice = ask.sale({ items: [1, 2].map(() => ({ itemId: "b", quantity: 1, imei: [] })) })
    deepStrictEqual(
      [twice, sale("b", 2), sale("b", 1, "1", "2"), sale("a", 2, "1", "1")].map((one) => aboutOf(confirmed, one)),
      [
        { item: "b", field: "item" },
        { item: "b", field: "quantity" },
        { item: "b", field: "imei" },
        { item: "a", field: "imei" }
      ]
    )
  })
  it("is named as the marketplace named it: by our id, or by its own line", () => {
    const line = (itemId: string | null, externalLineId: string | null, quantity: number) => ({
      itemId,
      externalLineId,
      quantity,
      reason: null
    })
    const returned = (...items: ReadonlyArray<ReturnType<typeof line>>) =>
      aboutOf(delivered, ask.giveBack(null, { items }))
    deepStrictEqual(
      [
        returned(line("a", null, 1), line("b", "line-b", 2)),
        returned(line("a", null, 1), line(null, "line-b", 2)),
        returned(line(null, "line-b", 2), line("a", null, 2)),
        returned(line(null, "unknown", 1)),
        returned(line("z", "line-b", 1)),
        returned(line(null, null, 1))
      ],
      [
        { item: "b", field: "quantity" },
        { item: "line-b", field: "quantity" },
        { item: "line-b", field: "quantity" },
        { item: "unknown", field: "item" },
        { item: "z", field: "item" },
        { item: "", field: "item" }
      ]
    )
  })
  it("is missing when the shipment itself can't move", () => strictEqual(aboutOf(placed(), ask.pack), undefined))
})

describe("Messages of rejections", () => {
  const id = "00000000000000000001"
  const messageOf = (shipment: Shipment, command: ShipmentCommand) =>
    rejection(shipment, command).message.replace(` ${id}`, " 17")

  it("say the status and the steps to what was asked", () => {
    strictEqual(
      messageOf(placed(), ask.pack),
      "Can't pack shipment 17: its status is placed. Confirm it, then invoice it, then pack it."
    )
    strictEqual(
      messageOf(standing("bag_invoiced", { ships: "marketplace", invoiced: true }), ask.pack),
      "Can't pack shipment 17: its status is bag_invoiced. Have the marketplace assign an AWB to it, then pack it."
    )
  })
  it("say what is allowed when no steps lead to what was asked", () => {
    strictEqual(
      messageOf(standing("delivery_attempt_failed"), ask.cancel()),
      "Can't cancel shipment 17: its status is delivery_attempt_failed. " +
        "You can set its status to delivery_reattempt_requested or rto_in_transit."
    )
    strictEqual(
      messageOf(delivered, ask.pack),
      "Can't pack shipment 17: its status is delivery_done. You can't change it now."
    )
  })
  it("say what is wrong with a record and how to send it right", () => {
    strictEqual(
      messageOf(placed(), ask.confirm(oneA)),
      "Can't confirm shipment 17 (placed): item a has 2 units left, not 1. " +
        "Send every item that is left, with its whole quantity."
    )
    strictEqual(
      messageOf(standing("bag_packed", { invoiced: true }), ask.sale()),
      "Can't invoice shipment 17 (bag_packed): it already has an invoice."
    )
  })
  it("count units as English does", () => {
    const invoice = (itemId: string, quantity: number, ...imei: ReadonlyArray<string>) =>
      messageOf(standing("bag_confirmed"), ask.sale({ items: [{ itemId, quantity, imei }] }))
    for (const [message, part] of [
      [messageOf(placed(), ask.cancel(twoB)), "item b has 1 unit left, not 2"],
      [invoice("b", 2), "item b has 1 unit, not 2"],
      [invoice("a", 1), "item a has 2 units, not 1"],
      [invoice("b", 1, "1", "2"), "item b has 1 unit and 2 serial numbers"],
      [invoice("a", 2, "1", "2", "3"), "item a has 2 units and 3 serial numbers"]
    ] as const)
      assertTrue(message.includes(part), message)
  })
  it("of the status operation name both statuses, the allowed ones and the steps", () => {
    strictEqual(
      messageOf(placed(), ask.status("delivery_done")),
      "Can't change the status of shipment 17 from placed to delivery_done. You can change it to cancelled_customer. " +
        "To get to delivery_done: have the seller confirm it, then have the seller invoice it, " +
        "then set its status to bag_picked, then set its status to delivery_done."
    )
    strictEqual(
      messageOf(delivered, ask.status("teleported")),
      "Can't change the status of shipment 17 from delivery_done to \"teleported\": this is not an operational status, and an order status such as DELIVERED can't be set. Operational statuses are " +
        `${operationalStatuses.join(", ")}. ` +
        "You can change it to return_initiated."
    )
    const meant = "(did you mean cancelled_customer?), and an order status"
    assertTrue(messageOf(placed(), ask.status("CANCELED")).includes(meant))
  })
  it("never offer the status that was rejected, unless the same status sent right would be accepted", () => {
    const open = make(delivered, ask.giveBack(null, { returnId: "R1" })).created
    const all = rejection(delivered, ask.giveBack(null, { returnId: "R2" }), open === null ? [] : [open])
    deepStrictEqual(
      [all.code, all.details?.allowed, all.message.replace(delivered.id, "17")],
      [
        "S409",
        [],
        "Can't change the status of shipment 17 from delivery_done to return_initiated: all its units are returned. " +
          "You can't change it now."
      ]
    )
    const unknown = rejection(delivered, ask.giveBack(stranger))
    deepStrictEqual([unknown?.code, unknown?.details?.allowed], ["S404", ["return_initiated"]])
    assertTrue(!unknown?.message.includes("You can change it to"), unknown?.message)
  })
  it("of a locked shipment say when to try again", () => {
    strictEqual(
      messageOf(run(delivered, ask.lock), ask.pack),
      "Can't change shipment 17 (delivery_done): it is locked. Try again when its lockStatus is false."
    )
  })
})
