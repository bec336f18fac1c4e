export * as LineAmounts from "./LineAmounts.ts"
export * as QualityCheck from "./QualityCheck.ts"
export * from "./ReasonCodes.ts"
export * from "./ReturnableUnits.ts"
