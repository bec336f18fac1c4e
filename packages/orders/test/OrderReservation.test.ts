import { Level } from "@crossdock/inventory"
import { CompanyId } from "@crossdock/kernel"
import { type OrderRejected, OrderReservation } from "@crossdock/orders"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { level } from "../../notifications/test/Stock.ts"

const line = (
  at: OrderReservation.StockLine["level"],
  more: Partial<OrderReservation.StockLine> = {}
): OrderReservation.StockLine => ({
  shipment: 0,
  line: 0,
  sku: typeof at === "string" ? "none" : at.sku,
  quantity: 1,
  shipmentId: "ship-1",
  level: at,
  ...more
})

const reserved = (lines: ReadonlyArray<OrderReservation.StockLine>): ReadonlyArray<Level.LevelChange> => {
  const verdict = OrderReservation.reserve(lines)
  assertTrue(Result.isSuccess(verdict), Result.isFailure(verdict) ? verdict.failure.message : "")
  return verdict.success
}

const rejectionOf = (lines: ReadonlyArray<OrderReservation.StockLine>): OrderRejected => {
  const verdict = OrderReservation.reserve(lines)
  assertTrue(Result.isFailure(verdict), "it was reserved")
  return verdict.failure
}

const faults = (lines: ReadonlyArray<OrderReservation.StockLine>) => {
  const { code, violations } = rejectionOf(lines)
  return [code, ...violations.map((one) => `${one.path} ${one.code}`)]
}

const a = level("a", { sizeId: 1, onHand: 5 })
const b = level("b", { sizeId: 2, onHand: 8, reserved: 6 })

