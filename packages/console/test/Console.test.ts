import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Console } from "@crossdock/console"
import { type Host, orThrow } from "@crossdock/host"
import { CompanyId } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { start } from "../../host/test/Shop.ts"

const origin = "https://shop.example"
const ownPage = { origin, host: "shop.example", "x-crossdock-console": "1", "content-type": "application/json" }
const password = "correct horse battery"

const hostWith = async (more: Partial<Host.Options> = {}) => {
  // Without a sign-in of its own, so that it takes tokens.
  const { host } = await start({ signIn: {}, console: Console.make(), ...more })
  await orThrow(host.services.accounts.putOperator("asha", { password }))
  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
    host.handler(
      new Request(`${origin}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
  const signIn = (credentials: object, headers: Record<string, string> = ownPage) =>
    send("POST", "/console/session", headers, credentials)
  const sessionOf = async () =>
    (await signIn({ username: "asha", password })).headers.get("set-cookie")?.split(";")[0] ?? ""
  const open = (cookie: string, company_id: unknown = 1) =>
    send("POST", "/console/tokens", { ...ownPage, cookie }, { company_id })
  return { host, send, signIn, sessionOf, open }
}

const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code]

const trailOf = async (send: Awaited<ReturnType<typeof hostWith>>["send"], token: string) => {
  const path = "/service/platform/audit-trail/v1.0/company/1/logs?qs=asha&sort=%7B%22_id%22%3A1%7D"
  const { docs } = (await (await send("GET", path, { authorization: `Bearer ${token}` })).json()) as {
    docs: ReadonlyArray<{ entity: object; recorded_by: object }>
  }
  return docs.map(({ entity, recorded_by }) => ({ entity, recorded_by }))
}

describe("The console's files", () => {
  it("are at most 120 kB in all, compressed", () => {
    const { page, script, style } = JSON.parse(readFileSync(join(import.meta.dirname, "../src/files.json"), "utf8"))
    const sizes = [page, script, style].map((text) => gzipSync(text).length)
    assertTrue(sizes.reduce((sum, size) => sum + size, 0) <= 120_000, sizes.join())
  })

  it("name no other site, and have nothing inline", () => {
    const { page, style }: Record<string, string> = JSON.parse(
      readFileSync(join(import.meta.dirname, "../src/files.json"), "utf8")
    )
    assertTrue(!/https?:|\/\/|<style|\sstyle=|\son\w+=|<script>/.test(`${page}`))
    assertTrue(!/url\(|@import/.test(`${style}`))
  })

  it("turn no value into markup", () => {
    for (const path of globSync(join(import.meta.dirname, "../app/*.ts")))
      assertTrue(!/innerHTML|outerHTML|insertAdjacent|document\.write|eval\(/.test(readFileSync(path, "utf8")), path)
  })

  it("are served with a policy that allows nothing of others, and no frame", async () => {
    const { host, send } = await hostWith()
    for (const path of ["/console", "/console/app.js", "/console/app.css"]) {
      const answer = await send("GET", path)
      const policy = answer.headers.get("content-security-policy") ?? ""
      deepStrictEqual([path, answer.status, answer.headers.get("x-content-type-options")], [path, 200, "nosniff"])
      for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
        assertTrue(policy.split("; ").includes(part), part)
      assertTrue(!policy.includes("unsafe"))
    }
    await host.dispose()
  })

  it("aren't there without the option", async () => {
    const { host } = await start()
    deepStrictEqual(await codeOf(await host.handler(new Request(`${origin}/console`))), [404, "ROUTE_NOT_FOUND"])
    await host.dispose()
  })
})

describe("An operator", () => {
  it("signs in for a cookie that scripts and other sites can't use", async () => {
    const { host, signIn } = await hostWith()
    const answer = await signIn({ username: "asha", password })
    strictEqual(answer.status, 204)
    assertMatch(
      answer.headers.get("set-cookie") ?? "",
      /^crossdock_operator=[\w.-]+; Path=\/console; HttpOnly; SameSite=Strict; Secure; Max-Age=28800$/
    )
    deepStrictEqual(await codeOf(await signIn({ username: "asha", password: "wrong" })), [401, "CREDENTIALS_INVALID"])
    deepStrictEqual(await codeOf(await signIn({ username: "asha" })), [400, "VALIDATION_FAILED"])
    await host.dispose()
  })

  it("is asked to wait after ten failures, like every account", async () => {
    const { host, signIn } = await hostWith()
    for (let failed = 0; failed < 10; failed++) await signIn({ username: "asha", password: "wrong" })
    deepStrictEqual(await codeOf(await signIn({ username: "asha", password })), [429, "TOO_MANY_ATTEMPTS"])
    await host.dispose()
  })

  it("acts for a company, whose trail names it", async () => {
    const { host, open, send, sessionOf } = await hostWith()
    const { platform, seller } = (await (await open(await sessionOf())).json()) as Record<"platform" | "seller", string>
    const headers = { "x-access-token": seller, "content-type": "application/json" }
    const stock = await send("PUT", "/ims/v3/inventory", headers, [{ sku: "T-S", location_id: "BLR1", quantity: 7 }])
    strictEqual(((await stock.json()) as { data: { success_count: number } }).data.success_count, 1)
    deepStrictEqual(await trailOf(send, platform), [
      {
        entity: { type: "operator", id: "asha", action: "open" },
        recorded_by: { kind: "system", id: "operator:asha" }
      },
      {
        entity: { type: "inventory", id: "operator:asha", action: "set" },
        recorded_by: { kind: "integration", id: "operator:asha:1", company_id: 1 }
      }
    ])
    // The tokens are those of one company, and of one interface each.
    const other = await send("GET", "/service/platform/audit-trail/v1.0/company/2/logs?qs=x", {
      authorization: `Bearer ${platform}`
    })
    deepStrictEqual(await codeOf(other), [403, "FORBIDDEN"])
    deepStrictEqual(await codeOf(await send("GET", "/ims/v3/listings", { "x-access-token": platform })), [
      401,
      "TOKEN_INVALID"
    ])
    const claims = JSON.parse(Buffer.from(seller.split(".")[1] ?? "", "base64url").toString())
    strictEqual(claims.exp - claims.iat, 15 * 60)
    await host.dispose()
  })

  it("repeats no answer of another company under the same Idempotency-Key", async () => {
    const { host, open, send, sessionOf } = await hostWith()
    const globex = { id: CompanyId.make(2), name: "Globex", legalName: "Globex Ltd" }
    await orThrow(host.services.companies.register(host.system("setup"), globex, []))
    const cookie = await sessionOf()
    for (const company of [1, 2]) {
      const { seller } = (await (await open(cookie, company)).json()) as { seller: string }
      const headers = { "x-access-token": seller, "content-type": "application/json", "idempotency-key": "same" }
      const body = [{ sku: "T-S", location_id: "BLR1", quantity: 7 }]
      const answer = await send("PUT", "/ims/v3/inventory", headers, body)
      strictEqual(answer.headers.get("idempotent-replayed"), null)
      const { data } = (await answer.json()) as { data: { success_count: number } }
      deepStrictEqual([company, data.success_count], [company, company === 1 ? 1 : 0])
    }
    await host.dispose()
  })

  it("gets no token of an interface for its session, and no session for a token", async () => {
    const { host, open, send, sessionOf } = await hostWith()
    const cookie = await sessionOf()
    const session = cookie.split("=")[1] ?? ""
    deepStrictEqual(await codeOf(await send("GET", "/ims/v3/listings", { "x-access-token": session })), [
      401,
      "TOKEN_INVALID"
    ])
    const companies = (token: string) => send("GET", "/operator/v1/companies", { authorization: `Bearer ${token}` })
    deepStrictEqual(await codeOf(await companies(session)), [401, "TOKEN_INVALID"])
    const tokens = (await (await open(cookie)).json()) as Record<"seller" | "platform" | "operator", string>
    for (const token of Object.values(tokens))
      deepStrictEqual(await codeOf(await open(`crossdock_operator=${token}`)), [401, "TOKEN_INVALID"])
    strictEqual((await companies(tokens.operator)).status, 200)
    deepStrictEqual(await codeOf(await open("")), [401, "TOKEN_INVALID"])
    await host.dispose()
  })

  it("is rejected with what another site's page can send", async () => {
    const { host, send, sessionOf } = await hostWith()
    const cookie = await sessionOf()
    const { "x-crossdock-console": _, ...withoutHeader } = ownPage
    const { origin: __, ...withoutOrigin } = ownPage
    for (const headers of [
      withoutHeader,
      withoutOrigin,
      { ...ownPage, origin: "https://evil.example" },
      { ...ownPage, origin: "null" }
    ]) {
      for (const [method, path] of [
        ["POST", "/console/tokens"],
        ["POST", "/console/session"],
        ["DELETE", "/console/session"]
      ] as const)
        deepStrictEqual(
          await codeOf(await send(method, path, { ...headers, cookie }, method === "POST" ? {} : undefined)),
          [403, "FORBIDDEN"]
        )
    }
    await host.dispose()
  })

  it("loses its session and its tokens with its account, or its password", async () => {
    for (const change of [{ enabled: false }, { password: "another horse battery" }]) {
      const { host, open, send, sessionOf } = await hostWith()
      const cookie = await sessionOf()
      await orThrow(host.services.accounts.putOperator("asha", change))
      deepStrictEqual(await codeOf(await open(cookie)), [401, "TOKEN_INVALID"])
      const about = (await (await send("GET", "/console/about", { cookie })).json()) as { operator: string | null }
      strictEqual(about.operator, null)
      await host.dispose()
    }
  })

  it("opens no company that is closed or unknown", async () => {
    const { host, open, sessionOf } = await hostWith()
    const cookie = await sessionOf()
    deepStrictEqual(await codeOf(await open(cookie, 2)), [404, "NOT_FOUND"])
    deepStrictEqual(await codeOf(await open(cookie, "1")), [400, "VALIDATION_FAILED"])
    deepStrictEqual(await codeOf(await open(cookie, 0)), [400, "VALIDATION_FAILED"])
    await host.dispose()
  })

  it("ends its sessions when it signs out, of a copied cookie too", async () => {
    const { host, open, send, sessionOf } = await hostWith()
    const [cookie, copied] = [await sessionOf(), await sessionOf()]
    strictEqual((await open(copied)).status, 200)
    for (const sent of [cookie, cookie, ""]) {
      const answer = await send("DELETE", "/console/session", { ...ownPage, cookie: sent })
      deepStrictEqual(answer.status, 204)
      assertMatch(answer.headers.get("set-cookie") ?? "", /^crossdock_operator=; .*Max-Age=0$/)
    }
    deepStrictEqual(await codeOf(await open(copied)), [401, "TOKEN_INVALID"])
    const next = await sessionOf()
    strictEqual((await open(next)).status, 200)
    strictEqual((await send("DELETE", "/console/session", { ...ownPage, cookie: copied })).status, 204)
    strictEqual((await open(next)).status, 200)
    await host.dispose()
  })

  it("has a name without a colon, and a password of twelve characters", async () => {
    const { host } = await hostWith()
    const faults = await host.services.accounts.putOperator("a:b", { password: "short" })
    strictEqual(faults.ok, false)
    await host.dispose()
  })
})
