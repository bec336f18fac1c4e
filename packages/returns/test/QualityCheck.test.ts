import { qcReason } from "@crossdock/returns"
import type { ShipmentCommand } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import { ask, back, effectTexts, make, oneA, onlyB, run, standing } from "../../shipments/test/Fixtures.ts"

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
