import { type AnswerCode, answerCodes } from "@crossdock/http"
import { describe, it } from "@effect/vitest"
import { assertInclude, assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { useHost } from "./TestHost.ts"

describe("the host's own pages", () => {
  const host = useHost()
  const get = (path: string) => host.send("GET", path)

  it("the health pages are 200 while the host is live and ready", async () => {
    for (const path of ["/health/live", "/health/ready"]) strictEqual((await get(path)).status, 200)
  })

  it("the OpenAPI documents are OpenAPI 3.1, have the interfaces' versions and list every path", async () => {
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

  it("the OpenAPI documents are consistent: every schema compiles, every name is plain, every error has the one body", async () => {
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
            const [body, { properties }] = answer.content["application/json"].schema.allOf
            deepStrictEqual(body, { $ref: "#/components/schemas/Error" })
            for (const code of properties.code.enum as ReadonlyArray<AnswerCode>)
              strictEqual(String(answerCodes[code].status), status, code)
          }
        }
      }
    }
  })

  it("the OpenAPI documents have Idempotency-Key and its rejections on every write and nowhere else", async () => {
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

  it("the OpenAPI document shows both content types of a token request", async () => {
    const { paths } = JSON.parse((await get("/openapi/platform.json")).text)
    const path = "/service/panel/authentication/v1.0/company/{company_id}/oauth/token"
    deepStrictEqual(Object.keys(paths[path].post.requestBody.content).toSorted(), [
      "application/json",
      "application/x-www-form-urlencoded"
    ])
  })

  it("the OpenAPI document says that an audit search needs qs", async () => {
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

  it("the root leads to the docs", async () => {
    const root = await get("/")
    deepStrictEqual([root.status, root.headers.location], [302, "/docs"])
  })

  it("the docs pages load nothing from other hosts", async () => {
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

  it("the pages have a content policy that forbids other hosts and frames, and scripts where none are needed", async () => {
    for (const path of ["/docs", "/docs/errors", "/docs/reference/bulk", "/docs/seller", "/docs/platform"]) {
      const policy = String((await get(path)).headers["content-security-policy"]).split("; ")
      for (const name of ["default-src", "base-uri", "form-action", "frame-ancestors"])
        assertTrue(policy.includes(`${name} 'none'`), `${path} ${name}`)
      const isTried = path === "/docs/seller" || path === "/docs/platform"
      strictEqual(policy.includes("connect-src 'self'"), isTried, path)
      strictEqual(policy.includes("script-src 'unsafe-inline'"), isTried, path)
      assertTrue(!policy.some((part) => part.includes("unsafe-eval") || part.includes("http")), path)
    }
  })

  it("metrics are valid Prometheus text, with each family listed once with its help and type", async () => {
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
    assertMatch(
      text,
      /crossdock_http_requests_total\{method="GET",route="none",status="404",code="ROUTE_NOT_FOUND"\} [1-9]/
    )
    const series = 'method="GET",route="none"'
    const name = "crossdock_http_request_duration_seconds"
    const count = Number(new RegExp(`${name}_count\\{${series}\\} (\\d+)`).exec(text)?.[1])
    const last = Number(new RegExp(`${name}_bucket\\{${series},le="\\+Inf"\\} (\\d+)`).exec(text)?.[1])
    assertTrue(count > 0)
    strictEqual(last, count)
  })
})
