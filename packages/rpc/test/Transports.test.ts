import { createServer } from "node:http"
import { Worker } from "node:worker_threads"
import { ApiError, MarketplaceClient, NetworkError, SellerClient } from "@crossdock/client"
import { Marketplace, Platform, Seller as SellerTable } from "@crossdock/client/contracts"
import { Handlers, Procedures } from "@crossdock/rpc"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Context, Effect, Fiber, Layer, Redacted, Schedule, Stream } from "effect"
import { FetchHttpClient, HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { RpcClient, RpcSerialization, RpcServer, RpcTest } from "effect/rpc"
import * as HttpTransport from "../../client/src/HttpTransport.ts"
import { publicUrl, useHost } from "../../http/test/TestHost.ts"
import { order, shipmentOf } from "../../http/test/TestOrders.ts"

const host = useHost()

/** Every answer is checked against the documents on its way. */
const handler = async (request: Request) =>
  host.fetch(request.url.slice(publicUrl.length), {
    method: request.method,
    headers: request.headers,
    ...(request.body === null ? {} : { body: await request.text() })
  })

const served = { handler, url: publicUrl }
const acme = { username: "acme", password: Redacted.make("acme-secret"), retry: { times: 0 } }
const bazaar = { slug: "bazaar", username: "bazaar", password: Redacted.make("bazaar-secret") }

const both = Procedures.seller.group.merge(Procedures.marketplace.group)
const handlers = Layer.merge(Handlers.layer(Procedures.seller, served), Handlers.layer(Procedures.marketplace, served))

/** A client of each interface in this process, without any serialization. */
const inProcess = Effect.gen(function* () {
  const seller = yield* RpcTest.makeClient(Procedures.seller.group, { flatten: true })
  const marketplace = yield* RpcTest.makeClient(Procedures.marketplace.group, { flatten: true })
  return {
    seller: SellerClient.over(Procedures.transport(Procedures.seller, seller), acme),
    marketplace: MarketplaceClient.over(Procedures.transport(Procedures.marketplace, marketplace), bazaar)
  }
}).pipe(Effect.provide(handlers))

const webSocketServer = RpcServer.layerHttp({ group: both, path: "/rpc" }).pipe(
  Layer.provide(handlers),
  HttpRouter.serve,
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
  Layer.provide(RpcSerialization.layerNdjson)
)

/** A client of each interface over one WebSocket. */
const overWebSocket = Effect.gen(function* () {
  const { address } = Context.get(yield* Layer.build(webSocketServer), HttpServer.HttpServer)
  const port = "port" in address ? address.port : 0
  const protocol = RpcClient.layerProtocolSocket().pipe(
    Layer.provide(NodeSocket.layerWebSocket(`ws://127.0.0.1:${port}/rpc`)),
    Layer.provide(RpcSerialization.layerNdjson)
  )
  const client = yield* Effect.provide(RpcClient.make(both, { flatten: true }), yield* Layer.build(protocol))
  return {
    seller: SellerClient.over(Procedures.transport(Procedures.seller, client), acme),
    marketplace: MarketplaceClient.over(Procedures.transport(Procedures.marketplace, client), bazaar)
  }
})

/** Admits only connections with a known token: any call that needs one proves it. */
const signedIn = HttpRouter.middleware((upgrade) =>
  Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const asked = new Request(`${publicUrl}/ims/v3/listings/count`, {
      headers: { "x-access-token": headers["x-access-token"] ?? "" }
    })
    const { status } = yield* Effect.promise(() => handler(asked))
    return status === 200 ? yield* upgrade : HttpServerResponse.empty({ status: 401 })
  })
).layer

/** A WebSocket server with messages of at most 64 KiB, for callers with a token only. */
const guardedServer = RpcServer.layerHttp({ group: Procedures.seller.group, path: "/rpc" }).pipe(
  Layer.provide([Handlers.layer(Procedures.seller, served), signedIn]),
  HttpRouter.serve,
  Layer.provideMerge(
    NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1", websocket: { maxPayload: 65_536 } })
  ),
  Layer.provide(RpcSerialization.layerNdjson)
)

