export * as Price from "./Price.ts"
export * as PriceFeed from "./PriceFeed.ts"
export * as Pricing from "./Pricing.ts"
export { PriceStore } from "./Pricing.ts"
