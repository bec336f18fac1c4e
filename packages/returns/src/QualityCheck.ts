/** The quality check of returned units. Source: docs/reference/returns.md#quality-check. */
import * as Result from "effect/Result"
import { type LineUnits, type Portion, unitsUnsettled } from "./LineUnits.ts"
import { type QcReason, qcReason } from "./ReasonCodes.ts"

/** Units of one item that a check names, with the code of the reason why they failed. */
export interface NamedUnits extends Portion {
  readonly reasonCode: number | string | null
}

/** The result of a check. `good` units passed, and `bad` units failed. */
export type Quality = "good" | "bad"

/** Divides units into good and bad ones. Units without `bad` get `isBad`, the value of the whole request. */
export const split = <U extends { readonly bad?: boolean }>(
  named: ReadonlyArray<U>,
  isBad: boolean
): Readonly<Record<Quality, ReadonlyArray<U>>> => ({
  good: named.filter(({ bad = isBad }) => !bad),
  bad: named.filter(({ bad = isBad }) => bad)
})

/** The result of a check for units of one line. `unmapped` are unknown reason codes, as they were sent. */
export interface CheckedUnits extends Portion {
  readonly reasons: ReadonlyArray<QcReason>
  readonly unmapped: ReadonlyArray<string>
}

/**
 * The results of a check, one for each of `units`. Units that passed have no reason, even if one was sent.
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

/** A line with the results of its quality checks so far. */
export interface CheckedLine extends LineUnits {
  readonly qcReasons: ReadonlyArray<QcReason>
  /** The reason codes that aren't known. They are kept as they were sent. */
  readonly unmappedReasons: ReadonlyArray<string>
}

/** The line with one more result: the good or bad units and the reasons are added. Each reason appears once. */
export const record = <L extends CheckedLine>(line: L, result: CheckedUnits, quality: Quality): L => ({
  ...line,
  [quality]: line[quality] + result.quantity,
  qcReasons: [...new Map([...line.qcReasons, ...result.reasons].map((one) => [one.code, one])).values()],
  unmappedReasons: [...new Set([...line.unmappedReasons, ...result.unmapped])]
})

/** Whether every unit of the return has a result. The return is then accepted. */
export const isComplete = (all: ReadonlyArray<LineUnits>): boolean => all.every((line) => unitsUnsettled(line) === 0)
