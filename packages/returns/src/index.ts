export * as LineAmounts from "./LineAmounts.ts"
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
export {
  type LineUnits,
  type Portion,
  returnableUnits,
  unitsByItem,
  unitsLeft,
  unitsUnsettled
} from "./ReturnableUnits.ts"