const guarded = Effect.gen(function* () {
  const { address } = Context.get(yield* Layer.build(guardedServer), HttpServer.HttpServer)
  const url = `ws://127.0.0.1:${"port" in address ? address.port : 0}/rpc`
  return (token: string) =>
    Effect.gen(function* () {
      const protocol = RpcClient.layerProtocolSocket({ retryPolicy: Schedule.recurs(0) }).pipe(
        Layer.provide(NodeSocket.layerWebSocket(url, { headers: { "x-access-token": token } })),
        Layer.provide(RpcSerialization.layerNdjson)
      )
      const client = yield* Effect.provide(
        RpcClient.make(Procedures.seller.group, { flatten: true }),
        yield* Layer.build(protocol)
      )
      return SellerClient.over(Procedures.transport(Procedures.seller, client), { ...acme, timeout: "2 seconds" })
    })
})

/** A token of acme. */
const token = Effect.gen(function* () {
  const client = yield* RpcTest.makeClient(Procedures.seller.group, { flatten: true })
  const authorization = `Basic ${Buffer.from("acme:acme-secret").toString("base64")}`
  return (yield* client("seller.signIn", {}, { headers: { authorization } })).access_token
}).pipe(Effect.provide(handlers))

const worker = new URL("./HostWorker.ts", import.meta.url)

/** The seller of the host in a worker thread. */
const inWorker = Effect.gen(function* () {
  const spawner = NodeWorker.layer(() => new Worker(worker, { execArgv: ["--conditions=@crossdock/source"] }))
  const protocol = RpcClient.layerProtocolWorker({ size: 1 }).pipe(Layer.provide(spawner))
  const client = yield* Effect.provide(
    RpcClient.make(Procedures.seller.group, { flatten: true }),
    yield* Layer.build(protocol)
  )
  return SellerClient.over(Procedures.transport(Procedures.seller, client), {
    ...acme,
    password: Redacted.make("acme's password")
  })
})

/** The work of a seller with stock of some SKU, from an order to its label. */
const fulfils = ({ marketplace, seller }: { readonly seller: SellerClient; readonly marketplace: MarketplaceClient }) =>
  Effect.gen(function* () {
    const sku = "85123A"
    const stock = [{ location_id: "BLR1", sku, quantity: 7 }]
    const set = yield* seller.stock.update({ payload: stock })
    strictEqual(set.meta.status, "SUCCESS", JSON.stringify(set))
    const placed = yield* marketplace.orders.create({
      payload: order([shipmentOf([{ sku, quantity: 2, esp: 100 }])]) as never
    })
    const orderId = String(placed.shipments[0]?.shipment_id)
    const [shipment] = yield* seller.shipments.read({ query: { orderId } })
    const orderItems = (shipment?.orderItems ?? []).map(({ orderItemId, quantity }) => ({ orderItemId, quantity }))
    yield* seller.shipments.confirm({ payload: [{ orderId, orderItems }] })
    yield* seller.shipments.invoiceUpdate({
      payload: [{ orderId, invoiceNumber: `INV-${orderId}`, invoiceType: "sale" }]
    })
    const packed = yield* seller.shipments.pack({ payload: [{ orderId }] })
    const label = yield* seller.documents.labels({ payload: [{ orderId }] })
    return { packed: packed.status, label: new TextDecoder().decode(label.slice(0, 5)) }
  })

const wrongAndRight = [
  { location_id: "BLR1", sku: "85123A", quantity: 3 },
  { location_id: "BLR1", sku: "NO-SUCH-SKU", quantity: 3 }
]

