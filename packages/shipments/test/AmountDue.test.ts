import { Money } from "@crossdock/kernel"
import { type Portion, unitsLeft } from "@crossdock/returns"
import {
  type CouponOwner,
  chargePartsOf,
  dueToSeller,
  Lifecycle,
  lineTotal,
  paymentOf,
  remaining,
  type Shipment,
  type ShipmentItem,
  slice
} from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { prop } from "../../kernel/test/prop.ts"
import { runs } from "../../kernel/test/runs.ts"
import { ask, item, later, make, placed } from "./Fixtures.ts"

const amount = FastCheck.nat(10 ** 9).map((minor) => Money.minorUnits(minor))

/** Possible lines of an order: their total is not negative. */
const line: FastCheck.Arbitrary<ShipmentItem> = FastCheck.record({
  ordered: FastCheck.integer({ min: 1, max: 1000 }),
  esp: amount,
  discount: amount,
  couponDiscount: amount,
  deliveryCharge: amount
})
  .filter((one) => lineTotal(one) >= 0)
  .map(({ ordered, ...amounts }) => item("a", ordered, amounts))

const owner = FastCheck.constantFrom("SELLER" as const, "MARKETPLACE" as const, null)

const check = <A>(arbitrary: FastCheck.Arbitrary<A>, law: (value: A) => void) =>
  FastCheck.assert(FastCheck.property(arbitrary, law), { numRuns: runs(500) })

describe("The amount due to the seller", () => {
  it("of 2 units at 100 less a coupon of 30 is 170 when the seller bears it, and 200 when the marketplace does", () => {
    const units = Money.minorUnits
    const zero = units(0)
    const one = item("a", 2, { esp: units(100), couponDiscount: units(30), discount: zero, deliveryCharge: zero })
    strictEqual(lineTotal(one), 170)
    strictEqual(dueToSeller(one, "SELLER"), 170)
    strictEqual(dueToSeller(one, "MARKETPLACE"), 200)
    strictEqual(dueToSeller(one, null), 170)
  })

  it("does not depend on a coupon of the marketplace's, and falls by every unit of one of the seller's", () => {
    check(FastCheck.tuple(line, amount), ([one, coupon]) => {
      const other = { ...one, couponDiscount: coupon }
      strictEqual(dueToSeller(other, "MARKETPLACE"), dueToSeller(one, "MARKETPLACE"))
      strictEqual(dueToSeller(other, "SELLER") + coupon, dueToSeller(one, "SELLER") + one.couponDiscount)
    })
  })

  it("minus the marketplace's part of a coupon is what the customer pays", () => {
    check(FastCheck.tuple(line, owner), ([one, who]) => {
      const borne = who === "MARKETPLACE" ? one.couponDiscount : 0
      strictEqual(dueToSeller(one, who) - borne, lineTotal(one))
    })
  })

  it("of the parts of a line add up to the line's, to the last minor unit", () => {
    const cut = FastCheck.tuple(line, owner, FastCheck.nat())
    check(cut, ([one, who, n]) => {
      const first = 1 + (n % one.ordered)
      const parts = [slice(one, 0, first), ...(first < one.ordered ? [slice(one, first, one.ordered - first)] : [])]
      strictEqual(
        parts.reduce((sum, part) => sum + dueToSeller(part, who), 0),
        dueToSeller(one, who)
      )
      const last = one.ordered - first
      const cancelled = { ...one, cancelled: last, splitOff: last }
      strictEqual(
        dueToSeller(remaining(cancelled), who) +
          (cancelled.cancelled === 0 ? 0 : dueToSeller(slice(one, 0, cancelled.cancelled), who)),
        dueToSeller(one, who)
      )
    })
  })

  it("of a shipment and of all its cancelled parts adds up to that of the order, to the last minor unit", () => {
    const lines = FastCheck.tuple(line, line).map(([a, b]) => [
      { ...a, id: "a" },
      { ...b, id: "b" }
    ])
    const portion = FastCheck.record({
      itemId: FastCheck.constantFrom("a", "b"),
      quantity: FastCheck.integer({ min: 1, max: 400 })
    })
    const due = (shipments: ReadonlyArray<Shipment>, who: CouponOwner | null) =>
      shipments.flatMap(({ items }) => items.map(remaining)).reduce((sum, one) => sum + dueToSeller(one, who), 0)
    let wholly = 0
    check(FastCheck.tuple(lines, owner, FastCheck.array(portion, { maxLength: 8 })), ([items, who, portions]) => {
      const ordered = placed("seller", { items })
      let left = ordered
      const parts: Array<Shipment> = []
      const cancel = (named: ReadonlyArray<Portion>) => {
        const units = named.filter(({ quantity }) => quantity > 0).map((one) => ({ ...one, reasonCode: null }))
        const moved = Lifecycle.move(left, { _tag: "Cancel", partId: `part-${parts.length}`, items: units }, later)
        if (Result.isFailure(moved)) return
        left = moved.success.shipment
        if (moved.success.created !== null) parts.push(moved.success.created)
        strictEqual(due([left, ...parts], who), due([ordered], who))
      }
      for (const one of portions) cancel([one])
      cancel(left.items.map((one) => ({ itemId: one.id, quantity: unitsLeft(one) })))
      strictEqual(left.status, "cancelled_seller")
      if (parts.length > 0) wholly++
    })
    assertTrue(wholly > 100, `${wholly}`)
  })
})

