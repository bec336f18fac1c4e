import { spawn } from "node:child_process"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Directory } from "@crossdock/access"
import { CompanyId } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertInclude, assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { afterAll, beforeAll, expect } from "vitest"
import * as HostProcess from "../src/HostProcess.ts"
import * as Server from "../src/Server.ts"
import * as Storage from "../src/Storage.ts"
import { type RunningHost, send, settings, startHost, temporaryFolder, tokenOf } from "./TestHost.ts"

const main = fileURLToPath(new URL("../dist/main.js", import.meta.url))

interface Ended {
  readonly code: number | null
  readonly output: string
  readonly log: string
}

/** Runs the host until it ends; SIGTERM once it has listened and answered, or as soon as it says that it listens. */
const run = (environment: Readonly<Record<string, string>>, atOnce = false): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [main], { env: { PATH: process.env.PATH, PORT: "0", ...environment } })
    let output = ""
    let log = ""
    child.stdout.on("data", (chunk) => {
      output += chunk
      const url = /http:\S+/.exec(output)?.[0] ?? ""
      if (atOnce) child.kill("SIGTERM")
      else void send(url, "GET", "/health/ready").finally(() => child.kill("SIGTERM"))
    })
    child.stderr.on("data", (chunk) => {
      log += chunk
    })
    child.once("close", (code) => resolve({ code, output, log }))
  })

