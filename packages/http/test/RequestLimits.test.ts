import { generousAllowances } from "@crossdock/http"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Logger, References } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as TestHost from "./TestHost.ts"
import type { Problem } from "./TestOrders.ts"

type Host = Awaited<ReturnType<typeof TestHost.start>>

interface Entry {
  readonly level: string
  readonly message: unknown
  readonly fields: Readonly<Record<string, unknown>>
}

const entries: Array<Entry> = []

const recording = Logger.make(({ fiber, logLevel, message }) => {
  entries.push({ level: logLevel, message, fields: { ...fiber.getRef(References.CurrentLogAnnotations) } })
})

/** So slow that nothing is refilled during a test. */
const few = { perSecond: 0.001, burst: 4, concurrent: 100, concurrentBytes: Number.POSITIVE_INFINITY }

describe("a host whose accounts may make four requests", () => {
  let host: Host
  let acme: TestHost.Client
  let globex: TestHost.Client
  let bazaar: TestHost.Client
  beforeAll(async () => {
    host = await TestHost.start({ allowances: { ...generousAllowances, account: few }, loggers: [recording] })
    acme = await host.seller("acme")
    globex = await host.seller("globex")
    bazaar = await host.marketplace("bazaar")
  })
  afterAll(() => host.stop())

  it("answers the fifth with 429 TOO_MANY_REQUESTS and retry-after, and leaves other accounts and health alone", async () => {
    for (let n = 0; n < 4; n++) strictEqual((await acme.call("GET", "/ims/v3/listings")).status, 200)
    const { body, headers, status } = await acme.call<Problem>("GET", "/ims/v3/listings")
    deepStrictEqual([status, body.code], [429, "TOO_MANY_REQUESTS"])
    expect(Number(headers["retry-after"])).toBeGreaterThan(0)
    strictEqual((await bazaar.call("GET", "/order/api/v1/bazaar/order?platform_order_id=x")).status, 404)
    strictEqual((await acme.call("GET", "/health/ready")).status, 200)
  })

  it("logs one line a request with its fields, rejected sign-ins and 429 as warnings, and no query", async () => {
    entries.length = 0
    for (let n = 0; n < 5; n++) await globex.call("GET", "/ims/v3/listings?page_size=7")
    const wrong = JSON.stringify({ username: "acme", password: "a wrong one" })
    await host.send("POST", "/aggregator/v1/token", { "content-type": "application/json" }, wrong)
    const [read, , , , beyond, signIn] = entries
    strictEqual(entries.length, 6)
    const { ms, request_id, ...known } = read?.fields ?? {}
    deepStrictEqual([typeof ms, typeof request_id], ["number", "string"])
    deepStrictEqual(
      [read?.level, known],
      [
        "Info",
        {
          method: "GET",
          path: "/ims/v3/listings",
          route: "/ims/v3/listings",
          status: 200,
          caller: "integration:globex",
          company_id: 2
        }
      ]
    )
    deepStrictEqual(
      [beyond?.level, beyond?.fields.code, beyond?.fields.caller],
      ["Warn", "TOO_MANY_REQUESTS", "integration:globex"]
    )
    deepStrictEqual([signIn?.level, signIn?.fields.code, signIn?.fields.status], ["Warn", "CREDENTIALS_INVALID", 401])
    expect(JSON.stringify(entries)).not.toMatch(/page_size|a wrong one/)
  })
})

describe("a host whose addresses may make four requests", () => {
  let host: Host
  beforeAll(async () => {
    host = await TestHost.start({ allowances: { ...generousAllowances, address: { ...few, burst: 20 } } })
  })
  afterAll(() => host.stop())

  it("answers callers without a token 429 too, whatever they ask for, but health", async () => {
    const statuses: Array<number> = []
    for (let n = 0; n < 21; n++) statuses.push((await host.send("GET", `/nowhere/${n}`)).status)
    strictEqual(statuses.at(-1), 429)
    strictEqual((await host.send("GET", "/health/live")).status, 200)
    strictEqual((await host.send("GET", "/metrics")).status, 429)
  })
})

