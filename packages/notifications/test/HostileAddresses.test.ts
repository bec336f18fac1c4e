/**
 * Webhook addresses that somebody might register to make a host call servers that only the host can reach. A listener on
 * every address of this machine counts the connections.
 */

import { createServer, type Socket } from "node:net"
import { networkInterfaces } from "node:os"
import type { WebhookMessage } from "@crossdock/notifications"
import { WebhookSenderFetch } from "@crossdock/notifications/fetch"
import { WebhookSenderNode } from "@crossdock/notifications/node"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import * as Receiver from "./Receiver.ts"

/**
 * Listens on a port of every address of this machine, IPv4 and IPv6.
 */
const listener = Effect.gen(function* () {
  const seen = { connections: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    seen.connections += 1
    sockets.add(socket)
    socket.on("error", () => {})
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
  })
  const listen = (host: string) =>
    Effect.callback<number>((resume) => {
      const port = () => {
        const address = server.address()
        return typeof address === "object" && address !== null ? address.port : 0
      }
      // A machine without IPv6 has no such address.
      server.once("error", () => resume(listen("0.0.0.0")))
      server.listen({ host, port: 0, ipv6Only: false }, () => resume(Effect.succeed(port())))
    })
  const port = yield* Effect.acquireRelease(listen("::"), () =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      for (const socket of sockets) socket.destroy()
    })
  )
  return { port, seen }
})

const own = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .filter(({ family }) => family === "IPv4")
  .map(({ address }) => address)
  .filter((address) =>
    /^(10|127|172\.(1[6-9]|2\d|3[01])|192\.168|169\.254|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(address)
  )

const forbidden = [
  ...new Set([
    ...own,
    "127.0.0.1",
    "127.8.9.10",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.1"
  ])
]

const bytesOf = (address: string): [number, number, number, number] => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number)
  return [a, b, c, d]
}

/** Every way to write an IPv4 address that URLs know, and every IPv6 address that carries it. */
const formsOf = (address: string): ReadonlyArray<string> => {
  const [a, b, c, d] = bytesOf(address)
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const low = (c * 256 + d).toString(16)
  const high = (a * 256 + b).toString(16)
  const hex = (n: number) => `0x${n.toString(16)}`
  const octal = (n: number) => `0${n.toString(8)}`
  const inverted = `${((a * 256 + b) ^ 0xffff).toString(16)}:${((c * 256 + d) ^ 0xffff).toString(16)}`
  const digits = (first: number) => address.replace(/\d/g, (n) => String.fromCodePoint(first + Number(n)))
  return [
    address,
    `${address}.`,
    String(whole),
    hex(whole),
    `0X${whole.toString(16).toUpperCase()}`,
    octal(whole),
    [a, b, c, d].map(hex).join("."),
    [a, b, c, d].map(octal).join("."),
    `${hex(a)}.${octal(b)}.${c}.${d}`,
    `${a}.${b * 65_536 + c * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${hex(a)}.${hex(b * 65_536 + c * 256 + d)}`,
    digits(0xff10),
    digits(0x1d7ce),
    address.replaceAll(".", "。"),
    address.replaceAll(".", "．"),
    [...address].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(""),
    `[::ffff:${address}]`,
    `[::FFFF:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[::ffff:0:${address}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b::${high}:${low}]`,
    `[64:ff9b:1::${address}]`,
    `[2002:${high}:${low}::]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:${high}:${low}::]`,
    `[2001:0:4136:e378:8000:63bf:${inverted}]`,
    `[fe80::5efe:${address}]`
  ]
}

const ipv6 = [
  "::1",
  "0:0:0:0:0:0:0:1",
  "0000:0000:0000:0000:0000:0000:0000:0001",
  "::",
  "::0",
  "fe80::1",
  "fe80::1%25lo",
  "fe80::1%lo",
  "::1%25lo",
  "fc00::1",
  "fd12:3456:789a::1",
  "fec0::1",
  "ff02::1",
  "ff01::1%25lo",
  "100::1",
  "2001:db8::1",
  "3fff::1"
].map((address) => `[${address}]`)

const names = [
  "localhost",
  "LOCALHOST",
  "localhost.",
  "LocalHost.",
  "a.localhost",
  "ip6-localhost",
  "ip6-loopback",
  "broadcasthost"
]

/** Tricks with everything but the host. */
const tricks = (port: number) => [
  `http://user:password@127.0.0.1:${port}/`,
  `http://example.com@127.0.0.1:${port}/`,
  `http://example.com%40127.0.0.1:${port}/`,
  `http://example.com:80@127.0.0.1:${port}/`,
  `http://@127.0.0.1:${port}/`,
  `http://127.0.0.1:${port}#@example.com/`,
  `http://127.0.0.1:${port}?@example.com/`,
  `http://127.0.0.1:${port}\\@example.com/`,
  `http:127.0.0.1:${port}/`,
  `http:/127.0.0.1:${port}/`,
  `http:///127.0.0.1:${port}/`,
  `http:\\\\127.0.0.1:${port}/`,
  `HTTP://127.0.0.1:${port}/`,
  ` http://127.0.0.1:${port}/ `,
  `ht\ntp://127.0.0.1:${port}/`,
  `http://127.0\t.0.1:${port}/`,
  `http://127.0.0.1:0${port}/`,
  `http://127.0.0.1:${port}/../../`,
  "http://127.0.0.1:0/",
  "http://127.0.0.1:22/",
  "http://127.0.0.1:65535/",
  "http://127.0.0.1:65536/",
  "http://127.0.0.1:-1/",
  `ws://127.0.0.1:${port}/`,
  `ftp://127.0.0.1:${port}/`,
  `gopher://127.0.0.1:${port}/_POST`,
  `file://127.0.0.1:${port}/etc/passwd`,
  `unix:///var/run/docker.sock`,
  `http+unix://%2Fvar%2Frun%2Fdocker.sock/`,
  `//127.0.0.1:${port}/`,
  `127.0.0.1:${port}`
]

