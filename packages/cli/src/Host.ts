/** The host, which combines storage, services, background work and the interfaces. */
import "effect/schema/SchemaJITCompiler/enable"
import type { Server } from "node:http"
import { createRequire } from "node:module"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { fileURLToPath } from "node:url"
import { Directory } from "@crossdock/access"
import { BillingPolicy } from "@crossdock/billing"
import { Console } from "@crossdock/console"
import type { ScryptCost } from "@crossdock/crypto"
import { Findings, Routes, type Runtime, Services, Workers } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { AdminApi, Edge, HttpPolicy, SystemHttp } from "@crossdock/http"
import { BackgroundLoop, Idempotency, Metrics } from "@crossdock/kernel"
import { UnitTimeout } from "@crossdock/storage-sql"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Duration, Effect, FileSystem, Layer, Metric, Option, Redacted, References, Tracer } from "effect"
import { HttpMiddleware, HttpRouter, HttpServer, HttpStaticServer } from "effect/http"
import { failing, StartFailure } from "./CommandFailure.ts"
import * as DatabaseClock from "./DatabaseClock.ts"
import * as Payments from "./Payments.ts"
import * as Retention from "./Retention.ts"
import * as Sandbox from "./Sandbox.ts"
import * as SandboxClock from "./SandboxClock.ts"
import * as SandboxDay from "./SandboxDay.ts"
import { isPublic, isSandbox, isSandboxAlone, type Settings } from "./Settings.ts"
import * as Storage from "./Storage.ts"
import * as StoredSecrets from "./StoredSecrets.ts"
import type { Environment } from "./Terminal.ts"

/** The release of the command `crossdock` and its host. */
export const { version } = createRequire(import.meta.url)("../package.json") as { readonly version: string }

const siteFolder = fileURLToPath(new URL("../site", import.meta.url))

/** The documentation site in the package. Without it, the host serves a list of pages at the site's address. */
const site = Layer.effect(
  SystemHttp.Site,
  Effect.flatMap(FileSystem.FileSystem, ({ exists }) =>
    Effect.flatMap(exists(siteFolder), (isMade) =>
      isMade ? HttpStaticServer.make({ root: siteFolder }) : Effect.undefined
    )
  )
)

const addressAt = ({ host }: Settings, port: number) => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

/** The port of the server. An HTTP server always has one. */
const portOf = Effect.map(HttpServer.HttpServer, ({ address }) => ("port" in address ? address.port : 0))

export const address = (settings: Settings): Effect.Effect<string, never, HttpServer.HttpServer> =>
  Effect.map(portOf, (port) => addressAt(settings, port))

/** The address by which callers reach the host on `port`. */
const publicUrlAt = (settings: Settings, port: number): string =>
  Option.getOrElse(settings.publicUrl, () => addressAt(settings, port))

/** The address to which `docs` in error bodies leads: by default this host's own pages, if callers know their address. */
export const docsUrlAt = (settings: Settings, port: number): string =>
  Option.getOrElse(settings.docsUrl, () => {
    const isKnown = Option.isSome(settings.publicUrl) || !["0.0.0.0", "::"].includes(settings.host)
    return isKnown && Option.isNone(settings.adminPort) ? `${publicUrlAt(settings, port)}/docs` : ""
  })

const hasConsole = (settings: Settings, sandbox: boolean): boolean =>
  Option.getOrElse(settings.console, () => sandbox && !isPublic(settings))

/** The console's address for a host on `port`. Empty if there is no console, or if its address isn't known. */
export const consoleUrl = (settings: Settings, sandbox: boolean, port: number): string => {
  if (!hasConsole(settings, sandbox)) return ""
  const url = Option.match(settings.adminPort, {
    onNone: () => publicUrlAt(settings, port),
    onSome: (admin) => (admin === 0 ? "" : addressAt(settings, admin))
  })
  return url && `${url}/console`
}

/** Makes the console. It offers the sandbox's accounts, whose passwords are public, only to callers on this machine. */
const consoleOf = (settings: Settings, contents: Contents) =>
  hasConsole(settings, contents.sandbox)
    ? Console.make({
        logins:
          contents.sandbox && !isPublic(settings)
            ? Sandbox.loginsOf(isSandboxAlone(settings, contents.hasOwnIntegrations))
            : [],
        ...(Option.isSome(settings.adminPort) && { url: addressAt(settings, settings.adminPort.value) })
      })
    : undefined

