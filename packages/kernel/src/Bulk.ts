/** Outcomes of bulk work, in which every record succeeds or fails independently. */
import * as Result from "effect/Result"
import type { StockKey } from "./Keys.ts"

/** Why a record was rejected. `path` is a JSON Pointer into the request. Source: docs/reference/bulk.md#entries. */
export interface Rejection {
  readonly code: string
  readonly message: string
  readonly path?: string
  /** Further data for the caller, such as the current quantity after a rejected compare-and-set. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** A rejection, with the index of its record in the request. */
export interface Failure extends Rejection {
  readonly index: number
}

/** Whether all, some or none of the records succeeded. Source: docs/reference/bulk.md#outcome. */
export type Status = "SUCCESS" | "PARTIAL_SUCCESS" | "FAILED"

/** The outcome of a whole bulk: `succeeded + failures.length = total`. */
export interface Summary {
  readonly total: number
  readonly succeeded: number
  readonly failures: ReadonlyArray<Failure>
  readonly status: Status
}

/**
 * Counts the outcomes. They must be in the order of the request.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Bulk } from "@crossdock/kernel"
 * import * as Result from "effect/Result"
 *
 * const rejected = Result.fail({ code: "UNKNOWN_SKU", message: "SKU 1 isn't in the catalog." })
 * strictEqual(Bulk.summarize([Result.succeed(1), rejected]).status, "PARTIAL_SUCCESS")
 * ```
 */
export const summarize = (outcomes: ReadonlyArray<Result.Result<unknown, Rejection>>): Summary => {
  const failures = outcomes.flatMap((outcome, index) =>
    Result.isFailure(outcome) ? [{ index, ...outcome.failure }] : []
  )
  const total = outcomes.length
  return { total, succeeded: total - failures.length, failures, status: statusOf({ total, failures }) }
}

/** The status of a bulk of `total` records with these failures. */
export const statusOf = ({ failures, total }: Pick<Summary, "total" | "failures">): Status => {
  if (failures.length === 0) return "SUCCESS"
  return failures.length === total ? "FAILED" : "PARTIAL_SUCCESS"
}

/** A record and its index in the request. */
export interface Indexed<A> {
  readonly index: number
  readonly record: A
}

/** The decoded records with their indexes, without the malformed ones. */
export const indexed = <A>(decoded: ReadonlyArray<Result.Result<A, Rejection>>): ReadonlyArray<Indexed<A>> =>
  decoded.flatMap((one, index) => (Result.isSuccess(one) ? [{ index, record: one.success }] : []))

/** Applies `rule` to the decoded records and returns all outcomes in order. Malformed records keep their rejections. */
export const applyToDecoded = <A, B>(
  decoded: ReadonlyArray<Result.Result<A, Rejection>>,
  rule: (records: ReadonlyArray<Indexed<A>>) => ReadonlyArray<Result.Result<B, Rejection>>
): ReadonlyArray<Result.Result<B, Rejection>> => {
  const outcomes = rule(indexed(decoded))
  let next = 0
  return decoded.map((one) =>
    Result.isFailure(one) ? Result.fail(one.failure) : (outcomes[next++] as Result.Result<B, Rejection>)
  )
}

const keyFaults = {
  UNKNOWN_SKU: {
    field: "/sku",
    message: ({ sku }: StockKey) =>
      `SKU ${sku} isn't in the catalog. Send the primary_identifier of a product's size, or create the product first.`
  },
  UNKNOWN_LOCATION: {
    field: "/location_id",
    message: ({ location }: StockKey) =>
      `Location ${location} doesn't exist, or your token may not change it. Send one of your own locations.`
  },
  DUPLICATE_RECORD: {
    field: "",
    message: ({ location, sku }: StockKey) =>
      `${sku} at ${location} is in an earlier record of this request, which was accepted; this one was not. Send each SKU and location once.`
  }
} as const

const rejectKey = (code: keyof typeof keyFaults, key: StockKey, index: number): Result.Result<never, Rejection> => {
  const { field, message } = keyFaults[code]
  return Result.fail({ code, message: message(key), path: `/${index}${field}` })
}

/**
 * Decides the records of a bulk in order. A later valid record for the same SKU and location is a `DUPLICATE_RECORD`.
 * `foundOf` returns the stored value, or a code if the SKU or location is unknown or the caller has no access. `invalid` can
 * reject a record before its key is looked up. Source: docs/reference/bulk.md#duplicates.
 */
export const decideEach = <I extends Indexed<StockKey>, K extends StockKey, A>(
  inputs: ReadonlyArray<I>,
  foundOf: (input: I) => K | "UNKNOWN_SKU" | "UNKNOWN_LOCATION",
  decide: (input: I, found: K) => Result.Result<A, Rejection>,
  invalid: (input: I) => Rejection | undefined = () => undefined
): ReadonlyArray<Result.Result<A, Rejection>> => {
  const decided = new Map<string, Set<string>>()
  return inputs.map((input) => {
    const rejection = invalid(input)
    if (rejection !== undefined) return Result.fail(rejection)
    const { index, record } = input
    const found = foundOf(input)
    if (typeof found === "string") return rejectKey(found, record, index)
    const skus = decided.get(found.location) ?? new Set()
    if (skus.has(found.sku)) return rejectKey("DUPLICATE_RECORD", record, index)
    const outcome = decide(input, found)
    if (Result.isSuccess(outcome)) decided.set(found.location, skus.add(found.sku))
    return outcome
  })
}
