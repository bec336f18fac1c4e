import { randomBytes } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Cause, Exit, Inspectable, Layer, Logger, Option, Redacted, References, Tracer } from "effect"
import { HttpMiddleware } from "effect/http"
import { beforeAll } from "vitest"
import { temporaryFolder } from "../../../packages/http/test/TemporaryFolder.ts"
import * as HostProcess from "../src/HostProcess.ts"
import * as Canaries from "./Canaries.ts"
import { bytesOf } from "./Canaries.ts"
import { basicOf, send, sendBytes, settings, startHost } from "./TestHost.ts"

/** Every sent secret, by its form. */
const secrets = new Map<string, string>()

const passwordFor = (form: string): string => {
  const canary = `pw ${randomBytes(12).toString("hex")}/+&é`
  secrets.set(`password ${form}`, canary)
  return canary
}

/** The characters that a header can carry. */
const tokenFor = (form: string): string => {
  const canary = `${randomBytes(9).toString("hex")}.${randomBytes(12).toString("hex")}.${randomBytes(12).toString("hex")}`
  secrets.set(`token ${form}`, canary)
  return canary
}

const hits = (where: string, bytes: string) => Canaries.hits(secrets, where, bytes)

const sellerPath = "/aggregator/v1/token"
const platformPath = "/service/panel/authentication/v1.0/company/1/oauth/token"
const json = { "content-type": "application/json" }
const form = { "content-type": "application/x-www-form-urlencoded" }

const routes = [
  ["GET", "/ims/v3/listings"],
  ["GET", "/ims/v3/listings/count"],
  ["PUT", "/ims/v3/price"],
  ["PUT", "/ims/v3/inventory"],
  ["GET", "/oms/v3/shipment"],
  ["POST", "/oms/v3/shipment/confirm"],
  ["POST", "/oms/v3/shipment/cancel"],
  ["POST", "/oms/v3/shipment/invoiceUpdate"],
  ["POST", "/oms/v3/shipment/pack"],
  ["POST", "/oms/v3/shipment/dispatch"],
  ["PUT", "/oms/v3/shipment/awb"],
  ["PUT", "/oms/v3/shipment/status"],
  ["POST", "/order/api/v1/bazaar/create"],
  ["GET", "/order/api/v1/bazaar/order"],
  ["PUT", "/order/api/v1/bazaar/awb"],
  ["PUT", "/order/api/v1/bazaar/status"],
  ["GET", "/service/platform/audit-trail/v1.0/company/1/logs"],
  ["POST", "/service/platform/audit-trail/v1.0/company/1/logs"],
  ["POST", "/service/platform/billing/v1.0/company/1/extension/ext1/subscription"],
  ["GET", "/service/platform/billing/v1.0/company/1/subscription/current"],
  ["GET", "/billing/confirm/nothing"],
  ["GET", "/health/live"],
  ["GET", "/health/ready"],
  ["GET", "/metrics"],
  ["GET", "/openapi/seller.json"],
  ["GET", "/docs"],
  ["GET", "/nothing"],
  ["DELETE", "/ims/v3/price"]
] as const

