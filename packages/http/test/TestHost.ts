/**
 * The three interfaces in this process, without a socket: requests go to the web handler. In the project "worker" they go to
 * a Worker in workerd instead.
 */

// As a host does: schemas are compiled.
import "effect/schema/SchemaJITCompiler/enable"
import { Access, Directory } from "@crossdock/access"
import { AuditTrail, CompanyWrite } from "@crossdock/audit"
import { Billing, BillingLedger, BillingRun, BillingWorker, PaymentProviderTest } from "@crossdock/billing"
import { CatalogImport, References as CatalogReferences, CatalogWrites, Products } from "@crossdock/catalog"
import {
  DigestNode,
  LinkSignerHmac,
  NonceNode,
  PasswordHashScrypt,
  type ScryptCost,
  TokenCodecJose
} from "@crossdock/crypto"
import { ShipmentDocuments } from "@crossdock/documents"
import { DocumentRendererNode } from "@crossdock/documents/node"
import {
  AdminApi,
  type Allowances,
  DocumentLinks,
  Edge,
  generousAllowances,
  HealthApi,
  HttpPolicy,
  InvoiceDocuments,
  MarketplaceApi,
  MarketplaceHttp,
  PlatformApi,
  PlatformHttp,
  Reply,
  SellerApi,
  SellerHttp,
  SystemHttp,
  UserAgentsBowser
} from "@crossdock/http"
import { Inventory } from "@crossdock/inventory"
import { BackgroundLoop, Idempotency, Ids } from "@crossdock/kernel"
import { Notifications } from "@crossdock/notifications"
import { Orders } from "@crossdock/orders"
import { Pricing } from "@crossdock/pricing"
import { Couriers, Shipments } from "@crossdock/shipments"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Logger, ManagedRuntime, Redacted, References } from "effect"
import { HttpRouter } from "effect/http"
import { afterAll, beforeAll, inject } from "vitest"
import type {} from "../../../examples/worker/test/HttpWorkerSetup.ts"
import * as DocumentedAnswers from "./DocumentedAnswers.ts"
import * as TestWorld from "./TestWorld.ts"

export interface Options {
  /** A file, for tests that reach into the database beside the host. */
  readonly database: string
  readonly tokenSecret: string
  readonly passwordCost: ScryptCost
  readonly sandbox: boolean
  readonly trustedProxies: number
  readonly queryCredentials: boolean
  readonly lenientQuery: boolean
  readonly docsUrl: string
  readonly allowances: Allowances
  readonly loggers: ReadonlyArray<Logger.Logger<unknown, unknown>>
}

/** Passwords are hashed at low cost: most tests don't depend on it. */
const defaults: Options = {
  database: ":memory:",
  tokenSecret: "a secret of the tests, 32 bytes or more",
  passwordCost: { logN: 4, blockSize: 8, parallel: 1 },
  sandbox: true,
  trustedProxies: 0,
  queryCredentials: true,
  lenientQuery: false,
  docsUrl: "",
  allowances: generousAllowances,
  loggers: []
}

export const publicUrl = "http://crossdock.test"

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
      DocumentRendererNode.layer()
    )
  ),
  Layer.provideMerge(CompanyWrite.layer)
)

/** Every service and every port. */
const ground = ({ database, passwordCost }: Options) =>
  services.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.provide(StorageSql.layer, BetterSqlite3.layer(database)),
        PasswordHashScrypt.layer(passwordCost),
        DigestNode.layer,
        NonceNode.layer,
        UserAgentsBowser.layer,
        Ids.layer,
        BackgroundLoop.registry
      )
    )
  )

