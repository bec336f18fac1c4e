/**
 * The reasons why returned units fail their quality check, and the words of other vocabularies for them. Source:
 * docs/reference/returns.md#reason-codes.
 */
import * as Result from "effect/Result"

/** A reason code and its text. */
export interface QcReason {
  readonly code: number
  readonly reason: string
}

/** All reasons. Source: docs/reference/returns.md#reason-codes. */
export const qcReasons: ReadonlyArray<QcReason> = [
  { code: 106, reason: "stain found on product" },
  { code: 110, reason: "looks different" },
  { code: 113, reason: "damaged" },
  { code: 118, reason: "wrong product delivered" },
  { code: 120, reason: "used product delivered" },
  { code: 122, reason: "product looks different from image" },
  { code: 124, reason: "missing items or partially received" }
]

/**
 * `x12` is element 1293 of X12 (return request reason); `inspection` has the words of warehouses for their findings.
 */
export type ReasonVocabulary = "x12" | "inspection"

/**
 * The code that each word of a vocabulary means. Several words may mean one code; the code translates back to the first.
 */
export const reasonCrosswalk: ReadonlyArray<{
  readonly vocabulary: ReasonVocabulary
  readonly word: string
  readonly code: number
}> = [
  { vocabulary: "x12", word: "NA", code: 122 },
  { vocabulary: "x12", word: "CV", code: 110 },
  { vocabulary: "x12", word: "DA", code: 113 },
  { vocabulary: "x12", word: "DT", code: 113 },
  { vocabulary: "x12", word: "DM", code: 113 },
  { vocabulary: "x12", word: "DR", code: 113 },
  { vocabulary: "x12", word: "WG", code: 118 },
  { vocabulary: "x12", word: "EW", code: 120 },
  { vocabulary: "inspection", word: "wrong_product_received", code: 118 },
  { vocabulary: "inspection", word: "fully_damaged", code: 113 },
  { vocabulary: "inspection", word: "package_damaged", code: 113 },
  { vocabulary: "inspection", word: "refinish_damaged", code: 113 },
  { vocabulary: "inspection", word: "short_received", code: 124 },
  { vocabulary: "inspection", word: "component_missing", code: 124 },
  { vocabulary: "inspection", word: "free_gift_missing", code: 124 },
  { vocabulary: "inspection", word: "empty_box_received", code: 124 },
  { vocabulary: "inspection", word: "lost", code: 124 }
]

/** A code without a counterpart, as it was sent. `documents` are our own codes. */
export interface UnmappedReason {
  readonly _tag: "UnmappedReason"
  readonly vocabulary: ReasonVocabulary | "documents"
  readonly code: string
}

const unmapped = (vocabulary: UnmappedReason["vocabulary"], code: string) =>
  Result.fail<UnmappedReason>({ _tag: "UnmappedReason", vocabulary, code })

/**
 * The reason of a code, given as a number or as digits. Fails with `UnmappedReason` for an unknown code.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { qcReason } from "@crossdock/returns"
 * import { Result } from "effect"
 *
 * deepStrictEqual(Result.getOrThrow(qcReason("113")), { code: 113, reason: "damaged" })
 * ```
 */
export const qcReason = (code: number | string): Result.Result<QcReason, UnmappedReason> => {
  const known = qcReasons.find((reason) => String(reason.code) === String(code))
  return known === undefined ? unmapped("documents", String(code)) : Result.succeed(known)
}

/** The reason that a word of another vocabulary means. Fails with `UnmappedReason` for an unknown word. */
export const qcReasonFrom = (vocabulary: ReasonVocabulary, word: string): Result.Result<QcReason, UnmappedReason> => {
  const row = reasonCrosswalk.find((one) => one.vocabulary === vocabulary && one.word === word)
  return row === undefined ? unmapped(vocabulary, word) : qcReason(row.code)
}

/** The word of another vocabulary for a code. Fails with `UnmappedReason` for a code that it has no word for. */
export const qcReasonTo = (vocabulary: ReasonVocabulary, code: number): Result.Result<string, UnmappedReason> => {
  const row = reasonCrosswalk.find((one) => one.vocabulary === vocabulary && one.code === code)
  return row === undefined ? unmapped("documents", String(code)) : Result.succeed(row.word)
}
