import { isPriceRecord, PriceRecord } from "@crossdock/http/seller/PriceApi"
import { isStockRecord, StockRecord } from "@crossdock/http/seller/StockApi"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Either, FastCheck, Schema } from "effect"

const text = FastCheck.oneof(
  FastCheck.string({ maxLength: 6 }),
  FastCheck.constantFrom("BLR1", "", "a\u0000", "\ud800", "₹", " ", "x".repeat(2000), "x".repeat(2001))
)
const number = FastCheck.oneof(
  FastCheck.integer(),
  FastCheck.double(),
  FastCheck.constantFrom(0, -1, 1.5, 1_000_000_000, 1_000_000_001, Number.POSITIVE_INFINITY, 2 ** 53)
)
const anything = FastCheck.oneof(text, number, FastCheck.constantFrom(null, undefined, true, {}, []))

/**
 * Sound more often than not, so that one wrong field among sound ones is tried, too.
 */
const mostly = (sound: unknown) =>
  FastCheck.oneof({ weight: 5, arbitrary: FastCheck.constant(sound) }, { weight: 1, arbitrary: anything })

const holdsTogether = <A, I>(schema: Schema.Schema<A, I>, isSound: (value: unknown) => value is A) => {
  const decode = Schema.decodeUnknownEither(schema, { onExcessProperty: "preserve" })
  return (value: unknown) => {
    if (!isSound(value)) return
    const decoded = decode(value)
    assertTrue(Either.isRight(decoded))
    deepStrictEqual(decoded.right, value)
  }
}

describe("A record that is sound at the first glance", () => {
  const stock = holdsTogether(StockRecord, isStockRecord)
  it.prop(
    "is what the stock record's schema wants, too",
    [
      FastCheck.record(
        { location_id: mostly("BLR1"), sku: mostly("85123A"), quantity: mostly(5), expected_quantity: mostly(5) },
        { requiredKeys: [] }
      )
    ],
    ([value]) => stock(value),
    { fastCheck: { numRuns: 20_000 } }
  )

  it("is recognised when it is an ordinary stock or price record", () => {
    strictEqual(isStockRecord({ location_id: "BLR1", sku: "85123A", quantity: 5 }), true)
    strictEqual(isPriceRecord({ location_id: "BLR1", sku: "85123A", mrp: 2, esp: 1.5, currency: "INR" }), true)
    for (const none of [null, 5, "x", [], {}]) strictEqual(isStockRecord(none) || isPriceRecord(none), false)
  })

  const price = holdsTogether(PriceRecord, isPriceRecord)
  it.prop(
    "is what the price record's schema wants, too",
    [
      FastCheck.record(
        {
          location_id: mostly("BLR1"),
          sku: mostly("85123A"),
          mrp: mostly(2),
          esp: mostly(1.5),
          currency: mostly("INR")
        },
        { requiredKeys: [] }
      )
    ],
    ([value]) => price(value),
    { fastCheck: { numRuns: 20_000 } }
  )
})
