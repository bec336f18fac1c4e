export * as Authentication from "./Authentication.ts"
export * as Calls from "./Calls.ts"
export * as Edge from "./Edge.ts"
export {
  type AnswerCode,
  answerCodes,
  bodyOf,
  type CodeText,
  type DomainError,
  ErrorBody,
  Failure,
  failure,
  fieldCodes,
  recordCodes,
  shipmentCodes,
  toFailure,
  validationFailed
} from "./Failure.ts"
export { type Body, type Payload, readOnly } from "./internal/Body.ts"
export * as Endpoints from "./internal/Endpoints.ts"
export { Limits } from "./Limits.ts"
export { MarketplaceApi } from "./marketplace/MarketplaceApi.ts"
export * as MarketplaceHttp from "./marketplace/MarketplaceHttp.ts"
export * as Examples from "./openapi/Examples.ts"
export * as OpenApiDocuments from "./openapi/OpenApiDocuments.ts"
export * as Operators from "./operator/OperatorApi.ts"
export { OperatorApi } from "./operator/OperatorApi.ts"
export * as OperatorRecords from "./operator/OperatorRecords.ts"
export * as InvoiceDocuments from "./platform/InvoiceDocuments.ts"
export { PlatformApi } from "./platform/PlatformApi.ts"
export * as PlatformHttp from "./platform/PlatformHttp.ts"
export * as PlatformScopes from "./platform/PlatformScopes.ts"
export * as UserAgentsBowser from "./platform/UserAgentsBowser.ts"
export { type Allowance, type Allowances, generousAllowances } from "./RateLimits.ts"
export * as Reply from "./Reply.ts"
export { forwardedAddress, HttpPolicy, peerAddress, RequestId } from "./RequestContext.ts"
export * as SignedLinks from "./SignedLinks.ts"
export * as DocumentLinks from "./seller/DocumentLinks.ts"
export { SellerApi } from "./seller/SellerApi.ts"
export * as SellerHttp from "./seller/SellerHttp.ts"
export { AdminApi, HealthApi } from "./system/SystemApi.ts"
export * as SystemHttp from "./system/SystemHttp.ts"
export * as TokenHandlers from "./TokenHandlers.ts"
