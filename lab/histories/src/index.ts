export * as History from "./History.ts"
export * as World from "./World.ts"
