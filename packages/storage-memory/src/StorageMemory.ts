/**
 * Every port in memory: for tests, demos, and hosts that keep nothing.
 */
import * as Layer from "effect/Layer"
import * as AuditLogMemory from "./AuditLogMemory.ts"
import * as BillingStoreMemory from "./BillingStoreMemory.ts"
import * as CatalogWriteStoreMemory from "./CatalogWriteStoreMemory.ts"
import * as DirectoryMemory from "./DirectoryMemory.ts"
import * as IdempotencyMemory from "./IdempotencyMemory.ts"
import * as ListingsMemory from "./ListingsMemory.ts"
import * as MarketplaceStoreMemory from "./MarketplaceStoreMemory.ts"
import * as MemoryDatabase from "./MemoryDatabase.ts"
import * as NotificationStoreMemory from "./NotificationStoreMemory.ts"
import * as OrderStoreMemory from "./OrderStoreMemory.ts"
import * as PriceStoreMemory from "./PriceStoreMemory.ts"
import * as ProductStoreMemory from "./ProductStoreMemory.ts"
import * as ProductUseMemory from "./ProductUseMemory.ts"
import * as ReferenceStoreMemory from "./ReferenceStoreMemory.ts"
import * as ShipmentStoreMemory from "./ShipmentStoreMemory.ts"
import * as SignInAttemptsMemory from "./SignInAttemptsMemory.ts"
import * as StockLevelsMemory from "./StockLevelsMemory.ts"

/**
 * Empty when it is built; every build is a database of its own.
 */
export const layer = Layer.mergeAll(
  MemoryDatabase.transactionLayer,
  IdempotencyMemory.layer,
  DirectoryMemory.layer,
  SignInAttemptsMemory.layer,
  AuditLogMemory.layer,
  BillingStoreMemory.layer,
  ReferenceStoreMemory.layer,
  ProductStoreMemory.layer,
  CatalogWriteStoreMemory.layer,
  ProductUseMemory.layer,
  StockLevelsMemory.layer,
  ListingsMemory.layer,
  PriceStoreMemory.layer,
  ShipmentStoreMemory.layer,
  MarketplaceStoreMemory.layer,
  OrderStoreMemory.layer,
  Layer.provide(NotificationStoreMemory.layer, AuditLogMemory.layer)
).pipe(Layer.provide(MemoryDatabase.layer))
