export * from "./StorageLaws.ts"
