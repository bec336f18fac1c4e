/** The price of one SKU at one location, and the rule of a bulk price write. */
import { Bulk, frozen, Money, type StockKey } from "@crossdock/kernel"
import * as Arr from "effect/Array"
import * as Result from "effect/Result"

/**
 * A SKU's price at a location, in minor units. `mrp` is the maximum retail price, and `esp` the effective selling price. If
 * there is no price, `version`, `mrp` and `esp` are 0. `sizeId` and `locationId` are the storage's keys: pass them back.
 */
export interface Price extends StockKey {
  readonly sizeId: number
  readonly locationId: number
  /** The ISO 4217 code of the location's currency. */
  readonly currency: string
  readonly mrp: number
  readonly esp: number
  readonly version: number
}

/** A price record as sent. `mrp` and `esp` are decimal amounts in `currency`. Source: docs/reference/prices.md#record. */
export interface PriceRecord extends StockKey {
  readonly mrp: number
  readonly esp: number
  readonly currency: string
}

/** A price before and after a change. */
export interface PriceChange {
  readonly before: Price
  readonly after: Price
}

/** A record, its index, and the price before it, or a code if the SKU or location is unknown or inaccessible. */
export interface PriceInput extends Bulk.Indexed<PriceRecord> {
  readonly price: Price | "UNKNOWN_SKU" | "UNKNOWN_LOCATION"
}

/** The choices of a host. `espMayExceedMrp` allows selling prices above the MRP. */
export interface PricingPolicy {
  readonly espMayExceedMrp: boolean
}

/** The default policy, in which a selling price is never above the MRP. */
export const defaultPolicy: PricingPolicy = /* @__PURE__ */ frozen({ espMayExceedMrp: false })

/**
 * Applies the records in order, and returns for each record its price's change or a rejection: `UNKNOWN_SKU`,
 * `UNKNOWN_LOCATION`, `DUPLICATE_RECORD` (of a valid record), `INVALID_CURRENCY`, `TOO_MANY_DECIMALS`, `INVALID_RECORD`,
 * `CURRENCY_MISMATCH` or `ESP_ABOVE_MRP`. Source: docs/reference/prices.md#record.
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

/** Applies one record. A rejection has the code and the path of the first fault, and its message has all faults. */
const applyPrice = (policy: PricingPolicy, { index, record }: PriceInput, price: Price) => {
  const { currency, location } = record
  const [mrpPath, espPath, currencyPath] = [`/${index}/mrp`, `/${index}/esp`, `/${index}/currency`]
  // In an unknown currency, the amounts couldn't be checked.
  const known = Money.exponent(currency) === undefined ? price.currency : currency
  const [mrp, esp] = [priceOf(record.mrp, known, mrpPath), priceOf(record.esp, known, espPath)]
  const faults = Arr.getFailures([
    Result.mapError(Money.fromNumber(0, currency), (fault) => ({ ...fault, path: currencyPath })),
    mrp,
    esp
  ])
  if (known !== price.currency) {
    const message = `Prices at ${location} are in ${price.currency}, not ${currency}. Send them in ${price.currency}.`
    faults.push({ code: "CURRENCY_MISMATCH", message, path: currencyPath })
  }
  if (!policy.espMayExceedMrp && Result.isSuccess(mrp) && Result.isSuccess(esp) && esp.success > mrp.success) {
    const message = `The selling price ${record.esp} is above the MRP ${record.mrp}. Lower it, or raise the MRP.`
    faults.push({ code: "ESP_ABOVE_MRP", message, path: espPath })
  }
  const [first, ...others] = faults
  if (first === undefined)
    return Result.map(Result.all({ mrp, esp }), (amounts) => ({ before: price, after: { ...price, ...amounts } }))
  const message = faults.map((fault) => `${fault.path}: ${fault.message}`).join(" ")
  return Result.fail(others.length === 0 ? first : { ...first, message })
}

const priceOf = (amount: number, currency: string, path: string) =>
  Money.fromNumber(amount, currency).pipe(
    Result.filterOrFail(
      (minor) => minor > 0,
      () => ({
        code: "INVALID_RECORD",
        message: `The price ${amount} at ${path} is not above 0. Send a positive price.`
      })
    ),
    Result.mapError((rejection) => ({ ...rejection, path }))
  )