describe("OrderReservation", () => {
  it("reserves each line, one change for each level, and leaves the stock on hand", () => {
    const changes = reserved([line(a, { quantity: 5 }), line(b, { line: 1, quantity: 2 })])
    deepStrictEqual(
      changes.map(({ after, before, movements }) => [before, after.onHand, after.reserved, movements]),
      [
        [a, 5, 5, [Level.movementOf.reserve(5, "ship-1")]],
        [b, 8, 8, [Level.movementOf.reserve(2, "ship-1")]]
      ]
    )
  })

  it("one line that is short rejects the whole order, and shows the stock left", () => {
    const lines = [line(a, { quantity: 5 }), line(b, { shipment: 1, line: 3, quantity: 3 })]
    deepStrictEqual(faults(lines), ["INSUFFICIENT_STOCK", "/shipments/1/lines/3/quantity INSUFFICIENT_STOCK"])
    strictEqual(
      rejectionOf(lines).message,
      "3 of b were ordered, but only 2 can be sold. Order fewer, or from another location"
    )
  })

  it("all faulty lines are reported", () => {
    deepStrictEqual(faults([line(a, { quantity: 6 }), line(b, { line: 1, quantity: 3 })]), [
      "INSUFFICIENT_STOCK",
      "/shipments/0/lines/0/quantity INSUFFICIENT_STOCK",
      "/shipments/0/lines/1/quantity INSUFFICIENT_STOCK"
    ])
  })

  it("a line whose SKU and location are both unknown is reported with both", () => {
    deepStrictEqual(faults([line("UNKNOWN_SKU_AND_LOCATION", { line: 2 })]), [
      "VALIDATION_FAILED",
      "/shipments/0/location_id UNKNOWN_LOCATION",
      "/shipments/0/lines/2/sku UNKNOWN_SKU"
    ])
  })

  it("two lines of one SKU share the stock, also across shipments", () => {
    const [change, ...others] = reserved([
      line(a, { quantity: 3 }),
      line(a, { shipment: 1, quantity: 2, shipmentId: "ship-2" })
    ])
    deepStrictEqual(others, [])
    strictEqual(change?.after.reserved, 5)
    deepStrictEqual(change?.movements, [Level.movementOf.reserve(3, "ship-1"), Level.movementOf.reserve(2, "ship-2")])
    deepStrictEqual(faults([line(a, { quantity: 3 }), line(a, { shipment: 1, quantity: 3 })]), [
      "INSUFFICIENT_STOCK",
      "/shipments/1/lines/0/quantity INSUFFICIENT_STOCK"
    ])
  })

  it("the same SKU at another location, or of another company with the same location code, is other stock", () => {
    const elsewhere = level("a", { locationId: 2, location: "L2", onHand: 5 })
    const other = level("a", { companyId: CompanyId.make(2), onHand: 5 })
    const lines = [a, elsewhere, other].map((one, at) => line(one, { shipment: at, quantity: 5 }))
    deepStrictEqual(
      reserved(lines).map(({ after, before }) => [before, after.reserved]),
      [
        [a, 5],
        [elsewhere, 5],
        [other, 5]
      ]
    )
  })

  it("oversold stock reserves nothing", () => {
    deepStrictEqual(faults([line(level("a", { onHand: 1, reserved: 4 }))]), [
      "INSUFFICIENT_STOCK",
      "/shipments/0/lines/0/quantity INSUFFICIENT_STOCK"
    ])
  })

  it("unknown SKUs are reported with their lines, unknown locations once for each shipment", () => {
    deepStrictEqual(faults([line(a), line("UNKNOWN_SKU", { line: 1 }), line("UNKNOWN_SKU", { shipment: 2 })]), [
      "UNKNOWN_SKU",
      "/shipments/0/lines/1/sku UNKNOWN_SKU",
      "/shipments/2/lines/0/sku UNKNOWN_SKU"
    ])
    deepStrictEqual(faults([line("UNKNOWN_LOCATION"), line("UNKNOWN_LOCATION", { line: 1 })]), [
      "UNKNOWN_LOCATION",
      "/shipments/0/location_id UNKNOWN_LOCATION"
    ])
  })

  it("an unknown location's message has the codes of the marketplace's own, at most ten", () => {
    const messageOf = (codes: ReadonlyArray<string> | undefined) => {
      const asked = line("UNKNOWN_LOCATION")
      return rejectionOf([codes === undefined ? asked : { ...asked, codes }]).violations[0]?.message
    }
    const message = "You have no location with this code. Send one that is mapped for your marketplace"
    strictEqual(messageOf(["BLR1", "BOM1"]), `${message}: BLR1, BOM1`)
    const many = Array.from({ length: 11 }, (_, nth) => `L${nth}`)
    strictEqual(messageOf(many), `${message}: ${many.slice(0, 10).join(", ")}, …`)
    strictEqual(messageOf([]), message)
  })

  it("when both kinds occur the order is not valid, and unknown lines are reported before short ones", () => {
    const lines = [
      line("UNKNOWN_SKU"),
      line("UNKNOWN_LOCATION", { shipment: 1 }),
      line(a, { shipment: 2, quantity: 100 })
    ]
    deepStrictEqual(faults(lines), [
      "VALIDATION_FAILED",
      "/shipments/0/lines/0/sku UNKNOWN_SKU",
      "/shipments/1/location_id UNKNOWN_LOCATION"
    ])
  })

  it("never more is reserved than could be sold, and a rejection is never wrong", () => {
    const amount = FastCheck.integer({ min: 0, max: 12 })
    FastCheck.assert(
      FastCheck.property(
        FastCheck.tuple(
          FastCheck.tuple(amount, amount),
          FastCheck.tuple(amount, amount),
          FastCheck.tuple(amount, amount)
        ),
        FastCheck.array(FastCheck.tuple(FastCheck.integer({ min: 0, max: 2 }), FastCheck.integer({ min: 1, max: 6 })), {
          minLength: 1,
          maxLength: 8
        }),
        (stocks, wanted) => {
          const levels = stocks.map(([onHand, reserved], i) =>
            level(`s${i}`, { sizeId: i, onHand, reserved: reserved })
          )
          const lines = wanted.map(([which, quantity], i) => line(levels[which] ?? a, { line: i, quantity }))
          const asked = (one: Level.Level) =>
            lines.filter((_) => _.sku === one.sku).reduce((sum, _) => sum + _.quantity, 0)
          const verdict = OrderReservation.reserve(lines)
          strictEqual(
            Result.isSuccess(verdict),
            levels.every((one) => asked(one) <= Level.sellable(one))
          )
          for (const { after, before } of Result.getOrElse(verdict, () => [])) {
            strictEqual(after.reserved - before.reserved, asked(before))
            assertTrue(after.reserved <= after.onHand)
          }
        }
      )
    )
  })
})
