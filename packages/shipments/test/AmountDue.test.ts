import { Money } from "@crossdock/kernel"
import { type Portion, unitsLeft } from "@crossdock/returns"
import {
  type CouponOwner,
  dueToSeller,
  Lifecycle,
  lineTotal,
  remaining,
  type Shipment,
  type ShipmentItem,
  slice
} from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { runs } from "../../kernel/test/runs.ts"
import { item, later, placed } from "./Fixtures.ts"

const amount = FastCheck.nat(10 ** 9).map((minor) => Money.minorUnits(minor))

/**
 * Lines that an order may have: their total is not negative.
 */
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