/** Sends secrets in every possible way; returns the answers without requested tokens. */
const exercise = async (url: string, withForwarded: boolean): Promise<ReadonlyArray<string>> => {
  const bodies: Array<string> = []
  let addresses = 0
  const from = () => (withForwarded ? { "x-forwarded-for": `10.9.0.${++addresses}` } : {})
  const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
    const answer = await send(url, method, path, { ...from(), ...headers }, body)
    // The documents show how to sign in to the sandbox, whose passwords are public.
    const isShown = answer.body?.access_token === undefined && !path.startsWith("/openapi/")
    bodies.push(isShown ? `${JSON.stringify(answer.headers)} ${answer.text}` : "")
    return answer
  }
  const query = (name: string, password: string) => new URLSearchParams({ username: name, password }).toString()

  // Valid secrets: passwords, and their tokens.
  const tokens: Array<string> = []
  for (const [path, name] of [
    [sellerPath, "acme"],
    ["/auth/bazaar/token", "bazaar"]
  ] as const) {
    const secret = `${name}-secret`
    secrets.set(`right password of ${name}`, secret)
    for (const answer of [
      await ask("GET", `${path}?${query(name, secret)}`),
      await ask("POST", path, json, JSON.stringify({ username: name, password: secret })),
      await ask("POST", path, { authorization: basicOf(name, secret) })
    ]) {
      strictEqual(answer.status, 200)
      tokens.push(answer.body.access_token ?? "")
    }
  }
  const platform = await ask(
    "POST",
    platformPath,
    { ...form, authorization: basicOf("ops", "ops-secret") },
    "grant_type=client_credentials"
  )
  tokens.push(platform.body.access_token ?? "")
  secrets.set("right secret of ops", "ops-secret")
  for (const [nth, token] of tokens.entries()) secrets.set(`given token ${nth}`, token)

  // Invalid ones, in every form and on paths that only resemble a token path.
  const name = (nth: number) => `nobody-${nth}`
  let nth = 0
  const wrong = async (path: string) => {
    await ask("GET", `${path}?${query(name(nth++), passwordFor(`query ${path}`))}`)
    await ask("POST", `${path}?${query(name(nth++), passwordFor(`query of a POST ${path}`))}`, json, "{}")
    await ask("POST", path, json, JSON.stringify({ username: name(nth++), password: passwordFor(`JSON ${path}`) }))
    await ask("POST", path, json, `{"username":"x","password":"${passwordFor(`broken JSON ${path}`)}"`)
    await ask("POST", path, json, JSON.stringify({ password: [passwordFor(`list ${path}`)], username: 1 }))
    await ask(
      "POST",
      path,
      json,
      JSON.stringify({ username: "x", password: `${passwordFor(`bad text ${path}`)}\u0000` })
    )
    await ask("POST", path, { "content-type": "text/plain" }, passwordFor(`plain text ${path}`))
    await ask(
      "POST",
      path,
      { ...form, authorization: basicOf(name(nth++), passwordFor(`Basic ${path}`)) },
      "grant_type=client_credentials"
    )
    await ask("POST", path, { authorization: `Basic ${passwordFor(`not Base64 ${path}`).replace(/[é ]/g, "")}` })
    await ask("POST", path, form, new URLSearchParams({ client_secret: passwordFor(`form ${path}`) }).toString())
    await ask("PUT", `${path}?${query("x", passwordFor(`other method ${path}`))}`)
    await ask("HEAD", `${path}?${query(name(nth++), passwordFor(`HEAD ${path}`))}`)
  }
  await Promise.all([sellerPath, "/auth/bazaar/token", "/auth/nobody/token", platformPath].map(wrong))
  for (const path of [
    `${sellerPath}/`,
    "/aggregator/v1/Token",
    "/aggregator/v1/%74oken",
    "//aggregator/v1/token",
    "/aggregator/v2/token",
    "/aggregator/v1/tokens",
    "/auth/a%2Fb/token",
    "/ims/v3/listings",
    "/"
  ])
    await ask("GET", `${path}?${query("x", passwordFor(`path ${path}`))}`)
  // Escaped parameter names on an escaped path: only decoding shows that they are secret.
  const escaped = encodeURIComponent(passwordFor("escaped names"))
  await ask("GET", `/aggregator/v1/%74oken?%75sername=x&p%61ssword=${escaped}`)
  for (const mark of [";", "#"]) await ask("GET", `${sellerPath}${mark}${query("x", passwordFor(`after ${mark}`))}`)

  const closing = "connection: close\r\n"
  const upgrade =
    "connection: upgrade, close\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
  for (const [form, target, headers] of [
    ["absolute form", `http://example.com${sellerPath}`, closing],
    ["upgrade", sellerPath, upgrade],
    ["no version", sellerPath, "bad header\r\n"],
    ["expectation", sellerPath, `expect: coffee\r\n${closing}`]
  ] as const) {
    const { body, head } = await sendBytes(
      url,
      `GET ${target}?${query("x", passwordFor(form))} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`
    )
    bodies.push(head, body)
  }

  // Tokens on every route: invalid ones, another interface's, and valid ones.
  const everyRoute = routes.map(async ([method, path]) => {
    const body = method === "GET" || method === "DELETE" ? undefined : "[{}]"
    await ask(method, path, { ...json, "x-access-token": tokenFor(`${method} ${path}`) }, body)
    await ask(method, path, { ...json, authorization: `Bearer ${tokenFor(`bearer ${method} ${path}`)}` }, body)
    await ask(method, path, { ...json, cookie: `token=${tokenFor(`cookie ${method} ${path}`)}` }, body)
    for (const token of [tokens[0], tokens[3], tokens[6]]) {
      await ask(method, path, { ...json, "x-access-token": token ?? "", "idempotency-key": `${nth++}` }, body)
    }
  })
  await Promise.all(everyRoute)
  const write = JSON.stringify([{ location_id: "BLR1", sku: "85123A", quantity: 1 }])
  const written = await ask(
    "PUT",
    "/ims/v3/inventory",
    { ...json, "x-access-token": tokens[0] ?? "", "idempotency-key": "w" },
    write
  )
  strictEqual(written.status, 200)
  // Anyone with a confirm page's link can decide.
  const subscription = {
    name: "x",
    return_url: "https://seller.example",
    line_items: [{ name: "x", term: "x", pricing_type: "one_time", price: { amount: 1, currency_code: "INR" } }]
  }
  const asked = await send(
    url,
    "POST",
    "/service/platform/billing/v1.0/company/1/extension/ext1/subscription",
    { ...json, authorization: `Bearer ${platform.body.access_token}` },
    JSON.stringify(subscription)
  )
  const link = /[0-9a-f]{64}/.exec(asked.text)?.[0] ?? ""
  secrets.set("link of a confirm page", link)
  await send(url, "GET", `/billing/confirm/${link}?x=1`)
  await send(url, "PUT", `/billing/confirm/${link}`)
  // A link may also be escaped, which is the same link, or within other text.
  secrets.set("most of the link of a confirm page", link.slice(1, -1))
  const spelled = `%${link.charCodeAt(0).toString(16)}${link.slice(1)}`
  for (const path of [`/billing/confirm/${spelled}`, `/billing/%63onfirm/${link}`, `/billing/confirm/${link};x=1`]) {
    strictEqual((await send(url, "GET", path)).status, 200, path)
  }
  for (const path of [
    `/billing/confirm/${link}).`,
    `/billing/confirm/${link.slice(1)}`,
    `/bill/confirm/x${spelled}%zz`
  ]) {
    await send(url, "GET", path)
  }
  const decided = await send(url, "POST", `/billing/confirm/${link}`, form, "decision=accept")
  strictEqual(decided.status, 303)
  bodies.push((await send(url, "GET", "/metrics")).text)
  return bodies
}

