/** The operations of each interface, for transports other than HTTP. */
export { fromAnswer, notValid } from "../ApiError.ts"
export { addressOf, faultsOf, type Input, type Operation, type Table } from "../Operation.ts"
export * as Marketplace from "./Marketplace.ts"
export * as Operator from "./Operator.ts"
export * as Platform from "./Platform.ts"
export * as Seller from "./Seller.ts"
