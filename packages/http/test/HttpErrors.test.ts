import { gzipSync } from "node:zlib"
import { AdminApi, type Edge, HealthApi, MarketplaceApi, PlatformApi, SellerApi } from "@crossdock/http"
import { describe, it } from "@effect/vitest"
import { assertInclude, assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { beforeAll } from "vitest"
import { processorMillis } from "../../kernel/test/processorMillis.ts"
import { basicOf, type Sent, useHost } from "./TestHost.ts"

const inventory = "/ims/v3/inventory"
const create = "/order/api/v1/bazaar/create"
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const record = (more: string) => `[{"location_id":"BLR1","sku":"85123A",${more}}]`

const deepArray = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`

describe("errors of the interfaces", () => {
  const host = useHost()
  const tokens = { seller: "", marketplace: "" }

  beforeAll(async () => {
    tokens.seller = await host.tokenOf("/aggregator/v1/token", "acme")
    tokens.marketplace = await host.tokenOf("/auth/bazaar/token", "bazaar")
  })

  const json = (token: string) => ({ "x-access-token": token, "content-type": "application/json" })

  const put = (text: string, headers: Record<string, string> = {}): Promise<Sent> =>
    host.send(
      "PUT",
      inventory,
      { ...json(tokens.seller), "content-length": String(Buffer.byteLength(text)), ...headers },
      text
    )

  const post = (text: string): Promise<Sent> =>
    host.send("POST", create, { ...json(tokens.marketplace), "content-length": String(Buffer.byteLength(text)) }, text)

  const get = (path: string, headers: Record<string, string> = {}): Promise<Sent> =>
    host.send("GET", path, { "x-access-token": tokens.seller, ...headers })

  /** Status and code; asserts that the rest of the body is as docs/reference/errors.md#body says. */
  const verdict = ({ body, headers, status, text }: Sent): string => {
    assertMatch(String(headers["content-type"]), /^application\/json/)
    const { code, errors, message, request_id, ...rest } = body
    deepStrictEqual(rest, {}, text)
    assertTrue(typeof message === "string" && message.length > 0, text)
    assertMatch(String(code), /^[A-Z][A-Z0-9_]*$/)
    strictEqual(headers["x-request-id"], request_id)
    for (const one of errors ?? []) {
      deepStrictEqual(Object.keys(one).sort(), ["code", "message", "path"])
      assertMatch(one.path, /^(\/.*)?$/)
      assertMatch(one.code, /^[A-Z][A-Z0-9_]*$/)
    }
    return `${status} ${code}`
  }

  /** The rejection of the single record of a bulk, as `code path`. */
  const rejection = (answer: Sent): string => {
    strictEqual(answer.status, 200, answer.text)
    const [entry] = (JSON.parse(answer.text) as { data: { errors: ReadonlyArray<{ code: string; path?: string }> } })
      .data.errors
    return entry === undefined ? "accepted" : `${entry.code} ${entry.path}`
  }

  describe("routes", () => {
    it("an unknown path is 404, whatever else is wrong with the request", async () => {
      const wrong = { "content-type": "text/plain", "content-length": "9000000", "x-access-token": "x" }
      for (const [method, path] of [
        ["GET", "/nothing"],
        ["PATCH", "/ims/v3/nothing"],
        ["GET", "/order/api/v1/bazaar"],
        ["GET", "/order/api/v1/bazaar/order/more"],
        ["GET", "/oms/v3/shipment/unknown"],
        ["GET", "/%"],
        ["GET", "/auth/%zz/token/x"],
        ["GET", "/..%2f..%2fetc%2fpasswd"]
      ] as const) {
        strictEqual(verdict(await host.send(method, path)), "404 ROUTE_NOT_FOUND", path)
      }
      strictEqual(verdict(await host.send("POST", "/nothing", wrong)), "404 ROUTE_NOT_FOUND")
    })

    it("every endpoint of an interface is served", async () => {
      const interfaces: ReadonlyArray<Edge.Interface> = [SellerApi, MarketplaceApi, PlatformApi, HealthApi, AdminApi]
      const groups = interfaces.flatMap((one) => Object.values(one.groups))
      for (const { method, path } of groups.flatMap(({ endpoints }) => Object.values(endpoints))) {
        const { code } = (await host.send(method, path.replaceAll(/:\w+/g, "1"))).body ?? {}
        assertTrue(code !== "ROUTE_NOT_FOUND" && code !== "METHOD_NOT_ALLOWED", `${method} ${path}`)
      }
    })

    it("paths are case-sensitive and have no trailing slash", async () => {
      for (const path of [
        "/IMS/v3/listings",
        "/ims/v3/Listings",
        "/ims/v3/listings/",
        "/health/live/",
        "//health/live",
        "/documents/",
        "/billing/confirm/",
        "/service/platform/audit-trail/v1.0/company/1/logs/",
        "/service/platform/billing/v1.0/company/1/extension//subscription/abc"
      ])
        strictEqual(verdict(await get(path)), "404 ROUTE_NOT_FOUND", path)
    })

    it("a known path with another method is 405 with the allowed methods, before the token is checked", async () => {
      const cases = [
        ["DELETE", inventory, "PUT"],
        ["GET", inventory, "PUT"],
        ["HEAD", inventory, "PUT"],
        ["OPTIONS", inventory, "PUT"],
        ["POST", "/ims/v3/listings", "GET, HEAD"],
        ["PUT", "/aggregator/v1/token", "GET, POST, HEAD"],
        ["DELETE", "/auth/bazaar/token", "GET, POST, HEAD"],
        ["GET", create, "POST"],
        ["PATCH", "/order/api/v1/any/order", "GET, HEAD"],
        ["POST", "/oms/v3/shipment", "GET, HEAD"],
        ["GET", "/oms/v3/shipment/confirm", "POST"],
        ["POST", "/oms/v3/shipment/awb", "PUT"],
        ["GET", "/service/panel/authentication/v1.0/company/1/oauth/token", "POST"],
        ["POST", "/health/live", "GET, HEAD"],
        ["POST", "/docs", "GET, HEAD"],
        ["POST", "/docs/seller", "GET, HEAD"]
      ] as const
      for (const [method, path, allow] of cases) {
        const answer = await host.send(method, path)
        strictEqual(answer.status, 405, `${method} ${path}`)
        strictEqual(answer.headers.allow, allow, `${method} ${path}`)
        if (method !== "HEAD") strictEqual(verdict(answer), "405 METHOD_NOT_ALLOWED")
      }
    })

    it("names the reads beside a path that only writes, and the path that was probably meant", async () => {
      const messageOf = async (path: string) => (await get(path)).body?.message
      strictEqual(
        await messageOf(inventory),
        "GET is not allowed on this path. Use PUT. To read, use GET /ims/v3/listings."
      )
      const near = "A path is case-sensitive and has no trailing slash."
      const notFound = "There is no route /ims/v3/listing."
      strictEqual(await messageOf("/ims/v3/listing"), `${notFound} Did you mean /ims/v3/listings? ${near}`)
      strictEqual(
        await messageOf("/IMS/v3/inventory"),
        `There is no route /IMS/v3/inventory. Did you mean /ims/v3/inventory? ${near}`
      )
      strictEqual(
        await messageOf("/oms/v3/confirm"),
        `There is no route /oms/v3/confirm. Did you mean /oms/v3/shipment/confirm? ${near}`
      )
      strictEqual(
        await messageOf("/ims/v3/stock"),
        `There is no route /ims/v3/stock. Did you mean /ims/v3/price, /ims/v3/inventory or /ims/v3/listings? ${near}`
      )
      strictEqual(
        await messageOf("/scm/v3/products"),
        `There is no route /scm/v3/products. Did you mean /v3/catalog/product? ${near}`
      )
      strictEqual(
        await messageOf("/order/api/v1/create"),
        `There is no route /order/api/v1/create. Did you mean /order/api/v1/{marketplace_slug}/create? ${near}`
      )
      for (const sent of ["creat", "create/"])
        strictEqual(
          await messageOf(`/order/api/v1/bazaar/${sent}`),
          `There is no route /order/api/v1/bazaar/${sent}. Did you mean /order/api/v1/bazaar/create? ${near}`
        )
      strictEqual(
        await messageOf("/health"),
        `There is no route /health. Did you mean /health/live or /health/ready? ${near}`
      )
      strictEqual(
        await messageOf("/oms/v3/shipment/17958760413972849484"),
        `There is no route /oms/v3/shipment/17958760413972849484. Did you mean /oms/v3/shipment? ${near}`
      )
      strictEqual(
        await messageOf("/order/api/v1/bazaar/order/BZ-1"),
        `There is no route /order/api/v1/bazaar/order/BZ-1. Did you mean /order/api/v1/bazaar/order? ${near}`
      )
      strictEqual(
        await messageOf("/nothing/like/it"),
        "There is no route /nothing/like/it. Check the path: it is case-sensitive and has no trailing slash."
      )
    })

    it("a method that a path does not take is answered with those that it takes, as one would say it", async () => {
      const messageOf = async (path: string) => (await host.send("DELETE", path)).body?.message
      strictEqual(await messageOf(create), "DELETE is not allowed on this path. Use POST.")
      strictEqual(await messageOf("/aggregator/v1/token"), "DELETE is not allowed on this path. Use GET, POST or HEAD.")
    })

    it("a path too long for its route is 404, not 405", async () => {
      strictEqual(verdict(await get(`/auth/${"a".repeat(600)}/token`)), "404 ROUTE_NOT_FOUND")
    })

    it("a badly encoded path is answered as JSON", async () => {
      strictEqual(verdict(await get("/auth/%zz/token")), "404 ROUTE_NOT_FOUND")
    })

    it("HEAD answers like GET, without a body", async () => {
      const [head, read] = [await host.send("HEAD", "/health/live"), await get("/health/live")]
      deepStrictEqual([head.status, head.text], [200, ""])
      strictEqual(head.headers["content-type"], read.headers["content-type"])
      strictEqual((await host.send("HEAD", "/ims/v3/listings")).status, 401)
      const rejected = await host.send("HEAD", "/nothing")
      deepStrictEqual([rejected.status, rejected.text], [404, ""])
    })

    it("paths do not depend on the Host header", async () => {
      for (const named of ["example.com", "bazaar.example.com:99", "localhost", "127.0.0.1", "[::1]", "%%"]) {
        strictEqual((await get("/health/live", { host: named })).status, 200, named)
        strictEqual(verdict(await get("/nothing", { host: named })), "404 ROUTE_NOT_FOUND", named)
        strictEqual(verdict(await host.send("GET", "/ims/v3/listings", { host: named })), "401 TOKEN_MISSING", named)
      }
    })
  })

  describe("the order of checks", () => {
    it("401 comes before 415, 413 and 400", async () => {
      const bodies = [
        [{ "content-type": "text/plain" }, "[]"],
        [{ "content-type": "application/json", "content-length": "9000000" }, undefined],
        [{ "content-type": "application/json" }, "{"]
      ] as const
      for (const [headers, body] of bodies) {
        strictEqual(verdict(await host.send("PUT", inventory, headers, body)), "401 TOKEN_MISSING")
        strictEqual(
          verdict(await host.send("PUT", inventory, { ...headers, "x-access-token": "x" }, body)),
          "401 TOKEN_INVALID"
        )
      }
      strictEqual(
        verdict(await host.send("GET", "/ims/v3/listings?page_size=0")),
        "401 TOKEN_MISSING",
        "before a query"
      )
      strictEqual(verdict(await host.send("GET", "/order/api/v1/bazaar/order")), "401 TOKEN_MISSING")
    })

    it("403 comes before 415, 413 and 400", async () => {
      const path = "/order/api/v1/souk/create"
      for (const [headers, body] of [
        [{ "content-type": "text/plain" }, "[]"],
        [{ "content-type": "application/json", "content-length": "9000000" }, undefined],
        [{ "content-type": "application/json" }, "{"]
      ] as const) {
        strictEqual(
          verdict(await host.send("POST", path, { ...headers, "x-access-token": tokens.marketplace }, body)),
          "403 FORBIDDEN"
        )
      }
      strictEqual(
        verdict(await host.send("GET", "/order/api/v1/souk/order", { "x-access-token": tokens.marketplace })),
        "403 FORBIDDEN"
      )
    })

    it("415 comes before 413, and 413 before 400", async () => {
      const large = "x".repeat(1024 * 1024 + 1)
      strictEqual(verdict(await put(large, { "content-type": "text/plain" })), "415 UNSUPPORTED_MEDIA_TYPE")
      strictEqual(verdict(await put(large)), "413 BODY_TOO_LARGE")
      strictEqual(verdict(await put("x", { "content-type": "text/plain" })), "415 UNSUPPORTED_MEDIA_TYPE")
    })

    it("JSON is checked before fields", async () => {
      strictEqual(verdict(await post('{"shipments":[')), "400 MALFORMED_JSON")
      strictEqual(verdict(await post(`{"meta":${deepArray(32)}}`)), "400 TOO_DEEP")
      strictEqual(verdict(await post('{"__proto__":{}}')), "400 FORBIDDEN_KEY")
      strictEqual(verdict(await post("{}")), "400 VALIDATION_FAILED")
    })
  })

  describe("bodies", () => {
    it("a body that is not JSON is MALFORMED_JSON", async () => {
      const texts = [
        "{",
        "[1,]",
        "nul",
        "'a'",
        "[01]",
        "[+1]",
        "[.5]",
        "[1.]",
        "[NaN]",
        "[Infinity]",
        '["\t"]',
        "[1] x",
        "\uFEFF[",
        "[1e]",
        "[1e5.5]",
        "[--1]",
        "[9007199254740993-]",
        "[1234567890123456789e]",
        "[00000000000000001234567890]",
        "[1234567890123456.]"
      ]
      for (const text of texts) strictEqual(verdict(await put(text)), "400 MALFORMED_JSON", text)
    })

    it("bytes that are not UTF-8 are MALFORMED_JSON", async () => {
      const answer = await host.send(
        "PUT",
        inventory,
        { ...json(tokens.seller), "content-length": "4" },
        Uint8Array.of(0x22, 0xc3, 0x28, 0x22)
      )
      strictEqual(verdict(answer), "400 MALFORMED_JSON")
    })

    it("a body over 1 MiB is rejected by its declared length, whatever arrives", async () => {
      const sized = (bytes: number) =>
        host.send("PUT", inventory, { ...json(tokens.seller), "content-length": String(bytes) })
      for (const bytes of [1024 * 1024 + 1, 1e15]) strictEqual(verdict(await sized(bytes)), "413 BODY_TOO_LARGE")
      const padded = `[${" ".repeat(1024 * 1024 - 2)}]`
      strictEqual(verdict(await put(padded)), "400 EMPTY_REQUEST", "1 MiB is not over")
      strictEqual(verdict(await put(`${padded} `)), "413 BODY_TOO_LARGE")
    })

    it("a body over 1 MiB without a declared length is rejected before it is read to its end", async () => {
      const headers = json(tokens.seller)
      const padded = `[${" ".repeat(1024 * 1024 - 2)}]`
      strictEqual(verdict(await host.send("PUT", inventory, headers, padded)), "400 EMPTY_REQUEST")
      strictEqual(verdict(await host.send("PUT", inventory, headers, `${padded} `)), "413 BODY_TOO_LARGE")
      let chunks = 0
      const long = new ReadableStream({
        pull: (controller) => {
          chunks++
          if (chunks < 1000) controller.enqueue(new Uint8Array(0x8000).fill(0x20))
          else controller.close()
        }
      })
      const request: RequestInit & { readonly duplex: "half" } = { method: "PUT", headers, body: long, duplex: "half" }
      strictEqual((await host.fetch(inventory, request)).status, 413)
      assertTrue(chunks < 1000, "it was read to its end")
    })

    it("the body limit applies to the token paths too", async () => {
      const large = JSON.stringify({ username: "a", password: "b".repeat(1024 * 1024) })
      const headers = { "content-type": "application/json" }
      strictEqual(verdict(await host.send("POST", "/aggregator/v1/token", headers, large)), "413 BODY_TOO_LARGE")
      strictEqual(
        verdict(
          await host.send(
            "POST",
            "/service/panel/authentication/v1.0/company/1/oauth/token",
            { "content-type": "application/x-www-form-urlencoded", authorization: basicOf("ops", "ops-secret") },
            `grant_type=${"x".repeat(1024 * 1024)}`
          )
        ),
        "413 BODY_TOO_LARGE"
      )
    })

    it("a body with a content type other than JSON is 415, even in chunks", async () => {
      const types = ["text/plain", "application/xml", "application/jsonp", "application/x-ndjson", "json", ""]
      for (const type of types) {
        strictEqual(verdict(await put("[]", { "content-type": type })), "415 UNSUPPORTED_MEDIA_TYPE", type)
        strictEqual(
          verdict(await host.send("PUT", inventory, { ...json(tokens.seller), "content-type": type }, "[]")),
          "415 UNSUPPORTED_MEDIA_TYPE"
        )
      }
      const bare = { "x-access-token": tokens.seller, "content-length": "2" }
      strictEqual(verdict(await host.send("PUT", inventory, bare, "[]")), "415 UNSUPPORTED_MEDIA_TYPE")
      for (const type of [
        "application/json",
        "APPLICATION/JSON",
        "application/json; charset=utf-8",
        "application/json ;x"
      ])
        strictEqual(verdict(await put("[]", { "content-type": type })), "400 EMPTY_REQUEST", type)
    })

    it("a compressed body is 415", async () => {
      const zipped = gzipSync("[]")
      for (const encoding of ["gzip", "deflate", "br", "zstd", "GZIP", "gzip, identity"]) {
        const answer = await host.send(
          "PUT",
          inventory,
          { ...json(tokens.seller), "content-encoding": encoding, "content-length": String(zipped.length) },
          zipped
        )
        strictEqual(verdict(answer), "415 UNSUPPORTED_MEDIA_TYPE", encoding)
      }
      strictEqual(verdict(await put("[]", { "content-encoding": "identity" })), "400 EMPTY_REQUEST")
      strictEqual(verdict(await put("[]", { "content-encoding": "Identity" })), "400 EMPTY_REQUEST")
    })

    it("an empty body with any content type counts as no body", async () => {
      for (const headers of [
        { "content-length": "0", "content-type": "text/plain" },
        { "content-length": "0" },
        { "transfer-encoding": "chunked", "content-type": "text/plain" },
        { "transfer-encoding": "chunked", "content-type": "text/plain", "content-encoding": "gzip" },
        {}
      ]) {
        const answer = await host.send("PUT", inventory, { "x-access-token": tokens.seller, ...headers })
        strictEqual(verdict(answer), "400 EMPTY_REQUEST", JSON.stringify(headers))
      }
    })

    it("32 levels of nesting are accepted and 33 are TOO_DEEP, counting the outermost container as level 1", async () => {
      strictEqual(verdict(await put(`{"a":${deepArray(31)}}`)), "400 VALIDATION_FAILED")
      strictEqual(verdict(await put(deepArray(33))), "400 TOO_DEEP")
      strictEqual(verdict(await put(`${'{"a":'.repeat(33)}1${"}".repeat(33)}`)), "400 TOO_DEEP")
      strictEqual(rejection(await put(deepArray(32))), "INVALID_RECORD /0")
    })

    it("brackets inside text don't count as nesting", async () => {
      strictEqual(rejection(await put(JSON.stringify([`${'\\"[{'.repeat(500)}`]))), "INVALID_RECORD /0")
    })

    it("100,000 levels of nesting are rejected in milliseconds", async () => {
      for (const levels of [6000, 100_000]) {
        const started = processorMillis()
        strictEqual(verdict(await put("[".repeat(levels))), "400 TOO_DEEP")
        strictEqual(verdict(await put('{"a":'.repeat(levels))), "400 TOO_DEEP")
        assertTrue(processorMillis() - started < 250, "took too long")
      }
    })

    it("keys that reach into prototypes are FORBIDDEN_KEY at any depth and however they are escaped", async () => {
      for (const text of [
        '[{"__proto__":{}}]',
        '[{"__proto__":1}]',
        '{"a":[{"b":{"__proto__":null}}]}',
        '[{"\\u005f_proto__":{}}]',
        '[{"__proto\\u005f\\u005F":{}}]',
        '[{"constructor":{"prototype":{}}}]',
        '[{"constructor":{"a":1,"prototype":1}}]',
        '[{"c\\u006fnstructor":{"prototype":{}}}]',
        '[{"constructor":{"pr\\u006ftotype":{}}}]'
      ]) {
        strictEqual(verdict(await put(text)), "400 FORBIDDEN_KEY", text)
      }
      for (const text of ['[{"constructor":1}]', '[{"prototype":{}}]', '[{"a":"__proto__"}]', '[{"__proto":1}]'])
        assertInclude(rejection(await put(text)), "INVALID_RECORD")
    })

    it("unknown fields are ignored", async () => {
      strictEqual(rejection(await put(record('"quantity":1,"colour":"red","more":{"a":[1]}'))), "accepted")
    })
  })

  describe("texts", () => {
    it("a text may have up to 2,000 code points", async () => {
      const sku = (text: string) => put(JSON.stringify([{ location_id: "BLR1", sku: text, quantity: 1 }]))
      strictEqual(rejection(await sku("a".repeat(2000))), "UNKNOWN_SKU /0/sku")
      strictEqual(rejection(await sku("😀".repeat(2000))), "UNKNOWN_SKU /0/sku")
      strictEqual(rejection(await sku("a".repeat(2001))), "INVALID_RECORD /0/sku")
      strictEqual(rejection(await sku("😀".repeat(2001))), "INVALID_RECORD /0/sku")
    })

    it("control characters and lone surrogates are INVALID_TEXT; tab and line breaks are not", async () => {
      const named = async (text: string) => {
        const { body } = await post(JSON.stringify({ external_order_id: text }))
        return body.errors?.find(({ path }) => path === "/external_order_id")?.code
      }
      for (const text of ["a\u0000b", "\u0001", "\u0008", "\u000b", "\u000c", "\u001f", "\u007f", "\u0080", "\u009f"])
        strictEqual(await named(text), "INVALID_TEXT", JSON.stringify(text))
      for (const text of ["\ud800", "a\udc00", "\ude00\ud83d", "😀\ud83d"])
        strictEqual(await named(text), "INVALID_TEXT", JSON.stringify(text))
      for (const text of ["a\tb", "a\nb\r", "\u00a0", "😀", "\u200b", "\ufeff", "\uffff"])
        strictEqual(await named(text), undefined, JSON.stringify(text))
    })

    it("texts and keys in a free-form object follow the same rule, with up to 20,000 code points", async () => {
      const meta = async (value: unknown) => {
        const { body } = await post(JSON.stringify({ meta: value }))
        return body.errors?.filter(({ path }) => path.startsWith("/meta")).map(({ code, path }) => `${code} ${path}`)
      }
      deepStrictEqual(await meta({ a: [{ b: "x\u0000" }] }), ["INVALID_TEXT /meta/a/0/b"])
      deepStrictEqual(await meta({ a: "\udfff" }), ["INVALID_TEXT /meta/a"])
      deepStrictEqual(await meta({ "k\u0007": 1 }), ["INVALID_TEXT /meta"])
      deepStrictEqual(await meta({ a: "x".repeat(20_001) }), ["TOO_LONG /meta/a"])
      deepStrictEqual(await meta({ a: "😀".repeat(20_000), b: "\t\r\n" }), [])
    })

    it("a value of the wrong type gets a readable message", async () => {
      for (const text of [
        (await put("[null, 5, []]")).text,
        (await post('{"meta": [], "payment": "COD", "shipments": {}, "billing_address": 5, "customer": []}')).text
      ]) {
        assertMatch(text, /Must be an object(?:: \{ [^.;]+ \})?; this is (?:null|a number|an array|text)\./)
        strictEqual(/Expected|readonly|filter|Record/.test(text.replaceAll("INVALID_RECORD", "")), false, text)
      }
    })

    it("a very long text is rejected in milliseconds", async () => {
      const started = processorMillis()
      strictEqual(
        rejection(await put(record(`"quantity":1,"sku":"${"a".repeat(1_000_000)}"`))),
        "INVALID_RECORD /0/sku"
      )
      assertTrue(processorMillis() - started < 250, "took too long")
    })
  })

  describe("numbers", () => {
    it("a whole number rejects fractions and values that a double can't represent", async () => {
      for (const number of [
        "1.5",
        "1e400",
        "-1e400",
        "1e-400",
        "9007199254740993",
        "9007199254740992",
        "1e300",
        '"1"',
        "null",
        "true"
      ])
        strictEqual(rejection(await put(record(`"quantity":${number}`))), "INVALID_RECORD /0/quantity", number)
      for (const number of ["1.0", "1e0", "10e-1", "1.000000000000000000", "0.1e1", "-0"])
        strictEqual(rejection(await put(record(`"quantity":${number}`))), "accepted", number)
    })

    it("1.0000000000000001 is not rounded to a whole number", async () => {
      strictEqual(rejection(await put(record('"quantity":1.0000000000000001'))), "INVALID_RECORD /0/quantity")
      strictEqual(rejection(await put(record('"quantity":0.99999999999999999'))), "INVALID_RECORD /0/quantity")
    })

    it("an amount of more than 15 significant digits is rejected, never rounded", async () => {
      const price = async (mrp: string) => {
        const text = record(`"esp":1,"mrp":${mrp},"currency":"INR"`)
        return rejection(await host.send("PUT", "/ims/v3/price", json(tokens.seller), text))
      }
      for (const mrp of [
        "1234567890123456.1",
        "0.1000000000000000055511151231257827",
        "100.0000000000000001",
        "1e400",
        "9007199254740993",
        "9007199254740993.00"
      ])
        assertInclude(await price(mrp), "INVALID_RECORD")
      strictEqual(await price("19.999"), "TOO_MANY_DECIMALS /0/mrp")
      strictEqual(await price("1e-3"), "TOO_MANY_DECIMALS /0/mrp")
      for (const mrp of ["19.99", "19.990000000000000000", "1999e-2", "1234567890123.25"])
        strictEqual(await price(mrp), "accepted", mrp)
    })

    it("numbers in a free-form object are exact too", async () => {
      const { body } = await post('{"meta":{"a":[9007199254740993]}}')
      assertTrue(body.errors?.some(({ path }) => path === "/meta/a/0"))
    })

    it("numbers in a query are decimal digits", async () => {
      const rejected = [
        "0x10",
        "1.0",
        "+1",
        "-1",
        "1e1",
        "",
        "%201",
        "1%20",
        "1_0",
        "\u0661",
        "Infinity",
        "0",
        "501",
        "1,2"
      ]
      for (const size of rejected) {
        const answer = await get(`/ims/v3/listings?page_size=${encodeURI(size)}`)
        strictEqual(verdict(answer), "400 VALIDATION_FAILED", size)
        deepStrictEqual(
          answer.body.errors?.map(({ path }) => path),
          ["/page_size"],
          size
        )
      }
      for (const size of ["1", "500", "007"]) strictEqual((await get(`/ims/v3/listings?page_size=${size}`)).status, 200)
    })
  })

  describe("violations", () => {
    it("all violations are reported at once, each with its path", async () => {
      const line = { sku: "", quantity: 0, esp: "1" }
      const answer = await post(
        JSON.stringify({ shipments: Array.from({ length: 100 }, () => ({ lines: [line], location_id: 1 })) })
      )
      strictEqual(verdict(answer), "400 VALIDATION_FAILED")
      const paths = new Set(answer.body.errors?.map(({ path }) => path))
      for (const field of ["external_order_id", "ordering_currency", "payment", "billing_address", "shipping_address"])
        assertTrue(paths.has(`/${field}`), field)
      for (let at = 0; at < 100; at++) {
        for (const field of ["external_shipment_id", "location_id", "lines/0/sku", "lines/0/quantity", "lines/0/esp"])
          assertTrue(paths.has(`/shipments/${at}/${field}`), `${at} ${field}`)
      }
      strictEqual(paths.size, 505)
    })

    it("paths are JSON Pointers, with ~ and / in a key escaped", async () => {
      const { body } = await post(JSON.stringify({ meta: { "a/b~c": "\u0000" } }))
      assertTrue(body.errors?.some(({ path }) => path === "/meta/a~1b~0c"))
    })

    it("all violations in a query are reported at once", async () => {
      const answer = await get("/ims/v3/listings?page_no=0&page_size=x&skus=1,2,3,4,5,6,7,8,9,10,11")
      strictEqual(verdict(answer), "400 VALIDATION_FAILED")
      deepStrictEqual(answer.body.errors?.map(({ path }) => path).sort(), ["/page_no", "/page_size", "/skus"])
    })

    it("a missing query parameter is VALIDATION_FAILED", async () => {
      const answer = await get("/order/api/v1/bazaar/order", { "x-access-token": tokens.marketplace })
      strictEqual(verdict(answer), "400 VALIDATION_FAILED")
      strictEqual(answer.body.errors?.[0]?.path, "/platform_order_id")
    })

    it("a repeated parameter is VALIDATION_FAILED, never a server error", async () => {
      strictEqual(verdict(await get("/ims/v3/listings?page_size=1&page_size=2")), "400 VALIDATION_FAILED")
    })
  })

  describe("request ids", () => {
    it("a valid request id is returned, on success and on failure", async () => {
      for (const id of ["a", "A-1_2.z", "x".repeat(128)]) {
        strictEqual((await get("/health/live", { "x-request-id": id })).headers["x-request-id"], id)
        const rejected = await get("/nothing", { "x-request-id": id })
        deepStrictEqual([rejected.headers["x-request-id"], rejected.body.request_id], [id, id])
      }
    })

    it("an invalid request id is replaced with a new one", async () => {
      for (const id of ["", " ", "a b", "x".repeat(129), "a/b", "a,b", "<script>", "é"]) {
        const { headers } = await get("/health/live", { "x-request-id": id })
        assertMatch(String(headers["x-request-id"]), uuid)
      }
      const ids = await Promise.all(Array.from({ length: 20 }, () => get("/health/live")))
      strictEqual(new Set(ids.map(({ headers }) => headers["x-request-id"])).size, 20)
    })
  })

  it("an answer lists a limited number of violations, however many there are", async () => {
    const body = JSON.stringify({ shipments: Array.from({ length: 150_000 }, () => ({})) })
    const token = await host.tokenOf("/auth/bazaar/token", "bazaar")
    const headers = { "x-access-token": token, "content-type": "application/json" }
    const answer = await host.send("POST", "/order/api/v1/bazaar/create", headers, body)
    strictEqual(answer.status, 400)
    strictEqual(answer.body.errors?.length, 1_000)
    assertMatch(answer.body.message ?? "", /See errors for \d{4,} more\.$/)
  })

  it("the host still answers after all of that", async () => {
    strictEqual((await get("/health/ready")).status, 200)
  })
})
