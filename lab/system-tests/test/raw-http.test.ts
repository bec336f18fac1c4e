import { gzipSync } from "node:zlib"
import { Edge } from "@crossdock/http"
import { describe, it } from "@effect/vitest"
import { assertInclude, assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { beforeAll } from "vitest"
import { type Sent, send, sendBytes, tokenOf, useHost } from "./TestHost.ts"

const inventory = "/ims/v3/inventory"
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

describe("HTTP over a socket", () => {
  const host = useHost()
  const tokens = { seller: "" }

  beforeAll(async () => {
    tokens.seller = await tokenOf(host.url, "/aggregator/v1/token", "acme")
  })

  const json = (token: string) => ({ "x-access-token": token, "content-type": "application/json" })

  const put = (text: string, headers: Record<string, string> = {}): Promise<Sent> =>
    send(
      host.url,
      "PUT",
      inventory,
      { ...json(tokens.seller), "content-length": String(Buffer.byteLength(text)), ...headers },
      text
    )

  const get = (path: string, headers: Record<string, string> = {}): Promise<Sent> =>
    send(host.url, "GET", path, { "x-access-token": tokens.seller, ...headers })

  /** Status and code; asserts that the body's other fields are as in docs/reference/errors.md#body. */
  const verdict = ({ body, headers, status, text }: Sent): string => {
    assertMatch(String(headers["content-type"]), /^application\/json/)
    const { code, docs, errors, message, request_id, ...rest } = body
    deepStrictEqual(rest, {}, text)
    assertTrue(typeof message === "string" && message.length > 0, text)
    assertMatch(String(code), /^[A-Z][A-Z0-9_]*$/)
    strictEqual(headers["x-request-id"], request_id)
    strictEqual(docs, `${host.url}/docs/errors#${code}`)
    for (const one of errors ?? []) {
      deepStrictEqual(Object.keys(one).sort(), ["code", "message", "path"])
      assertMatch(one.path, /^(\/.*)?$/)
      assertMatch(one.code, /^[A-Z][A-Z0-9_]*$/)
    }
    return `${status} ${code}`
  }

  describe("requests", () => {
    it("HEAD answers like GET, without a body, over a socket", async () => {
      const [head, read] = [await send(host.url, "HEAD", "/health/live"), await get("/health/live")]
      deepStrictEqual([head.status, head.text], [200, ""])
      strictEqual(head.headers["content-type"], read.headers["content-type"])
      strictEqual((await send(host.url, "HEAD", "/ims/v3/listings")).status, 401)
      const rejected = await send(host.url, "HEAD", "/nothing")
      deepStrictEqual([rejected.status, rejected.text], [404, ""])
    })

    it("paths do not depend on the Host header, over a socket", async () => {
      for (const named of ["example.com", "bazaar.example.com:99", "localhost", "127.0.0.1", "[::1]", "%%"]) {
        strictEqual((await get("/health/live", { host: named })).status, 200, named)
        strictEqual(verdict(await get("/nothing", { host: named })), "404 ROUTE_NOT_FOUND", named)
        strictEqual(
          verdict(await send(host.url, "GET", "/ims/v3/listings", { host: named })),
          "401 TOKEN_MISSING",
          named
        )
      }
    })

    it("a body over 1 MiB is rejected by its declared length without being read, over a socket", async () => {
      const sized = (bytes: number) =>
        send(host.url, "PUT", inventory, { ...json(tokens.seller), "content-length": String(bytes) })
      // No body was sent, so the answer can't have waited for it.
      const answer = await sendBytes(
        host.url,
        `PUT ${inventory} HTTP/1.1\r\nHost: x\r\nx-access-token: ${tokens.seller}\r\ncontent-type: application/json\r\ncontent-length: 1048577\r\n\r\n`
      )
      assertMatch(answer.head, /^HTTP\/1\.1 413 /)
      strictEqual(JSON.parse(answer.body).code, "BODY_TOO_LARGE")
      strictEqual((await sized(1e15)).status, 413)
      const padded = `[${" ".repeat(1024 * 1024 - 2)}]`
      strictEqual(verdict(await put(padded)), "400 EMPTY_REQUEST", "1 MiB is not over")
      strictEqual(verdict(await put(`${padded} `)), "413 BODY_TOO_LARGE")
    })

    it("a body over 1 MiB in chunks, without a declared length, is rejected too, over a socket", async () => {
      const headers = json(tokens.seller)
      const padded = `[${" ".repeat(1024 * 1024 - 2)}]`
      strictEqual(verdict(await send(host.url, "PUT", inventory, headers, padded)), "400 EMPTY_REQUEST")
      strictEqual(verdict(await send(host.url, "PUT", inventory, headers, `${padded} `)), "413 BODY_TOO_LARGE")
      // An endless request: rejected once it passes the limit.
      const chunk = `8000\r\n${" ".repeat(0x8000)}\r\n`
      const endless = await sendBytes(
        host.url,
        `PUT ${inventory} HTTP/1.1\r\nHost: x\r\nx-access-token: ${tokens.seller}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(32)}1\r\n \r\n`
      )
      assertMatch(endless.head, /^HTTP\/1\.1 413 /)
    })

    it("a body with a content type other than JSON is 415, even in chunks, over a socket", async () => {
      const types = ["text/plain", "application/xml", "application/jsonp", "application/x-ndjson", "json", ""]
      for (const type of types) {
        strictEqual(verdict(await put("[]", { "content-type": type })), "415 UNSUPPORTED_MEDIA_TYPE", type)
        strictEqual(
          verdict(await send(host.url, "PUT", inventory, { ...json(tokens.seller), "content-type": type }, "[]")),
          "415 UNSUPPORTED_MEDIA_TYPE"
        )
      }
      const bare = { "x-access-token": tokens.seller, "content-length": "2" }
      strictEqual(verdict(await send(host.url, "PUT", inventory, bare, "[]")), "415 UNSUPPORTED_MEDIA_TYPE")
      for (const type of [
        "application/json",
        "APPLICATION/JSON",
        "application/json; charset=utf-8",
        "application/json ;x"
      ])
        strictEqual(verdict(await put("[]", { "content-type": type })), "400 EMPTY_REQUEST", type)
    })

    it("a compressed body is 415, over a socket", async () => {
      const zipped = gzipSync("[]")
      for (const encoding of ["gzip", "deflate", "br", "zstd", "GZIP", "gzip, identity"]) {
        const answer = await send(
          host.url,
          "PUT",
          inventory,
          { ...json(tokens.seller), "content-encoding": encoding, "content-length": String(zipped.length) },
          zipped
        )
        strictEqual(verdict(answer), "415 UNSUPPORTED_MEDIA_TYPE", encoding)
      }
      strictEqual(verdict(await put("[]", { "content-encoding": "identity" })), "400 EMPTY_REQUEST")
    })

    it("an empty body with any content type counts as no body, over a socket", async () => {
      for (const headers of [
        { "content-length": "0", "content-type": "text/plain" },
        { "content-length": "0" },
        { "transfer-encoding": "chunked", "content-type": "text/plain" },
        { "transfer-encoding": "chunked", "content-type": "text/plain", "content-encoding": "gzip" },
        {}
      ]) {
        const answer = await send(host.url, "PUT", inventory, { "x-access-token": tokens.seller, ...headers })
        strictEqual(verdict(answer), "400 EMPTY_REQUEST", JSON.stringify(headers))
      }
    })

    it("an invalid request id is replaced with a new one, over a socket", async () => {
      for (const id of ["", " ", "a b", "x".repeat(129), "a/b", "a,b", "<script>", "é"]) {
        const { headers } = await get("/health/live", { "x-request-id": id })
        assertMatch(String(headers["x-request-id"]), uuid)
      }
      const ids = await Promise.all(Array.from({ length: 20 }, () => get("/health/live")))
      strictEqual(new Set(ids.map(({ headers }) => headers["x-request-id"])).size, 20)
    })
  })

  describe("broken HTTP", () => {
    const rejected = async (bytes: string): Promise<string> => {
      const { body, head } = await sendBytes(host.url, bytes)
      assertMatch(head, /content-type: application\/json/i)
      const parsed = JSON.parse(body)
      deepStrictEqual(Object.keys(parsed).sort(), ["code", "docs", "message", "request_id"])
      strictEqual(parsed.docs, `${host.url}/docs/errors#${parsed.code}`)
      assertInclude(head.toLowerCase(), `x-request-id: ${parsed.request_id}`)
      return `${/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]} ${parsed.code}`
    }

    it("Node's own rejections are answered as JSON", async () => {
      for (const bytes of [
        "nonsense\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\na: \u0001\r\n\r\n",
        "BREW / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /\u0000 HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
        "POST /a HTTP/1.1\r\nHost: x\r\ncontent-length: -1\r\n\r\n"
      ]) {
        strictEqual(await rejected(bytes), "400 MALFORMED_HTTP", bytes)
      }
      strictEqual(
        await rejected(`GET / HTTP/1.1\r\nHost: x\r\na: ${"a".repeat(20_000)}\r\n\r\n`),
        "431 HEADERS_TOO_LARGE"
      )
    })

    it("a request without Host is 400", async () => {
      strictEqual(await rejected("GET /health/live HTTP/1.1\r\nconnection: close\r\n\r\n"), "400 MALFORMED_HTTP")
    })

    it("an expectation other than 100-continue is 417", async () => {
      strictEqual(
        await rejected("GET /health/live HTTP/1.1\r\nHost: x\r\nexpect: coffee\r\nconnection: close\r\n\r\n"),
        "417 EXPECTATION_FAILED"
      )
    })

    it("a request that waits for 100 Continue is answered like any other", async () => {
      const waiting = (line: string, ...headers: ReadonlyArray<string>) =>
        [line, "expect: 100-continue", "connection: close", ...headers, "", ""].join("\r\n")
      strictEqual(await rejected(waiting("GET /health/live HTTP/1.1")), "400 MALFORMED_HTTP")
      const token = "GET /aggregator/v1/token"
      const credentials = "username=acme&password=acme-secret"
      const taken = await sendBytes(host.url, waiting(`${token}?${credentials} HTTP/1.1`, "host: x"))
      assertMatch(taken.head, /^HTTP\/1\.1 200 /)
      const forged = `${Edge.credentialsHeader}: ${credentials}`
      const { head } = await sendBytes(host.url, waiting(`${token} HTTP/1.1`, "host: x", forged))
      assertMatch(head, /^HTTP\/1\.1 400 /)
    })

    it("a CONNECT is rejected", async () => {
      strictEqual(await rejected("CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n"), "405 METHOD_NOT_ALLOWED")
    })

    it("a request to switch to another protocol is answered like any other", async () => {
      const webSocket = "upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: x3JJHMbDL1EzLkh9GBhXDw=="
      for (const upgrade of [webSocket, "upgrade: h2c", "upgrade: anything"]) {
        const headers = `Host: x\r\nconnection: upgrade, close\r\n${upgrade}`
        strictEqual(await rejected(`GET /nothing HTTP/1.1\r\n${headers}\r\n\r\n`), "404 ROUTE_NOT_FOUND")
        const body = "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{]\r\n0\r\n\r\n"
        strictEqual(await rejected(`POST /aggregator/v1/token HTTP/1.1\r\n${headers}\r\n${body}`), "400 MALFORMED_JSON")
      }
    })

    it("a request to switch to another protocol is the last of its connection", async () => {
      const upgrade = "GET /nothing HTTP/1.1\r\nHost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"
      const { head } = await sendBytes(host.url, upgrade)
      assertMatch(head, /^HTTP\/1\.1 404 /)
      assertMatch(head, /^connection: close\r?$/im)
    })

    it("a target in absolute form is routed by its path", async () => {
      const answer = await sendBytes(
        host.url,
        "GET http://example.com/health/live HTTP/1.1\r\nHost: example.com\r\nconnection: close\r\n\r\n"
      )
      assertMatch(answer.head, /^HTTP\/1\.1 200 /)
      strictEqual(
        await rejected(
          "POST http://example.com/health/live HTTP/1.1\r\nHost: example.com\r\nconnection: close\r\n\r\n"
        ),
        "405 METHOD_NOT_ALLOWED"
      )
    })

    it("the host still answers after broken HTTP", async () => {
      strictEqual((await get("/health/ready")).status, 200)
    })
  })
})
