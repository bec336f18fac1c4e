export * as Inventory from "./Inventory.ts"
export * as Level from "./Level.ts"
export * from "./StockLevels.ts"
export * as StockUpdate from "./StockUpdate.ts"
