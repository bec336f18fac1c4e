export { ApiError, type Fault, NetworkError } from "./ApiError.ts"
export type { BulkOptions, BulkResult, FailedRecord, Part, Progress, Records } from "./Bulk.ts"
export type { PasswordAccount, RetryPolicy } from "./Call.ts"
export type { Client, Makers } from "./Client.ts"
export {
  type MarketplaceAccount,
  MarketplaceClient,
  OperatorClient,
  type PlatformAccount,
  PlatformClient,
  SellerClient
} from "./Clients.ts"
export type * as Marketplace from "./contracts/Marketplace.ts"
export type * as Operator from "./contracts/Operator.ts"
export type * as Platform from "./contracts/Platform.ts"
export type * as Seller from "./contracts/Seller.ts"
export type { CallOptions, Request as TransportRequest, Transport } from "./Operation.ts"
