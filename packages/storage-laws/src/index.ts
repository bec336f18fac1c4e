export type * from "./PortGroups.ts"
export * as Seed from "./Seed.ts"
export * from "./StorageLaws.ts"
