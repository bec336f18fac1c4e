import { randomBytes } from "node:crypto"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as Settings from "@crossdock/cli/Settings"
import * as Telemetry from "@crossdock/cli/Telemetry"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll } from "vitest"
import { temporaryFolder } from "../../../packages/http/test/TemporaryFolder.ts"
import { address, line, order, shipmentOf } from "../../../packages/http/test/TestOrders.ts"
import * as HostProcess from "../src/HostProcess.ts"
import * as Canaries from "./Canaries.ts"
import { basicOf, send } from "./TestHost.ts"

interface Arrived {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A receiver of OTLP that keeps every byte. */
const receiving = async () => {
  const arrived: Array<Arrived> = []
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    arrived.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) })
    response.writeHead(200, { "content-type": request.headers["content-type"] ?? "" }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { arrived, close: () => server.close(), url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const secrets = new Map<string, string>()

/** A text that only its own test has, without spaces, which headers can't carry. */
const canary = (form: string): string => {
  const text = `canary-${randomBytes(16).toString("hex")}`
  secrets.set(form, text)
  return text
}

const json = { "content-type": "application/json" }

const customer = (form: string) => ({
  ...address,
  name: canary(`name of ${form}`),
  phone: canary(`phone of ${form}`),
  email: `${canary(`email of ${form}`)}@example.com`,
  address1: canary(`street of ${form}`),
  city: canary(`city of ${form}`)
})

/** Sends secrets and personal data everywhere that a caller can. */
const exercise = async (url: string) => {
  const signIn = async (path: string, username: string) => {
    const { body } = await send(url, "POST", path, { authorization: basicOf(username, `${username}-secret`) })
    const token = body.access_token ?? ""
    secrets.set(`token of ${username}`, token)
    secrets.set(`signature of the token of ${username}`, token.split(".")[2] ?? token)
    return token
  }
  const seller = await signIn("/aggregator/v1/token", "acme")
  const bazaar = await signIn("/auth/bazaar/token", "bazaar")
  await send(url, "POST", "/aggregator/v1/token", { authorization: basicOf("acme", canary("wrong password")) })
  await send(url, "GET", `/aggregator/v1/token?username=acme&password=${canary("password in a query")}`)
  await send(url, "GET", "/ims/v3/listings", { "x-access-token": canary("wrong token") })
  const key = () => ({ "idempotency-key": canary(`Idempotency-Key ${secrets.size}`) })
  const headers = { ...json, "x-access-token": seller }
  const stock = JSON.stringify([
    { location_id: "BLR1", sku: "85123A", quantity: 100 },
    { location_id: "BLR1", sku: canary("SKU that nobody has"), quantity: 1 }
  ])
  strictEqual((await send(url, "PUT", "/ims/v3/inventory", { ...headers, ...key() }, stock)).status, 200)
  const people = { billing_address: customer("the payer"), shipping_address: customer("the receiver") }
  const body = JSON.stringify(order([shipmentOf([line("85123A")])], people))
  const asMarketplace = { ...json, "x-access-token": bazaar, ...key() }
  const placed = await send(url, "POST", "/order/api/v1/bazaar/create", asMarketplace, body)
  strictEqual(placed.status, 200, placed.text)
  // Again with the same key, and with another body.
  await send(url, "POST", "/order/api/v1/bazaar/create", asMarketplace, body)
  await send(url, "POST", "/order/api/v1/bazaar/create", asMarketplace, "{}")
  const wrong = JSON.stringify(
    order([shipmentOf([line("85123A")])], { ...people, payment: { mode: canary("payment") } })
  )
  await send(url, "POST", "/order/api/v1/bazaar/create", { ...json, "x-access-token": bazaar, ...key() }, wrong)
  await send(url, "GET", `/oms/v3/shipment?orderId=${canary("order in a query")}`, headers)
  await send(url, "GET", `/ims/v3/listings?skus=${canary("SKU in a query")}&${canary("name in a query")}=1`, headers)
  return (await send(url, "GET", "/metrics")).text
}

const soon = {
  OTEL_METRIC_EXPORT_INTERVAL: "300",
  OTEL_BSP_SCHEDULE_DELAY: "200",
  OTEL_BLRP_SCHEDULE_DELAY: "200"
}

for (const protocol of ["http/protobuf", "http/json"] as const) {
  describe(`Telemetry over ${protocol}`, () => {
    let arrived: ReadonlyArray<Arrived> = []
    let log = ""
    let metrics = ""
    let code: number | null = null
    const bodies = (signal: string) =>
      Buffer.concat(arrived.filter(({ path }) => path === `/v1/${signal}`).map(({ body }) => body)).toString("latin1")

    beforeAll(async () => {
      const webhook = await receiving()
      const receiver = await receiving()
      const host = await HostProcess.start({
        DATABASE_URL: `sqlite:${join(temporaryFolder(), "telemetry.db")}`,
        LOG_FORMAT: "json",
        LOG_LEVEL: "trace",
        TOKEN_SECRET: canary("TOKEN_SECRET, long enough to sign"),
        SANDBOX_WEBHOOK_URL: `${webhook.url}/inventory`,
        SANDBOX_WEBHOOK_SECRET: `whsec_${Buffer.from(canary("webhook secret")).toString("base64")}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_HEADERS: `x-key=${canary("key of the receiver")}`,
        OTEL_SERVICE_NAME: "warehouse-7",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=trial",
        ...soon
      })
      metrics = await exercise(host.url)
      code = await host.stop()
      log = host.log()
      arrived = receiver.arrived
      webhook.close()
      receiver.close()
    })

    it("sends traces, metrics and logs, all of them by the end of the host, with its resource and headers", () => {
      strictEqual(code, 0)
      for (const { headers, path } of arrived) {
        strictEqual(headers["x-key"], secrets.get("key of the receiver"), path)
        strictEqual(headers["content-type"], protocol === "http/json" ? "application/json" : "application/x-protobuf")
      }
      for (const signal of ["traces", "metrics", "logs"]) {
        for (const text of ["warehouse-7", "deployment.environment", "trial"]) {
          assertTrue(bodies(signal).includes(text), `${text} of ${signal}`)
        }
      }
      for (const text of ["http.request.method", "/order/api/v1/bazaar/create", "CompanyWrite.run", "db.query.text"]) {
        assertTrue(bodies("traces").includes(text), text)
      }
      for (const text of [
        "crossdock_http_requests_total",
        "/order/api/v1/:marketplace_slug/create",
        "crossdock_queue_entries"
      ]) {
        assertTrue(bodies("metrics").includes(text), text)
      }
      for (const text of ["The host starts", "PUT /ims/v3/inventory 200", "request_id", "The host stops"]) {
        assertTrue(bodies("logs").includes(text), text)
      }
    })

    it("traces neither health, metrics nor the looks of background work", () => {
      for (const text of ["/metrics", "/health", "FROM crossdock_channels ORDER BY", "CREATE TABLE"]) {
        assertTrue(!bodies("traces").includes(`"${text}`) && !bodies("traces").includes(text), text)
      }
    })

    it("has no password, token, webhook secret, customer, Idempotency-Key or value of a query in any byte", () => {
      assertTrue(secrets.size > 20, `${secrets.size} secrets`)
      assertTrue(arrived.length > 5 && log.length > 5_000, `${arrived.length} bodies, ${log.length} characters`)
      const everything = arrived.map(({ body }) => Canaries.bytesOf(body)).join("\n")
      deepStrictEqual(Canaries.hits(secrets, "OTLP", everything), [])
      deepStrictEqual(Canaries.hits(secrets, "the log", Canaries.bytesOf(log)), [])
      deepStrictEqual(Canaries.hits(secrets, "/metrics", Canaries.bytesOf(metrics)), [])
    })
  })
}

describe("Telemetry", () => {
  const closing: Array<() => unknown> = []
  afterAll(async () => {
    for (const close of closing) await close()
  })

  it.effect("loads nothing without an endpoint, or when it is disabled", () =>
    Effect.gen(function* () {
      const endpoint = "http://127.0.0.1:1"
      for (const environment of [
        {},
        { OTEL_SERVICE_NAME: "alone" },
        { OTEL_EXPORTER_OTLP_ENDPOINT: "" },
        { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: "true" },
        { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: "none" }
      ]) {
        const settings = yield* Settings.read(environment)
        strictEqual(Telemetry.layer(settings, environment), Layer.empty)
      }
    })
  )

  it.effect("is on for the signals that have an endpoint and an exporter", () =>
    Effect.gen(function* () {
      const on = (environment: Readonly<Record<string, string>>) =>
        Effect.map(Settings.read(environment), ({ telemetry: { logs, metrics, traces } }) => [traces, metrics, logs])
      const url = "http://127.0.0.1:4318"
      deepStrictEqual(yield* on({ OTEL_EXPORTER_OTLP_ENDPOINT: url }), [true, true, true])
      deepStrictEqual(yield* on({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: url }), [false, true, false])
      deepStrictEqual(yield* on({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_LOGS_EXPORTER: "none" }), [true, true, false])
    })
  )

  it.effect("names a variable that is wrong, without its value", () =>
    Effect.gen(function* () {
      for (const [name, value] of [
        ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"],
        ["OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "/v1/logs"],
        ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
        ["OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%zz"],
        ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "secret"],
        ["OTEL_TRACES_EXPORTER", "zipkin"],
        ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
        ["OTEL_TRACES_SAMPLER_ARG", "10%"],
        ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
        ["OTEL_SDK_DISABLED", "maybe"]
      ] as const) {
        const { message } = yield* Effect.flip(Settings.read({ [name]: value }))
        assertTrue(message.startsWith(`${name} must `) && !message.includes(`${value}:`), message)
      }
    })
  )

  interface Traces {
    readonly resourceSpans: ReadonlyArray<{
      readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<{ readonly traceId: string }> }>
    }>
  }

  it("sends the share of traces that is asked for, each that a caller has sampled, and none that it has not", async () => {
    const sampled = (nth: number) => `${nth}`.padStart(32, "a")
    const unsampled = (nth: number) => `${nth}`.padStart(32, "b")
    const tracesAt = async (share: string) => {
      const receiver = await receiving()
      const host = await HostProcess.start({
        DATABASE_URL: "sqlite::memory:",
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
        OTEL_TRACES_SAMPLER_ARG: share,
        ...soon
      })
      for (let nth = 0; nth < 300; nth++) await send(host.url, "GET", "/docs")
      for (let nth = 0; nth < 10; nth++) {
        await send(host.url, "GET", "/docs", { traceparent: `00-${sampled(nth)}-00f067aa0ba902b7-01` })
        await send(host.url, "GET", "/docs", { traceparent: `00-${unsampled(nth)}-00f067aa0ba902b7-00` })
      }
      strictEqual(await host.stop(), 0)
      receiver.close()
      const ids = receiver.arrived.flatMap(({ body }) =>
        (JSON.parse(body.toString()) as Traces).resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) => spans.map(({ traceId }) => traceId))
        )
      )
      const all = [...new Set(ids)]
      const ten = Array.from({ length: 10 }, (_, nth) => nth)
      deepStrictEqual(
        ten.filter((nth) => !all.includes(sampled(nth)) || all.includes(unsampled(nth))),
        []
      )
      return all.length - 10
    }
    strictEqual(await tracesAt("0"), 0)
    const half = await tracesAt("0.5")
    assertTrue(half > 90 && half < 210, `${half} of 300`)
  })

  it("leaves a host alone whose receiver is silent: it answers, and stops in time", async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    closing.push(
      () => silent.closeAllConnections(),
      () => silent.close()
    )
    const { port } = silent.address() as AddressInfo
    const host = await HostProcess.start({
      DATABASE_URL: "sqlite::memory:",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      ...soon
    })
    for (let nth = 0; nth < 50; nth++) strictEqual((await send(host.url, "GET", "/docs")).status, 200)
    const stopping = performance.now()
    strictEqual(await host.stop(), 0)
    assertTrue(performance.now() - stopping < 60_000)
  })
})
