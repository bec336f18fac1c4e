/** The suite of laws of each port, and a list of all laws for runtimes without Vitest. */
import type { Directory, SignInAttempts } from "@crossdock/access"
import type { AuditStore, EventLog } from "@crossdock/audit"
import type { BillingStore } from "@crossdock/billing"
import type { CatalogWriteStore, ProductStore, ReferenceStore, SkuShipments, SkuStock } from "@crossdock/catalog"
import type { Listings, StockLevels } from "@crossdock/inventory"
import type { Idempotency, Transaction } from "@crossdock/kernel"
import type { MarketplaceStore } from "@crossdock/marketplaces"
import type { EventEndpointStore, NotificationStore } from "@crossdock/notifications"
import type { OrderStore } from "@crossdock/orders"
import type { PriceStore } from "@crossdock/pricing"
import type { ShipmentStore } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import { auditStoreLaws } from "./AuditStoreLaws.ts"
import { billingStoreLaws } from "./BillingStoreLaws.ts"
import { catalogWriteStoreLaws } from "./CatalogWriteStoreLaws.ts"
import { directoryLaws, signInAttemptsLaws } from "./DirectoryLaws.ts"
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
import { skuShipmentsLaws, skuStockLaws } from "./SkuUseLaws.ts"
import { stockLevelsLaws } from "./StockLevelsLaws.ts"
import { transactionLaws } from "./TransactionLaws.ts"

/** The ports that every write needs. All groups of ports share one `Transaction`, even groups that a host adds. */
export type BasePorts = Transaction.Transaction | Idempotency.Idempotency

/** The ports of companies, locations and accounts. */
export type AccessPorts = Directory | SignInAttempts.SignInAttempts

/** The ports of products and reference data. */
export type CatalogPorts = ReferenceStore | ProductStore | CatalogWriteStore

/** The ports of stock and prices, and of the view that joins them. */
export type StockPorts = StockLevels | PriceStore | Listings | SkuStock

/** The ports of orders and their shipments. */
export type OrderPorts = OrderStore | ShipmentStore | SkuShipments

/** The ports of connected marketplaces, with the progress of each marketplace. */
export type MarketplacePorts = MarketplaceStore | NotificationStore

/** The ports of the audit trail, of the change feed with its endpoints, and of billing. */
export type LedgerPorts = AuditStore | EventLog | EventEndpointStore | BillingStore

/** All ports of a storage. */
export type EveryPort =
  | BasePorts
  | AccessPorts
  | CatalogPorts
  | StockPorts
  | OrderPorts
  | MarketplacePorts
  | LedgerPorts

/** The suite of laws of each port. */
export const suites = {
  Transaction: transactionLaws,
  Idempotency: idempotencyLaws,
  Directory: directoryLaws,
  SignInAttempts: signInAttemptsLaws,
  AuditStore: auditStoreLaws,
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

/** The name of a port that has a suite of laws. */
export type PortName = keyof typeof suites

/** A port, and the other ports that its laws read or write. */
export type PortsOf<Name extends PortName> = Exclude<
  Parameters<(typeof suites)[Name]>[0] extends Laws.Laws<infer Ports> ? Ports : never,
  Seed.Seed
>

/** A law about a port: a sentence, and an effect that fails or dies if it isn't true. The rows that it writes remain. */
export interface Law {
  readonly port: PortName
  readonly sentence: string
  readonly shown: Effect.Effect<void, unknown, EveryPort | Seed.Seed>
}

/** All laws of all ports, in the order of `storageLaws`. Provide the storage's ports and `Seed.layer`. */
export const everyLaw: ReadonlyArray<Law> = Object.entries(suites).flatMap(([port, suite]) => {
  const laws: Array<Law> = []
  const law: Laws.Registration<EveryPort | Seed.Seed> = (sentence, shown) => {
    laws.push({ port: port as PortName, sentence, shown: Effect.scoped(Effect.asVoid(Effect.gen(shown))) })
  }
  suite({ law, concurrent: law })
  return laws
})
