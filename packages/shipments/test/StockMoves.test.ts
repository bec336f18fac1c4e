import type { Level } from "@crossdock/inventory"
import { CompanyId, type StockKey, stockKeyText } from "@crossdock/kernel"
import { StockMoves } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { item, placed } from "./Fixtures.ts"

const level = (location: string, sku: string): Level.Level => ({
  companyId: CompanyId.make(1),
  location,
  sku,
  sizeId: 1,
  locationId: 1,
  onHand: 10,
  reserved: 5,
  unsellable: 0,
  version: 1,
  changeNumber: 1,
  changedAt: 0
})

/** Pairs that any separator, escaped or not, would make equal. */
const lookAlikes: ReadonlyArray<readonly [StockKey, StockKey]> = [" ", ":", "/", "|", '","', "\\", '"'].map(
  (between) => [
    { location: `A${between}B`, sku: "C" },
    { location: "A", sku: `B${between}C` }
  ]
)

describe("Stock of a shipment", () => {
  it.each(lookAlikes)("of %o is another than of %o", (one, other) => {
    strictEqual(stockKeyText(one) === stockKeyText(other), false)
    const levels = [level(one.location, one.sku), level(other.location, other.sku)]
    const release = { kind: "release", itemId: "a", quantity: 2 } as const
    const changes = StockMoves.levelChanges(levels, [
      { location: one.location, shipmentId: "1", effect: { ...release, sku: one.sku } }
    ])
    deepStrictEqual(
      changes.map(({ after }) => [after.location, after.sku, after.reserved]),
      [[one.location, one.sku, 3]]
    )
  })

  it("is loaded once for each SKU and location", () => {
    const [one, other] = [placed("seller", { location: "A B" }), placed("seller", { location: "A" })]
    const items = (sku: string) => [item("a", 1, { sku }), item("b", 1, { sku })]
    deepStrictEqual(
      StockMoves.stockKeys([
        { ...one, items: items("C") },
        { ...other, items: items("B C") }
      ]),
      [
        { location: "A B", sku: "C" },
        { location: "A", sku: "B C" }
      ]
    )
  })

  it("that is not reserved or has lost its level is reported with its shipment", () => {
    const levels = [level("A", "C")]
    const move = (sku: string, kind: "release" | "restock", quantity: number) => ({
      location: "A",
      shipmentId: "7",
      effect: { kind, itemId: "a", sku, quantity }
    })
    const moves = [move("C", "release", 8), move("D", "restock", 2)]
    deepStrictEqual(StockMoves.faults(levels, moves, StockMoves.levelChanges(levels, moves)), [
      { code: "SKU_GONE", sku: "D", location: "A", shipmentId: "7", kind: "restock", units: 2 },
      { code: "NOT_RESERVED", sku: "C", location: "A", shipmentId: "7", kind: "release", units: 3 }
    ])
    const sound = [move("C", "release", 5)]
    deepStrictEqual(StockMoves.faults(levels, sound, StockMoves.levelChanges(levels, sound)), [])
  })
})
