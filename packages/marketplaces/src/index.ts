export type {
  EncryptedWebhook,
  LocationMapping,
  Marketplace,
  RetiringSecret,
  StockBuffer,
  Webhook,
  WebhookAuthentication
} from "./Marketplace.ts"
export { codesOf, companiesOf, MarketplaceStore, StockResend } from "./Marketplace.ts"
export * as MarketplaceFeed from "./MarketplaceFeed.ts"
export * as Marketplaces from "./Marketplaces.ts"
export * as Offer from "./Offer.ts"
export * as Registration from "./Registration.ts"
export { Limits } from "./Registration.ts"
export * as StoredWebhook from "./StoredWebhook.ts"
