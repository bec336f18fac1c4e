/**
 * The suites that every storage must pass: all ports of one layer, or one port alone.
 */
import * as Vitest from "@effect/vitest"
import * as Layer from "effect/Layer"
import { auditLogLaws } from "./AuditLogLaws.ts"
import { billingStoreLaws } from "./BillingStoreLaws.ts"
import { catalogWriteStoreLaws } from "./CatalogWriteStoreLaws.ts"
import { directoryLaws } from "./DirectoryLaws.ts"
import { eventLogLaws } from "./EventLogLaws.ts"
import { idempotencyLaws } from "./IdempotencyLaws.ts"
import * as Laws from "./Laws.ts"
import { listingsLaws } from "./ListingsLaws.ts"
import { marketplaceStoreLaws } from "./MarketplaceStoreLaws.ts"
import { notificationStoreLaws } from "./NotificationStoreLaws.ts"
import { orderStoreLaws } from "./OrderStoreLaws.ts"
import type { EveryPort } from "./PortGroups.ts"
import { priceStoreLaws } from "./PriceStoreLaws.ts"
import { productStoreLaws } from "./ProductStoreLaws.ts"
import { referenceStoreLaws } from "./ReferenceStoreLaws.ts"
import * as Seed from "./Seed.ts"
import { shipmentStoreLaws } from "./ShipmentStoreLaws.ts"
import { signInAttemptsLaws } from "./SignInAttemptsLaws.ts"
import { skuShipmentsLaws } from "./SkuShipmentsLaws.ts"
import { skuStockLaws } from "./SkuStockLaws.ts"
import { stockLevelsLaws } from "./StockLevelsLaws.ts"
import { transactionLaws } from "./TransactionLaws.ts"

const suites = {
  Transaction: transactionLaws,
  Idempotency: idempotencyLaws,
  Directory: directoryLaws,
  SignInAttempts: signInAttemptsLaws,
  AuditLog: auditLogLaws,
  EventLog: eventLogLaws,
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

export type PortName = keyof typeof suites

/**
 * The ports that the laws of one port use: that port, and those that its laws read or write besides.
 */
export type PortsOf<Name extends PortName> = Exclude<
  Parameters<(typeof suites)[Name]>[0] extends Laws.Laws<infer Ports> ? Ports : never,
  Seed.Seed
>

export interface Options {
  /** What the storage documents that it lacks; shown as skipped. */
  readonly lacks?: ReadonlyArray<Laws.Gap>
}

const timeouts = { timeout: "2 minutes", excludeTestServices: true } as const

/**
 * Registers every suite for `layer`, which is built once. All names are fresh: the laws may run against a database with
 * data in it, and in several processes at once.
 */
export const storageLaws = <E>(name: string, layer: Layer.Layer<EveryPort, E>, options: Options = {}): void =>
  Vitest.layer(Layer.provideMerge(Seed.layer, layer), timeouts)(`Storage laws: ${name}`, (it) => {
    const laws = Laws.make<EveryPort | Seed.Seed>(it, options)
    for (const [port, suite] of Object.entries(suites)) Vitest.describe(port, () => suite(laws))
  })

/**
 * Registers the suite of one port. `seed` writes the companies, locations and products that the laws work on to wherever
 * the storage reads them.
 */
export const portLaws = <Name extends PortName, E>(
  port: Name,
  layer: Layer.Layer<PortsOf<Name> | Seed.Seed, E>,
  options: Options = {}
): void =>
  Vitest.layer(layer, timeouts)(`Laws of ${port}`, (it) => {
    // The suite of a name takes the laws of that name's ports: TypeScript can't see that the two belong together.
    const suite = suites[port] as (laws: Laws.Laws<PortsOf<Name> | Seed.Seed>) => void
    suite(Laws.make<PortsOf<Name> | Seed.Seed>(it, options))
  })
