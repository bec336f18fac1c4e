/**
 * The failures of a write's products, by their index in the request.
 */
import type { Bulk, Violation } from "@crossdock/kernel"
import * as Result from "effect/Result"
import type { Accepted, Outcome } from "../ProductChanges.ts"
import { rejectionOf } from "./ProductRejection.ts"

/**
 * The item code as it was sent, by which a caller recognizes the product.
 */
const ownKeyOf = (input: unknown): Readonly<Record<string, unknown>> =>
  typeof input === "object" && input !== null && "item_code" in input ? { item_code: input.item_code } : {}

export const invalidShape = (
  index: number,
  input: unknown,
  violations: readonly [Violation, ...ReadonlyArray<Violation>]
): Bulk.Failure => {
  const { details, ...rejected } = rejectionOf(violations)
  return { index, ...rejected, code: "INVALID_RECORD", details: { ...ownKeyOf(input), ...details } }
}

/**
 * The failures of products that were rejected; `outcomes` are those of `accepted`.
 */
const rejections = (accepted: Accepted, outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Bulk.Failure> =>
  accepted.flatMap(({ index, input }, at) => {
    const outcome = outcomes[at]
    if (outcome === undefined || Result.isSuccess(outcome)) return []
    return [{ index, ...outcome.failure, details: { ...ownKeyOf(input), ...outcome.failure.details } }]
  })

/**
 * The failures of products of invalid shape and of the others.
 */
export const allFailures = (
  { accepted, failures }: { readonly accepted: Accepted; readonly failures: ReadonlyArray<Bulk.Failure> },
  outcomes: ReadonlyArray<Outcome>
): ReadonlyArray<Bulk.Failure> => [...failures, ...rejections(accepted, outcomes)].sort((a, b) => a.index - b.index)
