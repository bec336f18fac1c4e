import { lineOf } from "@crossdock/documents"
import { Money } from "@crossdock/kernel"
import { lineTotal, remaining, type Shipment, type ShipmentItem, slice } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"
import { prop } from "../../kernel/test/prop.ts"
import { ask, item, make, oneA, onlyB, placed, run, standing } from "./Fixtures.ts"

const minor = Money.minorUnits

/** A part of `whole`, from 0 to all of it, by a number from 0 to 1. */
const partOf = (whole: number, of: number): number => Math.min(whole, Math.floor(whole * of))

const fraction = FastCheck.oneof(
  FastCheck.constantFrom(0, 1),
  FastCheck.double({ min: 0, max: 1, noNaN: true, noDefaultInfinity: true })
)

/**
 * Possible lines of an order: no discount above the price, no tax above the total. Small amounts, where rounding matters most,
 * are as frequent as large ones.
 */
const lines = FastCheck.record({
  counts: FastCheck.array(FastCheck.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 }),
  esp: FastCheck.oneof(FastCheck.integer({ min: 0, max: 30 }), FastCheck.integer({ min: 0, max: 10 ** 11 })),
  charge: FastCheck.oneof(FastCheck.constant(0), FastCheck.integer({ min: 0, max: 30 }), FastCheck.nat(10 ** 9)),
  discount: fraction,
  coupon: fraction,
  tax: fraction
}).map(({ charge, counts, coupon, discount, esp, tax }) => {
  const ordered = counts.reduce((sum, count) => sum + count, 0)
  const gross = esp * ordered + charge
  const ofDiscount = partOf(gross, discount)
  const ofCoupon = partOf(gross - ofDiscount, coupon)
  const line = item("a", ordered, {
    esp: minor(esp),
    deliveryCharge: minor(charge),
    discount: minor(ofDiscount),
    couponDiscount: minor(ofCoupon),
    taxAmount: minor(partOf(gross - ofDiscount - ofCoupon, tax))
  })
  return { line, counts }
})

const slicesOf = (line: ShipmentItem, counts: ReadonlyArray<number>): ReadonlyArray<ShipmentItem> => {
  let before = 0
  return counts.map((count) => {
    const part = slice(line, before, count)
    before += count
    return part
  })
}

const amounts = ["discount", "couponDiscount", "deliveryCharge", "taxAmount"] as const

const sum = (all: ReadonlyArray<number>): number => all.reduce((total, one) => total + one, 0)

describe("The slices of a line", () => {
  prop("add up to it, each amount separately", [lines], ([{ counts, line }]) => {
    const parts = slicesOf(line, counts)
    for (const amount of amounts) strictEqual(sum(parts.map((part) => part[amount])), line[amount])
    strictEqual(sum(parts.map(lineTotal)), lineTotal(line))
  })

  prop("are not negative, nor is any of their amounts, and their tax is within their total", [lines], ([one]) => {
    for (const part of slicesOf(one.line, one.counts)) {
      for (const amount of amounts) assertTrue(part[amount] >= 0, `${amount} ${part[amount]}`)
      assertTrue(lineTotal(part) >= 0, String(lineTotal(part)))
      assertTrue(part.taxAmount <= lineTotal(part))
    }
  })

  prop("have no amount that the line does not have", [lines], ([{ counts, line }]) => {
    for (const amount of amounts) {
      for (const part of slicesOf({ ...line, [amount]: minor(0), taxAmount: minor(0) }, counts)) {
        strictEqual(part[amount], 0)
      }
    }
  })

  prop(
    "divide again as the line does, and each part of the tax adds up to the line's",
    [lines],
    ([{ counts, line }]) => {
      for (const names of [1, 2, 3]) {
        const whole = lineOf(line, names).taxes
        // The first slice is divided once more, unit by unit.
        const [first, ...others] = slicesOf(line, counts)
        assertTrue(first !== undefined)
        const units = Array.from({ length: first.ordered }, (_, n) => slice(first, n, 1))
        const parts = [...units, ...others].map((part) => lineOf(part, names).taxes)
        deepStrictEqual(
          whole.map((_, nth) => sum(parts.map((taxes) => taxes[nth] ?? 0))),
          whole
        )
        for (const tax of parts.flat()) assertTrue(tax >= 0)
      }
    }
  )

  it("start without what was done to the line", () => {
    const done = {
      cancelled: 1,
      splitOff: 1,
      invoiced: 2,
      good: 1,
      bad: 1,
      qcReasons: [{ code: 113, reason: "damaged" }] as const,
      unmappedReasons: ["flood"],
      imei: ["1", "2"]
    }
    deepStrictEqual(slice(item("a", 3, done), 1, 2), slice(item("a", 3), 1, 2))
    deepStrictEqual(slice(item("a", 3, done), 0, 3), item("a", 3))
  })

  it("of three units at 10.00 with discount 20.00 and coupon 10.00 total zero each", () => {
    const line = item("b", 3, {
      esp: minor(1_000),
      discount: minor(2_000),
      couponDiscount: minor(1_000),
      deliveryCharge: minor(0),
      taxAmount: minor(0)
    })
    const { created, shipment } = make(placed("seller", { items: [line] }), ask.cancel(onlyB))
    deepStrictEqual(
      [...(created?.items ?? []), ...shipment.items.map(remaining)].map((one) => lineTotal(one)),
      [0, 0]
    )
  })

  it("whose credit notes come one by one have the CGST and SGST of the sale", () => {
    const line = item("a", 4, { taxAmount: minor(20), discount: minor(0), deliveryCharge: minor(0) })
    const notes = [0, 1, 2, 3].map((unit) => lineOf(slice(line, unit, 1), 2).taxes)
    deepStrictEqual([sum(notes.map(([cgst]) => cgst ?? 0)), sum(notes.map(([, sgst]) => sgst ?? 0))], [10, 10])
    deepStrictEqual(lineOf(line, 2).taxes, [10, 10])
  })
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
