export * as Price from "./Price.ts"
export * from "./PriceStore.ts"
export * as Pricing from "./Pricing.ts"
