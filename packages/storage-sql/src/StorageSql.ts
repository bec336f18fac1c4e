/** All ports on one SQL database, in groups. A host can replace each group. */
import { SkuStock } from "@crossdock/catalog"
import { ComposedStock, Listings, StockLevels } from "@crossdock/inventory"
import { PortGroup, Transaction } from "@crossdock/kernel"
import { PriceStore } from "@crossdock/pricing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MigrationError } from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
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

/** Marks a storage that contains companies and locations. Rows of other groups refer to them. */
export class AccessTables extends Context.Service<AccessTables, true>()("@crossdock/storage-sql/AccessTables") {}

/** Marks a storage that contains SKUs. Rows of other groups refer to them. */
export class CatalogTables extends Context.Service<CatalogTables, true>()("@crossdock/storage-sql/CatalogTables") {}

type Client = SqlClient
type Failure = MigrationError | SqlError | UnusableSchema

/** The SQL client of the transactions in `base`. A group on another client doesn't start. */
export class BaseClient extends Context.Service<BaseClient, SqlClient>()("@crossdock/storage-sql/BaseClient") {}

/** The layer of a group, which refers to rows of `Tables`. */
type Group<Ports, Tables> = Layer.Layer<Ports, Failure, Tables | Client | BaseClient>

const group = <Ports, Needs>(layer: Layer.Layer<Ports, Failure, Needs>): Group<Ports, Needs> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const [own, base] = [yield* SqlClient, yield* BaseClient]
      return own === base
        ? layer
        : yield* Effect.die(new Error("All groups of StorageSql need the SqlClient that its base runs on"))
    })
  )

const transaction = Layer.effect(
  Transaction.Transaction,
  Effect.flatMap(SqlClient, (sql) =>
    TransactionSql.make(unlessMigrated(sql, Object.keys(Migrations.migrations).length))
  )
)

/** The ports of transactions, idempotency, and pending work for metrics. The layer runs `Migrations.layer` first. */
export const base = Layer.mergeAll(
  transaction,
  IdempotencySql.layer,
  BacklogSql.layer,
  Layer.effect(BaseClient, SqlClient)
).pipe(Layer.provide(Migrations.layer))

/** The ports of companies, locations and accounts. */
export const access = group(
  Layer.mergeAll(DirectorySql.layer, DirectorySql.signInAttempts, Layer.succeed(AccessTables, true))
)

/** The ports of products and reference data. */
export const catalog = group(Layer.mergeAll(CatalogStoreSql.layer, Layer.succeed(CatalogTables, true)))

const skuStock = Layer.effect(SkuStock, ComposedStock.skuStock)

const stockPorts = PortGroup.marked(
  Layer.provideMerge(skuStock, Layer.mergeAll(StockLevelsSql.layer, PriceStoreSql.layer, ListingsSql.layer))
)

type StockGroup = Group<Layer.Success<typeof stockPorts>, AccessTables | CatalogTables>

/** The ports of stock and prices. They need the catalog of this storage, because rows refer to its locations and SKUs. */
export const stock: StockGroup = group(stockPorts)

/**
 * Stock and prices in tables of the application, which may read them, but must write through `Inventory` and `Pricing`.
 *
 * The stock table has the unique key `company_id`, `sku`, `location`. Stock is in `on_hand`, `reserved` and `unsellable`.
 * Prices are in `mrp` and `esp`, in minor units or null. The columns `version`, `price_version`, `change_number`,
 * `changed_at` and `modified_at` must be 0 in rows from before Crossdock used the table. Times are epoch milliseconds.
 *
 * The movements table has the company, SKU, location and units, and `change_number`, `changed_at`, `reason` and `reference`.
 * `columns` gives other names.
 */
export const stockIn = (tables: ApplicationStock.Tables): StockGroup => {
  const names = ApplicationStock.names(tables)
  const ports = Layer.mergeAll(
    Layer.effect(StockLevels, ApplicationStockLevels.make(names)),
    Layer.effect(PriceStore, ApplicationStock.prices(names)),
    Layer.effect(Listings, ApplicationStock.listings(names)),
    Layer.effectDiscard(Effect.flatMap(SqlClient, (sql) => ApplicationStock.checked(sql, names)))
  )
  return group(PortGroup.marked(Layer.provideMerge(skuStock, ports)))
}

/** The ports of orders and shipments. */
export const orders = group(Layer.mergeAll(OrderStoreSql.layer, ShipmentStoreSql.layer, ShipmentStoreSql.skuShipments))

/** The ports of marketplaces and notifications, including the delivery progress of each marketplace. */
export const marketplaces = group(Layer.mergeAll(MarketplaceStoreSql.layer, NotificationStoreSql.layer))

const ledgerPorts = Layer.mergeAll(
  AuditStoreSql.layer,
  EventLogSql.layer,
  EventEndpointStoreSql.layer,
  BillingStoreSql.layer
).pipe(Layer.provide(EventAnnouncements.layer))

/** The ports of the audit trail, the change feed with its endpoints, and billing. */
export const ledger: Group<Layer.Success<typeof ledgerPorts>, AccessTables> = group(ledgerPorts)

const everyPort = Layer.mergeAll(stock, orders, marketplaces, ledger).pipe(
  Layer.provideMerge(Layer.mergeAll(access, catalog)),
  Layer.provideMerge(base)
)

/** Applies migrations and provides all ports. Provide `BetterSqlite3`, `NodeSqlite`, `Postgres` or `Sqlite.durable(…)`. */
export const layer: Layer.Layer<
  Exclude<Layer.Success<typeof everyPort>, BaseClient | AccessTables | CatalogTables>,
  Failure,
  Client
> = everyPort