describe.each([
  ["in process", inProcess],
  ["over a WebSocket", overWebSocket]
] as const)("%s,", (_, connect) => {
  it.live("an order is placed, fulfilled and labelled with the same services", () =>
    Effect.scoped(
      Effect.gen(function* () {
        deepStrictEqual(yield* fulfils(yield* connect), { packed: "SUCCESS", label: "%PDF-" })
      })
    )
  )

  it.live("a record of a bulk that is wrong is rejected with its place, and the others are applied", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { seller } = yield* connect
        const { errors, failed, total } = yield* seller.bulk.stock.update(wrongAndRight)
        deepStrictEqual([failed, total], [1, 2])
        deepStrictEqual([errors[0]?.index, errors[0]?.code, errors[0]?.path], [1, "UNKNOWN_SKU", "/1/sku"])
      })
    )
  )

  it.live("an error is the client's ApiError, with code, message and places", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { seller } = yield* connect
        const missing = yield* Effect.flip(seller.shipments.read({ query: { orderId: "1" } }))
        assertTrue(missing instanceof ApiError)
        deepStrictEqual([missing.status, missing.code], [404, "NOT_FOUND"])
        assertTrue(missing.message !== "" && missing.requestId !== "")
      })
    )
  )

  it.live("a wrong password is the same 401", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const client = yield* RpcTest.makeClient(Procedures.seller.group, { flatten: true })
        const wrong = { ...acme, password: Redacted.make("wrong") }
        const seller = SellerClient.over(Procedures.transport(Procedures.seller, client), wrong)
        const error = yield* Effect.flip(seller.listings.count())
        assertTrue(error instanceof ApiError)
        strictEqual(error.status, 401)
      })
    ).pipe(Effect.provide(handlers))
  )

  it.live("a write that is repeated under its key is done once", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { marketplace, seller } = yield* connect
        yield* seller.stock.update({ payload: [{ location_id: "BLR1", sku: "71053", quantity: 9 }] })
        const payload = order([shipmentOf([{ sku: "71053", quantity: 1, esp: 100 }])]) as never
        const idempotencyKey = crypto.randomUUID()
        const first = yield* marketplace.orders.create({ payload }, { idempotencyKey })
        const again = yield* marketplace.orders.create({ payload }, { idempotencyKey })
        strictEqual(again.shipments[0]?.shipment_id, first.shipments[0]?.shipment_id)
      })
    )
  )

  it.live("the pages of a list are a stream", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { seller } = yield* connect
        const listed = yield* Stream.runCollect(seller.pages.listings.page())
        const { data } = yield* seller.listings.count()
        strictEqual(listed.length, data.listing_count)
      })
    )
  )
})

describe("A WebSocket server of the program", () => {
  it.live("that asks for a token at the upgrade lets nobody else connect", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connect = yield* guarded
        const known = yield* connect(yield* token)
        strictEqual((yield* known.listings.count()).data.listing_count >= 0, true)
        const stranger = yield* connect("eyJhbGciOiJIUzI1NiJ9.e30.AAAA")
        assertTrue((yield* Effect.flip(stranger.listings.count())) instanceof NetworkError)
      })
    )
  )

  it.live("ends the connection that brings a longer message than it takes, and no other", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connect = yield* guarded
        const good = yield* token
        const [large, other] = [yield* connect(good), yield* connect(good)]
        strictEqual((yield* other.listings.count()).data.listing_count >= 0, true)
        const payload = Array.from({ length: 500 }, (_, n) => ({
          location_id: "BLR1",
          sku: `${n}-${"x".repeat(200)}`,
          quantity: 1
        }))
        const error = yield* Effect.flip(large.stock.update({ payload }))
        assertTrue(error instanceof NetworkError)
        strictEqual((yield* other.listings.count()).data.listing_count >= 0, true)
      })
    )
  )
})

describe("in a worker thread,", () => {
  it.live("a host answers the thread that started it, many calls at once", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const seller = yield* inWorker
        const counts = yield* Effect.replicateEffect(seller.listings.count(), 50, { concurrency: 50 })
        strictEqual(counts.filter(({ data }) => data.listing_count === 0).length, 50)
        const { errors } = yield* seller.bulk.stock.update(wrongAndRight)
        deepStrictEqual(
          errors.map(({ code, index }) => `${index} ${code}`),
          ["0 UNKNOWN_SKU", "1 UNKNOWN_SKU"]
        )
      })
    )
  )
})

