import { createHmac } from "node:crypto"
import type { Socket } from "node:net"
import type { Webhook } from "@crossdock/marketplaces"
import { Limits, type WebhookAnswer, type WebhookMessage } from "@crossdock/notifications"
import { Signature, WebhookSenderNode } from "@crossdock/notifications/node"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { vi } from "vitest"
import { isAccepted, isUnsubscribed, reasonOf } from "../src/WebhookSender.ts"
import * as Receiver from "./Receiver.ts"

const open = WebhookSenderNode.make({ allowPrivate: true })
const guarded = WebhookSenderNode.make({ allowPrivate: false })

const message = (webhook: Webhook, body = "[]"): WebhookMessage => ({
  webhook,
  webhookId: "msg_1",
  body,
  headers: { "x-crossdock-channel": "7", "x-crossdock-number": "3" }
})
const to = (url: string) => message(Receiver.webhookOf(url))
const answered = (status: number): WebhookAnswer => ({ _tag: "Answered", status })
const unanswered = (reason: string): WebhookAnswer => ({ _tag: "Unanswered", reason })

/**
 * Finishes when the receiver's side of every connection is closed.
 */
const letGo = (sockets: ReadonlySet<Socket>) =>
  Effect.promise(() => Promise.all([...sockets].map((socket) => new Promise((closed) => socket.once("close", closed)))))

describe("An answer", () => {
  it("any 2xx accepts and nothing else does", () => {
    const statuses = Array.from({ length: 600 }, (_, status) => status)
    deepStrictEqual(
      statuses.filter((status) => isAccepted(answered(status))),
      Array.from({ length: 100 }, (_, i) => 200 + i)
    )
    strictEqual(isAccepted(unanswered("no answer in time")), false)
  })

  it("410 alone says that the receiver wants nothing more", () => {
    const statuses = Array.from({ length: 600 }, (_, status) => status)
    deepStrictEqual(
      statuses.filter((status) => isUnsubscribed(answered(status))),
      [410]
    )
    strictEqual(isUnsubscribed(unanswered("no answer in time")), false)
  })

  it("gives the reason in words for operators", () => {
    strictEqual(reasonOf(answered(503)), "answered with status 503")
    strictEqual(reasonOf(unanswered("no answer in time")), "no answer in time")
  })
})

