/**
 * The host: puts storage, services, background work and the three interfaces together.
 */

// Compiles schemas from here on, which decodes a bulk of 500 records in a third of the time.
import "effect/schema/SchemaJITCompiler/enable"
import { randomBytes } from "node:crypto"
import { createServer, type Server } from "node:http"
import { Access, Directory } from "@crossdock/access"
import { AuditTrail, CompanyWrite } from "@crossdock/audit"
import {
  Billing,
  BillingLedger,
  BillingPolicy,
  BillingRun,
  BillingWorker,
  PaymentProviderTest
} from "@crossdock/billing"
import {
  CatalogImport,
  References as CatalogReferences,
  CatalogWorker,
  CatalogWrites,
  Products
} from "@crossdock/catalog"
import { DigestNode, LinkSignerHmac, NonceNode, PasswordHashScrypt, TokenCodecJose } from "@crossdock/crypto"
import { ShipmentDocuments } from "@crossdock/documents"
import { DocumentRendererNode } from "@crossdock/documents/node"
import {
  AdminApi,
  DocumentLinks,
  Edge,
  HealthApi,
  HttpPolicy,
  InvoiceDocuments,
  isSecretPath,
  MarketplaceApi,
  MarketplaceHttp,
  PlatformApi,
  PlatformHttp,
  QueryCredentials,
  Reply,
  SellerApi,
  SellerHttp,
  SystemHttp,
  UserAgentsBowser
} from "@crossdock/http"
import { Inventory } from "@crossdock/inventory"
import { BackgroundLoops, Ids } from "@crossdock/kernel"
import { Notifications, WebhookWorker } from "@crossdock/notifications"
import { WebhookSenderNode } from "@crossdock/notifications/node"
import { Orders } from "@crossdock/orders"
import { Pricing } from "@crossdock/pricing"
import { Couriers, Shipments } from "@crossdock/shipments"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer, Option, Redacted, References } from "effect"
import { HttpMiddleware, HttpRouter, HttpServer } from "effect/http"
import * as RetentionRules from "./RetentionRules.ts"
import * as Sandbox from "./Sandbox.ts"
import * as SandboxBilling from "./SandboxBilling.ts"
import { isSandbox, type Settings } from "./Settings.ts"
import * as StartFailure from "./StartFailure.ts"
import * as Storage from "./Storage.ts"

const apis = [SellerApi, MarketplaceApi, PlatformApi, HealthApi]

const services = Layer.mergeAll(
  Orders.layer,
  Notifications.layer,
  Shipments.layer,
  ShipmentDocuments.layer,
  Pricing.layer,
  CatalogImport.layer,
  CatalogWrites.layer,
  Reply.layer,
  AuditTrail.layer,
  Billing.layer,
  BillingRun.layer
).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Inventory.layer,
      Couriers.layer,
      CatalogReferences.layer,
      Products.layer,
      BillingLedger.layer,
      PaymentProviderTest.layer,
      DocumentRendererNode.layer({ warmAfter: "1 second" })
    )
  ),
  Layer.provideMerge(CompanyWrite.layer)
)

const addressAt = ({ host }: Settings, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`

/** A server of HTTP always has a port. */
const portOf = Effect.map(HttpServer.HttpServer, ({ address }) => ("port" in address ? address.port : 0))

/**
 * The address that the host listens on.
 */
export const address = (settings: Settings): Effect.Effect<string, never, HttpServer.HttpServer> =>
  Effect.map(portOf, (port) => addressAt(settings, port))

/**
 * The address by which callers reach the host, which listens on `port`.
 */
const publicUrlAt = (settings: Settings, port: number): string =>
  Option.getOrElse(settings.publicUrl, () => addressAt(settings, port))

/**
 * Where the `docs` of error bodies lead: as chosen, or else to this host's own pages, unless they are on a port of their own
 * or the host doesn't know its address. It listens on `port`.
 */
export const docsUrlAt = (settings: Settings, port: number): string =>
  Option.getOrElse(settings.docsUrl, () => {
    const isKnown = Option.isSome(settings.publicUrl) || !["0.0.0.0", "::"].includes(settings.host)
    return isKnown && Option.isNone(settings.adminPort) ? `${publicUrlAt(settings, port)}/docs` : ""
  })

const loadSandbox = ({ sandboxWebhookSecret, sandboxWebhookUrl }: Settings) => {
  const webhook = Option.map(sandboxWebhookUrl, (url) => ({
    url,
    secret: Redacted.value(sandboxWebhookSecret),
    retiring: null,
    authentication: { type: "none" as const }
  }))
  return Effect.andThen(SandboxBilling.load, Sandbox.load(Option.getOrNull(webhook)))
}

/** Without the user, password and options of a server's URL. */
const storageName = (url: string): string => {
  const { host, pathname, protocol } = new URL(url)
  return host === "" ? url : `${protocol}//${host}${pathname}`
}

/**
 * Logs where the host listens and what it serves, and warns of accounts that anybody knows, and of none at all.
 */
const announced = (
  settings: Settings,
  { hasOwnIntegrations, sandbox }: { readonly sandbox: boolean; readonly hasOwnIntegrations: boolean }
) =>
  Effect.gen(function* () {
    const storage = storageName(settings.databaseUrl)
    yield* Effect.logInfo("The host starts").pipe(
      Effect.annotateLogs({ address: yield* address(settings), storage, sandbox })
    )
    if (sandbox) {
      yield* Effect.logWarning("The sandbox is on: anybody knows its passwords. Set SANDBOX=0 to reject its accounts.")
    } else if (!hasOwnIntegrations) {
      yield* Effect.logWarning(
        "The database has no accounts: nobody can sign in. Create some with `Directory` (docs/guides/build-a-host.md), " +
          "register marketplaces with `npm run admin -- register`, or set SANDBOX=1 to try the sandbox."
      )
    }
  })