describe("the host as a process", () => {
  const folder = temporaryFolder()

  it("prints exactly one line when it is ready, with the free port it picked, and ends with 0 on SIGTERM", async () => {
    // A secret is measured in bytes: these are 32.
    const { code, output } = await run({ DATABASE_URL: "sqlite::memory:", TOKEN_SECRET: "é".repeat(16) })
    assertMatch(output, /^listening on http:\/\/127\.0\.0\.1:[1-9]\d*\n$/)
    strictEqual(code, 0)
  })

  it("ends with 0 on a SIGTERM that comes as soon as the line is printed", async () => {
    strictEqual((await run({ DATABASE_URL: "memory:", SANDBOX: "0" }, true)).code, 0)
  })

  it("ends with 0 on SIGTERM while its background work is failing", async () => {
    const file = join(folder, "failing.db")
    const host = await HostProcess.start({ DATABASE_URL: `sqlite:${file}` })
    const database = new Database(file)
    database.exec("ALTER TABLE crossdock_catalog_writes RENAME TO crossdock_catalog_writes_away")
    database.close()
    const readiness = () => send(host.url, "GET", "/health/ready").then(({ text }) => text)
    await expect.poll(readiness, { timeout: 10_000 }).toContain(`"name":"catalog","state":"failing"`)
    strictEqual(await host.stop(), 0)
    // Each failure is one line, and the end of the host is none.
    assertInclude(host.log(), "Background work failed and is tried again")
    assertTrue(!host.log().includes("interrupt"), host.log())
  })

  it("finishes running requests on SIGTERM, and takes no new ones", async () => {
    const host = await HostProcess.start({ DATABASE_URL: `sqlite:${join(folder, "stop.db")}` })
    // Each sign-in takes long enough to be running when the signal comes.
    const running = Array.from({ length: 4 }, () => tokenOf(host.url, "/aggregator/v1/token", "acme"))
    await send(host.url, "GET", "/health/live")
    const stopped = host.stop()
    const tokens = await Promise.all(running)
    deepStrictEqual(
      tokens.map((token) => token.split(".").length),
      [3, 3, 3, 3]
    )
    strictEqual(await stopped, 0)
    const after = await send(host.url, "GET", "/health/live").then(
      () => "answered",
      () => "rejected"
    )
    strictEqual(after, "rejected")
  })

  it("whoever is rejected for its size gets the answer, also while it still sends", async () => {
    const host = await HostProcess.start({ DATABASE_URL: "memory:" })
    const token = await tokenOf(host.url, "/aggregator/v1/token", "acme")
    const headers = { "x-access-token": token, "content-type": "application/json" }
    const text = " ".repeat(6 * 1024 * 1024)
    const answers: Array<unknown> = []
    for (let nth = 0; nth < 24; nth++) {
      const body = nth % 2 === 0 ? text : new Blob([text]).stream()
      const request: RequestInit & { readonly duplex: "half" } = { method: "PUT", headers, body, duplex: "half" }
      answers.push(
        await fetch(`${host.url}/ims/v3/inventory`, request).then(
          async (answer) => [answer.status, ((await answer.json()) as { readonly code: string }).code],
          ({ cause }) => String(cause)
        )
      )
    }
    strictEqual(await host.stop(), 0)
    deepStrictEqual(
      answers,
      answers.map(() => [413, "BODY_TOO_LARGE"])
    )
  })

  it("a second start on the same database is the same: sandbox, tokens and stock", async () => {
    const environment = { DATABASE_URL: `sqlite:${join(folder, "again.db")}` }
    const first = await HostProcess.start(environment)
    const token = await tokenOf(first.url, "/aggregator/v1/token", "acme")
    const headers = { "x-access-token": token, "content-type": "application/json" }
    await send(
      first.url,
      "PUT",
      "/ims/v3/inventory",
      headers,
      JSON.stringify([{ location_id: "BLR1", sku: "85123A", quantity: 42 }])
    )
    const read = async (url: string) => {
      const { text } = await send(url, "GET", "/ims/v3/listings", headers)
      return (JSON.parse(text) as { data: unknown }).data
    }
    const before = await read(first.url)
    strictEqual(await first.stop(), 0)
    const second = await HostProcess.start(environment)
    deepStrictEqual(await read(second.url), before)
    strictEqual((await tokenOf(second.url, "/auth/bazaar/token", "bazaar")).split(".").length, 3)
    strictEqual(await second.stop(), 0)
  })

  it("SANDBOX unset loads nothing into a database that has an integration of its own, and opens it to nobody", async () => {
    const environment = { DATABASE_URL: `sqlite:${join(folder, "own.db")}` }
    const first = await HostProcess.start({ ...environment, SANDBOX: "0" })
    strictEqual(await first.stop(), 0)
    await Effect.flatMap(Directory, (directory) =>
      directory.putAccounts([
        {
          username: "own",
          passwordHash: "none",
          enabled: true,
          generation: 1,
          sandbox: false,
          principal: {
            kind: "integration",
            id: "own",
            integrationId: "own",
            companyId: CompanyId.make(7),
            locations: null,
            stockPolicy: "set"
          }
        }
      ])
    ).pipe(Effect.provide(Storage.layer(environment.DATABASE_URL)), Effect.runPromise)
    const second = await HostProcess.start(environment)
    const signIn = await send(second.url, "GET", "/aggregator/v1/token?username=acme&password=acme-secret")
    strictEqual(await second.stop(), 0)
    strictEqual(signIn.status, 401)
    const loaded = await Effect.flatMap(Directory, (directory) => directory.account("integration", "acme")).pipe(
      Effect.provide(Storage.layer(environment.DATABASE_URL)),
      Effect.runPromise
    )
    strictEqual(loaded, undefined)
  })

  it("does not start with what can't be used, says why in one sentence, and prints nothing", async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    const { port } = taken.address() as AddressInfo
    const cases = [
      [{ TOKEN_SECRET: "x".repeat(31) }, "TOKEN_SECRET must have at least 32 bytes"],
      [{ PORT: "70000" }, "PORT must be from 0 to 65535"],
      [{ PORT: String(port) }, `Port ${port} of 127.0.0.1 is in use`],
      [{ SANDBOX: "maybe" }, "SANDBOX must be 0 or 1"],
      [{ DATABASE_URL: "mysql://x" }, "DATABASE_URL must begin with"],
      [{ DATABASE_URL: `sqlite:${join(folder, "none", "x.db")}` }, "The database can't be used"],
      [{ DATABASE_URL: "postgres://u:a-password@127.0.0.1:1/x" }, "The database can't be used"]
    ] as const
    for (const [environment, why] of cases) {
      const { code, log, output } = await run({ DATABASE_URL: "memory:", ...environment })
      deepStrictEqual([code, output, log.trim().split("\n").length], [1, "", 1], log)
      strictEqual(log.startsWith(why), true, log)
      strictEqual(/xxx|a-password/.test(log), false, "a secret is not told")
    }
    taken.close()
  })
})

