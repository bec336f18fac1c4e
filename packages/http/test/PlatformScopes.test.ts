import { PlatformApi, PlatformScopes } from "@crossdock/http"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Option } from "effect"
import { OpenApi } from "effect/http-api"
import { useHost } from "./TestHost.ts"

/**
 * Every route of the interface except the token route and those whose link is itself a secret.
 */
const routes = Object.entries(OpenApi.fromApi(PlatformApi).paths)
  .filter(([path]) => path.startsWith(PlatformScopes.platformBase))
  .flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path,
      key: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`
    }))
  )

const filled = (path: string, company: number | string) =>
  path.replace("{company_id}", String(company)).replaceAll(/\{\w+\}/g, "000000000000000000000000")

const bodyOf = (method: string) => (method === "POST" ? {} : undefined)

describe("the platform interface's scopes", () => {
  const host = useHost()

  it("each route has an entry in the scope table, and each entry has a route", () => {
    assertTrue(routes.length >= 4)
    deepStrictEqual(routes.map(({ key }) => key).sort(), Object.keys(PlatformScopes.scopes).sort())
  })

  it("a route missing from the table is open to nobody", () => {
    strictEqual(PlatformScopes.scopeOf("GET", "/service/platform/new", "company/finance/read"), undefined)
  })

  it.effect(
    "every route is 401 without a token, 403 for another company or without its scope, and otherwise allowed",
    () =>
      Effect.promise(async () => {
        for (const { key, method, path } of routes) {
          const own = filled(path, 1)
          const body = bodyOf(method)
          const none = await host.anonymous.call<{ code: string }>(method, own, body)
          deepStrictEqual([key, none.status, none.body.code], [key, 401, "TOKEN_MISSING"])
          for (const company of [2, 999, "01", "x"]) {
            const other = await host.ops.call<{ code: string }>(method, filled(path, company), body)
            deepStrictEqual([key, company, other.status, other.body.code], [key, company, 403, "FORBIDDEN"])
          }
          const foreign = await host.globexOps.call<{ code: string }>(method, own, body)
          deepStrictEqual([key, foreign.status], [key, 403])
          const mayWrite = await host.ops.call(method, own, body)
          assertTrue(![401, 403, 405, 500, 503].includes(mayWrite.status), `${key} answered ops ${mayWrite.status}`)
          const reading = await host.viewer.call<{ code: string }>(method, own, body)
          const isWrite = PlatformScopes.scopes[key]?.endsWith("/write") === true
          strictEqual(reading.status === 403, isWrite, `${key} answered viewer ${reading.status}`)
        }
      })
  )

  it("a token of another interface and a token that is not a bearer token are rejected", async () => {
    const path = "/service/platform/audit-trail/v1.0/company/1/entity-types"
    const seller = await host.acme.call<{ access_token: string }>("GET", path)
    strictEqual(seller.status, 401)
    for (const authorization of ["Basic b3BzOm9wcy1zZWNyZXQ=", "Bearer", "Bearer a b", "nonsense"]) {
      const answer = await host.anonymous.call<{ code: string }>("GET", path, undefined, { authorization })
      deepStrictEqual([authorization, answer.status, answer.body.code], [authorization, 401, "TOKEN_INVALID"])
    }
  })

  it("activate needs finance/read, or the scope in the host's policy", () => {
    const { paths, scopeOf } = PlatformScopes
    strictEqual(scopeOf("POST", paths.activate, "company/finance/read"), "company/finance/read")
    strictEqual(scopeOf("POST", paths.activate, "company/finance/write"), "company/finance/write")
    strictEqual(Option.isNone(Option.fromNullishOr(scopeOf("GET", paths.activate, "company/finance/read"))), true)
  })
})
