/**
 * Every port on one SQL database.
 */
import * as Layer from "effect/Layer"
import * as DirectorySql from "./access/DirectorySql.ts"
import * as SignInAttemptsSql from "./access/SignInAttemptsSql.ts"
import * as AuditLogSql from "./audit/AuditLogSql.ts"
import * as BillingStoreSql from "./billing/BillingStoreSql.ts"
import * as CatalogStoreSql from "./catalog/CatalogStoreSql.ts"
import * as CatalogWriteStoreSql from "./catalog/CatalogWriteStoreSql.ts"
import * as ProductUseSql from "./catalog/ProductUseSql.ts"
import * as ListingsSql from "./inventory/ListingsSql.ts"
import * as StockLevelsSql from "./inventory/StockLevelsSql.ts"
import * as IdempotencySql from "./kernel/IdempotencySql.ts"
import * as Migrations from "./Migrations.ts"
import * as MarketplaceStoreSql from "./marketplaces/MarketplaceStoreSql.ts"
import * as NotificationStoreSql from "./notifications/NotificationStoreSql.ts"
import * as OrderStoreSql from "./orders/OrderStoreSql.ts"
import * as PriceStoreSql from "./pricing/PriceStoreSql.ts"
import * as ShipmentStoreSql from "./shipments/ShipmentStoreSql.ts"
import * as TransactionSql from "./TransactionSql.ts"

/**
 * Brings the schema up to date, then fills every port. The host provides the client:
 * `BetterSqlite3.layer`, `NodeSqlite.layer`, `Postgres.layer`, or `Sqlite.durable` around another one of Effect's.
 */
export const layer = Layer.mergeAll(
  TransactionSql.layer,
  IdempotencySql.layer,
  DirectorySql.layer,
  SignInAttemptsSql.layer,
  AuditLogSql.layer,
  BillingStoreSql.layer,
  CatalogStoreSql.layer,
  CatalogWriteStoreSql.layer,
  ProductUseSql.layer,
  StockLevelsSql.layer,
  ListingsSql.layer,
  PriceStoreSql.layer,
  ShipmentStoreSql.layer,
  MarketplaceStoreSql.layer,
  OrderStoreSql.layer,
  NotificationStoreSql.layer
).pipe(Layer.provide(Migrations.layer))
