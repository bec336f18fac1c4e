/** A host as a web handler. A host made of Effect layers uses the parts instead: `Services`, `Routes` and `Workers`. */
import { Access, type Caller, Directory, type Principal, type System } from "@crossdock/access"
import { CustomFields } from "@crossdock/catalog"
import { Authentication, Calls, Edge, forwardedAddress } from "@crossdock/http"
import { type StorageError, Text } from "@crossdock/kernel"
import type { WebhookSender } from "@crossdock/notifications"
import { openShipments } from "@crossdock/shipments"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Headers from "effect/http/Headers"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Struct from "effect/Struct"
import * as ApplicationTransaction from "./ApplicationTransaction.ts"
import * as EventFacade from "./EventFacade.ts"
import * as Facade from "./Facade.ts"
import * as Hooks from "./Hooks.ts"
import * as Routes from "./Routes.ts"
import { SetupError } from "./Runtime.ts"
import * as Services from "./Services.ts"
import * as Workers from "./Workers.ts"

/** The options of a host. */
export interface Options<E = never>
  extends Services.Options<E>,
    Omit<Routes.Options, "trustedProxies" | "sandboxOperator"> {
  /** The path of the host, such as `/partner`. `publicUrl` must end with it. */
  readonly prefix?: string
  /** Returns the caller's address, for request limits. It comes from the server or, behind proxies, from `forwardedFor`. */
  readonly addressOf: (request: Request) => string
  /** Whether background work runs from the start, as by default. Otherwise, call `runWorkers` or `once` in some host. */
  readonly workers?: boolean
  /** Allows webhooks to loopback and private addresses, for sandboxes. */
  readonly privateWebhooks?: boolean
  /** Layers for the whole host, such as a logger or a tracer. */
  readonly observability?: Layer.Layer<never>
}

/** A running host. */
export interface Host {
  /** Answers a request. The answer is 404 for paths outside the interfaces. */
  readonly handler: (request: Request) => Promise<Response>
  /** All services as plain asynchronous functions. */
  readonly services: Facade.Facade & { readonly events: EventFacade.EventFacade }
  /** The caller of work without a request, such as a job. The audit trail shows `id` as its name. */
  readonly system: (id: string) => Caller<System>
  /** The caller of a request to the application's route, by a token of any interface but operator. Check kind and company. */
  readonly callerOf: (
    request: Request,
    options?: Facade.CallOptions
  ) => Promise<Facade.Outcome<Caller<Principal>, Calls.CallRejected | StorageError>>
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services.Services>, options?: Facade.CallOptions) => Promise<A>
  /**
   * Runs `work` in a transaction that commits rows of the application and of Crossdock together. Write Crossdock's rows
   * through `tx.services`, and the application's through `tx.sql`, or through the handle of `Sqlite.fromDatabase`. If `work`
   * throws, everything is rolled back. An outcome that isn't ok rolls back only if `work` throws it.
   *
   * After a conflict, `work` runs again, up to ten times, so it must have no other effects and await only the database.
   * Write the application's rows first and call services last, since other writes of the company wait for the rows that a
   * service locks. The promise resolves once the commit is on the disk.
   */
  readonly transaction: ApplicationTransaction.Transact
  /** Runs background work until disposal. A second call changes nothing. */
  readonly runWorkers: () => Promise<void>
  /** Does the background work that is due now. It returns the failures of each worker. */
  readonly once: (options?: Facade.CallOptions) => Promise<Readonly<Record<Workers.WorkerName, ReadonlyArray<string>>>>
  /** Waits for transactions, ends other work and closes the storage. Don't call it inside a transaction. */
  readonly dispose: () => Promise<void>
}

/** The caller's address behind proxies. Use it as `addressOf: forwardedFor`, or `(request) => forwardedFor(request, 2)`. */
export const forwardedFor = (request: Request, proxies = 1): string =>
  forwardedAddress(request.headers.get("x-forwarded-for") ?? "unknown", proxies)

