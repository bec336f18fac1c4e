/**
 * The contracts without handlers, for typed clients (`HttpApiClient.make(SellerApi)`) and for code that builds or reads
 * bodies.
 */
export { ErrorBody, Failure } from "./Failure.ts"
export { Limits } from "./Limits.ts"
export { MarketplaceApi } from "./marketplace/MarketplaceApi.ts"
export { AwbItem, StatusItem } from "./marketplace/MarketplaceRecords.ts"
export { OrderBody } from "./marketplace/OrderBody.ts"
export { OrderView } from "./marketplace/OrderView.ts"
export { LogBody, LogDoc, LogPage, LogRecord, LogsQuery } from "./platform/AuditApi.ts"
export { ActivateBody, CustomerBody } from "./platform/BillingBodies.ts"
export {
  CustomerView,
  EntitySubscription,
  InvoiceDetails,
  InvoiceItem,
  LimitsView,
  OneTimeChargeEntity,
  SubscriptionView
} from "./platform/BillingViews.ts"
export { OneTimeBody, SubscriptionBody } from "./platform/ChargeBody.ts"
export { PlatformApi } from "./platform/PlatformApi.ts"
export { Grant } from "./platform/PlatformTokenApi.ts"
export { BulkResult } from "./seller/BulkResult.ts"
export {
  AttributeItem,
  BrandItem,
  CategoryItem,
  DepartmentItem,
  HsCodeItem,
  ProductItem,
  TaxRuleItem,
  TemplateItem
} from "./seller/CatalogReadsApi.ts"
export { CourierDetails } from "./seller/CourierDetails.ts"
export { Listing } from "./seller/ListingsApi.ts"
export { PriceRecord } from "./seller/PriceApi.ts"
export { StatusResult, WriteResult } from "./seller/ProductsApi.ts"
export { ReturnBody } from "./seller/ReturnBody.ts"
export { SellerApi } from "./seller/SellerApi.ts"
export {
  AwbRecord,
  CancelRecord,
  ConfirmRecord,
  DispatchRecord,
  InvoiceRecord,
  PackRecord,
  ReturnRecord,
  StatusRecord
} from "./seller/ShipmentRecords.ts"
export { TrackBody, Tracking } from "./seller/ShipmentTracking.ts"
export { InfoView, ShipmentView } from "./seller/ShipmentView.ts"
export { StockRecord } from "./seller/StockApi.ts"
export { AdminApi, HealthApi } from "./system/SystemApi.ts"
