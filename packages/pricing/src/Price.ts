/**
 * The price of one SKU at one location, and the rule of a bulk price write.
 */

import { type Bulk, Money } from "@crossdock/kernel"
import * as Result from "effect/Result"

/**
 * Whole minor units of the location's currency. `sizeId` and `locationId` are the
 * storage's own keys, given back to it unchanged; a storage that has none gives 0. `version` is 0
 * where there is no price yet; mrp and esp are then 0.
 */
export interface Price {
  readonly sku: string
  readonly location: string
  readonly sizeId: number
  readonly locationId: number
  /** ISO 4217, the location's. */
  readonly currency: string
  readonly mrp: number
  readonly esp: number
  readonly version: number
}

/**
 * A record as it was sent: `mrp` is the maximum retail price, `esp` the effective selling price.
 */
export interface PriceRecord {
  readonly location: string
  readonly sku: string
  readonly mrp: number
  readonly esp: number
  readonly currency: string
}

export interface PriceChange {
  readonly before: Price
  readonly after: Price
}

/**
 * A record with its index in the request and the price that it would replace.
 */
export interface PriceInput {
  readonly index: number
  readonly record: PriceRecord
  readonly price: Price | "UNKNOWN_SKU" | "UNKNOWN_LOCATION"
}

/**
 * What a host may decide otherwise.
 */
export interface PricingPolicy {
  readonly espMayExceedMrp: boolean
}

export const defaultPolicy: PricingPolicy = { espMayExceedMrp: false }

const reject = (code: string, message: string, path: string) => Result.fail({ code, message, path })

const keyOf = (price: Price): string => JSON.stringify([price.location, price.sku])

/**
 * Judges the records in order; the answers have the same order. Source: contract, Price and inventory.
 */
export const judge = (
  policy: PricingPolicy,
  inputs: ReadonlyArray<PriceInput>
): ReadonlyArray<Result.Result<PriceChange, Bulk.Rejection>> => {
  const accepted = new Set<string>()
  return inputs.map((input) => {
    const verdict = judgeOne(policy, input, accepted)
    if (Result.isSuccess(verdict)) accepted.add(keyOf(verdict.success.before))
    return verdict
  })
}

const judgeOne = (
  policy: PricingPolicy,
  { index, price, record }: PriceInput,
  accepted: ReadonlySet<string>
): Result.Result<PriceChange, Bulk.Rejection> => {
  const at = (field: string): string => `/${index}/${field}`
  if (price === "UNKNOWN_SKU") return reject(price, `There is no SKU ${record.sku} in the catalog`, at("sku"))
  if (price === "UNKNOWN_LOCATION") {
    return reject(price, `There is no location ${record.location} that you may change`, at("location_id"))
  }
  if (accepted.has(keyOf(price))) {
    return reject("DUPLICATE_RECORD", `${record.sku} at ${record.location} stands in this request before`, `/${index}`)
  }
  return Result.gen(function* () {
    const mrp = yield* amountOf(record.mrp, record.currency, at("mrp"), at("currency"))
    const esp = yield* amountOf(record.esp, record.currency, at("esp"), at("currency"))
    if (record.currency !== price.currency) {
      const message = `Prices at ${record.location} are in ${price.currency}, not ${record.currency}`
      return yield* reject("CURRENCY_MISMATCH", message, at("currency"))
    }
    if (esp > mrp && !policy.espMayExceedMrp) {
      return yield* reject("ESP_ABOVE_MRP", `The selling price ${record.esp} is above the MRP ${record.mrp}`, at("esp"))
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
      () => ({ code: "INVALID_RECORD", message: `${path}: must be above 0`, path })
    )
  )