/** The required options, each with a check and a description. Untyped code could forget them. */
const required: ReadonlyArray<readonly [name: keyof Options, is: (value: unknown) => boolean, must: string]> = [
  ["storage", Layer.isLayer, "a layer such as StorageSql.layer on a database"],
  ["runtime", Predicate.isObject, "a runtime such as Node.runtime()"],
  ["payments", Layer.isLayer, "a layer such as PaymentProviderTest.layer"],
  ["publicUrl", Predicate.isString, "the URL by which callers reach the host"],
  ["addressOf", Predicate.isFunction, "a function that returns the network address of a request's caller"]
]

const hasFunctions = (value: unknown, ...names: ReadonlyArray<string>): boolean =>
  names.every((name) => Predicate.hasProperty(value, name) && Predicate.isFunction(value[name]))

const isNumbering = (value: unknown): boolean => {
  if (!Predicate.isObject(value)) return false
  const { invoice, papers } = value as NonNullable<Options["numbering"]>
  if (invoice === undefined) return papers !== undefined
  if (!Predicate.isFunction(invoice)) return false
  const made = Result.try(() => [2026, 2027].flatMap((year) => [1, 2, 11, 1_000_000].map((nth) => invoice(year, nth))))
  const numbers = Result.getOrElse(made, () => [""])
  const areFine = numbers.every((one) => Predicate.isString(one) && /^\P{Cc}{1,64}$/u.test(one))
  return areFine && new Set(numbers).size === numbers.length
}

/** Whether a value can draw documents. Its media type and extension must fit into headers. */
const isPaper = (value: unknown): boolean => {
  if (!hasFunctions(value, "draw")) return false
  const { extension, mimeType } = value as { readonly [K in "extension" | "mimeType"]: unknown }
  return /^[\w.+-]+\/[\w.+-]+(; ?[\w=-]+)*$/.test(String(mimeType)) && /^[a-z0-9]{1,10}$/.test(String(extension))
}

const isLifecycle = (value: unknown): boolean =>
  Result.isResult(value) && Predicate.hasProperty(Result.merge(value), Result.isSuccess(value) ? "rows" : "faults")

const extensions: typeof required = [
  ["ids", Layer.isLayer, "a layer of Ids"],
  ["salesTax", (tax) => hasFunctions(tax, "taxNames", "placeOfSupply"), "an object with taxNames and placeOfSupply"],
  [
    "prices",
    (prices) => Predicate.hasProperty(prices, "espMayExceedMrp") && Predicate.isBoolean(prices.espMayExceedMrp),
    "an object such as { espMayExceedMrp: true }"
  ],
  [
    "documents",
    (documents) => Predicate.isObject(documents) && Object.values(documents).every(isPaper),
    'an object with labels or invoice, such as { labels: { mimeType: "application/zpl", extension: "zpl", draw } }'
  ],
  [
    "numbering",
    isNumbering,
    "an object with invoice, a function of year and nth that gives each its own number of at most 64 characters"
  ],
  [
    "numbering",
    (numbering) => !Predicate.hasProperty(numbering, "papers") || Predicate.isFunction(numbering.papers),
    "an object whose papers is a function that names series"
  ],
  ["charges", Predicate.isFunction, "a function from an order and its total to the charges that it adds"],
  ["lifecycle", isLifecycle, "extendLifecycle({ … })"],
  ["hooks", Hooks.areHooks, 'a list such as [{ on: "place", before }] on place, move, return, stock, price or product'],
  ["reasons", Array.isArray, 'a list such as [{ on: "return", code: 130, reason: "expired" }]'],
  [
    "productRules",
    (rules) => Array.isArray(rules) && rules.every(Predicate.isFunction),
    "a list of functions from a product to its violations"
  ],
  ["console", (console) => Predicate.hasProperty(console, "layer"), "Console.make() of @crossdock/console"],
  ["guards", Array.isArray, "a list such as [{ on, isMet, says, advice, code }]"]
]

/** The allowed members of options that are objects or lists of objects. The lifecycle checks those of guards and reasons. */
const members: { readonly [K in keyof Options]?: ReadonlyArray<string> } = {
  hooks: ["on", "prepare", "before", "after"],
  salesTax: ["taxNames", "placeOfSupply", "codeName"],
  documents: ["labels", "invoice"],
  prices: ["espMayExceedMrp"],
  numbering: ["invoice", "papers"],
  secrets: ["key", "previous"],
  signIn: ["seller", "marketplace", "platform"]
}