const routes = ({
  allowances,
  docsUrl,
  lenientQuery,
  loggers,
  queryCredentials,
  sandbox,
  tokenSecret,
  trustedProxies
}: Options) =>
  Layer.mergeAll(
    SellerHttp.layer,
    MarketplaceHttp.layer,
    PlatformHttp.layer,
    SystemHttp.layer,
    Edge.layer([SellerApi, MarketplaceApi, PlatformApi, HealthApi, AdminApi], {
      pages: SystemHttp.pages,
      allowances
    }),
    BillingWorker.layer(),
    Idempotency.worker
  ).pipe(
    Layer.provide(Layer.merge(DocumentLinks.layer(publicUrl), InvoiceDocuments.layer(publicUrl))),
    Layer.provide(Access.layer({ sandbox })),
    Layer.provide(
      Layer.mergeAll(
        TokenCodecJose.layer(Redacted.make(tokenSecret)),
        LinkSignerHmac.layer(Redacted.make(tokenSecret)),
        Layer.succeed(HttpPolicy, { trustedProxies, queryCredentials, lenientQuery, publicUrl, docsUrl })
      )
    ),
    Layer.provideMerge(Layer.merge(Logger.layer(loggers), Layer.succeed(References.TracerEnabled, false)))
  )

type Ground = Layer.Success<ReturnType<typeof ground>>

export interface Answer<A> {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: A
}

/** Sends JSON with the given headers. */
export interface Client {
  readonly call: <A>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>
  ) => Promise<Answer<A>>
}

export interface Sent {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  /** The body as JSON; undefined if it is not JSON. */
  readonly body: {
    readonly message?: string
    readonly code?: string
    readonly request_id?: string
    readonly errors?: ReadonlyArray<{ readonly path: string; readonly code: string; readonly message: string }>
    readonly access_token?: string
  }
}

