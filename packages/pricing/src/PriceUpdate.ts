/** The price of one SKU at one location, and the rule of a bulk price write. */
import { Bulk, frozen, Money, type StockKey } from "@crossdock/kernel"
import * as Result from "effect/Result"

/**
 * A SKU's price at a location, in minor units of the location's currency: maximum retail (`mrp`) and effective selling price
 * (`esp`). `sizeId` and `locationId` are the storage's short keys, passed back unchanged; 0 if it has none. Without a price,
 * `version`, mrp and esp are 0.
 */
export interface Price extends StockKey {
  readonly sizeId: number
  readonly locationId: number
  /** ISO 4217, the location's. */
  readonly currency: string
  readonly mrp: number
  readonly esp: number
  readonly version: number
}

/** A record as sent: `mrp` and `esp` are decimal amounts of `currency`. Source: docs/reference/prices.md#record. */
export interface PriceRecord extends StockKey {
  readonly mrp: number
  readonly esp: number
  readonly currency: string
}

/** A price before and after. */
export interface PriceChange {
  readonly before: Price
  readonly after: Price
}

/** A record, its request's index, and its former price, or a code if it is unknown or outside the caller's access. */
export interface PriceInput {
  readonly index: number
  readonly record: PriceRecord
  readonly price: Price | "UNKNOWN_SKU" | "UNKNOWN_LOCATION"
}

/** Choices of a host. `espMayExceedMrp` accepts selling prices above the MRP. */
export interface PricingPolicy {
  readonly espMayExceedMrp: boolean
}

/** A selling price is never above the MRP. */
export const defaultPolicy: PricingPolicy = /* @__PURE__ */ frozen({ espMayExceedMrp: false })

const reject = (code: string, message: string, path: string) => Result.fail({ code, message, path })

/**
 * Each record's change of price, or its rejection, in order. Rejects with `UNKNOWN_SKU`, `UNKNOWN_LOCATION`, `DUPLICATE_RECORD`
 * (an earlier valid record has the same SKU and location), `INVALID_CURRENCY`, `TOO_MANY_DECIMALS`, `INVALID_RECORD`,
 * `CURRENCY_MISMATCH` and `ESP_ABOVE_MRP`. Source: docs/reference/prices.md#record.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { PriceUpdate } from "@crossdock/pricing"
 * import * as Result from "effect/Result"
 *
 * const key = { sku: "85123A", location: "BLR1" }
 * const price = { ...key, sizeId: 1, locationId: 1, currency: "INR", mrp: 0, esp: 0, version: 0 }
 * const record = { ...key, mrp: 100, esp: 120, currency: "INR" }
 * const [outcome] = PriceUpdate.applyPrices(PriceUpdate.defaultPolicy, [{ index: 0, record, price }])
 * deepStrictEqual(outcome && Result.isFailure(outcome) && outcome.failure.code, "ESP_ABOVE_MRP")
 * ```
 */
export const applyPrices = (
  policy: PricingPolicy,
  inputs: ReadonlyArray<PriceInput>
): ReadonlyArray<Result.Result<PriceChange, Bulk.Rejection>> =>
  Bulk.decideEach(
    inputs,
    ({ price }) => price,
    (input, price) => applyPrice(policy, input, price)
  )

const applyPrice = (
  policy: PricingPolicy,
  { index, record }: PriceInput,
  price: Price
): Result.Result<PriceChange, Bulk.Rejection> => {
  const at = (field: string): string => `/${index}/${field}`
  return Result.gen(function* () {
    const mrp = yield* amountOf(record.mrp, record.currency, at("mrp"), at("currency"))
    const esp = yield* amountOf(record.esp, record.currency, at("esp"), at("currency"))
    if (record.currency !== price.currency) {
      const message = `Prices at ${record.location} are in ${price.currency}, not ${record.currency}. Send them in ${price.currency}.`
      return yield* reject("CURRENCY_MISMATCH", message, at("currency"))
    }
    if (esp > mrp && !policy.espMayExceedMrp) {
      const message = `The selling price ${record.esp} is above the MRP ${record.mrp}. Lower it, or raise the MRP.`
      return yield* reject("ESP_ABOVE_MRP", message, at("esp"))
    }
    return { before: price, after: { ...price, mrp, esp } }
  })
}

const amountOf = (amount: number, currency: string, path: string, currencyPath: string) =>
  Money.fromNumber(amount, currency).pipe(
    Result.mapError((rejection) => ({
      ...rejection,
      path: rejection.code === "INVALID_CURRENCY" ? currencyPath : path
    })),
    Result.filterOrFail(
      (minor) => minor > 0,
      () => ({
        code: "INVALID_RECORD",
        message: `The price ${amount} at ${path} is not above 0. Send a positive price.`,
        path
      })
    )
  )
