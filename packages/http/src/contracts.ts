/** The contracts without handlers: for typed clients (`HttpApiClient.make(SellerApi)`) and readers of bodies. */
export { ErrorBody, Failure } from "./Failure.ts"
export { BulkResult } from "./internal/BulkOperation.ts"
export { Limits } from "./Limits.ts"
export { MarketplaceApi } from "./marketplace/MarketplaceApi.ts"
export { AwbItem, StatusItem } from "./marketplace/MarketplaceRecords.ts"
export { OrderBody } from "./marketplace/OrderBody.ts"
export { OrderView } from "./marketplace/OrderView.ts"
export { OperatorApi } from "./operator/OperatorApi.ts"
export { LogBody, LogDoc, LogPage, LogRecord, LogsQuery } from "./platform/AuditApi.ts"
export { EntitySubscription, OneTimeBody, OneTimeChargeEntity, SubscriptionBody } from "./platform/Charges.ts"
export { CustomerBody, CustomerView, InvoiceDetails, InvoiceItem } from "./platform/Invoices.ts"
export { ActivateBody, LimitsView, SubscriptionView } from "./platform/Plans.ts"
export { PlatformApi } from "./platform/PlatformApi.ts"
export {
  AttributeItem,
  BrandItem,
  CategoryItem,
  DepartmentItem,
  HsCodeItem,
  TaxRuleItem,
  TemplateItem
} from "./seller/CatalogReadsApi.ts"
export { Listing, PriceRecord, StockRecord } from "./seller/InventoryApi.ts"
export { InvoiceRecord } from "./seller/InvoiceRecord.ts"
export { StatusResult, WriteResult } from "./seller/ProductsApi.ts"
export { ReturnBody, ReturnRecord } from "./seller/ReturnBody.ts"
export { SellerApi } from "./seller/SellerApi.ts"
export {
  AwbRecord,
  CancelRecord,
  ConfirmRecord,
  DispatchRecord,
  PackRecord,
  StatusRecord
} from "./seller/ShipmentMoves.ts"
export { CourierDetails, TrackBody, Tracking } from "./seller/ShipmentTracking.ts"
export { InfoView, ShipmentView } from "./seller/ShipmentView.ts"
export { AdminApi, HealthApi } from "./system/SystemApi.ts"
export { Grant } from "./TokenApi.ts"
