import type { Webhook } from "@crossdock/marketplaces"
import { Limits, type WebhookAnswer, type WebhookMessage } from "@crossdock/notifications"
import { WebhookSenderFetch } from "@crossdock/notifications/fetch"
import { Signature } from "@crossdock/notifications/node"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Receiver from "./Receiver.ts"

const open = WebhookSenderFetch.make({ allowPrivate: true })
const guarded = WebhookSenderFetch.make({ allowPrivate: false })

const message = (webhook: Webhook, body = "[]"): WebhookMessage => ({
  webhook,
  webhookId: "msg_1",
  body,
  headers: { "x-crossdock-channel": "7", "x-crossdock-number": "3" }
})
const answered = (status: number): WebhookAnswer => ({ _tag: "Answered", status })
const unanswered = (reason: string): WebhookAnswer => ({ _tag: "Unanswered", reason })

describe("WebhookSenderFetch", () => {
  it.effect("posts what the sender of Node posts: body, id, time, numbers and every valid signature", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_614_265_330_999)
      const receiver = yield* Receiver.answering(200)
      const retiring = { secret: "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz", until: 1_614_265_331_000 }
      const body = '[{"sku":"ä😀"}]'
      deepStrictEqual(yield* open.send(message({ ...receiver.webhook, retiring }, body)), answered(200))
      const { body: arrived, headers, method, path } = yield* receiver.received
      deepStrictEqual([method, path, arrived], ["POST", "/hook?a=1", body])
      deepStrictEqual(
        [
          "content-type",
          "user-agent",
          "webhook-id",
          "webhook-timestamp",
          "x-crossdock-channel",
          "x-crossdock-number"
        ].map((name) => headers[name]),
        ["application/json", "crossdock", "msg_1", "1614265330", "7", "3"]
      )
      strictEqual(
        headers["webhook-signature"],
        [Receiver.secret, retiring.secret].map((one) => Signature.sign(one, "msg_1", 1_614_265_330, body)).join(" ")
      )
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

  it.effect("what can't be sent is an answer, never a failure, and contains no secret", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* Receiver.counter
      const webhook = Receiver.webhookOf(`http://127.0.0.1:${port}`)
      const faulty: ReadonlyArray<Webhook> = [
        { ...webhook, authentication: { type: "bearer", token: "two\nlines" } },
        { ...webhook, authentication: { type: "header", name: "x key", value: "v" } },
        { ...webhook, authentication: { type: "header", name: "x-key", value: "a\r\nb: c" } },
        { ...webhook, secret: "whsec_no base64!" },
        { ...webhook, url: "ftp://127.0.0.1/" },
        { ...webhook, url: "nonsense" }
      ]
      deepStrictEqual(yield* Effect.forEach(faulty, (one) => open.send(message(one))), [
        unanswered("the connection failed (error)"),
        unanswered("the connection failed (error)"),
        unanswered("the connection failed (error)"),
        unanswered("the request can't be made (secret)"),
        unanswered("the address is not http or https"),
        unanswered("the address is not http or https")
      ])
      strictEqual(seen.connections, 0)
    })
  )

  it.effect("any status is the answer, and a redirect is not followed", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* Receiver.counter
      for (const status of [202, 301, 302, 307, 308, 404, 429, 503]) {
        const receiver = yield* Receiver.answering(status, { location: `http://127.0.0.1:${port}/` })
        deepStrictEqual(yield* open.send(message(receiver.webhook)), answered(status))
      }
      strictEqual(seen.connections, 0)
    })
  )

  it.effect("10 s without an answer end the try and the connection", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.make(() => {})
      const sending = yield* Effect.forkChild(open.send(message(receiver.webhook)))
      yield* receiver.received
      yield* TestClock.adjust(Limits.answerMillis - 1)
      strictEqual(sending.pollUnsafe(), undefined)
      yield* TestClock.adjust(1)
      deepStrictEqual(yield* Fiber.join(sending), unanswered("no answer in time"))
      yield* Effect.promise(() =>
        Promise.all([...receiver.sockets].map((socket) => new Promise((closed) => socket.once("close", closed))))
      )
    })
  )

  it.effect("an answer without an end counts by its status and is not waited for", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver.make(({ answer }) => answer.writeHead(202).write("."))
      // The test's clock doesn't move: an answer that is waited for to its limit would never come.
      deepStrictEqual(yield* open.send(message(receiver.webhook)), answered(202))
    })
  )

  it.effect("a rejected connection is a reason of its own", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.scoped(Effect.map(Receiver.counter, ({ port }) => port))
      deepStrictEqual(
        yield* open.send(message(Receiver.webhookOf(`http://127.0.0.1:${closed}`))),
        unanswered("the connection failed (ECONNREFUSED)")
      )
    })
  )

  it.effect("addresses that are not public and names of local networks are not called", () =>
    Effect.forEach(
      [
        "127.0.0.1",
        "0x7f.1",
        "2130706433",
        "[::1]",
        "[::ffff:7f00:1]",
        "10.0.0.1",
        "localhost",
        "a.localhost.",
        "nas",
        "db.internal"
      ],
      (host) =>
        Effect.map(guarded.send(message(Receiver.webhookOf(`https://${host}/`))), (answer) =>
          deepStrictEqual(answer, unanswered("the address is not public"))
        )
    )
  )
})
