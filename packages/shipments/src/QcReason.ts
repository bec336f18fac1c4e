/**
 * Why returned units failed quality check.
 */
export interface QcReason {
  readonly code: number
  readonly reason: string
}

/**
 * Source: document 2, orders, rule 8.
 */
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
 * The reason of a code, given as a number or as digits, of units that failed. Nothing for an omitted or unknown code, and
 * for units that passed.
 */
export const qcReasonsOf = (code: number | string | null, bad: boolean): ReadonlyArray<QcReason> =>
  bad ? qcReasons.filter((known) => String(known.code) === String(code)) : []
