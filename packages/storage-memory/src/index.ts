export * as StorageMemory from "./StorageMemory.ts"