const loadSandbox = ({ sandbox, sandboxWebhookSecret, sandboxWebhookUrl }: Settings) => {
  const secret = Redacted.value(sandboxWebhookSecret)
  const authentication = { type: "none" } as const
  const webhook = Option.map(sandboxWebhookUrl, (url) => ({ url, secret, retiring: null, authentication }))
  return Effect.andThen(
    Sandbox.loadBilling,
    Sandbox.load(Option.getOrNull(webhook), Option.contains(sandbox, "day") ? SandboxDay.load : undefined)
  )
}

/** Logs the host's address, storage and payments. Warns if accounts have public passwords, and if there are no accounts. */
const announced = Effect.fnUntraced(function* (settings: Settings, { hasOwnIntegrations, sandbox }: Contents) {
  const [storage, payments] = [Storage.nameOf(settings.databaseUrl), Payments.nameOf(settings, hasOwnIntegrations)]
  const annotations = { address: yield* address(settings), storage, sandbox, payments }
  yield* Effect.annotateLogs(Effect.logInfo("The host starts"), annotations)
  if (sandbox) {
    yield* Effect.logWarning("The sandbox is on, and its passwords are public. Set SANDBOX=0 to reject its accounts.")
  } else if (!hasOwnIntegrations) {
    yield* Effect.logWarning(
      "The database has no accounts to sign in with. Add some with `crossdock seller add` and `crossdock marketplace " +
        "add`, or set SANDBOX=1 to try the sandbox."
    )
  }
})

export interface Options {
  /** The tracer. Without one, nothing is traced. */
  readonly tracer?: Layer.Layer<never>
  /** The cost of hashing a password. The recommended cost is the default, and tests use a low one. */
  readonly passwordCost?: ScryptCost
  /** The variables of the environment that `crossdock doctor` checks. */
  readonly environment?: Environment
}

/** Turns spans off, outside requests and wherever there is no tracer. Spans cost a tenth of a request's time. */
const untraced = Layer.succeed(References.TracerEnabled, false)

/** Omits the query of a URL from traces, as the log does, because the query may contain personal data. */
const withoutQuery = Layer.effect(
  Tracer.Tracer,
  Effect.map(Tracer.Tracer, (tracer) =>
    Tracer.make({
      ...tracer,
      span: (options) => {
        const span = tracer.span(options)
        const note = span.attribute.bind(span)
        return Object.assign(span, {
          attribute: (key: string, value: unknown) => {
            if (key !== "url.query") note(key, key === "url.full" ? String(value).replace(/\?.*$/s, "") : value)
          }
        })
      }
    })
  )
)

/** Keeps secrets and noise out of traces: requests with a secret path, such as a confirm page, and health checks. */
const discreet = Layer.merge(
  Layer.succeed(
    HttpMiddleware.TracerDisabledWhen,
    ({ url }) => Edge.isSecretPath(url) || /^\/(health\/|metrics$)/.test(url)
  ),
  withoutQuery
)

/** The time limit of the storage, and the concurrency of background work. */
const bounds = ({ databaseTimeout, workersAtOnce }: Settings) =>
  Layer.mergeAll(
    Layer.succeed(UnitTimeout, Duration.seconds(databaseTimeout)),
    Layer.succeed(Idempotency.Claim, Math.max(Idempotency.claimMillis, (databaseTimeout + 3) * 1_000)),
    Layer.succeed(BackgroundLoop.Concurrency, workersAtOnce)
  )

/** Lets requests add to the host's context without copying it, since a copy would cost more than a small request. */
const sharedContext = Layer.effect(
  HttpServer.HttpServer,
  Effect.map(HttpServer.HttpServer, ({ address, serve }) =>
    HttpServer.make({
      address,
      serve: (app, middleware) =>
        Effect.updateContext(middleware === undefined ? serve(app) : serve(app, middleware), ({ mapUnsafe }) =>
          Context.makeUnsafe(mapUnsafe, { maxDepth: 32 })
        )
    })
  )
)