describe("a host whose addresses may have two requests or 1,000 bytes in flight", () => {
  const unlimited = Number.POSITIVE_INFINITY
  const address = { perSecond: unlimited, burst: unlimited, concurrent: 2, concurrentBytes: 1_000 }
  let host: Host
  let token: string
  beforeAll(async () => {
    host = await TestHost.start({ allowances: { ...generousAllowances, address } })
    token = await host.tokenOf("/aggregator/v1/token", "acme")
  })
  afterAll(() => host.stop())

  const read = async () => (await host.send("GET", "/nowhere")).status

  /** A write whose body hasn't ended yet; `end` ends it and gives its status. */
  const begin = async (headers: Readonly<Record<string, string>>) => {
    const body = new TransformStream<Uint8Array, Uint8Array>({}, {}, { highWaterMark: 10 })
    const writer = body.writable.getWriter()
    const init = { method: "PUT", body: body.readable, duplex: "half" } as const
    const answer = host.fetch("/ims/v3/inventory", {
      ...init,
      headers: { "x-access-token": token, "content-type": "application/json", ...headers }
    })
    await writer.write(new TextEncoder().encode("["))
    const end = async () => {
      await writer.write(new TextEncoder().encode("]"))
      await writer.close()
      return (await answer).status
    }
    return { end }
  }

  it("counts a request until it is answered, and not longer", async () => {
    for (let n = 0; n < 5; n++) strictEqual(await read(), 404)
    const [one, other] = [await begin({ "content-length": "2" }), await begin({ "content-length": "2" })]
    strictEqual(await read(), 429)
    deepStrictEqual([await one.end(), await other.end()], [400, 400])
    strictEqual(await read(), 404)
  })

  for (const [how, headers] of Object.entries({
    "of the length that it states": { "content-length": "1000" },
    "without a stated length, as the largest that a route takes": { "transfer-encoding": "chunked" }
  })) {
    it(`counts a body ${how}`, async () => {
      const one = await begin(headers)
      const body = await host.send("PUT", "/ims/v3/inventory", { "content-length": "1" }, "[")
      deepStrictEqual([body.status, body.body.code], [429, "TOO_MANY_REQUESTS"])
      strictEqual(await read(), 404)
      await one.end()
      strictEqual((await host.send("PUT", "/ims/v3/inventory", { "content-length": "1" }, "[")).status, 401)
    })
  }
})

describe("a host behind a trusted proxy, whose addresses may make four requests", () => {
  let host: Host
  beforeAll(async () => {
    const allowances = { ...generousAllowances, address: few }
    host = await TestHost.start({ trustedProxies: 1, allowances })
  })
  afterAll(() => host.stop())

  it("counts each caller's own address, not the proxy's", async () => {
    const from = async (address: string) => (await host.send("GET", "/nowhere", { "x-forwarded-for": address })).status
    for (let n = 0; n < 4; n++) strictEqual(await from("10.8.0.1"), 404)
    strictEqual(await from("10.8.0.1"), 429)
    strictEqual(await from("10.8.0.2"), 404)
  })
})

describe("a host's shares of work", () => {
  const on = async <A>(share: number, use: (host: Host, token: string) => Promise<A>, writes = share) => {
    const host = await TestHost.start({ allowances: { ...generousAllowances, share, writes } })
    return use(host, await host.tokenOf("/aggregator/v1/token", "acme")).finally(host.stop)
  }
  const requests = [
    { method: "GET", path: "/ims/v3/listings", length: "0" },
    { method: "PUT", path: "/ims/v3/inventory", length: "2", body: "[]" }
  ]
  const headersOf = (token: string, length: string) => ({
    "x-access-token": token,
    "content-type": "application/json",
    "content-length": length
  })

  it("let every request of an account wait for its turn, with and without a body", () =>
    on(0, async (host, token) => {
      for (const { length, path, ...init } of requests) {
        const caller = new AbortController()
        const sent = { ...init, headers: headersOf(token, length), signal: caller.signal }
        const answer = host.fetch(path, sent).catch(() => undefined)
        const pause = new Promise((resolve) => setTimeout(resolve, 300, "waits"))
        strictEqual(await Promise.race([answer, pause]), "waits")
        caller.abort()
      }
      strictEqual((await host.send("GET", "/health/ready")).status, 200)
    }))

  it("let what a company's own accounts write wait, and nothing else", () =>
    on(
      8,
      async (host, token) => {
        const branch = await host.tokenOf("/aggregator/v1/token", "acme-blr1")
        const bazaar = await host.tokenOf("/auth/bazaar/token", "bazaar")
        const outcome = (method: string, path: string, token: string, body?: string) =>
          host
            .fetch(path, {
              method,
              headers: headersOf(token, String(body?.length ?? 0)),
              // Stock writes wait for as long as the test looks. The others are answered, even on a busy machine.
              signal: AbortSignal.timeout(method === "PUT" ? 500 : 60_000),
              ...(body === undefined ? {} : { body })
            })
            .then(
              ({ status }) => status,
              () => "waits"
            )
        deepStrictEqual(
          [
            await outcome("PUT", "/ims/v3/inventory", token, "[]"),
            await outcome("PUT", "/ims/v3/inventory", branch, "[]"),
            await outcome("GET", "/ims/v3/listings", token),
            await outcome("POST", "/oms/v3/shipment/track", token, "{}"),
            await outcome("POST", "/order/api/v1/bazaar/create", bazaar, "{}")
          ],
          ["waits", "waits", 200, 400, 400]
        )
      },
      0
    ))

  it("are free again once a request is answered", () =>
    on(1, async (host, token) => {
      const statuses: Array<number> = []
      for (const { body, length, method, path } of [...requests, ...requests])
        statuses.push((await host.send(method, path, headersOf(token, length), body)).status)
      deepStrictEqual(statuses, [200, 400, 200, 400])
    }))
})
