import { createServer, request as send } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer, text } from "node:stream/consumers"
import * as Node from "@crossdock/host/node"
import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { processorMillis } from "../../kernel/test/processorMillis.ts"

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

type Incoming = Parameters<typeof Node.requestOf>[0]

/** What a server received, without a server: it may be longer than one accepts. */
const incomingOf = (received: {
  readonly url?: string
  readonly originalUrl?: string
  readonly rawHeaders?: ReadonlyArray<string>
}) =>
  ({
    method: "GET",
    url: "/",
    rawHeaders: [],
    socket: { remoteAddress: "192.0.2.7" },
    ...received
  }) as unknown as Incoming

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

  it("keeps the method TRACE, with which no Request can be made", () => {
    const received = { ...incomingOf({ url: "/ims/v3/inventory" }), method: "TRACE" } as Incoming
    const request = Node.requestOf(received, "https://shop.example")
    deepStrictEqual([request.method, request.url], ["TRACE", "https://shop.example/ims/v3/inventory"])
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
    const incoming = { url: "/v1", originalUrl: "/partner/v1", socket: {} }
    const request = Node.requestOf(incomingOf(incoming), "https://shop.example")
    deepStrictEqual([request.url, Node.addressOf(request)], ["https://shop.example/partner/v1", "unknown"])
  })
})

type Shape = readonly [what: string, of: (size: number) => Incoming]

const times = (part: string, size: number): string => part.repeat(Math.floor(size / part.length))

const pathOf = (what: string, textOf: (size: number) => string): ReadonlyArray<Shape> => [
  [`a path of ${what}`, (size) => incomingOf({ url: `/${textOf(size)}` })],
  [`a query of ${what}`, (size) => incomingOf({ url: `/?${textOf(size)}` })],
  [`a path of ${what} below a mount point`, (size) => incomingOf({ url: "/", originalUrl: `/${textOf(size)}` })],
  [`a host of ${what}`, (size) => incomingOf({ url: `http://${textOf(size)}/ims` })],
  [`a host of ${what}, without a path`, (size) => incomingOf({ url: `https://${textOf(size)}` })],
  [`no path, but ${what}`, (size) => incomingOf({ url: textOf(size) })],
  [`a header of ${what}`, (size) => incomingOf({ rawHeaders: ["x-a", textOf(size)] })],
  [`a Host of ${what}`, (size) => incomingOf({ rawHeaders: ["host", textOf(size)] })]
]

const parts = [
  ["letters", "a"],
  ["slashes", "/"],
  ["steps up", "/.."],
  ["steps down and up", "/a/.."],
  ["steps up that are escaped", "/%2e%2e"],
  ["broken escapes", "%"],
  ["parameters", "a=1&"],
  ["question marks", "?"],
  ["hashes", "#"],
  ["backslashes", "\\"],
  ["dots", "a."],
  ["colons", ":1"],
  ["users", "a@"],
  ["origins", "http://"],
  ["letters beyond ASCII", "é"],
  ["blanks", " "],
  ["tabs", "\t"]
] as const

/** As many header lines as fit. */
const lines = (size: number, line: (nth: number) => readonly [name: string, value: string]): Incoming => {
  const length = line(100_000).join(": \r\n").length
  return incomingOf({ rawHeaders: Array.from({ length: size / length }, (_, nth) => line(100_000 + nth)).flat() })
}

const shapes: ReadonlyArray<Shape> = [
  ...parts.flatMap(([what, part]) => pathOf(what, (size) => times(part, size))),
  ["a header with a name of letters", (size) => incomingOf({ rawHeaders: ["x".repeat(size), "a"] })],
  ["a header that begins and ends with blanks", (size) => incomingOf({ rawHeaders: ["x-a", `${" ".repeat(size)}a `] })],
  ["headers of different names", (size) => lines(size, (nth) => [`x-${nth}`, "1"])],
  ["headers of one name", (size) => lines(size, () => ["x-a", "b"])],
  ["long headers of one name", (size) => lines(size, () => ["x-a", "b".repeat(100)])],
  ["cookies", (size) => lines(size, (nth) => ["cookie", `c${nth}=1`])],
  ["cookies that a client sets", (size) => lines(size, (nth) => ["set-cookie", `c${nth}=1`])],
  ["addresses of proxies", (size) => lines(size, () => ["x-forwarded-for", "203.0.113.7"])],
  ["pseudo-headers", (size) => lines(size, (nth) => [`:x-${nth}`, "1"])]
]

/** The quickest of some runs, in milliseconds: other work of the machine only makes runs slower. Slow work runs less often. */
const quickest = (run: () => unknown): number => {
  let [best, all] = [Number.POSITIVE_INFINITY, 0]
  for (let nth = 0; nth < 7 && all < 300; nth++) {
    const started = processorMillis()
    run()
    const took = processorMillis() - started
    best = Math.min(best, took)
    all += took
  }
  return best
}

/** For four times the size, linear work takes four times as long and quadratic work sixteen times. */
const most = 10

/** Less, in milliseconds, says more about the machine than about the work. */
const least = 0.5

/**
 * How long both took when the long one took more than it may, else undefined. Another process may take the processor during a
 * measurement; a quadratic time is too long every time.
 */
const tooLong = (short: () => unknown, long: () => unknown): string | undefined => {
  let found: string | undefined
  for (let nth = 0; nth < 4; nth++) {
    const [before, took] = [quickest(short), quickest(long)]
    if (took <= most * Math.max(before, least)) return undefined
    found = `${took.toFixed(1)} ms, and ${before.toFixed(1)} ms for a quarter`
  }
  return found
}

describe("The time to make a Request of what Node received", () => {
  it("grows with its length, whatever is long, from 25 kB to four and sixteen times as much", () => {
    const make = (incoming: Incoming) => () => Node.addressOf(Node.requestOf(incoming, "https://shop.example"))
    const fault = (of: Shape[1], size: number) => {
      const [short, long] = [make(of(size)), make(of(4 * size))]
      strictEqual(short(), "192.0.2.7")
      return tooLong(short, long)
    }
    // A machine may take long for the first large pieces of memory. A quadratic time is too long at the next size too.
    const isQuadratic = (of: Shape[1], size: number) => fault(of, size) !== undefined && fault(of, 4 * size)
    // By size, and no further than to the first that is too slow: a longer one would take minutes.
    for (const size of [25_000, 100_000]) {
      for (const [what, of] of shapes) strictEqual(isQuadratic(of, size) || undefined, undefined, `${what}, ${size} B`)
    }
  })
})