const listening = ({ host, port }: Settings, server: Server) => {
  const listens = Layer.provideMerge(
    sharedContext,
    NodeHttpServer.layer(() => server, { port, host })
  )
  return Layer.catchTag(listens, "ServeError", ({ cause }) => {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "error"
    const message =
      code === "EADDRINUSE"
        ? `Port ${port} of ${host} is in use: stop the process that uses it, or set another PORT`
        : `The host can't listen on port ${port} of ${host} (${code}): set another HOST or PORT`
    return failing<Layer.Success<typeof listens>>(new StartFailure({ message, cause }))
  })
}

/** Milliseconds between two samples of the event loop. The histogram contains this interval, so it is subtracted. */
const resolution = 20

const seconds = (nanos: number): number => Math.max(0, nanos / 1e9 - resolution / 1e3)

/** Updates the metrics of the process. Each reading of the event loop's delay covers the time since the last reading. */
const processMetrics: Layer.Layer<never> = Layer.effectDiscard(
  Effect.gen(function* () {
    const delay = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const histogram = monitorEventLoopDelay({ resolution })
        histogram.enable()
        return histogram
      }),
      (histogram) => Effect.sync(() => histogram.disable())
    )
    const { add } = yield* Metrics.Gauges
    let counted = 0
    yield* Metric.update(Metrics.release.at({ release: version }), 1)
    yield* add(
      Effect.gen(function* () {
        for (const [quantile, percent] of Object.entries({ "0.5": 50, "0.99": 99, "1": 100 })) {
          // Before the first measurement, the histogram has no percentiles.
          const value = delay.count === 0 ? 0 : seconds(delay.percentile(percent))
          yield* Metric.update(Metrics.eventLoopDelay.at({ quantile }), value)
        }
        delay.reset()
        const { system, user } = process.cpuUsage()
        yield* Metric.update(Metrics.cpuTime.at({}), (system + user) / 1e6 - counted)
        counted = (system + user) / 1e6
        yield* Metric.update(Metrics.residentMemory.at({}), process.memoryUsage.rss())
      })
    )
  })
)

const serving = { disableLogger: true, disableListenLog: true, routerConfig: Edge.routerConfig } as const

/** A separate memo map, so that each port has its own router. With a shared router, both would serve the same routes. */
const ownLayers = Layer.effect(Layer.CurrentMemoMap, Layer.makeMemoMap)

/**
 * Serves metrics, documents and the console on a port of their own. The documents name the address of the interfaces. The
 * console calls the interfaces at its own address, so a port with the console has all routes.
 */
const adminLayer = (settings: Settings, runtime: Runtime, contents: Contents, port: number, server: Server) =>
  Layer.unwrap(
    Effect.map(portOf, (main) => {
      const policy = Effect.map(HttpPolicy, (rules) => ({
        ...rules,
        publicUrl: publicUrlAt(settings, main),
        docsUrl: docsUrlAt(settings, main)
      }))
      const edge = Edge.layer([AdminApi], { pages: SystemHttp.pages, allowances: settings.allowances })
      const console = consoleOf(settings, contents)
      const routes =
        console === undefined
          ? Layer.merge(SystemHttp.admin, edge)
          : Routes.layer({ ...routeOptions(settings, runtime, contents, main), admin: true, console })
      return HttpRouter.serve(routes, serving).pipe(
        Layer.provide(site),
        Layer.provide([listening({ ...settings, port }, server), Layer.effect(HttpPolicy, policy), ownLayers]),
        Layer.fresh
      )
    })
  )

interface Contents {
  readonly sandbox: boolean
  readonly hasOwnIntegrations: boolean
}

/** Whether the started host has the sandbox. */
export class HasSandbox extends Context.Service<HasSandbox, boolean>()("@crossdock/cli/HasSandbox") {}

/** Loads the sandbox if the settings and the content of the database require it. */
const prepared = (
  settings: Settings
): Effect.Effect<Contents, unknown, Services.Services | SandboxClock.SandboxClock> =>
  Effect.gen(function* () {
    const hasOwnIntegrations = yield* Effect.flatMap(Directory, (directory) => directory.hasOwnIntegrations)
    const sandbox = isSandbox(settings, hasOwnIntegrations)
    if (sandbox) yield* Storage.withoutTimeout(Effect.andThen(loadSandbox(settings), SandboxClock.resume))
    return { sandbox, hasOwnIntegrations }
  }).pipe(Effect.withTracerEnabled(false))