const linesOf = ({ items }: Shipment): number => items.reduce((sum, one) => sum + lineTotal(remaining(one)), 0)

const unitsOf = ({ items }: Shipment): number => items.reduce((sum, one) => sum + one.ordered, 0)

const zero = Money.minorUnits(0)

/** A shipment of one line whose total is `amount`. */
const oneLine = (amount: number, linesBefore = 0): Shipment =>
  placed("seller", {
    linesBefore,
    items: [
      item("0", 1, {
        esp: Money.minorUnits(amount),
        discount: zero,
        couponDiscount: zero,
        deliveryCharge: zero,
        taxAmount: zero
      })
    ]
  })

const soldLine = FastCheck.record({
  quantity: FastCheck.integer({ min: 1, max: 4 }),
  esp: FastCheck.constantFrom(0, 1, 70, 50_000)
})

/** The shipments of an order, placed among its lines as by order intake. */
const shipments = FastCheck.array(FastCheck.array(soldLine, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 4
}).map((all) => {
  let [linesBefore, unitsBefore] = [0, 0]
  return all.map((lines) => {
    const items = lines.map(({ esp, quantity }, n) => {
      const amounts = { discount: zero, couponDiscount: zero, deliveryCharge: zero, taxAmount: zero }
      return item(String(n), quantity, { esp: Money.minorUnits(esp), ...amounts })
    })
    const shipment = placed("seller", { items, linesBefore, unitsBefore })
    linesBefore += linesOf(shipment)
    unitsBefore += unitsOf(shipment)
    return shipment
  })
})

const sum = (all: ReadonlyArray<number>): number => all.reduce((total, one) => total + one, 0)

describe("How an order's lines are paid", () => {
  it("what was prepaid is not collected again", () => {
    const methods = { cod: 54_900, prepaid: 50_000, lines: 99_900, units: 1 }
    deepStrictEqual(paymentOf({ methods }, oneLine(99_900)), { collect: 54_900, prepaid: 50_000 })
  })

  prop(
    "all shipments of an order together collect and have prepaid exactly the sums of its methods, whole or in parts",
    [shipments, FastCheck.nat(1_000_000), FastCheck.nat(1_000_000)],
    ([all, cod, prepaid]) => {
      const lines = sum(all.map(linesOf))
      const units = sum(all.map(unitsOf))
      const order = { methods: { cod, prepaid, lines, units } }
      const totals = (some: ReadonlyArray<Shipment>) => {
        const paid = some.map((one) => paymentOf(order, one))
        return [sum(paid.map(({ collect }) => collect)), sum(paid.map((one) => one.prepaid))]
      }
      deepStrictEqual(totals(all), [cod, prepaid])
      // One unit of each first line with several is cancelled: the part and the rest are paid like the whole.
      const cut = all.flatMap((one) => {
        if ((one.items[0]?.ordered ?? 0) < 2) return [one]
        const { created, shipment } = make(one, ask.cancel([{ itemId: "0", quantity: 1 }]))
        assertTrue(created !== null)
        return [shipment, created]
      })
      deepStrictEqual(totals(cut), [cod, prepaid])
      const left = cut.filter(({ status }) => status !== "cancelled_seller")
      assertTrue((totals(left)[0] ?? 0) <= cod)
      strictEqual(
        totals(left).every((total) => total >= 0),
        true
      )
    }
  )

  prop(
    "the shares of a shipment's returns add up to what was paid for it, however its units come back",
    [shipments, FastCheck.nat(1_000_000), FastCheck.array(FastCheck.nat(), { minLength: 20, maxLength: 20 })],
    ([all, prepaid, picks]) => {
      const [lines, units] = [sum(all.map(linesOf)), sum(all.map(unitsOf))]
      const order = { methods: { cod: 0, prepaid, lines, units } }
      for (const one of all) {
        const forward: Shipment = { ...one, status: "delivery_done" }
        const left = new Map(one.items.map(({ id, ordered }) => [id, ordered]))
        const returns: Array<Shipment> = []
        for (const pick of [...picks, ...picks]) {
          const items = [...left].filter(([, units]) => units > 0)
          const [itemId, most] = items[pick % Math.max(items.length, 1)] ?? ["", 0]
          if (most === 0) break
          const quantity = 1 + (pick % most)
          const returnId = String(returns.length)
          const { created } = make(forward, ask.giveBack([{ itemId, quantity }], { returnId }), returns)
          assertTrue(created !== null)
          returns.push(created)
          left.set(itemId, most - quantity)
        }
        strictEqual(sum(returns.map((back) => paymentOf(order, back).prepaid)), paymentOf(order, forward).prepaid)
      }
    }
  )
})

