export * as Export from "./Export.ts"
export * as Import from "./Import.ts"
export * as Lines from "./Lines.ts"
