import { PriceUpdate } from "@crossdock/pricing"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Result } from "effect"

const price: PriceUpdate.Price = {
  sku: "SKU-1",
  location: "BLR1",
  sizeId: 1,
  locationId: 1,
  currency: "INR",
  mrp: 0,
  esp: 0,
  version: 0
}

const record = (more: Partial<PriceUpdate.PriceRecord> = {}): PriceUpdate.PriceRecord => ({
  location: "BLR1",
  sku: "SKU-1",
  mrp: 100,
  esp: 99.5,
  currency: "INR",
  ...more
})

const outcomesOf = (
  records: ReadonlyArray<Partial<PriceUpdate.PriceRecord>>,
  policy = PriceUpdate.defaultPolicy,
  known: PriceUpdate.PriceInput["price"] = price
) =>
  PriceUpdate.applyPrices(
    policy,
    records.map((one, index) => ({ index, record: record(one), price: known }))
  ).map((outcome) =>
    Result.isSuccess(outcome)
      ? [outcome.success.after.mrp, outcome.success.after.esp]
      : [outcome.failure.code, outcome.failure.path]
  )

describe("A bulk price write", () => {
  it("keeps whole minor units", () => {
    deepStrictEqual(outcomesOf([{}]), [[10_000, 9950]])
  })

  it("rejects ESP above MRP, unless the host's policy allows it", () => {
    deepStrictEqual(outcomesOf([{ esp: 100.01 }]), [["ESP_ABOVE_MRP", "/0/esp"]])
    deepStrictEqual(outcomesOf([{ esp: 100.01 }], { espMayExceedMrp: true }), [[10_000, 10_001]])
    deepStrictEqual(outcomesOf([{ esp: 100 }]), [[10_000, 10_000]])
  })

  it("rejects prices that are not above 0", () => {
    deepStrictEqual(outcomesOf([{ esp: 0 }]), [["INVALID_RECORD", "/0/esp"]])
    deepStrictEqual(outcomesOf([{ mrp: -1 }]), [["INVALID_RECORD", "/0/mrp"]])
  })

  it("rejects another currency than the location's, and a code that is not a currency", () => {
    deepStrictEqual(outcomesOf([{ currency: "USD" }]), [["CURRENCY_MISMATCH", "/0/currency"]])
    deepStrictEqual(outcomesOf([{ currency: "RUPEE" }]), [["INVALID_CURRENCY", "/0/currency"]])
  })

  it("rejects more decimals than the currency has", () => {
    deepStrictEqual(outcomesOf([{ mrp: 100.001 }]), [["TOO_MANY_DECIMALS", "/0/mrp"]])
  })

  it("names all faults of a record in its message, and has the code and the path of the first", () => {
    const of = (one: Partial<PriceUpdate.PriceRecord>) =>
      PriceUpdate.applyPrices(PriceUpdate.defaultPolicy, [{ index: 0, record: record(one), price }]).map((outcome) =>
        Result.isFailure(outcome) ? outcome.failure : undefined
      )
    deepStrictEqual(of({ mrp: 100.001, esp: 0, currency: "USD" }), [
      {
        code: "TOO_MANY_DECIMALS",
        path: "/0/mrp",
        message:
          "/0/mrp: The amount 100.001 has too many decimals: USD has 2. Round it before you send it. /0/esp: The price 0 at /0/esp is not above 0. Send a positive price. /0/currency: Prices at BLR1 are in INR, not USD. Send them in INR."
      }
    ])
    deepStrictEqual(of({ esp: 101, currency: "RUPEE" }), [
      {
        code: "INVALID_CURRENCY",
        path: "/0/currency",
        message:
          '/0/currency: "RUPEE" is not a currency. Send a code of ISO 4217, such as INR. /0/esp: The selling price 101 is above the MRP 100. Lower it, or raise the MRP.'
      }
    ])
    deepStrictEqual(of({ esp: 0 })[0]?.message, "The price 0 at /0/esp is not above 0. Send a positive price.")
  })

  it("rejects the second accepted record for a SKU at a location; a rejected one before does not count", () => {
    deepStrictEqual(outcomesOf([{}, {}]), [
      [10_000, 9950],
      ["DUPLICATE_RECORD", "/1"]
    ])
    deepStrictEqual(outcomesOf([{ esp: 0 }, {}]), [
      ["INVALID_RECORD", "/0/esp"],
      [10_000, 9950]
    ])
  })

  it("accepts another SKU, and the same one at another location", () => {
    const others = [price, { ...price, sku: "SKU-2" }, { ...price, location: "BOM1" }]
    deepStrictEqual(
      PriceUpdate.applyPrices(
        PriceUpdate.defaultPolicy,
        others.map((one, index) => ({ index, record: record({ sku: one.sku, location: one.location }), price: one }))
      ).map(Result.isSuccess),
      [true, true, true]
    )
  })

  it("rejects an unknown SKU and an unknown location", () => {
    deepStrictEqual(outcomesOf([{}], undefined, "UNKNOWN_SKU"), [["UNKNOWN_SKU", "/0/sku"]])
    deepStrictEqual(outcomesOf([{}], undefined, "UNKNOWN_LOCATION"), [["UNKNOWN_LOCATION", "/0/location_id"]])
  })
})
