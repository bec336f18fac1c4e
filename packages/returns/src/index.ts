export * as LineAmounts from "./LineAmounts.ts"
export { type Portion, unitsByItem } from "./Portion.ts"
export * as QualityCheck from "./QualityCheck.ts"
export {
  type QcReason,
  qcReason,
  qcReasonFrom,
  qcReasons,
  qcReasonTo,
  type ReasonVocabulary,
  reasonCrosswalk,
  type UnmappedReason
} from "./ReasonCodes.ts"
export { type LineUnits, returnableUnits, unitsLeft, unitsUnsettled } from "./ReturnableUnits.ts"
