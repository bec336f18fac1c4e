/** The services of all domains. They run on a storage and a runtime. */
import type { Directory } from "@crossdock/access"
import { AuditTrail, CompanyWrite, Events } from "@crossdock/audit"
import { Billing, BillingLedger, BillingRun, InvoiceNumber, type PaymentProvider } from "@crossdock/billing"
import type { ProductChanges } from "@crossdock/catalog"
import { CatalogImport, CatalogWrites, CustomFields, Products, References, SkuStock } from "@crossdock/catalog"
import type { OwnPaper, PrintedInvoice, PrintSize, SalesTax, ShippingLabel } from "@crossdock/documents"
import { DocumentTooSlow, OwnPapers, renderingLimits, SalesTaxPolicy, ShipmentDocuments } from "@crossdock/documents"
import { Reply, UserAgentsBowser } from "@crossdock/http"
import { ComposedStock, Inventory, Listings, StockLevels } from "@crossdock/inventory"
import type { StorageError } from "@crossdock/kernel"
import { BackgroundLoop, Backlog, Eventual, Idempotency, Ids, immediate, PortGroup } from "@crossdock/kernel"
import { Marketplaces } from "@crossdock/marketplaces"
import { EventDeliveries, EventEndpoints, Notifications, WebhookSecrets } from "@crossdock/notifications"
import { OrderPricing, Orders } from "@crossdock/orders"
import { PriceStore, type PriceUpdate, Pricing } from "@crossdock/pricing"
import type { OwnReason } from "@crossdock/returns"
import type { InvalidLifecycle } from "@crossdock/shipments"
import { Couriers, extendLifecycle, Lifecycle, PaperNumbers, Shipments } from "@crossdock/shipments"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Accounts from "./Accounts.ts"
import * as Companies from "./Companies.ts"
import * as EventTypes from "./EventTypes.ts"
import * as Hooks from "./Hooks.ts"
import * as OwnFunctions from "./OwnFunctions.ts"
import { type Ports, type Runtime, type SecretKeys, SetupError, secretCipher } from "./Runtime.ts"

/** Draws the host's own form of a document, as text or bytes. */
export interface Drawn<A> extends Omit<OwnPaper<A>, "draw"> {
  draw(papers: ReadonlyArray<A>, size: PrintSize): Eventual.Eventual<string | Uint8Array>
}