const jsonOf = (text: string) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const basicOf = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`

interface Running {
  readonly handler: (request: Request) => Promise<Response>
  /** Runs an effect with the host's own services and ports, for what no interface offers. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Ground>) => Promise<A>
  readonly stop: () => Promise<void>
}

const inProcess = async (options: Options): Promise<Running> => {
  const memoMap = Layer.makeMemoMapUnsafe()
  const layer = ground(options)
  const runtime = ManagedRuntime.make(layer, { memoMap })
  await runtime.runPromise(
    Effect.gen(function* () {
      const directory = yield* Directory
      if ((yield* directory.account("integration", "acme")) === undefined) yield* TestWorld.load
    })
  )
  const { dispose, handler } = HttpRouter.toWebHandler(Layer.provide(routes(options), layer), {
    memoMap,
    disableLogger: true,
    routerConfig: Edge.routerConfig
  })
  return {
    // As in a real server, credentials are removed from the URL before anything else sees it.
    handler: (request) => {
      const headers = new Headers(request.headers)
      headers.delete(Edge.credentialsHeader)
      const taken = Edge.takeCredentials(request.url.slice(publicUrl.length))
      if (taken !== undefined) headers.set(Edge.credentialsHeader, taken.query)
      const url = taken === undefined ? request.url : `${publicUrl}${taken.url}`
      return handler(new Request(new Request(url, request), { headers }))
    },
    run: (effect) => runtime.runPromise(effect),
    stop: async () => {
      await dispose()
      await runtime.dispose()
    }
  }
}

/** What the server of the Worker adds on its own. */
const ofTransport = ["connection", "content-encoding", "date", "keep-alive", "transfer-encoding"]

/**
 * A host of its own in the Worker at `url`.
 */
const inWorker = (url: string, options: Options): Running => {
  const wanted = JSON.stringify({ object: crypto.randomUUID(), ...options })
  return {
    handler: async (request) => {
      const headers = new Headers(request.headers)
      headers.set("x-test-host", wanted)
      headers.set("connection", "close")
      const answer = await globalThis.fetch(new URL(request.url.slice(publicUrl.length), url), {
        method: request.method,
        headers,
        redirect: "manual",
        // Whole: a server may answer before it has read it.
        ...(request.body === null ? {} : { body: await request.arrayBuffer() })
      })
      const received = new Headers(answer.headers)
      for (const name of ofTransport) received.delete(name)
      const { status } = answer
      return new Response(status === 204 || status === 304 ? null : answer.body, { status, headers: received })
    },
    run: () => Promise.reject(new Error("A Worker runs no effects of a test")),
    stop: async () => {}
  }
}

/**
 * A host with the data of TestWorld, unless its database has it already.
 */
export const start = async (chosen: Partial<Options> = {}) => {
  const options = { ...defaults, ...chosen }
  const worker = inject("worker")
  const { handler, run, stop } = worker === undefined ? await inProcess(options) : inWorker(worker, options)

  /**
   * Every answer must be as the documents declare it.
   */
  const fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const path = url.startsWith(publicUrl) ? url.slice(publicUrl.length) : url
    const answer = await handler(new Request(`${publicUrl}${path}`, init))
    const text = answer.headers.get("content-type")?.startsWith("application/pdf")
      ? "%PDF"
      : await answer.clone().text()
    const given = { status: answer.status, headers: Object.fromEntries(answer.headers), text }
    deepStrictEqual(DocumentedAnswers.faults(init.method ?? "GET", path, given), [])
    return answer
  }

  /** Sends one request with its body as given; `headers` set the content-length. */
  const send = async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: string | Uint8Array<ArrayBuffer>
  ): Promise<Sent> => {
    const answer = await fetch(path, { method, headers, ...(body === undefined ? {} : { body }) })
    const text = await answer.text()
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text, body: jsonOf(text) }
  }

  const client = (own: Readonly<Record<string, string>> = {}): Client => ({
    call: async <A>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const ofBody: Record<string, string> =
        text === undefined
          ? {}
          : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) }
      const answer = await send(method, path, { ...own, ...ofBody, ...headers }, text)
      return { status: answer.status, headers: answer.headers, body: answer.body as A }
    }
  })

  /** A token for one of the accounts of TestWorld. */
  const tokenOf = async (path: string, username: string): Promise<string> => {
    const { body } = await send("GET", path, { authorization: basicOf(username, `${username}-secret`) })
    return body.access_token ?? ""
  }

  const signedIn = async (path: string, username: string) => client({ "x-access-token": await tokenOf(path, username) })

  return {
    url: publicUrl,
    fetch,
    send,
    client,
    tokenOf,
    seller: (username: string) => signedIn("/aggregator/v1/token", username),
    marketplace: (slug: string) => signedIn(`/auth/${slug}/token`, slug),
    platform: async (username: string, company: number): Promise<Client> => {
      const path = `/service/panel/authentication/v1.0/company/${company}/oauth/token`
      const headers = { authorization: basicOf(username, `${username}-secret`), "content-type": "application/json" }
      const { body, status } = await send("POST", path, headers, '{"grant_type":"client_credentials"}')
      strictEqual(status, 200)
      return client({ authorization: `Bearer ${body.access_token}` })
    },
    run,
    stop
  }
}

export type TestHost = Awaited<ReturnType<typeof start>>

/**
 * A host for all tests of a file, with signed-in clients.
 */
export const useHost = (chosen: Partial<Options> = {}) => {
  const shared = {} as TestHost &
    Readonly<
      Record<
        "acme" | "blr1" | "adjust" | "globex" | "bazaar" | "souk" | "ops" | "viewer" | "globexOps" | "anonymous",
        Client
      >
    >
  beforeAll(async () => {
    const host = await start(chosen)
    Object.assign(shared, host, {
      acme: await host.seller("acme"),
      blr1: await host.seller("acme-blr1"),
      adjust: await host.seller("acme-adjust"),
      globex: await host.seller("globex"),
      bazaar: await host.marketplace("bazaar"),
      souk: await host.marketplace("souk"),
      ops: await host.platform("ops", 1),
      viewer: await host.platform("viewer", 1),
      globexOps: await host.platform("globex-ops", 2),
      anonymous: host.client()
    })
  })
  afterAll(() => shared.stop())
  return shared
}
