import { MarketplaceApi, PlatformApi, SellerApi } from "@crossdock/http"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Redacted, Scope } from "effect"
import { OpenApi } from "effect/http-api"
import { beforeAll, inject } from "vitest"
import { basicOf, type Sent, send, tokenOf, useHost } from "./TestHost.ts"

/** PostgreSQL stores no NUL and no broken UTF-8, so unchecked texts fail there. */
const freshPostgres = () =>
  Effect.map(PostgresDatabase.make(inject("postgres")), Redacted.value).pipe(
    Scope.provide(Effect.runSync(Scope.make())),
    Effect.runPromise
  )

/** As in a URL. */
const hostile = {
  NUL: "%00",
  "a text with NUL in it": "a%00b",
  "a control character": "%1b",
  "half of a surrogate pair": "%ED%A0%80",
  "a byte that is not UTF-8": "%ff",
  "an escape without digits": "%",
  "an escape with wrong digits": "%zz",
  "3,000 characters": "a".repeat(3000),
  "400 characters": "a".repeat(400),
  "the parent folder": "..",
  "an encoded slash": "a%2fb",
  quotes: "'%22--;",
  "a number too large": "9".repeat(40)
}

interface Parameter {
  readonly in: string
  readonly name: string
}

const operations = [SellerApi, MarketplaceApi, PlatformApi].flatMap((api) =>
  Object.entries(OpenApi.fromApi(api as typeof SellerApi).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { parameters } = operation as { readonly parameters: ReadonlyArray<Parameter> }
      const named = (place: string) => parameters.filter((one) => one.in === place).map(({ name }) => name)
      return { method: method.toUpperCase(), path, inPath: named("path"), inQuery: named("query") }
    })
  )
)

const ordinary: Readonly<Record<string, string>> = { company_id: "1", marketplace_slug: "bazaar" }

const filled = (path: string, more: Readonly<Record<string, string>> = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => more[name] ?? ordinary[name] ?? "x")