/** The parts that the services run on, and the host's own extensions. */
export interface Options<E = never> {
  /** The ports of the storage. `Listings` and `SkuStock` are composed of other ports if the storage lacks them. */
  readonly storage: Layer.Layer<Exclude<Ports, Listings | SkuStock>, E>
  readonly runtime: Runtime
  /** Charges invoices. With `PaymentProvider.none`, invoices stay open. `PaymentProviderTest.layer` marks them as paid. */
  readonly payments: Layer.Layer<PaymentProvider, E | StorageError, Directory>
  /** Assigns the couriers of shipments. By default, "Crossdock Courier" carries all shipments. */
  readonly couriers?: Layer.Layer<Couriers.Couriers, never, Ids.Ids>
  /** Keys that encrypt webhook secrets in the storage. Without keys, the secrets are stored as plain text. */
  readonly secrets?: SecretKeys | undefined
  /** The host's policies, such as a `BillingPolicy` with the seller of its invoices. */
  readonly policies?: Layer.Layer<never>
  /**
   * The lifecycle of shipments, with the host's statuses and moves: docs/guides/extend.md#lifecycle.
   * `lifecycle: extendLifecycle({ transitions: { dp_assigned: { status: { bag_picked: null } } } })`
   */
  readonly lifecycle?: Result.Result<Lifecycle.Table, InvalidLifecycle> | undefined
  /**
   * Additional conditions of moves. See docs/guides/extend.md#guards.
   * `guards: [{ on: ["dispatch", "awbDispatch"], isMet: (_, { at }) => isWorkday(at), says: "…", advice: "…", code: "SUNDAY" }]`
   */
  readonly guards?: ReadonlyArray<Lifecycle.OwnGuard> | undefined
  /**
   * Additional reason codes for failed quality checks and cancellations: docs/guides/extend.md#reasons.
   * `reasons: [{ on: "return", code: 130, reason: "expired" }]`
   */
  readonly reasons?: ReadonlyArray<OwnReason> | undefined
  /**
   * Additional rules of products. A rejected product has all violations at once. See docs/guides/extend.md#products.
   * `productRules: [({ name }) => (name.length > 3 ? [] : [{ code: "NAME_TOO_SHORT", path: "/name", message: "is too short" }])]`
   */
  readonly productRules?: ReadonlyArray<ProductChanges.OwnRule> | undefined
  /**
   * Custom fields, which are declared like attributes: docs/guides/extend.md#custom-fields.
   * `fields: { order: { po_number: { type: "str", maxLength: 40, filter: true }, gift_note: { type: "str", personal: true } } }`
   */
  readonly fields?: CustomFields.Declared | undefined
  /** The taxes on documents, by default India's: `salesTax: { taxNames: () => ["VAT"], placeOfSupply: () => null }` */
  readonly salesTax?: SalesTax | undefined
  /**
   * The host's labels and invoices, which replace the PDFs: docs/guides/extend.md#papers.
   * `documents: { labels: { mimeType: "application/zpl", extension: "zpl", draw: (labels) => labels.map(zplOf).join("") } }`
   */
  readonly documents?: { readonly labels?: Drawn<ShippingLabel>; readonly invoice?: Drawn<PrintedInvoice> } | undefined
  /** Allows selling prices above the MRP: `prices: { espMayExceedMrp: true }` */
  readonly prices?: PriceUpdate.PricingPolicy | undefined
  /**
   * Charges that the host adds to orders, in minor units: docs/guides/extend.md#charges.
   * `charges: (order, total) => (order.payment.mode === "COD" ? [{ name: "Cash on delivery", amount: 4000 }] : [])`
   */
  readonly charges?: OrderPricing.ChargesOf | undefined
  /** The host's ids, in our form: 20 digits that grow, and 24 hex characters. `ids: Layer.effect(Ids.Ids, myIds)` */
  readonly ids?: Layer.Layer<Ids.Ids> | undefined
  /**
   * The form of numbers: docs/guides/extend.md#numbers-of-papers. `invoice` makes the number of a company's nth invoice of a
   * year, and all must be different. `papers` returns the series of a seller's invoice or credit note.
   *
   * ```ts
   * numbering: {
   *   invoice: (year, nth) => `EU/${year}/${nth}`,
   *   papers: ({ at, kind, location }) => `${kind === "sale" ? "R" : "G"}-${location}-${new Date(at).getUTCFullYear()}-`
   * }
   * ```
   */
  readonly numbering?:
    | { readonly invoice?: (year: number, nth: number) => string; readonly papers?: PaperNumbers.SeriesOf }
    | undefined
  /**
   * The host's work before and after writes, in their transaction: docs/guides/extend.md#hooks.
   * `hooks: [{ on: "place", before: ({ records: [order] }) => isBlocked(order) ? { code: "BLOCKED", message: "…" } : undefined }]`
   */
  readonly hooks?: ReadonlyArray<Hooks.AnyHook> | undefined
}

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
          Effect.map(OwnFunctions.guards),
          Effect.mapError(
            ({ faults }) => new SetupError({ message: `lifecycle, guards or reasons: ${faults.join("; ")}` })
          )
        )
      )

const isPaper = (paper: unknown) => (Predicate.isString(paper) || paper instanceof Uint8Array) && paper.length > 0

const paperOf = <A>(drawn: Drawn<A>): OwnPaper<A> => ({
  ...drawn,
  draw: (papers, size) =>
    Eventual.of(() => drawn.draw(papers, size)).pipe(
      Effect.map((paper) => immediate(paper, isPaper, "draw must return a text or bytes, and not none")),
      Effect.map((paper) => (typeof paper === "string" ? new TextEncoder().encode(paper) : paper)),
      Effect.timeoutOrElse({ duration: renderingLimits.time, orElse: () => new DocumentTooSlow({ seconds: 20 }) })
    )
})

