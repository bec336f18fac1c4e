export * as Price from "./Price.ts"
export * as PriceFeed from "./PriceFeed.ts"
export { PriceStore } from "./PriceStore.ts"
export * as Pricing from "./Pricing.ts"
