/**
 * The ports that belong together. Inside a group a storage may join its tables as it likes; between groups everything goes
 * through a port. So a host replaces a whole group with its own tables, and the other groups work with it.
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

/** What every write needs, whichever groups a host fills itself: all groups take part in the one transaction. */
export type BasePorts = Transaction.Transaction | Idempotency.Idempotency

/** Companies, locations, and who may sign in. */
export type AccessPorts = Directory | SignInAttempts.SignInAttempts

/** Products and reference data. */
export type CatalogPorts = ReferenceStore | ProductStore | CatalogWriteStore

/** Stock, prices, and the view that joins them. */
export type StockPorts = StockLevels | PriceStore | Listings | SkuStock

/** Orders and their shipments. */
export type OrderPorts = OrderStore | ShipmentStore | SkuShipments

/** Connected marketplaces, and how far each was notified. */
export type MarketplacePorts = MarketplaceStore | NotificationStore

/** The audit trail, the change feed with the endpoints that receive it, and billing. */
export type LedgerPorts = AuditLog | EventLog | EventEndpointStore | BillingStore

export type EveryPort =
  | BasePorts
  | AccessPorts
  | CatalogPorts
  | StockPorts
  | OrderPorts
  | MarketplacePorts
  | LedgerPorts