const addressesOf = (port: number) => [
  ...new Set([
    ...[...forbidden.flatMap(formsOf), ...ipv6, ...names].map((host) => `http://${host}:${port}/`),
    ...[...formsOf("127.0.0.1"), ...ipv6, ...names].map((host) => `https://${host}:${port}/`),
    ...tricks(port)
  ])
]

const message = (url: string): WebhookMessage => ({
  webhook: Receiver.webhookOf(url),
  webhookId: "msg_1",
  body: "[]",
  headers: { "x-crossdock-channel": "1", "x-crossdock-number": "1" }
})

const reachNothing = (
  make: (options: { readonly allowPrivate: boolean }) => Pick<ReturnType<typeof WebhookSenderNode.make>, "send">
) =>
  Effect.gen(function* () {
    const { port, seen } = yield* listener
    const guarded = make({ allowPrivate: false })
    const open = make({ allowPrivate: true })
    const addresses = addressesOf(port)
    assertTrue(addresses.length >= 300, `${addresses.length} addresses`)
    const answers = yield* Effect.forEach(addresses, (url) => guarded.send(message(url)), { concurrency: 20 })
    deepStrictEqual(
      addresses.filter((_, at) => answers[at]?._tag !== "Unanswered"),
      []
    )
    strictEqual(seen.connections, 0)
    // A sender without the guard reaches the same listener.
    const reachable = addresses.filter((url) =>
      /^http:\/\/[^/]*127|^http:\/\/[^/]*0x7f|localhost|2130706433/i.test(url)
    )
    yield* Effect.forEach(reachable, (url) => Effect.timeout(open.send(message(url)), "1 second").pipe(Effect.ignore), {
      concurrency: 20
    })
    assertTrue(seen.connections >= 30, `${seen.connections} connections of ${reachable.length}`)
  })

describe("Of hostile webhook addresses", () => {
  it.live("more than 300 reach no listener of this machine, although it could be reached by them", () =>
    reachNothing(WebhookSenderNode.make)
  )

  it.live("more than 300 reach no listener of this machine by fetch either", () =>
    reachNothing(WebhookSenderFetch.make)
  )

  it.live("names that resolve to a forbidden address, alone or beside public ones, reach nothing", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* listener
      const public6 = { address: "2000::1", family: 6 }
      const private4 = forbidden.map((address) => ({ address, family: 4 }))
      const private6 = [
        "::1",
        "::",
        "::ffff:127.0.0.1",
        "::ffff:7f00:1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "fe80::1%lo"
      ].map((address) => ({ address, family: 6 }))
      const resolved = [...private4, ...private6].flatMap((one) => [[one], [public6, one], [one, public6]])
      const answers = yield* Effect.forEach([...resolved, [], [{ address: "no address", family: 4 }]], (addresses) => {
        const { send } = WebhookSenderNode.make({
          allowPrivate: false,
          resolve: (_, __, callback) => callback(null, [...addresses])
        })
        return send(message(`http://shop.example:${port}/`))
      })
      deepStrictEqual(
        [...new Set(answers.map((answer) => JSON.stringify(answer)))],
        [JSON.stringify({ _tag: "Unanswered", reason: "the address is not public" })]
      )
      strictEqual(seen.connections, 0)
      const { send } = WebhookSenderNode.make({
        allowPrivate: true,
        resolve: (_, __, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }])
      })
      deepStrictEqual(yield* send(message(`http://shop.example:${port}/`)), { _tag: "Answered", status: 200 })
      strictEqual(seen.connections, 1)
    })
  )

  it.live("a name that would resolve differently the second time is resolved once for each try", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* listener
      let asked = 0
      const { send } = WebhookSenderNode.make({
        allowPrivate: false,
        // An address that no network has: the connection fails or hangs.
        resolve: (_, __, callback) =>
          callback(null, [asked++ === 0 ? { address: "2000::1", family: 6 } : { address: "127.0.0.1", family: 4 }])
      })
      yield* Effect.ignore(Effect.timeout(send(message(`http://shop.example:${port}/`)), "500 millis"))
      deepStrictEqual([asked, seen.connections], [1, 0])
    })
  )

  it.live("a redirect to any of them counts as an answer and is not followed", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* listener
      const open = WebhookSenderNode.make({ allowPrivate: true })
      for (const status of [300, 301, 302, 303, 305, 307, 308]) {
        for (const location of [`http://127.0.0.1:${port}/`, `http://[::1]:${port}/`, `http://localhost:${port}/`]) {
          const receiver = yield* Receiver.answering(status, { location, refresh: `0; url=${location}` })
          deepStrictEqual(yield* open.send(message(receiver.webhook.url)), { _tag: "Answered", status })
        }
      }
      strictEqual(seen.connections, 0)
    })
  )
})
