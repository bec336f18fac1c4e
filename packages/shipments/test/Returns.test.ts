import { Money } from "@crossdock/kernel"
import { qcReason, qcReasonFrom, qcReasons, qcReasonTo, reasonCrosswalk } from "@crossdock/returns"
import { remaining, type Shipment, type ShipmentCommand, slice } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import {
  all,
  ask,
  at,
  back,
  delivered,
  effectTexts,
  item,
  make,
  oneA,
  onlyB,
  placed,
  rejected,
  run,
  standing
} from "./Fixtures.ts"

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

describe("Quality check", () => {
  it("good units go back to stock, bad ones to the unsellable count, and the last result accepts", () => {
    const first = make(back, ask.qc(oneA))
    deepStrictEqual([first.shipment.status, effectTexts(first.stock)], ["return_bag_delivered", ["restock 1 a SKU-a"]])
    const second = make(first.shipment, ask.qc([...oneA, ...onlyB], true, 113))
    deepStrictEqual(
      [second.shipment.status, effectTexts(second.stock)],
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

  it("is one event for good units and one for bad ones, of those that there are", () => {
    const tags = (command: ShipmentCommand) => make(back, command).events.map(({ _tag }) => _tag)
    deepStrictEqual(tags(ask.qc(oneA)), ["QualityChecked"])
    deepStrictEqual(tags(ask.qc(null, true)), ["QualityChecked", "Moved"])
  })

  it("without items every unit left gets the result", () => {
    const { shipment, stock } = make(run(back, ask.qc(oneA)), ask.qc(null, true))
    strictEqual(shipment.status, "return_accepted")
    deepStrictEqual(effectTexts(stock), ["unsellable 1 a SKU-a", "unsellable 1 b SKU-b"])
  })

  it("an RTO is checked like a return", () => {
    const rto = standing("rto_bag_delivered", { way: "rto", invoiced: true })
    strictEqual(run(rto, ask.qc(), ask.credit()).status, "credit_note_generated")
  })

  it("a reason needs bad units and a known code, as a number or as digits", () => {
    const damaged = [{ code: 113, reason: "damaged" }]
    const reasonsOf = (bad: boolean, code: number | string | null) =>
      run(back, ask.qc(oneA, bad, code)).items[0]?.qcReasons
    deepStrictEqual(reasonsOf(true, 113), damaged)
    deepStrictEqual(reasonsOf(true, "113"), damaged)
    for (const [code, bad] of [
      [113, false],
      ["999", true],
      [null, true],
      ["null", true]
    ] as const) {
      deepStrictEqual(reasonsOf(bad, code), [])
    }
    const twice = run(back, ask.qc(oneA, true, 113), ask.qc(oneA, true, "113"), ask.qc(onlyB, true, 999))
    deepStrictEqual(
      twice.items.map(({ qcReasons }) => qcReasons),
      [damaged, []]
    )
    deepStrictEqual(run(back, ask.qc([...oneA, ...oneA], true, 113)).items[0]?.qcReasons, damaged)
  })

  it("an unknown code is kept as it was sent, once, and only for bad units", () => {
    const checked = run(back, ask.qc(oneA, true, 999), ask.qc(oneA, true, "999"), ask.qc(onlyB, false, "flood"))
    deepStrictEqual(
      checked.items.map(({ unmappedReasons }) => unmappedReasons),
      [["999"], []]
    )
    const without = run(back, ask.qc(oneA, true, null), ask.qc([...oneA, ...onlyB], true, 113))
    deepStrictEqual(
      without.items.map(({ unmappedReasons }) => unmappedReasons),
      [[], []]
    )
    deepStrictEqual(qcReason("flood"), Result.fail({ _tag: "UnmappedReason", vocabulary: "documents", code: "flood" }))
  })
})

describe("The crosswalk of reason codes", () => {
  it("leads from every word of another vocabulary to a reason of ours", () => {
    for (const { code, vocabulary, word } of reasonCrosswalk) {
      strictEqual(Result.getOrThrow(qcReasonFrom(vocabulary, word)).code, code)
    }
    deepStrictEqual(
      new Set(reasonCrosswalk.map(({ vocabulary, word }) => `${vocabulary} ${word}`)).size,
      reasonCrosswalk.length
    )
  })

  it("and back to the first word of a code, which means the same code", () => {
    for (const { code } of qcReasons) {
      for (const vocabulary of ["x12", "inspection"] as const) {
        const word = qcReasonTo(vocabulary, code)
        if (Result.isSuccess(word)) strictEqual(Result.getOrThrow(qcReasonFrom(vocabulary, word.success)).code, code)
        else deepStrictEqual(word.failure, { _tag: "UnmappedReason", vocabulary: "documents", code: String(code) })
      }
    }
    deepStrictEqual(qcReasonTo("x12", 113), Result.succeed("DA"))
  })

  it("fails with the word when it does not have it", () =>
    deepStrictEqual(qcReasonFrom("x12", "PF"), Result.fail({ _tag: "UnmappedReason", vocabulary: "x12", code: "PF" })))
})

describe("Amounts of a divided line", () => {
  it("what is left and what was cancelled add up to what was ordered", () => {
    const { created, shipment } = make(placed(), ask.cancel(oneA))
    const [left] = shipment.items.map(remaining)
    const [cancelledItem] = created?.items ?? []
    deepStrictEqual(
      [left?.ordered, left?.discount, left?.deliveryCharge, left?.taxAmount],
      [
        1,
        1_000 - (cancelledItem?.discount ?? 0),
        500 - (cancelledItem?.deliveryCharge ?? 0),
        1_001 - (cancelledItem?.taxAmount ?? 0)
      ]
    )
    const cancelled = run(shipment, ask.cancel([...oneA, ...onlyB]))
    deepStrictEqual(
      cancelled.items.map(remaining).map(({ discount, ordered }) => [ordered, discount]),
      [
        [1, left?.discount],
        [1, 1_000]
      ]
    )
  })

  it("a part and the returns after it share a line's amounts without a rest", () => {
    const line = item("a", 3, { taxAmount: Money.minorUnits(101) })
    const start = placed("marketplace", { items: [line] })
    const part = make(start, ask.cancel(oneA))
    const rest = make({ ...part.shipment, status: "placed" }, ask.cancel(oneA))
    deepStrictEqual(
      [rest.created?.items[0]?.taxAmount, slice(line, 2, 1).taxAmount],
      [Money.minorUnits(34), Money.minorUnits(34)]
    )
    const done: Shipment = { ...part.shipment, status: "delivery_done" }
    const first = make(done, ask.giveBack(oneA)).created
    assertTrue(first !== null)
    const second = make(done, ask.giveBack(null), [first]).created
    const taxes = [part.created, first, second].map((one) => one?.items[0]?.taxAmount ?? 0)
    deepStrictEqual(taxes, [33, 34, 34])
  })

  it("returns one by one share a line's amounts without a rest", () => {
    const line = item("a", 3, { taxAmount: Money.minorUnits(100) })
    const done = { ...standing("delivery_done"), items: [line] }
    const returns: Array<Shipment> = []
    for (let nth = 0; nth < 3; nth++) {
      const { created } = make(done, ask.giveBack(oneA, { returnId: `R${nth}` }), returns)
      assertTrue(created !== null)
      returns.push(created)
    }
    deepStrictEqual(
      returns.map((one) => one.items[0]?.taxAmount ?? 0),
      [33, 33, 34]
    )
  })
})
