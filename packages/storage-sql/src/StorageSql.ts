/** Every port on one SQL database, in groups that a host can replace. */
import { SkuStock } from "@crossdock/catalog"
import { ComposedStock, Listings, StockLevels } from "@crossdock/inventory"
import { PortGroup, Transaction } from "@crossdock/kernel"
import { PriceStore } from "@crossdock/pricing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MigrationError } from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as ApplicationStock from "./ApplicationStock.ts"
import * as DirectorySql from "./access/DirectorySql.ts"
import * as AuditStoreSql from "./audit/AuditStoreSql.ts"
import * as EventAnnouncements from "./audit/EventAnnouncements.ts"
import * as EventLogSql from "./audit/EventLogSql.ts"
import * as BillingStoreSql from "./billing/BillingStoreSql.ts"
import * as CatalogStoreSql from "./catalog/CatalogStoreSql.ts"
import * as ApplicationStockLevels from "./inventory/ApplicationStockLevels.ts"
import * as ListingsSql from "./inventory/ListingsSql.ts"
import * as StockLevelsSql from "./inventory/StockLevelsSql.ts"
import * as BacklogSql from "./kernel/BacklogSql.ts"
import * as IdempotencySql from "./kernel/IdempotencySql.ts"
import * as Migrations from "./Migrations.ts"
import * as MarketplaceStoreSql from "./marketplaces/MarketplaceStoreSql.ts"
import * as EventEndpointStoreSql from "./notifications/EventEndpointStoreSql.ts"
import * as NotificationStoreSql from "./notifications/NotificationStoreSql.ts"
import * as OrderStoreSql from "./orders/OrderStoreSql.ts"
import * as PriceStoreSql from "./pricing/PriceStoreSql.ts"
import * as ShipmentStoreSql from "./shipments/ShipmentStoreSql.ts"
import * as TransactionSql from "./TransactionSql.ts"
import { type UnusableSchema, unlessMigrated } from "./UnusableDatabase.ts"

/** Shows that companies and locations are rows of this storage, to which others refer. */
export class AccessTables extends Context.Service<AccessTables, true>()("@crossdock/storage-sql/AccessTables") {}

/** Shows that SKUs are rows of this storage, to which others refer. */
export class CatalogTables extends Context.Service<CatalogTables, true>()("@crossdock/storage-sql/CatalogTables") {}

type Client = SqlClient.SqlClient
type Failure = MigrationError | SqlError | UnusableSchema

/** The client of `base`'s transactions. A group on another client couldn't join them, and doesn't start. */
export class BaseClient extends Context.Service<BaseClient, SqlClient.SqlClient>()(
  "@crossdock/storage-sql/BaseClient"
) {}

const group = <Ports, Needs>(
  layer: Layer.Layer<Ports, Failure, Needs>
): Layer.Layer<Ports, Failure, Needs | Client | BaseClient> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const [own, base] = [yield* SqlClient.SqlClient, yield* BaseClient]
      return own === base
        ? layer
        : yield* Effect.die(new Error("All groups of StorageSql need the SqlClient that its base runs on"))
    })
  )

const transaction = Layer.effect(
  Transaction.Transaction,
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    TransactionSql.make(unlessMigrated(sql, Object.keys(Migrations.migrations).length))
  )
)

/** Transactions, idempotency, and pending work for the host's metrics. Fails unless the schema is up to date. */
export const base = Layer.mergeAll(
  transaction,
  IdempotencySql.layer,
  BacklogSql.layer,
  Layer.effect(BaseClient, SqlClient.SqlClient)
).pipe(Layer.provide(Migrations.layer))

/** Companies, locations, accounts. */
export const access = group(
  Layer.mergeAll(DirectorySql.layer, DirectorySql.signInAttempts, Layer.succeed(AccessTables, true))
)

/** Products and reference data. */
export const catalog = group(Layer.mergeAll(CatalogStoreSql.layer, Layer.succeed(CatalogTables, true)))

const skuStock = Layer.effect(SkuStock, ComposedStock.skuStock)

const stockPorts = PortGroup.marked(
  Layer.provideMerge(skuStock, Layer.mergeAll(StockLevelsSql.layer, PriceStoreSql.layer, ListingsSql.layer))
)

/** Stock and prices. Their rows refer to this storage's locations and SKUs, so it needs this storage's catalog. */
export const stock: Layer.Layer<
  Layer.Success<typeof stockPorts>,
  Failure,
  Client | BaseClient | AccessTables | CatalogTables
> = group(stockPorts)

/**
 * Stock and prices in the application's own tables, on `base`'s client. The application may read them, but must write through
 * `Inventory` and `Pricing`: these manage versions, movements and notifications of marketplaces.
 *
 * The stock table has one row, and a unique key, for each `company_id`, `sku` and `location`. Its units are `on_hand`,
 * `reserved`, `unsellable`; its prices `mrp` and `esp`, in minor units or null. `version`, `price_version`, `change_number`,
 * `changed_at` and `modified_at` are 0 in rows that existed before. Times are epoch milliseconds. The movements table has the
 * company, SKU, location and units, and `change_number`, `changed_at`, `reason`, `reference`. `columns` renames columns.
 */
export const stockIn = (
  tables: ApplicationStock.Tables
): Layer.Layer<Layer.Success<typeof stockPorts>, Failure, Client | BaseClient | AccessTables | CatalogTables> => {
  const names = ApplicationStock.names(tables)
  return group(
    PortGroup.marked(
      Layer.provideMerge(
        skuStock,
        Layer.mergeAll(
          Layer.effect(StockLevels, ApplicationStockLevels.make(names)),
          Layer.effect(PriceStore, ApplicationStock.prices(names)),
          Layer.effect(Listings, ApplicationStock.listings(names)),
          Layer.effectDiscard(Effect.flatMap(SqlClient.SqlClient, (sql) => ApplicationStock.checked(sql, names)))
        )
      )
    )
  )
}

/** Orders and shipments. */
export const orders = group(Layer.mergeAll(OrderStoreSql.layer, ShipmentStoreSql.layer, ShipmentStoreSql.skuShipments))

/** Marketplaces, and how far each has been notified. */
export const marketplaces = group(Layer.mergeAll(MarketplaceStoreSql.layer, NotificationStoreSql.layer))

const ledgerPorts = Layer.mergeAll(
  AuditStoreSql.layer,
  EventLogSql.layer,
  EventEndpointStoreSql.layer,
  BillingStoreSql.layer
).pipe(Layer.provide(EventAnnouncements.layer))

/** The audit trail, the change feed and its endpoints, and billing. The company's row has the heads of trail and feed. */
export const ledger: Layer.Layer<
  Layer.Success<typeof ledgerPorts>,
  Failure,
  Client | BaseClient | AccessTables
> = group(ledgerPorts)

const everyPort = Layer.mergeAll(stock, orders, marketplaces, ledger).pipe(
  Layer.provideMerge(Layer.mergeAll(access, catalog)),
  Layer.provideMerge(base)
)

/** Migrates and fills all ports. The client: `BetterSqlite3`, `NodeSqlite`, `Postgres`, or `Sqlite.durable(client)`. */
export const layer: Layer.Layer<
  Exclude<Layer.Success<typeof everyPort>, BaseClient | AccessTables | CatalogTables>,
  Failure,
  Client
> = everyPort
