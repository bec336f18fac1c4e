export * as LineAmounts from "./LineAmounts.ts"
export { type LineUnits, returnableUnits, unitsLeft, unitsUnsettled } from "./LineUnits.ts"
export { type Portion, unitsByItem } from "./Portion.ts"
export {
  type QcReason,
  qcReason,
  qcReasonFrom,
  qcReasons,
  qcReasonTo,
  type ReasonVocabulary,
  reasonCrosswalk,
  type UnmappedReason
} from "./QcReason.ts"
export * as QualityCheck from "./QualityCheck.ts"