describe("secrets", () => {
  const folder = temporaryFolder()
  const file = join(folder, "secrets.db")
  const logged: Array<string> = []
  const traced: Array<string> = []
  let bodies: ReadonlyArray<string> = []

  const everything = Logger.make<unknown, void>(({ cause, fiber, message }) => {
    logged.push(
      [
        Inspectable.toStringUnknown(message),
        Cause.pretty(cause),
        JSON.stringify(fiber.getRef(References.CurrentLogAnnotations)),
        JSON.stringify(fiber.getRef(References.CurrentLogSpans))
      ].join(" ")
    )
  })

  const note = (...parts: ReadonlyArray<unknown>) => {
    traced.push(parts.map((part) => Inspectable.toStringUnknown(part)).join(" "))
  }

  const tracer = Tracer.make({
    span: (options) => {
      note("span", options.name)
      const attributes = new Map<string, unknown>()
      return {
        _tag: "Span",
        ...options,
        spanId: randomBytes(8).toString("hex"),
        traceId: "t",
        status: { _tag: "Started", startTime: options.startTime },
        attributes,
        // A tracer reports a span's failure when it ends.
        end: (_, exit) => note("end", Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "ok"),
        attribute: (key, value) => {
          attributes.set(key, value)
          note(key, value)
        },
        event: (event, _, more) => note(event, more),
        addLinks: () => {}
      }
    }
  })

  beforeAll(async () => {
    const tokenSecret = passwordFor("TOKEN_SECRET")
    const host = await startHost(
      settings({
        databaseUrl: `sqlite:${file}`,
        trustedProxies: 1,
        logLevel: "Trace",
        tokenSecret: Option.some(Redacted.make(tokenSecret))
      }),
      [everything, Logger.tracerLogger],
      // A host may trace every header; by default none.
      {
        tracer: Layer.merge(
          Layer.succeed(Tracer.Tracer, tracer),
          Layer.succeed(HttpMiddleware.TracerHeaderFilter, () => true)
        )
      }
    )
    bodies = await exercise(host.url, true)
    await host.stop()
  })

  it("were sent, logged and traced in large enough numbers for the other tests to be meaningful", () => {
    assertTrue(secrets.size > 120, `${secrets.size} secrets`)
    assertTrue(logged.length > 100, `${logged.length} lines`)
    assertTrue(traced.length > 1000, `${traced.length} notes`)
    assertTrue(traced.some((note) => note.includes("/aggregator/v1/token")))
    const [first = ""] = secrets.values()
    for (const spelling of [first, encodeURIComponent(first), Buffer.from(`user:${first}`).toString("base64")])
      assertTrue(hits("a test", bytesOf(`before ${spelling} after`)).length > 0, spelling)
  })

  it("are not in the log, even at the finest level", () => {
    deepStrictEqual(hits("the log", bytesOf(logged.join("\n"))), [])
  })

  it("are not in any span, also when headers are traced", () => {
    assertTrue(traced.includes("http.request.header.x-access-token <redacted>"), "no header was traced")
    deepStrictEqual(hits("a span", bytesOf(traced.join("\n"))), [])
  })

  it("are not in any answer or in the metrics", () => {
    deepStrictEqual(hits("an answer", bytesOf(bodies.join("\n"))), [])
  })

  it("are not in the database", () => {
    const files = [file, `${file}-wal`, `${file}-shm`].filter((name) => existsSync(name))
    const bytes = files.map((name) => readFileSync(name, "latin1").toLowerCase()).join("\n")
    assertTrue(bytes.includes("85123a"))
    deepStrictEqual(hits("the database", bytes), [])
  })

  it("are not in what a process writes to standard error, even at the finest level", async () => {
    const host = await HostProcess.start({
      DATABASE_URL: `sqlite:${join(folder, "process.db")}`,
      LOG_LEVEL: "trace",
      LOG_FORMAT: "json",
      TRUST_PROXY: "1",
      TOKEN_SECRET: passwordFor("TOKEN_SECRET of a process")
    })
    await exercise(host.url, true)
    strictEqual(await host.stop(), 0)
    assertTrue(host.log().length > 1000)
    deepStrictEqual(hits("standard error", bytesOf(host.log())), [])
  })
})
