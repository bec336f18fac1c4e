/** The reasons of failed checks and of cancellations, and their translations. Source: docs/reference/returns.md#reason-codes. */
import { frozen } from "@crossdock/kernel"
import * as Result from "effect/Result"

/** A reason code and its text. */
export interface QcReason {
  readonly code: number
  readonly reason: string
}

/** All reasons. Source: docs/reference/returns.md#reason-codes. */
export const qcReasons: ReadonlyArray<QcReason> = /* @__PURE__ */ frozen([
  { code: 106, reason: "stain found on product" },
  { code: 110, reason: "looks different" },
  { code: 113, reason: "damaged" },
  { code: 118, reason: "wrong product delivered" },
  { code: 120, reason: "used product delivered" },
  { code: 122, reason: "product looks different from image" },
  { code: 124, reason: "missing items or partially received" }
])

/** A host's reason for failed checks (`return`) or cancellations (`cancel`). Its times are in epoch milliseconds. */
export interface OwnReason {
  readonly on: "return" | "cancel"
  /** The code. For returns, it is a whole number. */
  readonly code: number | string
  readonly reason: string
  readonly companyId?: number
  readonly from?: number
  readonly until?: number
}

/**
 * The reason that a code has for a company at a time. A reason for this company is preferred to a reason for all companies.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { type OwnReason, ownReason } from "@crossdock/returns"
 *
 * const reasons: ReadonlyArray<OwnReason> = [
 *   { on: "return", code: 130, reason: "expired" },
 *   { on: "return", code: 130, reason: "past its date", companyId: 7, from: 100 }
 * ]
 * const textAt = (companyId: number, at: number) => ownReason(reasons, "return", "130", companyId, at)?.reason
 * deepStrictEqual([textAt(1, 200), textAt(7, 200), textAt(7, 99)], ["expired", "past its date", "expired"])
 * ```
 */
export const ownReason = (
  reasons: ReadonlyArray<OwnReason>,
  on: OwnReason["on"],
  code: number | string,
  companyId: number,
  at: number
): OwnReason | undefined => {
  const inForce = reasons.filter(
    (one) =>
      one.on === on &&
      String(one.code) === String(code) &&
      (one.companyId ?? companyId) === companyId &&
      (one.from ?? at) <= at &&
      at < (one.until ?? at + 1)
  )
  return inForce.find((one) => one.companyId !== undefined) ?? inForce[0]
}

/** The remark of a cancelled shipment: the text of each reason once. A code that isn't the host's is its own text. */
export const cancelRemark = (
  codes: ReadonlyArray<string>,
  reasons: ReadonlyArray<OwnReason>,
  companyId: number,
  at: number
): string | null => {
  const texts = codes.map((code) => ownReason(reasons, "cancel", code, companyId, at)?.reason ?? code)
  return texts.length === 0 ? null : [...new Set(texts)].join(", ")
}

/** Our codes by the words of other vocabularies. `x12` is X12 element 1293. A code translates to the first of its words. */
export const reasonCrosswalk = /* @__PURE__ */ frozen({
  x12: { NA: 122, CV: 110, DA: 113, DT: 113, DM: 113, DR: 113, WG: 118, EW: 120 },
  inspection: {
    wrong_product_received: 118,
    fully_damaged: 113,
    package_damaged: 113,
    refinish_damaged: 113,
    short_received: 124,
    component_missing: 124,
    free_gift_missing: 124,
    empty_box_received: 124,
    lost: 124
  }
} as const satisfies Readonly<Record<string, Readonly<Record<string, number>>>>)

/** The name of another vocabulary for the reasons of returns. */
export type ReasonVocabulary = keyof typeof reasonCrosswalk

const codesOf = (vocabulary: ReasonVocabulary): ReadonlyArray<readonly [word: string, code: number]> =>
  Object.entries(reasonCrosswalk[vocabulary])

/** A code that has no counterpart, as it was sent. `documents` are the codes of our documentation. */
export interface UnmappedReason {
  readonly _tag: "UnmappedReason"
  readonly vocabulary: ReasonVocabulary | "documents"
  readonly code: string
}

const unmapped = (vocabulary: UnmappedReason["vocabulary"], code: string) =>
  Result.fail<UnmappedReason>({ _tag: "UnmappedReason", vocabulary, code })

/** The reason of a code, which is a number or a text of digits. Fails with `UnmappedReason` for an unknown code. */
export const qcReason = (code: number | string): Result.Result<QcReason, UnmappedReason> => {
  const known = qcReasons.find((reason) => String(reason.code) === String(code))
  return known === undefined ? unmapped("documents", String(code)) : Result.succeed(known)
}

/** The reason of a word of another vocabulary. Fails with `UnmappedReason` for an unknown word. */
export const qcReasonFrom = (vocabulary: ReasonVocabulary, word: string): Result.Result<QcReason, UnmappedReason> => {
  const found = codesOf(vocabulary).find(([one]) => one === word)
  return found === undefined ? unmapped(vocabulary, word) : qcReason(found[1])
}

/** The word of another vocabulary for a code. Fails with `UnmappedReason` if there is no such word. */
export const qcReasonTo = (vocabulary: ReasonVocabulary, code: number): Result.Result<string, UnmappedReason> => {
  const found = codesOf(vocabulary).find(([, one]) => one === code)
  return found === undefined ? unmapped("documents", String(code)) : Result.succeed(found[0])
}
