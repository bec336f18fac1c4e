/**
 * Every port that a storage fills.
 */
import type { Directory, SignInAttempts } from "@crossdock/access"
import type { AuditLog, EventLog } from "@crossdock/audit"
import type { BillingStore } from "@crossdock/billing"
import type { CatalogWriteStore, ProductStore, ReferenceStore, SkuShipments, SkuStock } from "@crossdock/catalog"
import type { Listings, StockLevels } from "@crossdock/inventory"
import type { Idempotency, Transaction } from "@crossdock/kernel"
import type { MarketplaceStore } from "@crossdock/marketplaces"
import type { EventEndpointStore, NotificationStore } from "@crossdock/notifications"
import type { OrderStore } from "@crossdock/orders"
import type { PriceStore } from "@crossdock/pricing"
import type { ShipmentStore } from "@crossdock/shipments"

/**
 * What `StorageMemory.layer` and `StorageSql.layer` provide. A host with tables of its own replaces whole groups of them:
 * docs/guides/existing-backend.md.
 */
export type Ports =
  | Transaction.Transaction
  | Idempotency.Idempotency
  | Directory
  | SignInAttempts.SignInAttempts
  | ProductStore
  | ReferenceStore
  | CatalogWriteStore
  | SkuStock
  | SkuShipments
  | StockLevels
  | Listings
  | PriceStore
  | OrderStore
  | ShipmentStore
  | MarketplaceStore
  | NotificationStore
  | AuditLog
  | EventLog
  | EventEndpointStore
  | BillingStore