describe("The charges that papers print", () => {
  const charge = FastCheck.tuple(
    FastCheck.oneof(FastCheck.integer({ min: -99, max: 20 }), FastCheck.nat(10 ** 6)),
    FastCheck.nat(1000)
  ).map(([amount, tax]) => ({ amount, taxAmount: amount < 0 ? 0 : Math.floor((amount * tax) / 1000) }))
  const order = FastCheck.record({
    lines: FastCheck.array(line, { minLength: 1, maxLength: 6 }),
    cuts: FastCheck.array(FastCheck.nat(6), { maxLength: 3 }),
    charges: FastCheck.array(charge, { maxLength: 4 }),
    cod: FastCheck.nat(1000)
  })

  it("and the lines come to what is paid for each shipment, part and return, and all of them to the order", () => {
    check(order, ({ charges, cod, cuts, lines }) => {
      const sum = (amounts: ReadonlyArray<number>) => amounts.reduce((total, one) => total + one, 0)
      const ofLines = sum(lines.map(lineTotal))
      const total = ofLines + sum(charges.map(({ amount }) => amount))
      if (total < 0) return
      const collected = Number((BigInt(total) * BigInt(cod)) / 1000n)
      const units = sum(lines.map(({ ordered }) => ordered))
      const methods = { cod: collected, prepaid: total - collected, lines: ofLines, units }
      const named = charges.map((one, nth) => ({ ...one, name: `${nth}`, code: null, taxRate: null }))
      const ends = [...new Set([...cuts.filter((cut) => cut < lines.length), lines.length])].sort((a, b) => a - b)
      const papers = ends.map((end, nth) => {
        const from = ends[nth - 1] ?? 0
        const before = lines.slice(0, from)
        const items = lines.slice(from, end)
        const [linesBefore, unitsBefore] = [sum(before.map(lineTotal)), sum(before.map(({ ordered }) => ordered))]
        const shipment = { items, linesBefore, unitsBefore }
        const parts = chargePartsOf({ charges: named, methods }, shipment)
        const { collect, prepaid } = paymentOf({ methods }, shipment)
        const printed = sum(items.map(lineTotal)) + sum(parts.map(({ amount }) => amount))
        strictEqual(printed, collect + prepaid)
        for (const { amount, taxAmount } of parts)
          assertTrue(amount < 0 || (taxAmount >= 0 && taxAmount <= amount) || taxAmount === 0)
        return { parts, printed }
      })
      strictEqual(sum(papers.map(({ printed }) => printed)), total)
      for (const one of named) {
        const own = papers.flatMap(({ parts }) => parts.filter(({ name }) => name === one.name))
        strictEqual(sum(own.map(({ amount }) => amount)), one.amount)
        strictEqual(sum(own.map(({ taxAmount }) => taxAmount)), one.taxAmount)
      }
    })
  })

  it("have no tax beyond the part of a charge, however small the parts are", () => {
    const one = { name: "Fee", code: null, amount: 4, taxRate: null, taxAmount: 3 }
    const order = { charges: [one], methods: { cod: 0, prepaid: 14, lines: 10, units: 10 } }
    const zero = Money.minorUnits(0)
    const items = [
      item("a", 1, { esp: Money.minorUnits(1), discount: zero, couponDiscount: zero, deliveryCharge: zero })
    ]
    const parts = Array.from({ length: 10 }, (_, before) => chargePartsOf(order, { items, linesBefore: before })).flat()
    deepStrictEqual(
      parts.map(({ amount, taxAmount }) => [amount, taxAmount]),
      [
        [1, 0],
        [1, 1],
        [1, 1],
        [1, 1]
      ]
    )
  })

  it("are printed only if the order says so", () => {
    const shipment = { items: [item("a", 3, {})], linesBefore: 0 }
    deepStrictEqual(chargePartsOf({ methods: { cod: 1, prepaid: 0, lines: 3, units: 3 } }, shipment), [])
  })
})
