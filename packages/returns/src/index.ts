export * as LineAmounts from "./LineAmounts.ts"
export * from "./LineUnits.ts"
export * as QualityCheck from "./QualityCheck.ts"
export * from "./ReasonCodes.ts"