describe("texts of callers who mean harm, on PostgreSQL", () => {
  const host = useHost(async () => ({ databaseUrl: await freshPostgres() }))
  const tokens = { seller: "", marketplace: "", platform: "" }

  beforeAll(async () => {
    tokens.seller = await tokenOf(host.url, "/aggregator/v1/token", "acme")
    tokens.marketplace = await tokenOf(host.url, "/auth/bazaar/token", "bazaar")
    const headers = { authorization: basicOf("ops", "ops-secret"), "content-type": "application/json" }
    const grant = '{"grant_type":"client_credentials"}'
    const answer = await send(host.url, "POST", filled(signIn), headers, grant)
    tokens.platform = answer.body.access_token ?? ""
  })

  const signIn = "/service/panel/authentication/v1.0/company/{company_id}/oauth/token"

  const headersOf = (path: string): Record<string, string> => {
    if (path.startsWith("/service/platform")) return { authorization: `Bearer ${tokens.platform}` }
    if (path.startsWith("/order/")) return { "x-access-token": tokens.marketplace }
    return { "x-access-token": tokens.seller }
  }

  const call = (method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Sent> => {
    const hasBody = method !== "GET" && method !== "HEAD"
    const own = { ...headersOf(path), ...(hasBody ? { "content-type": "application/json" } : {}), ...headers }
    return send(host.url, method, path, own, hasBody ? "{}" : undefined)
  }

  const answered = (answer: Sent, what: string): Sent => {
    assertTrue(answer.status >= 200 && answer.status < 500, `${what}: ${answer.status} ${answer.text}`)
    return answer
  }

  it("no hostile text in the path fails the host, whatever the route and the parameter", async () => {
    strictEqual(operations.filter(({ inPath }) => inPath.length > 0).length, 28)
    for (const { inPath, method, path } of operations)
      for (const name of inPath)
        for (const [what, value] of Object.entries(hostile)) {
          const url = filled(path, { [name]: value })
          answered(await call(method, url), `${method} ${path} with ${what} as ${name}`)
        }
  })

  it("a control character in the path is 400 INVALID_TEXT, once the token's rights are known", async () => {
    for (const { inPath, method, path } of operations)
      for (const name of inPath) {
        const { body, status } = await call(method, filled(path, { [name]: "a%00b" }))
        const isOwn = !path.includes("token") && (name === "company_id" || name === "marketplace_slug")
        const expected = isOwn
          ? [403, "FORBIDDEN", undefined]
          : [400, "VALIDATION_FAILED", [{ path: `/${name}`, code: "INVALID_TEXT" }]]
        const errors = body.errors?.map(({ code, path }) => ({ path, code }))
        deepStrictEqual([status, body.code, errors], expected, `${method} ${path}, ${name}`)
      }
    const invoice = "/service/platform/billing/v1.0/company/1/invoice/%00"
    strictEqual((await send(host.url, "GET", invoice)).status, 401)
    strictEqual((await call("DELETE", invoice)).status, 405)
  })

  it("no hostile text in the query fails the host, whatever the route and the parameter", async () => {
    assertTrue(operations.filter(({ inQuery }) => inQuery.length > 0).length > 15)
    for (const { inQuery, method, path } of operations)
      for (const name of inQuery)
        for (const [what, value] of Object.entries(hostile)) {
          const others = inQuery.filter((one) => one !== name).map((one) => `${one}=1`)
          const url = `${filled(path)}?${[`${name}=${value}`, ...others].join("&")}`
          answered(await call(method, url), `${method} ${path} with ${what} as ${name}`)
          answered(await call(method, `${filled(path)}?${name}=${value}`), `${method} ${path} with only ${what}`)
        }
  })

  it("no hostile text in a header fails the host", async () => {
    const texts = ["\u0085", "\u00ff\u00fe", "a".repeat(3000), "..", "a/b", "%00", "\t", "é", "Basic", "Bearer ", "{"]
    const names = ["idempotency-key", "x-request-id", "x-access-token", "authorization", "user-agent", "cookie"]
    for (const name of names)
      for (const value of texts)
        for (const path of [
          "/ims/v3/inventory",
          filled("/service/platform/audit-trail/v1.0/company/{company_id}/logs")
        ])
          answered(await call(path.startsWith("/ims") ? "PUT" : "POST", path, { [name]: value }), `${name}: ${value}`)
  })

  it("Basic credentials are judged like every other text", async () => {
    const paths = ["/aggregator/v1/token", "/auth/{marketplace_slug}/token", signIn].map((path) => filled(path))
    for (const path of paths)
      for (const [username, password] of [
        ["ops\0", "x"],
        ["ops", "x\0"],
        ["a".repeat(2001), "x"],
        ["ops", "a".repeat(3000)],
        ["\u001b", "x"]
      ] as const) {
        const grant = path.includes("oauth") ? '{"grant_type":"client_credentials"}' : "{}"
        const headers = { authorization: basicOf(username, password), "content-type": "application/json" }
        const { body, status } = await send(host.url, "POST", path, headers, grant)
        deepStrictEqual([status, body.code], [400, "VALIDATION_FAILED"], path)
        const isLong = username.length > 2000 || password.length > 2000
        deepStrictEqual(
          body.errors?.map(({ code }) => code),
          [isLong ? "TOO_LONG" : "INVALID_TEXT"]
        )
      }
    for (const bytes of [[0xff, 0x3a, 0xfe], [0xed, 0xa0, 0x80, 0x3a, 0x78], [0x3a], []])
      for (const path of paths) {
        const authorization = `Basic ${Buffer.from(bytes).toString("base64")}`
        const headers = { authorization, "content-type": "application/json" }
        const grant = path.includes("oauth") ? '{"grant_type":"client_credentials"}' : "{}"
        answered(await send(host.url, "POST", path, headers, grant), `${path} ${authorization}`)
      }
  })
})