const routeOptions = (settings: Settings, runtime: Runtime, contents: Contents, port: number): Routes.Options => ({
  runtime,
  sandbox: contents.sandbox,
  sandboxOperator: isSandboxAlone(settings, contents.hasOwnIntegrations),
  publicUrl: publicUrlAt(settings, port),
  docsUrl: docsUrlAt(settings, port),
  tokenSecret: Option.getOrUndefined(settings.tokenSecret),
  previousTokenSecret: Option.getOrUndefined(settings.tokenSecretPrevious),
  auditKeys: Option.getOrUndefined(settings.auditPublicKeys),
  trustedProxies: settings.trustedProxies,
  queryCredentials: settings.queryCredentials,
  lenientQuery: settings.lenientQuery,
  allowances: settings.allowances
})

const application = (settings: Settings, runtime: Runtime, contents: Contents) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { hasOwnIntegrations, sandbox } = contents
      yield* announced(settings, contents)
      yield* StoredSecrets.announced(settings)
      yield* Payments.announced(settings, hasOwnIntegrations)
      const admin = Option.isNone(settings.adminPort)
      const console = admin ? consoleOf(settings, contents) : undefined
      const routes = Routes.layer({ ...routeOptions(settings, runtime, contents, yield* portOf), admin, console })
      const allowPrivate = Option.getOrElse(settings.webhookAllowPrivate, () => sandbox)
      // Polling for work would make several traces a second. Logs and metrics show the results of the work.
      const background = Layer.provide(Layer.merge(Workers.layer, Retention.layer(settings)), untraced)
      const clocks = isSandboxAlone(settings, hasOwnIntegrations)
        ? SandboxClock.route
        : Layer.provide(DatabaseClock.watch, untraced)
      return Layer.mergeAll(routes, background, processMetrics, clocks).pipe(
        Layer.provide(runtime.webhooks({ allowPrivate }))
      )
    })
  )

/** The findings of `crossdock doctor`, for the operator interface. */
const findings = (settings: Settings, environment: Options["environment"] = {}) =>
  Layer.effect(
    Findings,
    Effect.map(Effect.context<Services.Services>(), (context) =>
      Effect.flatMap(
        Effect.promise(() => import("./commands/Doctor.ts")),
        ({ onHost }) => Effect.provide(onHost(settings, environment), context)
      )
    )
  )

export interface Servers {
  readonly main: Server
  /** The server that listens on `ADMIN_PORT` if that is set. */
  readonly admin: Server
}

export const layer = (settings: Settings, servers: Servers, { environment, passwordCost, tracer }: Options = {}) => {
  const runtime = Node.runtime({ passwordCost, documents: { warmAfter: "1 second" } })
  const storage = Storage.layer(settings.databaseUrl, {
    maxConnections: settings.databasePool,
    pooler: Option.getOrUndefined(settings.databasePooler)
  })
  const { invoiceSeller: seller } = settings
  const policies = Layer.effect(
    BillingPolicy,
    Effect.map(BillingPolicy, (rules) => ({ ...rules, seller }))
  )
  const secrets = Option.getOrUndefined(settings.secrets)
  const services = Services.layer({ storage, runtime, payments: Payments.layer(settings), policies, secrets })
  const tracing = tracer === undefined ? untraced : Layer.provideMerge(discreet, tracer)
  // The port opens only after all slow steps.
  return Layer.unwrap(
    Effect.map(prepared(settings), (contents) => {
      const main = HttpRouter.serve(application(settings, runtime, contents), serving).pipe(
        Layer.provide(site),
        Layer.merge(Layer.succeed(HasSandbox, contents.sandbox)),
        Layer.provideMerge(listening(settings, servers.main))
      )
      return Option.match(settings.adminPort, {
        onNone: () => main,
        onSome: (port) => Layer.provideMerge(adminLayer(settings, runtime, contents, port, servers.admin), main)
      })
    })
  ).pipe(
    Layer.provide(findings(settings, environment)),
    Layer.provide(Layer.provide(Layer.provideMerge(services, storage), untraced)),
    Layer.provide(Layer.mergeAll(Edge.redactedHeaders, tracing, bounds(settings), SandboxClock.layer))
  )
}
