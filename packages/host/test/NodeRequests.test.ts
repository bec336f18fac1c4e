import { createServer, request as send } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer, text } from "node:stream/consumers"
import * as Node from "@crossdock/host/node"
import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"

/** A program's own server, which answers what the handler of a host would see. */
const server = createServer(async (incoming, response) => {
  const body = await buffer(incoming)
  const request = Node.requestOf(incoming, "https://shop.example/partner", body)
  const { headers, method, url } = request
  const seen = { method, url, headers: [...headers], body: await request.text(), from: Node.addressOf(request) }
  response.end(JSON.stringify(seen))
})

const seenOf = (method: string, path: string, headers: Record<string, string | Array<string>>, body?: string) =>
  new Promise<Record<string, unknown>>((resolve, reject) => {
    const { port } = server.address() as AddressInfo
    const sent = send({ host: "127.0.0.1", port, method, path, headers }, (answer) =>
      text(answer).then((json) => resolve(JSON.parse(json)), reject)
    )
    sent.on("error", reject)
    sent.end(body)
  })

describe("A request to a program's own server on Node", () => {
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  it("becomes a Request with its method, body, and every value of its headers", async () => {
    const headers = { "x-one": ["a", "b"], "content-type": "text/plain; charset=utf-8" }
    const seen = await seenOf("PUT", "/partner/ims/v3/inventory?page=2", headers, "größer")
    deepStrictEqual(
      [seen.method, seen.url, seen.body],
      ["PUT", "https://shop.example/partner/ims/v3/inventory?page=2", "größer"]
    )
    const found = new Headers(seen.headers as Array<[string, string]>)
    deepStrictEqual([found.get("x-one"), found.get("content-type")], ["a, b", "text/plain; charset=utf-8"])
  })

  it("is one for the host's own origin, whatever origin or path its client writes", async () => {
    const urls = ["http://elsewhere.example/partner/a", "//elsewhere.example/a", "*"]
    const seen = await Promise.all(urls.map((url) => seenOf("OPTIONS", url, {})))
    deepStrictEqual(
      seen.map(({ url }) => url),
      ["https://shop.example/partner/a", "https://shop.example//elsewhere.example/a", "https://shop.example/*"]
    )
  })

  it("has no body when it is a GET, and the address of its connection whatever its headers say", async () => {
    const seen = await seenOf("GET", "/", { "x-forwarded-for": "203.0.113.7", "content-length": "2" }, "{}")
    deepStrictEqual([seen.body, seen.from], ["", "127.0.0.1"])
  })

  it("that another function made has an address that nobody knows", () => {
    strictEqual(Node.addressOf(new Request("https://shop.example")), "unknown")
  })

  it("has the whole path where Express keeps it beside the one below its mount point", async () => {
    const incoming = { method: "GET", url: "/v1", originalUrl: "/partner/v1", rawHeaders: [], socket: {} }
    const request = Node.requestOf(incoming as unknown as Parameters<typeof Node.requestOf>[0], "https://shop.example")
    deepStrictEqual([request.url, Node.addressOf(request)], ["https://shop.example/partner/v1", "unknown"])
  })
})
