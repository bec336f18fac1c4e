/** Every service of every domain, on a storage and a runtime. */
import type { Directory } from "@crossdock/access"
import { AuditTrail, CompanyWrite, Events } from "@crossdock/audit"
import { Billing, BillingLedger, BillingRun, type PaymentProvider } from "@crossdock/billing"
import { CatalogImport, CatalogWrites, Products, References } from "@crossdock/catalog"
import { ShipmentDocuments } from "@crossdock/documents"
import { UserAgentsBowser } from "@crossdock/http"
import { Inventory } from "@crossdock/inventory"
import { BackgroundLoop, Backlog, Idempotent, Ids, type StorageError } from "@crossdock/kernel"
import { Marketplaces } from "@crossdock/marketplaces"
import { EventDeliveries, EventEndpoints, Notifications, WebhookSecrets } from "@crossdock/notifications"
import { Orders } from "@crossdock/orders"
import { Pricing } from "@crossdock/pricing"
import { Couriers, Shipments } from "@crossdock/shipments"
import * as Layer from "effect/Layer"
import * as Accounts from "./Accounts.ts"
import * as Companies from "./Companies.ts"
import * as EventTypes from "./EventTypes.ts"
import { type Ports, type Runtime, type SecretKeys, secretCipher } from "./Runtime.ts"

/** What the services run on. */
export interface Options<E = never> {
  readonly storage: Layer.Layer<Ports, E>
  readonly runtime: Runtime
  /**
   * Charges invoices. `Layer.succeed(PaymentProvider, PaymentProvider.none)` leaves them open; `PaymentProviderTest.layer`
   * marks them as paid.
   */
  readonly payments: Layer.Layer<PaymentProvider, E | StorageError, Directory>
  /** Who carries a shipment: "Crossdock Courier" unless the host has its own. */
  readonly couriers?: Layer.Layer<Couriers.Couriers, never, Ids.Ids>
  /** Encrypts the secrets of webhooks in the storage. Without it they are stored as they are. */
  readonly secrets?: SecretKeys | undefined
  /** The host's own choices, such as a `BillingPolicy` with the seller of its invoices. */
  readonly policies?: Layer.Layer<never>
}

const domains = Layer.mergeAll(
  Orders.layer,
  Shipments.layer,
  ShipmentDocuments.layer,
  Pricing.layer,
  CatalogImport.layer,
  CatalogWrites.layer,
  Idempotent.layer,
  AuditTrail.layer,
  EventDeliveries.layer,
  EventEndpoints.layer(EventTypes.all),
  WebhookSecrets.layer,
  BillingRun.layer,
  Companies.layer,
  Accounts.layer
).pipe(
  Layer.provideMerge(
    Layer.mergeAll(Inventory.layer, References.layer, Products.layer, Events.layer, Marketplaces.layer, Billing.layer)
  ),
  Layer.provideMerge(Layer.mergeAll(Notifications.layer, BillingLedger.layer)),
  Layer.provideMerge(CompanyWrite.layer)
)

/** All services, with the ports that they use. */
export const layer = <E = never>({
  couriers = Couriers.layer,
  payments,
  policies = Layer.empty,
  runtime,
  secrets,
  storage
}: Options<E>) =>
  Layer.mergeAll(domains, Backlog.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(couriers, runtime.documents, payments)),
    Layer.provideMerge(
      Layer.mergeAll(storage, runtime.hashing, UserAgentsBowser.layer, Ids.layer, BackgroundLoop.registry)
    ),
    // Those who send webhooks decrypt with it as well.
    Layer.provideMerge(secretCipher(runtime, secrets)),
    Layer.provide(policies)
  )

/** Every service and port. */
export type Services = Layer.Success<ReturnType<typeof layer>>
