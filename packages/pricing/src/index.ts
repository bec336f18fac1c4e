export * as PriceFeed from "./PriceFeed.ts"
export * as PriceUpdate from "./PriceUpdate.ts"
export * as Pricing from "./Pricing.ts"
export { PriceStore } from "./Pricing.ts"