/** The names of all options. A test compares them with the type. */
const names =
  `storage runtime payments couriers secrets policies lifecycle guards reasons productRules fields documents salesTax
  prices charges ids numbering hooks publicUrl interfaces tokenSecret previousTokenSecret signIn sandbox queryCredentials lenientQuery
  allowances docsUrl auditKeys admin console prefix addressOf workers privateWebhooks observability`.split(/\s+/)

const unusable = (options: Options<unknown>): SetupError | undefined => {
  const faults = [
    ...Text.misnamed("Host.make", options, names),
    ...Struct.keys(members).flatMap((name) =>
      [options[name]].flat().flatMap((one: unknown) => Text.misnamed(name, one, members[name] ?? []))
    ),
    ...(options.fields === undefined ? [] : CustomFields.declarationFaults(options.fields))
  ]
  if (faults.length > 0) return new SetupError({ message: faults.join("; ") })
  const given = extensions.filter(([name]) => options[name] !== undefined)
  const missing = [...required, ...given].find(([name, is]) => !is(options[name]))
  if (missing !== undefined) return new SetupError({ message: `${missing[0]} must be ${missing[2]}` })
  const unknown = (options.interfaces ?? []).find((name) => !Routes.everyInterface.includes(name))
  return unknown === undefined
    ? undefined
    : new SetupError({ message: `interfaces has ${unknown}: use ${Routes.everyInterface.join(", ")}` })
}

const prefixOf = ({ prefix = "", publicUrl }: Options<unknown>) => {
  if (prefix !== "" && !/^(\/[A-Za-z0-9._~-]+)+$/.test(prefix))
    return new SetupError({ message: "prefix must be a path such as /partner, without a trailing slash" })
  return publicUrl.endsWith(prefix)
    ? Effect.succeed(prefix)
    : new SetupError({ message: `publicUrl must end with the prefix ${prefix}: links in answers begin with it` })
}