describe("A procedure", () => {
  it("is there for every operation of every interface, and for signing in", () => {
    const tables = {
      seller: SellerTable.operations,
      marketplace: Marketplace.operations,
      platform: Platform.operations
    }
    for (const [name, table] of Object.entries(tables)) {
      const operations = Object.entries(table).flatMap(([group, members]) =>
        Object.keys(members).map((member) => `${name}.${group}.${member}`)
      )
      const { group } = Procedures[name as keyof typeof tables]
      deepStrictEqual([...group.requests.keys()].toSorted(), [`${name}.signIn`, ...operations].toSorted())
    }
  })

  it.live("gives a host none of the headers that only its proxy may set", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const seen: Array<Record<string, string>> = []
        const spying = Handlers.layer(Procedures.seller, {
          ...served,
          handler: (request) => {
            seen.push(Object.fromEntries(request.headers))
            return handler(request)
          }
        })
        yield* Effect.gen(function* () {
          const client = yield* RpcTest.makeClient(Procedures.seller.group, { flatten: true })
          const call = client("seller.listings.count", { headers: { "x-forwarded-for": "10.0.0.1" } } as never, {
            headers: { "X-Forwarded-For": "10.0.0.2", host: "elsewhere.example", "x-request-id": "a-1" }
          })
          strictEqual((yield* Effect.flip(call)).status, 401)
        }).pipe(Effect.provide(spying))
        deepStrictEqual(seen, [{ "content-type": "application/json", "x-request-id": "a-1" }])
      })
    )
  )

  it.live("with a part of its path that is empty, . or .. is the same 400 as over HTTP, and calls nothing else", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const urls: Array<string> = []
        const spying = Handlers.layer(Procedures.platform, {
          ...served,
          handler: (request) => {
            urls.push(request.url)
            return handler(request)
          }
        })
        yield* Effect.gen(function* () {
          const client = yield* RpcTest.makeClient(Procedures.platform.group, { flatten: true })
          const rpc = Procedures.transport(Procedures.platform, client)
          const http = yield* HttpTransport.make({ url: "http://127.0.0.1:1" })
          for (const id of ["", ".", "..", "a\ud83d"]) {
            const request = {
              operation: Platform.operations.audit.log,
              input: { params: { company_id: "1", id } },
              headers: {}
            }
            const errors = yield* Effect.forEach([rpc, http], (transport) => Effect.flip(transport(request as never)))
            for (const error of errors) {
              assertTrue(error instanceof ApiError)
              deepStrictEqual(
                [error.status, error.code, error.errors.map(({ code, path }) => `${code} ${path}`)],
                [400, "VALIDATION_FAILED", ["INVALID_TEXT /id"]]
              )
            }
          }
        }).pipe(Effect.provide([spying, FetchHttpClient.layer]))
        deepStrictEqual(urls, [])
      })
    )
  )

  it.live("with a header that HTTP can't carry is a 400 that names it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const client = yield* RpcTest.makeClient(Procedures.seller.group, { flatten: true })
        for (const value of ["a\r\nx-forwarded-for: 10.0.0.1", "कुर्ता", "a\u0000"]) {
          const error = yield* Effect.flip(client("seller.listings.count", {}, { headers: { "x-request-id": value } }))
          assertTrue(error instanceof ApiError)
          deepStrictEqual([error.status, error.errors[0]?.path], [400, "/x-request-id"])
        }
      })
    ).pipe(Effect.provide(handlers))
  )

  it.live("that its caller gives up is interrupted on the host", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const aborted = Promise.withResolvers<void>()
        const started = Promise.withResolvers<void>()
        const waiting = Handlers.layer(Procedures.seller, {
          ...served,
          handler: ({ signal }) => {
            signal.addEventListener("abort", () => aborted.resolve())
            started.resolve()
            return new Promise(() => {})
          }
        })
        yield* Effect.gen(function* () {
          const client = yield* RpcTest.makeClient(Procedures.seller.group, { flatten: true })
          const call = yield* Effect.forkChild(client("seller.listings.count", {}), { startImmediately: true })
          yield* Effect.promise(() => started.promise)
          yield* Fiber.interrupt(call)
          yield* Effect.promise(() => aborted.promise)
        }).pipe(Effect.provide(waiting))
      })
    )
  )

  it.live("without a connection is a NetworkError, which is sent again as over HTTP", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const protocol = RpcClient.layerProtocolSocket({ retryPolicy: Schedule.recurs(0) }).pipe(
          Layer.provide(NodeSocket.layerWebSocket("ws://127.0.0.1:1/rpc")),
          Layer.provide(RpcSerialization.layerNdjson)
        )
        const client = yield* Effect.provide(
          RpcClient.make(Procedures.seller.group, { flatten: true }),
          yield* Layer.build(protocol)
        )
        const seller = SellerClient.over(Procedures.transport(Procedures.seller, client), {
          ...acme,
          timeout: "2 seconds"
        })
        const error = yield* Effect.flip(seller.listings.count())
        assertTrue(error instanceof NetworkError)
        const { message, reason } = error
        deepStrictEqual(reason === "connection" || reason === "timeout", true, message)
      })
    )
  )
})
