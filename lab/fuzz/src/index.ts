export * as Connection from "./Connection.ts"
export * as Fuzz from "./Fuzz.ts"
export * as Host from "./Host.ts"
export * as Report from "./Report.ts"
