import { type ChildProcess, spawn } from "node:child_process"
import { createServer, request } from "node:http"
import { generousAllowances } from "@crossdock/http"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { afterAll, beforeAll } from "vitest"
import { temporaryFolder } from "../../../packages/http/test/TemporaryFolder.ts"
import * as ShippedProxy from "../src/ShippedProxy.ts"
import { basicOf, type RunningHost, settings, startHost, tokenOf } from "./TestHost.ts"

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0))
    })
  })

interface Sending {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** One of this machine's addresses. */
  readonly from?: string
}

/** An answer's status and code. `TestHost.send` rejects headers that only a proxy has. */
const answerOf = (url: string, path: string, { body, from = "127.0.0.1", ...how }: Sending = {}) =>
  new Promise<string>((resolve, reject) => {
    const sent = request(`${url}${path}`, { localAddress: from, agent: false, ...how }, (answer) => {
      let text = ""
      answer.setEncoding("utf8").on("data", (chunk) => {
        text += chunk
      })
      answer.once("end", () => resolve(`${answer.statusCode} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ""}`.trim()))
    })
    sent.once("error", reject)
    sent.end(body)
  })

const allowances = {
  ...generousAllowances,
  address: { ...generousAllowances.address, perSecond: 0.001, burst: 30 }
}

for (const name of ["nginx", "caddy", "haproxy"] as const) {
  const program = ShippedProxy.programOf(name)
  describe.skipIf(program === undefined)(`A host behind ${name}, as operations configures it`, () => {
    const folder = temporaryFolder()
    let [host, url, child]: [RunningHost, string, ChildProcess] = [] as never
    let proxy: ShippedProxy.Proxy

    beforeAll(async () => {
      const port = await freePort()
      host = await startHost(settings({ trustedProxies: 1, allowances }))
      url = `http://127.0.0.1:${port}`
      const hosts = [host.url.replace("http://", "")]
      proxy = ShippedProxy.proxies[name]({ program: program ?? "", folder, port, hosts })
      child = spawn(proxy.command, [...proxy.args], { env: proxy.environment, stdio: "ignore" })
      for (let tries = 0; tries < 100; tries++) {
        const isUp = await answerOf(url, "/health/live").catch(() => "")
        if (isUp === "200") return
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      throw new Error(`${name} did not start: ${proxy.log()}`)
    })
    afterAll(async () => {
      child.kill()
      await host.stop()
    })

    it("limits each caller by its own address, whatever address it claims to have", async () => {
      const listings = "/ims/v3/listings"
      const many = []
      for (let nth = 0; nth < 40; nth++)
        many.push(await answerOf(url, listings, { from: "127.0.0.2", headers: { "x-forwarded-for": `10.0.0.${nth}` } }))
      const rejected = [Array(30).fill("401 TOKEN_MISSING"), Array(10).fill("429 TOO_MANY_REQUESTS")]
      deepStrictEqual([many.slice(0, 30), many.slice(30)], rejected)
      strictEqual(await answerOf(url, listings, { from: "127.0.0.3" }), "401 TOKEN_MISSING")
    })

    it("receives a catalog of 5 MiB, and answers a larger one itself", async () => {
      const token = await tokenOf(host.url, "/aggregator/v1/token", "acme")
      const headers = { "x-access-token": token, "content-type": "application/json" }
      const large = (length: number) =>
        answerOf(url, "/v3/catalog/product?dry_run=true", {
          method: "POST",
          headers: { ...headers, "content-length": String(length) },
          body: `[]${" ".repeat(length - 2)}`
        })
      const limit = 5 * 1024 * 1024
      assertTrue(/^400 /.test(await large(limit)))
      strictEqual(await large(limit + 1), "413 BODY_TOO_LARGE")
    })

    it("passes a token of 15,000 characters on", async () => {
      const headers = { "x-access-token": "a".repeat(15_000) }
      const [direct, proxied] = [host.url, url].map((base) => answerOf(base, "/ims/v3/listings", { headers }))
      strictEqual(await direct, "401 TOKEN_INVALID")
      strictEqual(await proxied, "401 TOKEN_INVALID")
    })

    it("has no password, token or secret link in the proxy's logs, also while no host answers", async () => {
      const link = "0a".repeat(32)
      const paths = [
        "/aggregator/v1/token?username=acme&password=acme-secret",
        `/billing/confirm/${link}`,
        `/billing%2Fconfirm/${link}`,
        `/documents/${link}.pdf`
      ]
      const token = await tokenOf(host.url, "/aggregator/v1/token", "acme")
      const headers = { "x-access-token": token, authorization: basicOf("acme", "acme-secret") }
      const visit = async () => {
        for (const path of paths) await answerOf(url, path, { headers })
      }
      await visit()
      await host.stop()
      await visit()
      assertTrue(/^50[23]$/.test(await answerOf(url, "/health/live")))
      const logged = proxy.log()
      assertTrue(/"status":50[23]/.test(logged) && /"status":200/.test(logged), logged)
      deepStrictEqual(
        [link, "acme-secret", token, basicOf("acme", "acme-secret").slice(6)].filter((one) => logged.includes(one)),
        []
      )
      host = await startHost(settings())
    })
  })
}
