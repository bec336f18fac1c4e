/**
 * The suite of laws of each port.
 */
import { auditLogLaws } from "./AuditLogLaws.ts"
import { billingStoreLaws } from "./BillingStoreLaws.ts"
import { catalogWriteStoreLaws } from "./CatalogWriteStoreLaws.ts"
import { directoryLaws } from "./DirectoryLaws.ts"
import { eventEndpointStoreLaws } from "./EventEndpointStoreLaws.ts"
import { eventLogLaws } from "./EventLogLaws.ts"
import { idempotencyLaws } from "./IdempotencyLaws.ts"
import type * as Laws from "./Laws.ts"
import { listingsLaws } from "./ListingsLaws.ts"
import { marketplaceStoreLaws } from "./MarketplaceStoreLaws.ts"
import { notificationStoreLaws } from "./NotificationStoreLaws.ts"
import { orderStoreLaws } from "./OrderStoreLaws.ts"
import { priceStoreLaws } from "./PriceStoreLaws.ts"
import { productStoreLaws } from "./ProductStoreLaws.ts"
import { referenceStoreLaws } from "./ReferenceStoreLaws.ts"
import type * as Seed from "./Seed.ts"
import { shipmentStoreLaws } from "./ShipmentStoreLaws.ts"
import { signInAttemptsLaws } from "./SignInAttemptsLaws.ts"
import { skuShipmentsLaws } from "./SkuShipmentsLaws.ts"
import { skuStockLaws } from "./SkuStockLaws.ts"
import { stockLevelsLaws } from "./StockLevelsLaws.ts"
import { transactionLaws } from "./TransactionLaws.ts"

export const suites = {
  Transaction: transactionLaws,
  Idempotency: idempotencyLaws,
  Directory: directoryLaws,
  SignInAttempts: signInAttemptsLaws,
  AuditLog: auditLogLaws,
  EventLog: eventLogLaws,
  EventEndpointStore: eventEndpointStoreLaws,
  BillingStore: billingStoreLaws,
  ReferenceStore: referenceStoreLaws,
  ProductStore: productStoreLaws,
  CatalogWriteStore: catalogWriteStoreLaws,
  StockLevels: stockLevelsLaws,
  PriceStore: priceStoreLaws,
  Listings: listingsLaws,
  SkuStock: skuStockLaws,
  ShipmentStore: shipmentStoreLaws,
  OrderStore: orderStoreLaws,
  SkuShipments: skuShipmentsLaws,
  MarketplaceStore: marketplaceStoreLaws,
  NotificationStore: notificationStoreLaws
}

export type PortName = keyof typeof suites

/** The ports that the laws of one port use: that port, and those that its laws read or write besides. */
export type PortsOf<Name extends PortName> = Exclude<
  Parameters<(typeof suites)[Name]>[0] extends Laws.Laws<infer Ports> ? Ports : never,
  Seed.Seed
>