describe("WebhookSender", () => {
  it.effect("posts the body as JSON with id, time and a signature that receivers can prove", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_614_265_330_999)
      const receiver = yield* Receiver.answering(200)
      const body = '[{"sku":"ä😀"}]'
      deepStrictEqual(yield* open.send(message(receiver.webhook, body)), answered(200))
      const { body: arrived, headers, method, path } = yield* receiver.received
      deepStrictEqual([method, path, arrived], ["POST", "/hook?a=1", body])
      strictEqual(headers["content-type"], "application/json")
      strictEqual(headers["content-length"], String(Buffer.byteLength(body)))
      strictEqual(headers["webhook-id"], "msg_1")
      strictEqual(headers["webhook-timestamp"], "1614265330")
      const key = Buffer.from(Receiver.secret.slice(6), "base64")
      strictEqual(
        headers["webhook-signature"],
        `v1,${createHmac("sha256", key).update(`msg_1.1614265330.${body}`).digest("base64")}`
      )
      strictEqual(headers.authorization, undefined)
      assertTrue(Signature.matches(Receiver.secret, headers, arrived, 1_614_265_331))
    })
  )

  const kinds: ReadonlyArray<readonly [Webhook["authentication"], string, string | undefined]> = [
    [{ type: "none" }, "authorization", undefined],
    [{ type: "basic", username: "user", password: "pä:ss" }, "authorization", "Basic dXNlcjpww6Q6c3M="],
    [{ type: "bearer", token: "token-1" }, "authorization", "Bearer token-1"],
    [{ type: "header", name: "X-Api-Key", value: "key-1" }, "x-api-key", "key-1"]
  ]
  for (const [authentication, name, value] of kinds) {
    it.effect(`adds the marketplace's own authentication: ${authentication.type}`, () =>
      Effect.gen(function* () {
        const receiver = yield* Receiver.answering(204)
        deepStrictEqual(yield* open.send(message({ ...receiver.webhook, authentication })), answered(204))
        const { headers } = yield* receiver.received
        strictEqual(headers[name], value)
      })
    )
  }

  it.effect("a header of the marketplace never takes the place of the signature", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.answering(200)
      const authentication = { type: "header", name: "Webhook-Signature", value: "v1,mine" } as const
      yield* open.send(message({ ...receiver.webhook, authentication }))
      const { body, headers } = yield* receiver.received
      assertTrue(Signature.matches(Receiver.secret, headers, body))
    })
  )

  for (const [authentication, code] of [
    [{ type: "bearer", token: "two\nlines" }, "ERR_INVALID_CHAR"],
    [{ type: "bearer", token: "टोकन" }, "ERR_INVALID_CHAR"],
    [{ type: "header", name: "x key", value: "v" }, "ERR_INVALID_HTTP_TOKEN"],
    [{ type: "header", name: "", value: "v" }, "ERR_INVALID_HTTP_TOKEN"],
    [{ type: "header", name: "x-key", value: "a\r\nb: c" }, "ERR_INVALID_CHAR"]
  ] as const) {
    it.effect(`authentication that is no header is an answer, never a failure: ${JSON.stringify(authentication)}`, () =>
      Effect.gen(function* () {
        const { port, seen } = yield* Receiver.counter
        const webhook = Receiver.webhookOf(`http://127.0.0.1:${port}`, authentication)
        deepStrictEqual(yield* open.send(message(webhook)), unanswered(`the request can't be made (${code})`))
        strictEqual(seen.connections, 0)
      })
    )
  }

  it.effect("returns any status", () =>
    Effect.forEach([200, 202, 299, 400, 401, 404, 429, 500, 503], (status) =>
      Effect.gen(function* () {
        const receiver = yield* Receiver.answering(status)
        deepStrictEqual(yield* open.send(message(receiver.webhook)), answered(status))
      })
    )
  )

  for (const status of [301, 302, 303, 307, 308]) {
    it.effect(`a redirect is not followed: ${status}`, () =>
      Effect.gen(function* () {
        const { port, seen } = yield* Receiver.counter
        const receiver = yield* Receiver.answering(status, { location: `http://127.0.0.1:${port}/` })
        const answer = yield* open.send(message(receiver.webhook))
        deepStrictEqual(answer, answered(status))
        strictEqual(isAccepted(answer), false)
        strictEqual(seen.connections, 0)
      })
    )
  }

  it.effect("10 s without an answer end the try and the connection", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.make(() => {})
      const sending = yield* Effect.forkChild(open.send(message(receiver.webhook)))
      yield* receiver.received
      yield* TestClock.adjust(9999)
      strictEqual(sending.pollUnsafe(), undefined)
      yield* TestClock.adjust(1)
      deepStrictEqual(yield* Fiber.join(sending), unanswered("no answer in time"))
      yield* letGo(receiver.sockets)
    })
  )

  it.effect("a connection that is accepted and never read is no answer either", () =>
    Effect.gen(function* () {
      const connected = yield* Deferred.make<void>()
      const port = yield* Receiver.raw(() => Deferred.doneUnsafe(connected, Effect.void))
      // The greeting of TLS is never answered.
      const sending = yield* Effect.forkChild(open.send(to(`https://127.0.0.1:${port}`)))
      yield* Deferred.await(connected)
      yield* TestClock.adjust(Limits.answerMillis)
      deepStrictEqual(yield* Fiber.join(sending), unanswered("no answer in time"))
    })
  )

  it.effect("an interrupted try closes its connection", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.make(() => {})
      const sending = yield* Effect.forkChild(open.send(message(receiver.webhook)))
      yield* receiver.received
      yield* Fiber.interrupt(sending)
      yield* letGo(receiver.sockets)
    })
  )

  it.effect("an endless answer counts by its status and its connection is closed", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.make(({ answer }) => {
        answer.writeHead(200)
        const pour = () => {
          while (!answer.destroyed && answer.write("x".repeat(16_384)));
          if (!answer.destroyed) answer.once("drain", pour)
        }
        pour()
      })
      deepStrictEqual(yield* open.send(message(receiver.webhook)), answered(200))
      // The test's clock doesn't move: an answer that is waited for to its limit would never come.
      yield* letGo(receiver.sockets)
    })
  )

  it.effect("an answer that never ends counts by its status and its connection is closed after 10 s", () =>
    Effect.gen(function* () {
      // The connection's own timer is Node's.
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      yield* Effect.addFinalizer(() => Effect.sync(() => vi.useRealTimers()))
      const receiver = yield* Receiver.make(({ answer }) => answer.writeHead(202).write("."))
      deepStrictEqual(yield* open.send(message(receiver.webhook)), answered(202))
      vi.advanceTimersByTime(Limits.answerMillis - 1)
      assertTrue([...receiver.sockets].every(({ readyState }) => readyState === "open"))
      vi.advanceTimersByTime(1)
      yield* letGo(receiver.sockets)
    })
  )

  it.effect("a rejected connection, or one closed without an answer, is a reason of its own", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.scoped(Effect.map(Receiver.counter, ({ port }) => port))
      deepStrictEqual(
        yield* open.send(to(`http://127.0.0.1:${closed}`)),
        unanswered("the connection failed (ECONNREFUSED)")
      )
      const receiver = yield* Receiver.make(({ answer }) => answer.destroy())
      deepStrictEqual(yield* open.send(message(receiver.webhook)), unanswered("the connection failed (ECONNRESET)"))
    })
  )

  for (const [what, text] of [
    ["no HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["an upgrade", "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"]
  ] as const) {
    it.effect(`${what} is no accepted answer`, () =>
      Effect.gen(function* () {
        const port = yield* Receiver.raw((socket) => socket.end(text))
        strictEqual(isAccepted(yield* open.send(to(`http://127.0.0.1:${port}`))), false)
      })
    )
  }

  it.effect("only http and https are called", () =>
    Effect.forEach(
      [
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
        "data:,x",
        "javascript:1",
        "ws://127.0.0.1",
        "",
        "/hook",
        "http://",
        "nonsense"
      ],
      (url) =>
        Effect.map(open.send(to(url)), (answer) =>
          deepStrictEqual(answer, unanswered("the address is not http or https"))
        )
    )
  )

  describe("when private addresses are not allowed", () => {
    const hosts = [
      "127.0.0.1",
      "127.1",
      "0x7f.1",
      "0x7f000001",
      "0177.0.0.1",
      "2130706433",
      "127.0.0.1.",
      "１２７.0.0.1",
      "0",
      "0.0.0.0",
      "[::1]",
      "[::]",
      "[::ffff:7f00:1]",
      "[::ffff:127.0.0.1]",
      "[::127.0.0.1]",
      "[64:ff9b::7f00:1]",
      "[2002:7f00:1::]",
      "user:password@127.0.0.1"
    ]
    for (const host of hosts) {
      it.effect(`no connection is made to ${host}`, () =>
        Effect.gen(function* () {
          const { port, seen } = yield* Receiver.counter
          for (const scheme of ["http", "https"]) {
            deepStrictEqual(
              yield* guarded.send(to(`${scheme}://${host}:${port}/`)),
              unanswered("the address is not public")
            )
          }
          strictEqual(seen.connections, 0)
        })
      )
    }

    // The names are looked up by the system, which may know localhost or not.
    for (const host of ["localhost", "LOCALHOST", "localhost.", "a.localhost"]) {
      it.live(`no connection is made to what ${host} resolves to`, () =>
        Effect.gen(function* () {
          const { port, seen } = yield* Receiver.counter
          for (const scheme of ["http", "https"]) {
            const answer = yield* guarded.send(to(`${scheme}://${host}:${port}/`))
            strictEqual(answer._tag, "Unanswered")
            if (host === "localhost") deepStrictEqual(answer, unanswered("the address is not public"))
          }
          strictEqual(seen.connections, 0)
        })
      )
    }

    it.live("the same listener is reached by name and by number when private addresses are allowed", () =>
      Effect.gen(function* () {
        const { port, seen } = yield* Receiver.counter
        for (const host of ["localhost", "127.0.0.1", "0x7f.1", "[::ffff:7f00:1]"]) {
          deepStrictEqual(yield* open.send(to(`http://${host}:${port}/`)), answered(200))
        }
        strictEqual(seen.connections, 4)
      })
    )
  })
})