const given = <S>(policy: Context.Reference<S>, value: S | undefined) =>
  value === undefined ? Layer.empty : Layer.succeed(policy, value)

/** The host's own ids, after a check that they have our form. */
const checkedIds = (ids: Layer.Layer<Ids.Ids>) =>
  Layer.effect(
    Ids.Ids,
    Effect.gen(function* () {
      const own = yield* Ids.Ids
      const [first = "", second = ""] = yield* own.decimals(2)
      const isGrowing = [first, second].every((one) => /^\d{20}$/.test(one)) && first < second
      return isGrowing && /^[0-9a-f]{24}$/.test(yield* own.hex)
        ? own
        : yield* new SetupError({ message: "ids must give decimals of 20 digits that grow, and hex of 24 characters" })
    })
  ).pipe(Layer.provide(ids))

/** The storage's own port if it reads the rows of `StockLevels` and `PriceStore`. Otherwise, the composed one. */
const readerOf = <I, S, E, R>(port: Context.Service<I, S>, composed: Effect.Effect<S, E, R>) =>
  Layer.effect(
    port,
    Effect.flatMap(
      PortGroup.isReader(port, [StockLevels, PriceStore]),
      (isReader): Effect.Effect<S, E, R> =>
        // `getUnsafe` can't fail, because `isReader` has already found the port.
        isReader ? Effect.map(Effect.context(), (context) => Context.getUnsafe(context, port)) : composed
    )
  )

/** Provides `Listings` and `SkuStock`: those of the storage if they read its rows, and otherwise composed ones. */
export const readers = Layer.merge(
  readerOf(Listings, ComposedStock.listings),
  readerOf(SkuStock, ComposedStock.skuStock)
)

const domains = Layer.mergeAll(
  Orders.layer,
  Shipments.layer,
  ShipmentDocuments.layer,
  Pricing.layer,
  CatalogImport.layer,
  CatalogWrites.layer,
  Idempotency.layer,
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

/** All services, and the ports that they use. */
export const layer = <E = never>(options: Options<E>) => {
  const { charges, documents, fields, hooks = [], ids, numbering, runtime, salesTax } = options
  const { invoice, labels } = documents ?? {}
  const papers = { ...(invoice && { invoice: paperOf(invoice) }), ...(labels && { labels: paperOf(labels) }) }
  return (hooks.length === 0 ? domains : Layer.provideMerge(Hooks.layer(hooks), domains)).pipe(
    Layer.merge(Backlog.layer),
    Layer.provideMerge(Layer.mergeAll(options.couriers ?? Couriers.layer, runtime.documents, options.payments)),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.provideMerge(readers, options.storage),
        runtime.hashing,
        UserAgentsBowser.layer,
        ids === undefined ? Ids.layer : checkedIds(ids),
        BackgroundLoop.registry
      )
    ),
    Layer.provideMerge(secretCipher(runtime, options.secrets)),
    Layer.provideMerge(hooks.length === 0 ? Layer.empty : Layer.succeed(Reply.Rehearsed, Hooks.rehearsed(hooks))),
    Layer.provideMerge(lifecycleOf(options)),
    Layer.provideMerge(given(PaperNumbers.Series, numbering?.papers)),
    Layer.provideMerge(given(OwnPapers, documents && papers)),
    Layer.provideMerge(given(CustomFields.Policy, fields && CustomFields.make(fields))),
    Layer.provide([
      given(CatalogWrites.OwnRules, options.productRules?.map(OwnFunctions.productRule)),
      given(SalesTaxPolicy, salesTax && OwnFunctions.salesTax(salesTax)),
      given(Pricing.Policy, options.prices),
      given(OrderPricing.Charges, charges && OwnFunctions.charges(charges)),
      given(InvoiceNumber, numbering?.invoice && OwnFunctions.invoiceNumber(numbering.invoice))
    ]),
    Layer.provide(options.policies ?? Layer.empty)
  )
}

/** All services and ports. */
export type Services = Layer.Success<ReturnType<typeof layer>>
