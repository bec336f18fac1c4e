/**
 * The suite that every storage must pass: all ports on one layer.
 */
import type { Directory, SignInAttempts } from "@crossdock/access"
import type { AuditLog } from "@crossdock/audit"
import type { BillingStore } from "@crossdock/billing"
import type { CatalogWriteStore, ProductStore, ProductUse, ReferenceStore } from "@crossdock/catalog"
import type { Listings, StockLevels } from "@crossdock/inventory"
import type { Idempotency, Transaction } from "@crossdock/kernel"
import type { MarketplaceStore } from "@crossdock/marketplaces"
import type { NotificationStore } from "@crossdock/notifications"
import type { OrderStore } from "@crossdock/orders"
import type { PriceStore } from "@crossdock/pricing"
import type { ShipmentStore } from "@crossdock/shipments"
import * as Vitest from "@effect/vitest"
import type * as Layer from "effect/Layer"
import { auditLogLaws } from "./AuditLogLaws.ts"
import { billingStoreLaws } from "./BillingStoreLaws.ts"
import { catalogWriteStoreLaws } from "./CatalogWriteStoreLaws.ts"
import { directoryLaws } from "./DirectoryLaws.ts"
import { idempotencyLaws } from "./IdempotencyLaws.ts"
import * as Laws from "./Laws.ts"
import { listingsLaws } from "./ListingsLaws.ts"
import { marketplaceStoreLaws } from "./MarketplaceStoreLaws.ts"
import { notificationStoreLaws } from "./NotificationStoreLaws.ts"
import { orderStoreLaws } from "./OrderStoreLaws.ts"
import { priceStoreLaws } from "./PriceStoreLaws.ts"
import { productStoreLaws } from "./ProductStoreLaws.ts"
import { productUseLaws } from "./ProductUseLaws.ts"
import { referenceStoreLaws } from "./ReferenceStoreLaws.ts"
import { shipmentStoreLaws } from "./ShipmentStoreLaws.ts"
import { signInAttemptsLaws } from "./SignInAttemptsLaws.ts"
import { stockLevelsLaws } from "./StockLevelsLaws.ts"
import { transactionLaws } from "./TransactionLaws.ts"

/**
 * The laws of each port, to be run on a layer that fills it. A host with a storage of its own for one port runs that
 * port's suite alone.
 */
const suites = {
  Transaction: transactionLaws,
  Idempotency: idempotencyLaws,
  Directory: directoryLaws,
  SignInAttempts: signInAttemptsLaws,
  AuditLog: auditLogLaws,
  BillingStore: billingStoreLaws,
  ReferenceStore: referenceStoreLaws,
  ProductStore: productStoreLaws,
  ProductUse: productUseLaws,
  CatalogWriteStore: catalogWriteStoreLaws,
  StockLevels: stockLevelsLaws,
  PriceStore: priceStoreLaws,
  Listings: listingsLaws,
  ShipmentStore: shipmentStoreLaws,
  MarketplaceStore: marketplaceStoreLaws,
  OrderStore: orderStoreLaws,
  NotificationStore: notificationStoreLaws
}

export type EveryPort =
  | Transaction.Transaction
  | Idempotency.Idempotency
  | Directory
  | SignInAttempts.SignInAttempts
  | AuditLog
  | BillingStore
  | ReferenceStore
  | ProductStore
  | ProductUse
  | CatalogWriteStore
  | StockLevels
  | PriceStore
  | Listings
  | ShipmentStore
  | MarketplaceStore
  | OrderStore
  | NotificationStore

export interface Options {
  /** What the storage documents that it lacks; shown as skipped. */
  readonly lacks?: ReadonlyArray<Laws.Gap>
}

/**
 * Registers every suite for `layer`, which is built once. All names are fresh: the laws may run against a database with
 * data in it, and in several processes at once.
 */
export const storageLaws = <E>(name: string, layer: Layer.Layer<EveryPort, E>, options: Options = {}): void =>
  Vitest.layer(layer, { timeout: "2 minutes", excludeTestServices: true })(`Storage laws: ${name}`, (it) => {
    const laws = Laws.make<EveryPort>(it, options)
    for (const [port, suite] of Object.entries(suites)) Vitest.describe(port, () => suite(laws))
  })
