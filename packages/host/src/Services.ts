/** Every service of every domain, on a storage and a runtime. */
import type { Directory } from "@crossdock/access"
import { AuditTrail, CompanyWrite, Events } from "@crossdock/audit"
import { Billing, BillingLedger, BillingRun, type PaymentProvider } from "@crossdock/billing"
import { CatalogImport, CatalogWrites, type ProductChanges, Products, References } from "@crossdock/catalog"
import { ShipmentDocuments } from "@crossdock/documents"
import { Reply, UserAgentsBowser } from "@crossdock/http"
import { Inventory } from "@crossdock/inventory"
import { BackgroundLoop, Backlog, Idempotent, Ids, type StorageError } from "@crossdock/kernel"
import { Marketplaces } from "@crossdock/marketplaces"
import { EventDeliveries, EventEndpoints, Notifications, WebhookSecrets } from "@crossdock/notifications"
import { Orders } from "@crossdock/orders"
import { Pricing } from "@crossdock/pricing"
import type { OwnReason } from "@crossdock/returns"
import { Couriers, extendLifecycle, type InvalidLifecycle, Lifecycle, Shipments } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Accounts from "./Accounts.ts"
import * as Companies from "./Companies.ts"
import * as EventTypes from "./EventTypes.ts"
import * as Hooks from "./Hooks.ts"
import { type Ports, type Runtime, type SecretKeys, SetupError, secretCipher } from "./Runtime.ts"

/** What the services run on. */
export interface Options<E = never> {
  readonly storage: Layer.Layer<Ports, E>
  readonly runtime: Runtime
  /** Charges invoices: `PaymentProvider.none` leaves them open, `PaymentProviderTest.layer` marks them as paid. */
  readonly payments: Layer.Layer<PaymentProvider, E | StorageError, Directory>
  /** Who carries a shipment: "Crossdock Courier" unless the host has its own. */
  readonly couriers?: Layer.Layer<Couriers.Couriers, never, Ids.Ids>
  /** Encrypts the secrets of webhooks in the storage. Without it they are stored as they are. */
  readonly secrets?: SecretKeys | undefined
  /** The host's own choices, such as a `BillingPolicy` with the seller of its invoices. */
  readonly policies?: Layer.Layer<never>
  /** The shipments' lifecycle with the host's statuses and moves, `extendLifecycle({ … })`; ours by default. */
  readonly lifecycle?: Result.Result<Lifecycle.Table, InvalidLifecycle> | undefined
  /**
   * Further conditions of moves: docs/guides/extend.md#guards.
   *
   * ```ts
   * guards: [{ on: "dispatch", isMet: (_, { at }) => isWorkday(at), says: "…", advice: "…", code: "SUNDAY" }]
   * ```
   */
  readonly guards?: ReadonlyArray<Lifecycle.OwnGuard> | undefined
  /**
   * Reason codes of failed quality checks and of cancellations, by company and time if given: docs/guides/extend.md#reasons.
   *
   * ```ts
   * reasons: [{ on: "return", code: 130, reason: "expired" }]
   * ```
   */
  readonly reasons?: ReadonlyArray<OwnReason> | undefined
  /**
   * Further rules of products, which are rejected with all violations at once: docs/guides/extend.md#products.
   *
   * ```ts
   * productRules: [({ name }) => (name.length > 3 ? [] : [{ code: "NAME_TOO_SHORT", path: "/name", message: "is too short" }])]
   * ```
   */
  readonly productRules?: ReadonlyArray<ProductChanges.OwnRule> | undefined
  /** Work of the host's around orders, moves, stock, prices and products, in their transactions: docs/guides/extend.md#hooks. */
  readonly hooks?: ReadonlyArray<Hooks.AnyHook> | undefined
}

/** The lifecycle of these options. */
const lifecycleOf = ({ guards = [], lifecycle, reasons = [] }: Pick<Options, "guards" | "lifecycle" | "reasons">) =>
  guards.length === 0 && reasons.length === 0 && lifecycle === undefined
    ? Layer.empty
    : Layer.effect(
        Shipments.Policy,
        Effect.fromResult(
          Result.flatMap(lifecycle ?? Result.succeed(Lifecycle.standard), (base) =>
            extendLifecycle({ guards, reasons }, base)
          )
        ).pipe(
          Effect.mapError(
            ({ faults }) => new SetupError({ message: `lifecycle, guards or reasons: ${faults.join("; ")}` })
          )
        )
      )

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
  guards,
  hooks = [],
  lifecycle,
  payments,
  policies = Layer.empty,
  productRules,
  reasons,
  runtime,
  secrets,
  storage
}: Options<E>) =>
  (hooks.length === 0 ? domains : Layer.provideMerge(Hooks.layer(hooks), domains)).pipe(
    Layer.merge(Backlog.layer),
    Layer.provideMerge(Layer.mergeAll(couriers, runtime.documents, payments)),
    Layer.provideMerge(
      Layer.mergeAll(storage, runtime.hashing, UserAgentsBowser.layer, Ids.layer, BackgroundLoop.registry)
    ),
    // Those who send webhooks decrypt with it as well.
    Layer.provideMerge(secretCipher(runtime, secrets)),
    Layer.provideMerge(hooks.length === 0 ? Layer.empty : Layer.succeed(Reply.Rehearsed, Hooks.rehearsed(hooks))),
    Layer.provide(lifecycleOf({ guards, lifecycle, reasons })),
    Layer.provide(productRules === undefined ? Layer.empty : Layer.succeed(CatalogWrites.OwnRules, productRules)),
    Layer.provide(policies)
  )

/** Every service and port. */
export type Services = Layer.Success<ReturnType<typeof layer>>