/**
 * The interfaces and background work, on all services.
 */
const application = (settings: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const directory = yield* Directory
      const hasOwnIntegrations = yield* directory.hasOwnIntegrations
      const sandbox = isSandbox(settings, hasOwnIntegrations)
      if (sandbox) yield* loadSandbox(settings)
      yield* announced(settings, { sandbox, hasOwnIntegrations })
      const kept = yield* directory.secret("token", randomBytes(32).toString("base64"))
      const secret = Option.getOrElse(settings.tokenSecret, () => Redacted.make(kept))
      const previous = Option.toArray(settings.tokenSecretPrevious)
      const allowPrivate = Option.getOrElse(settings.webhookAllowPrivate, () => sandbox)
      const background = Layer.mergeAll(
        WebhookWorker.layer().pipe(Layer.provide(WebhookSenderNode.layer({ allowPrivate }))),
        CatalogWorker.layer(),
        RetentionRules.layer(settings)
      )
      const publicUrl = publicUrlAt(settings, yield* portOf)
      return Layer.mergeAll(
        SellerHttp.layer,
        MarketplaceHttp.layer,
        PlatformHttp.layer,
        SystemHttp.health,
        background,
        BillingWorker.layer()
      ).pipe(
        Layer.provide(Layer.merge(DocumentLinks.layer(publicUrl), InvoiceDocuments.layer(publicUrl))),
        Layer.provide(Access.layer({ sandbox })),
        Layer.provide(Layer.merge(TokenCodecJose.layer(secret, previous), LinkSignerHmac.layer(secret, previous)))
      )
    })
  ).pipe(Layer.provide(services))

/** The rest of the policy stays as it is. */
const billingPolicy = ({ invoiceSeller: seller }: Settings) =>
  Layer.effect(
    BillingPolicy,
    Effect.map(BillingPolicy, (rules) => ({ ...rules, seller }))
  )

export interface Options {
  /** Without one nothing is traced. */
  readonly tracer?: Layer.Layer<never>
  /** How dear it is to hash a password; the recommended cost unless a test wants it cheap. */
  readonly passwordCost?: PasswordHashScrypt.Cost
}

const ground = (settings: Settings, { passwordCost }: Options) =>
  Layer.mergeAll(
    Storage.layer(settings.databaseUrl, settings.databasePool),
    PasswordHashScrypt.layer(passwordCost),
    DigestNode.layer,
    NonceNode.layer,
    UserAgentsBowser.layer,
    Ids.layer,
    BackgroundLoops.layer
  )

/**
 * Without a tracer, spans would cost a tenth of a request for nothing.
 */
const untraced = Layer.succeed(References.TracerEnabled, false)

/**
 * Traces contain the path, and the path of a confirm page is a secret.
 */
const exceptSecretPaths = Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url }) => isSecretPath(url))

const listening = ({ host, port }: Settings, server: Server) => {
  const listens = NodeHttpServer.layer(() => server, { port, host })
  return Layer.catchTag(listens, "ServeError", ({ cause }) => {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "error"
    const message =
      code === "EADDRINUSE"
        ? `Port ${port} of ${host} is in use: stop the program that uses it, or set another PORT`
        : `The host can't listen on port ${port} of ${host} (${code}): set another HOST or PORT`
    return StartFailure.layer<Layer.Success<typeof listens>>(new StartFailure.StartFailure({ message, cause }))
  })
}

const serving = {
  disableLogger: true,
  disableListenLog: true,
  routerConfig: Edge.routerConfig
} as const

/** Metrics and documents on a port of their own, with nothing of the rest. */
const adminLayer = (settings: Settings, port: number) =>
  HttpRouter.serve(
    Layer.merge(SystemHttp.admin, Edge.layer([AdminApi], { pages: SystemHttp.pages, allowances: settings.allowances })),
    serving
  ).pipe(Layer.provide(listening({ ...settings, port }, createServer())), Layer.fresh)

export const layer = (settings: Settings, server: Server, options: Options = {}) => {
  const { tracer } = options
  const { adminPort, allowances } = settings
  const tracing = tracer === undefined ? untraced : Layer.merge(tracer, exceptSecretPaths)
  const ownAdmin = Option.isSome(adminPort)
  const edge = ownAdmin
    ? Edge.layer(apis, { allowances })
    : Layer.merge(SystemHttp.admin, Edge.layer([...apis, AdminApi], { pages: SystemHttp.pages, allowances }))
  const routes = Layer.merge(application(settings), edge).pipe(
    Layer.provide(ground(settings, options)),
    Layer.provide(billingPolicy(settings)),
    Layer.provide(
      Layer.effect(
        HttpPolicy,
        Effect.map(portOf, (port) => ({
          trustProxy: settings.trustProxy,
          queryCredentials: settings.queryCredentials,
          lenientQuery: settings.lenientQuery,
          publicUrl: publicUrlAt(settings, port),
          docsUrl: docsUrlAt(settings, port)
        }))
      )
    )
  )
  const main = HttpRouter.serve(routes, serving).pipe(
    Layer.provide(Layer.merge(QueryCredentials.redaction, tracing)),
    Layer.provideMerge(listening(settings, server))
  )
  return ownAdmin ? Layer.merge(main, Layer.provide(adminLayer(settings, adminPort.value), tracing)) : main
}