describe("the host's own pages", () => {
  let host: RunningHost
  beforeAll(async () => {
    host = await startHost(settings())
  })
  afterAll(() => host.stop())

  const get = (path: string) => send(host.url, "GET", path)

  it("health is 200 while it lives and is ready", async () => {
    for (const path of ["/health/live", "/health/ready"]) strictEqual((await get(path)).status, 200)
  })

  it("a request that comes before the routes is 503 with Retry-After", async () => {
    const answer = await Effect.gen(function* () {
      const { drain, server } = yield* Server.make
      yield* Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      })
      const address = server.address()
      const port = typeof address === "object" ? address?.port : 0
      const sent = yield* Effect.promise(() => send(`http://127.0.0.1:${port}`, "GET", "/health/ready"))
      yield* drain(1000)
      return sent
    }).pipe(Effect.runPromise)
    deepStrictEqual([answer.status, answer.body.code], [503, "STORAGE_UNAVAILABLE"])
    strictEqual(answer.headers["x-request-id"], answer.body.request_id)
    assertTrue(Number(answer.headers["retry-after"]) >= 1)
  })

  it("the OpenAPI documents are 3.1 in the documents' versions, and name every built path", async () => {
    const built = {
      seller: ["/aggregator/v1/token", "/ims/v3/price", "/ims/v3/inventory", "/ims/v3/listings", "/oms/v3/shipment"],
      marketplace: ["/auth/{marketplace_slug}/token", "/order/api/v1/{marketplace_slug}/create"],
      platform: ["/service/panel/authentication/v1.0/company/{company_id}/oauth/token"]
    }
    for (const [name, version] of [
      ["seller", "1.0.0"],
      ["marketplace", "1.0.0"],
      ["platform", "1.4.1"]
    ] as const) {
      const { status, text } = await get(`/openapi/${name}.json`)
      strictEqual(status, 200)
      const document = JSON.parse(text) as { openapi: string; info: { version: string }; paths: object }
      assertMatch(document.openapi, /^3\.1\./)
      strictEqual(document.info.version, version)
      for (const path of built[name]) assertTrue(Object.keys(document.paths).includes(path), path)
    }
  })

  it("the OpenAPI documents hold together: every schema compiles, every name is plain, every error is the one body", async () => {
    for (const name of ["seller", "marketplace", "platform"]) {
      const { text } = await get(`/openapi/${name}.json`)
      const document = JSON.parse(text)
      const names = Object.keys(document.components.schemas)
      const ajv = new Ajv2020({ strict: false })
      formats.default(ajv)
      ajv.addSchema(document, "document")
      for (const one of names) {
        assertMatch(one, /^[A-Za-z0-9._-]+$/)
        strictEqual(typeof ajv.compile({ $ref: `document#/components/schemas/${one}` }), "function", one)
      }
      const isError = ajv.compile({ $ref: "document#/components/schemas/Error" })
      assertTrue(isError(JSON.parse((await get("/nowhere")).text)))
      for (const operations of Object.values<object>(document.paths)) {
        for (const { responses } of Object.values<{ readonly responses: object }>(operations as never)) {
          for (const [status, answer] of Object.entries(responses)) {
            if (Number(status) < 400) continue
            deepStrictEqual(answer.content["application/json"].schema, { $ref: "#/components/schemas/Error" })
          }
        }
      }
    }
  })

  it("the OpenAPI documents name Idempotency-Key at every write, and its rejection nowhere else", async () => {
    interface Operation {
      readonly parameters: ReadonlyArray<{ readonly name: string }>
      readonly responses: object
    }
    const asking = { key: [] as Array<string>, rejection: [] as Array<string> }
    for (const name of ["seller", "marketplace", "platform"]) {
      const { paths } = JSON.parse((await get(`/openapi/${name}.json`)).text)
      for (const [path, operations] of Object.entries<Record<string, Operation>>(paths)) {
        for (const [method, { parameters, responses }] of Object.entries(operations)) {
          const operation = `${method} ${path.replace(/^.*company\/\{company_id\}/, "…")}`
          if (parameters.some(({ name }) => name === "Idempotency-Key")) asking.key.push(operation)
          if ("422" in responses) asking.rejection.push(operation)
        }
      }
    }
    const extension = "…/extension/{extension_id}"
    const writes = [
      "post /v3/catalog/product",
      "put /v3/catalog/product",
      "delete /v3/catalog/product",
      "put /ims/v3/price",
      "put /ims/v3/inventory",
      "post /oms/v3/shipment/confirm",
      "post /oms/v3/shipment/cancel",
      "post /oms/v3/shipment/invoiceUpdate",
      "post /oms/v3/shipment/pack",
      "post /oms/v3/shipment/dispatch",
      "put /oms/v3/shipment/awb",
      "put /oms/v3/shipment/status",
      "post /oms/v3/shipment/return",
      "post /order/api/v1/{marketplace_slug}/create",
      "put /order/api/v1/{marketplace_slug}/awb",
      "put /order/api/v1/{marketplace_slug}/status",
      "post …/logs",
      `post ${extension}/subscription`,
      `post ${extension}/subscription/{subscription_id}/cancel`,
      `post ${extension}/one_time_charge`,
      "post …/subscription/customer-detail",
      "post …/subscription/activate"
    ]
    deepStrictEqual(asking.key.toSorted(), writes.toSorted())
    deepStrictEqual(asking.rejection.toSorted(), writes.toSorted())
  })

  it("the OpenAPI document shows both bodies in which a grant may come", async () => {
    const { paths } = JSON.parse((await get("/openapi/platform.json")).text)
    const path = "/service/panel/authentication/v1.0/company/{company_id}/oauth/token"
    deepStrictEqual(Object.keys(paths[path].post.requestBody.content).toSorted(), [
      "application/json",
      "application/x-www-form-urlencoded"
    ])
  })

  it("the OpenAPI document says that a search of the trail needs its words", async () => {
    const document = JSON.parse((await get("/openapi/platform.json")).text)
    const path = "/service/platform/audit-trail/v1.0/company/{company_id}/logs"
    deepStrictEqual(
      document.paths[path].get.parameters.map((one: { name: string; required: boolean }) => [one.name, one.required]),
      [
        ["company_id", true],
        ["qs", true],
        ["limit", false],
        ["sort", false],
        ["cursor", false]
      ]
    )
  })

  it("the pages to read and try them name no address of another host", async () => {
    for (const path of ["/docs", "/docs/seller", "/docs/marketplace", "/docs/platform"]) {
      const { headers, status, text } = await get(path)
      strictEqual(status, 200)
      assertMatch(String(headers["content-type"]), /^text\/html/)
      const outside = [...text.matchAll(/<[^>]*\s(?:src|href|action)\s*=\s*["']?((?:https?:)?\/\/[^"'\s>]+)/gi)]
      deepStrictEqual(
        outside.map(([, address]) => address),
        [],
        path
      )
    }
  })

  it("metrics are Prometheus text: each family once, with help and type, every line a sample", async () => {
    await get("/nothing")
    const { headers, text } = await get("/metrics")
    assertInclude(String(headers["content-type"]), "version=0.0.4")
    const sample =
      /^[a-zA-Z_:][\w:]*(\{[a-zA-Z_]\w*="(?:[^"\\\n]|\\.)*"(,[a-zA-Z_]\w*="(?:[^"\\\n]|\\.)*")*\})? (-?[\d.]+(e[+-]?\d+)?|NaN|[+-]Inf)$/
    const lines = text.split("\n").filter((line) => line !== "")
    const families = lines.filter((line) => line.startsWith("# TYPE ")).map((line) => line.split(" ")[2])
    strictEqual(new Set(families).size, families.length)
    assertTrue(families.includes("crossdock_http_requests_total"))
    deepStrictEqual(
      lines.filter((line) => !/^# (HELP|TYPE) \S+ .+$/.test(line) && !sample.test(line)),
      []
    )
    assertMatch(text, /crossdock_http_requests_total\{method="GET",status="4xx"\} [1-9]/)
    const count = Number(/crossdock_http_request_duration_seconds_count (\d+)/.exec(text)?.[1])
    const last = Number(/crossdock_http_request_duration_seconds_bucket\{le="\+Inf"\} (\d+)/.exec(text)?.[1])
    strictEqual(last, count)
  })
})