/** The request without the prefix of its URL and without credentials. A path outside the prefix becomes an unknown path. */
const received =
  ({ addressOf }: Options<unknown>, prefix: string) =>
  (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest => {
    const inside =
      request.url === prefix || request.url.startsWith(`${prefix}/`) || request.url.startsWith(`${prefix}?`)
    const url = inside ? request.url.slice(prefix.length) || "/" : "//"
    const taken = Edge.takeCredentials(url)
    const headers = Headers.remove(request.headers, Edge.credentialsHeader)
    return request.modify({
      url: taken?.url ?? url,
      headers: taken === undefined ? headers : Headers.set(headers, Edge.credentialsHeader, taken.query),
      remoteAddress: Option.some(addressOf(request.source as Request))
    })
  }

/** Turns off spans. Without a tracer, they would cost a tenth of a request. */
const untraced = Layer.succeed(References.TracerEnabled, false)

/** Turns off spans for requests with a secret in the URL, because a span records the original URL. */
const untracedSecrets = Layer.succeed(
  HttpMiddleware.TracerDisabledWhen,
  ({ url }) => Edge.isSecretPath(url) || Edge.takeCredentials(url) !== undefined
)

type Built = Services.Services | WebhookSender | HttpRouter.HttpRouter

const build = <E>(options: Options<E>, scope: Scope.Scope) =>
  Effect.gen(function* () {
    const fault = unusable(options)
    if (fault !== undefined) return yield* fault
    const prefix = yield* prefixOf(options)
    const services = Services.layer(options)
    const router = Layer.provide(HttpRouter.layer, Layer.succeed(HttpRouter.RouterConfig, Edge.routerConfig))
    const whole = Routes.layer(options).pipe(
      Layer.provideMerge(Layer.merge(services, router)),
      Layer.provideMerge(options.runtime.webhooks({ allowPrivate: options.privateWebhooks ?? false })),
      Layer.provideMerge(Layer.mergeAll(Edge.redactedHeaders, untracedSecrets, options.observability ?? untraced))
    )
    const context = yield* Layer.buildWithScope(whole, scope)
    const app = Context.get(context, HttpRouter.HttpRouter).asHttpEffect()
    const entering = Effect.updateService(app, HttpServerRequest.HttpServerRequest, received(options, prefix))
    // All requests share this map of services, since a copy of a hundred services would be most of a request's cost.
    const shared: typeof context = Context.makeUnsafe(context.mapUnsafe, { maxDepth: 32 })
    const handler = HttpEffect.toWebHandlerWith<Built, HttpServerRequest.HttpServerRequest | Scope.Scope>(shared)(
      entering
    )
    return { context, handler }
  })

/** Warns of open shipments whose status is no longer in the lifecycle. Such shipments can't move. */
const namesOutside = (lifecycle: NonNullable<Options["lifecycle"]>) =>
  Effect.gen(function* () {
    const { statuses } = yield* Effect.fromResult(lifecycle)
    for (const { id } of yield* (yield* Directory).companies) {
      const outside = (yield* openShipments(id)).filter(({ status }) => !statuses.includes(status))
      for (const [status, shipments] of Map.groupBy(outside, (one) => one.status))
        yield* Effect.logWarning(`Open shipments of company ${id} are in ${status}, which the lifecycle doesn't have`, {
          count: shipments.length,
          shipments: shipments.slice(0, 20).map((one) => one.id)
        })
    }
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("The statuses of open shipments were not checked", cause)))

const disposedOf = new SetupError({ message: "The host was disposed of. Make another one for further calls." })

/** Starts a host. It rejects with a `SetupError` that says what to change, or with the storage's error. */
export const make = async <E>(options: Options<E>): Promise<Host> => {
  const scope = Scope.makeUnsafe()
  const disposed = Deferred.makeUnsafe<void>()
  // Disposal waits for running transactions. Closing the storage in the middle of one could undo only its first half.
  const transactions = new Set<Promise<unknown>>()
  const dispose = async () => {
    Deferred.doneUnsafe(disposed, Effect.void)
    await Promise.allSettled(transactions)
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
  const built = await Effect.runPromiseExit(build(options, scope))
  if (Exit.isFailure(built)) {
    await dispose()
    throw Cause.squash(built.cause)
  }
  const { context, handler } = built.value
  const { flow } = options.runtime
  const rejection = () => (Deferred.isDoneUnsafe(disposed) ? disposedOf : ApplicationTransaction.inside(context, flow))
  const outside = Effect.suspend(() => {
    const reason = rejection()
    return reason === undefined ? Effect.void : Effect.die(reason)
  })
  const runIn = Effect.runPromiseWith(context)
  const run: Host["run"] = (effect, options) => runIn(Effect.andThen(outside, Facade.abortable(effect, options)))
  const transact = ApplicationTransaction.make(context, flow, outside)
  const starting = Effect.andThen(Layer.buildWithScope(Workers.layer, scope), Effect.void)
  let workers: Promise<void> | undefined
  const runWorkers = async () => {
    await runIn(outside)
    workers ??= runIn(starting)
    await workers
  }
  await (options.workers === false ? runIn(Effect.logWarning(Workers.withoutWorkers)) : runWorkers())
  const settle: Facade.Settle = (effect) => run(Facade.settled(effect))
  if (options.lifecycle !== undefined) await runIn(Effect.forkIn(namesOutside(options.lifecycle), scope))
  return {
    handler: (request) => {
      const reason = rejection()
      return reason === undefined ? handler(request) : Promise.reject(reason)
    },
    services: {
      ...Facade.make(context, settle, outside),
      events: EventFacade.make(context, scope, outside, disposed, settle, (work) =>
        ApplicationTransaction.joining(work, context, flow)
      )
    },
    system: (id) => ({ principal: { kind: "system", id }, requestId: null }),
    callerOf: (request, options) => {
      const caller = Authentication.callerOfRequest(Context.get(context, Access.Access), request)
      return settle(Facade.abortable(Effect.catch(caller, Calls.rejected), options))
    },
    run,
    transaction: (work, options) => {
      const running = transact(work, options)
      transactions.add(running)
      return running.finally(() => transactions.delete(running))
    },
    runWorkers,
    once: (options) => runIn(Effect.andThen(outside, Facade.abortable(Workers.once, options))),
    dispose: async () => {
      const reason = ApplicationTransaction.inside(context, flow)
      if (reason !== undefined) throw reason
      await dispose()
    }
  }
}
