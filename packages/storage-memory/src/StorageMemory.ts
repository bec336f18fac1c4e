/** All ports in memory, for tests, demos, and hosts whose data needn't survive a restart. */

import type { Directory } from "@crossdock/access"
import { type ProductStore, SkuStock } from "@crossdock/catalog"
import { ComposedStock, Listings } from "@crossdock/inventory"
import { PortGroup } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as AuditStoreMemory from "./AuditStoreMemory.ts"
import * as BillingStoreMemory from "./BillingStoreMemory.ts"
import * as CatalogStoreMemory from "./CatalogStoreMemory.ts"
import * as DirectoryMemory from "./DirectoryMemory.ts"
import * as EventEndpointStoreMemory from "./EventEndpointStoreMemory.ts"
import * as EventLogMemory from "./EventLogMemory.ts"
import * as IdempotencyMemory from "./IdempotencyMemory.ts"
import * as MarketplaceStoreMemory from "./MarketplaceStoreMemory.ts"
import * as MemoryDatabase from "./MemoryDatabase.ts"
import * as ShipmentStoreMemory from "./ShipmentStoreMemory.ts"
import * as StockLevelsMemory from "./StockLevelsMemory.ts"

/** Marks a storage that contains companies and locations, for other groups that look them up. */
export class AccessTables extends Context.Service<AccessTables, true>()("@crossdock/storage-memory/AccessTables") {}

/** Marks a storage that contains SKUs, for other groups that look them up. */
export class CatalogTables extends Context.Service<CatalogTables, true>()("@crossdock/storage-memory/CatalogTables") {}

/** Marks the storage whose transactions all groups use. */
export class BaseTables extends Context.Service<BaseTables, true>()("@crossdock/storage-memory/BaseTables") {}

type Database = MemoryDatabase.MemoryDatabase

const group = <Ports, Needs>(layer: Layer.Layer<Ports, never, Needs>): Layer.Layer<Ports, never, Needs | BaseTables> =>
  layer

/** The ports of transactions and idempotency. */
export const base = Layer.mergeAll(
  MemoryDatabase.transactionLayer,
  IdempotencyMemory.layer,
  Layer.succeed(BaseTables, true)
)

/** The ports of companies, locations and accounts. */
export const access = group(
  Layer.mergeAll(DirectoryMemory.layer, DirectoryMemory.signInAttempts, Layer.succeed(AccessTables, true))
)

/** The ports of products and reference data. */
export const catalog = group(Layer.merge(CatalogStoreMemory.layer, Layer.succeed(CatalogTables, true)))

const stockPorts = PortGroup.marked(
  Layer.merge(Layer.effect(Listings, ComposedStock.listings), Layer.effect(SkuStock, ComposedStock.skuStock)).pipe(
    Layer.provideMerge(StockLevelsMemory.layer)
  )
)

/** The ports of stock and prices. They look up locations and SKUs of this storage. */
export const stock: Layer.Layer<
  Layer.Success<typeof stockPorts>,
  never,
  Database | BaseTables | AccessTables | CatalogTables | Directory | ProductStore
> = stockPorts

/** The ports of orders and shipments. */
export const orders = group(ShipmentStoreMemory.layer)

/** The ports of marketplaces and notifications, including the delivery progress of each marketplace. */
export const marketplaces = group(MarketplaceStoreMemory.layer)

const ledgerPorts = Layer.mergeAll(
  AuditStoreMemory.layer,
  EventLogMemory.layer,
  EventEndpointStoreMemory.layer,
  BillingStoreMemory.layer
)

/** The ports of the audit trail, the change feed with its endpoints, and billing. They need this storage's companies. */
export const ledger: Layer.Layer<
  Layer.Success<typeof ledgerPorts>,
  never,
  Database | BaseTables | AccessTables
> = ledgerPorts

/** The database that the groups share. Each time the layer is built, the database is new and empty. */
export const database = MemoryDatabase.layer

const everyPort = Layer.mergeAll(stock, orders, marketplaces, ledger).pipe(
  Layer.provideMerge(Layer.mergeAll(access, catalog)),
  Layer.provideMerge(base),
  Layer.provide(database)
)

/** All ports on one new database. */
export const layer: Layer.Layer<Exclude<Layer.Success<typeof everyPort>, BaseTables | AccessTables | CatalogTables>> =
  everyPort
