/** The quality check of returned units: which pass, and why others fail. Source: docs/reference/returns.md#quality-check. */
import * as Result from "effect/Result"
import { type LineUnits, type Portion, unitsUnsettled } from "./LineUnits.ts"
import { type QcReason, qcReason } from "./ReasonCodes.ts"

/** Named units of a check, with the code of their reason for failing. */
export interface NamedUnits extends Portion {
  readonly reasonCode: number | string | null
}

/** `good` units passed their check, `bad` ones failed it. */
export type Quality = "good" | "bad"

/** The named units that pass and those that fail. Their own result overrides the request's. */
export const split = <U extends { readonly bad?: boolean }>(
  named: ReadonlyArray<U>,
  isBad: boolean
): Readonly<Record<Quality, ReadonlyArray<U>>> => ({
  good: named.filter(({ bad = isBad }) => !bad),
  bad: named.filter(({ bad = isBad }) => bad)
})

/** The result for units of one line. `unmapped` are unknown reason codes, as sent. */
export interface CheckedUnits extends Portion {
  readonly reasons: ReadonlyArray<QcReason>
  readonly unmapped: ReadonlyArray<string>
}

/**
 * The results of a check, one for each of `units`. `reasonOf` knows the codes. Units that passed have no reason, even if sent.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { QualityCheck } from "@crossdock/returns"
 *
 * const units = { itemId: "1", quantity: 2 }
 * deepStrictEqual(QualityCheck.resultsOf([units], [{ ...units, reasonCode: "113" }], "bad"), [
 *   { ...units, reasons: [{ code: 113, reason: "damaged" }], unmapped: [] }
 * ])
 * ```
 */
export const resultsOf = (
  units: ReadonlyArray<Portion>,
  named: ReadonlyArray<NamedUnits>,
  quality: Quality,
  reasonOf: typeof qcReason = qcReason
): ReadonlyArray<CheckedUnits> => {
  const byItem = Map.groupBy(quality === "bad" ? named : [], ({ itemId }) => itemId)
  return units.map((unit) => {
    const reasons = (byItem.get(unit.itemId) ?? []).flatMap(({ reasonCode }) =>
      reasonCode === null ? [] : [reasonOf(reasonCode)]
    )
    return {
      ...unit,
      reasons: reasons.flatMap((one) => (Result.isSuccess(one) ? [one.success] : [])),
      unmapped: reasons.flatMap((one) => (Result.isFailure(one) ? [one.failure.code] : []))
    }
  })
}

/** A line with its quality checks' results so far. */
export interface CheckedLine extends LineUnits {
  readonly qcReasons: ReadonlyArray<QcReason>
  /** Unknown reason codes, as sent. */
  readonly unmappedReasons: ReadonlyArray<string>
}

/** The line with one more result: its good or bad units, and its reasons, each once. */
export const record = <L extends CheckedLine>(line: L, result: CheckedUnits, quality: Quality): L => ({
  ...line,
  [quality]: line[quality] + result.quantity,
  qcReasons: [...new Map([...line.qcReasons, ...result.reasons].map((one) => [one.code, one])).values()],
  unmappedReasons: [...new Set([...line.unmappedReasons, ...result.unmapped])]
})

/** Whether every unit of the return has a result: then the return is accepted. */
export const isComplete = (all: ReadonlyArray<LineUnits>): boolean => all.every((line) => unitsUnsettled(line) === 0)
