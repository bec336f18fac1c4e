import { Money } from "@crossdock/kernel"
import { lineTotal, paymentOf, remaining, type Shipment } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"
import { prop } from "../../kernel/test/prop.ts"
import { ask, item, make, placed } from "./Fixtures.ts"

const linesOf = ({ items }: Shipment): number => items.reduce((sum, one) => sum + lineTotal(remaining(one)), 0)

const unitsOf = ({ items }: Shipment): number => items.reduce((sum, one) => sum + one.ordered, 0)

const zero = Money.minorUnits(0)

/** A shipment of one line that comes to `amount`. */
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

const line = FastCheck.record({
  quantity: FastCheck.integer({ min: 1, max: 4 }),
  esp: FastCheck.constantFrom(0, 1, 70, 50_000)
})

/** The shipments of an order, as order intake places them among its lines. */
const shipments = FastCheck.array(FastCheck.array(line, { minLength: 1, maxLength: 3 }), {
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
      // One unit of each first line with more than one is cancelled: the part and the rest are paid like the whole.
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
