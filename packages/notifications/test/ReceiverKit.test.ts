import { ReceiverKit, Signature } from "@crossdock/notifications/node"
import { describe, it } from "@effect/vitest"
import { assertFailure, assertSuccess, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { Webhook } from "standardwebhooks"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const older = "whsec_b2xkZXItc2VjcmV0LW9sZGVyLXNlY3JldA=="
const now = 1_790_000_000_000
const webhook = {
  url: "https://example.com",
  secret,
  retiring: { secret: older, until: now + 1000 },
  authentication: { type: "none" as const }
}

const event = (sku: string, sequence: number, quantity = sequence): ReceiverKit.StockEvent => ({
  event_id: `${sku}-${sequence}`,
  type: "inventory.updated",
  sku,
  location_id: "B-1",
  quantity,
  sequence,
  occurred_at: "2026-01-01T00:00:00.000Z"
})

const incoming = (content: unknown, number = 1, at = now): ReceiverKit.Incoming => {
  const body = typeof content === "string" ? content : JSON.stringify(content)
  return {
    body,
    headers: {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(at / 1000)),
      "webhook-signature": Signature.header(webhook, "msg_1", body, at),
      [ReceiverKit.channelHeader]: "1",
      [ReceiverKit.numberHeader]: String(number)
    }
  }
}

const known = (more: Partial<ReceiverKit.Known> = {}): ReceiverKit.Known => ({
  secrets: [secret],
  now,
  sequenceOf: () => undefined,
  numberOf: () => undefined,
  ...more
})

const statusOf = (one: ReceiverKit.Incoming, more: Partial<ReceiverKit.Known> = {}) =>
  Result.match(ReceiverKit.receive(one, known(more)), { onFailure: ({ status }) => status, onSuccess: () => 200 })

describe("Signatures while a secret is replaced", () => {
  it("are accepted under the old and the new secret, and by the specification's own library", () => {
    const one = incoming([event("a", 1)])
    strictEqual(statusOf(one, { secrets: [secret] }), 200)
    strictEqual(statusOf(one, { secrets: [older] }), 200)
    const live = incoming([event("a", 1)], 1, Date.now())
    const headers = Object.fromEntries(Object.entries(live.headers).map(([name, value]) => [name, String(value)]))
    deepStrictEqual(new Webhook(secret).verify(live.body, headers), [event("a", 1)])
  })

  it("are made with the new secret alone once the old one's time is over", () => {
    const text = Signature.header(webhook, "msg_1", "[]", now + 1000)
    strictEqual(text, Signature.sign(secret, "msg_1", Math.floor((now + 1000) / 1000), "[]"))
    strictEqual(Signature.header(webhook, "msg_1", "[]", now + 999).split(" ").length, 2)
  })

  it("are verified by the specification's own library for any body", () => {
    const single = { ...webhook, retiring: null }
    FastCheck.assert(
      FastCheck.property(FastCheck.fullUnicodeString(), (body) => {
        const at = Date.now()
        const headers = {
          "webhook-id": "msg_2",
          "webhook-timestamp": String(Math.floor(at / 1000)),
          "webhook-signature": Signature.header(single, "msg_2", body, at)
        }
        new Webhook(secret).verify(body, headers, { jsonParse: false })
      })
    )
  })
})

describe("ReceiverKit", () => {
  it("gives the events to keep, and the channel's number", () => {
    const found = ReceiverKit.receive(incoming([event("a", 3), event("b", 4)]), known())
    assertSuccess(found, {
      events: [event("a", 3), event("b", 4)],
      old: 0,
      channel: "1",
      number: 1,
      missing: 0
    })
  })

  it("drops events that are older than what is kept, or the same", () => {
    const found = ReceiverKit.receive(
      incoming([event("a", 3), event("b", 4), event("c", 5)]),
      known({ sequenceOf: ({ sku }) => ({ a: 4, b: 4 })[sku] })
    )
    assertTrue(Result.isSuccess(found))
    deepStrictEqual(found.success.events, [event("c", 5)])
    strictEqual(found.success.old, 2)
  })

  it("finds how many notifications are missing, and none when one comes again", () => {
    const missing = (number: number, last: number | undefined) =>
      Result.getOrThrow(ReceiverKit.receive(incoming([], number), known({ numberOf: () => last }))).missing
    strictEqual(missing(1, undefined), 0)
    strictEqual(missing(4, undefined), 3)
    strictEqual(missing(8, 7), 0)
    strictEqual(missing(10, 7), 2)
    strictEqual(missing(7, 7), 0)
    strictEqual(missing(3, 7), 0)
  })

  it("rejects a body that was changed, signed by others, or is five minutes old", () => {
    const one = incoming([event("a", 1)])
    strictEqual(statusOf({ ...one, body: one.body.replace(":1,", ":2,") }), 401)
    strictEqual(statusOf(one, { secrets: ["whsec_c29tZWJvZHktZWxzZS1zb21lYm9keS1lbHNl"] }), 401)
    strictEqual(statusOf(one, { secrets: [] }), 401)
    strictEqual(statusOf(one, { now: now + 300_000 }), 200)
    strictEqual(statusOf(one, { now: now + 301_000 }), 401)
    strictEqual(statusOf({ ...one, headers: {} }), 401)
  })

  it("keeps its number when a notification has none, or one that is not a number", () => {
    for (const number of [undefined, "", "x", "1.5", "NaN", "1e400", ["1", "2"]]) {
      const one = incoming([event("a", 9)])
      const headers = { ...one.headers, [ReceiverKit.numberHeader]: number }
      const received = Result.getOrThrow(ReceiverKit.receive({ ...one, headers }, known({ numberOf: () => 7 })))
      deepStrictEqual([received.number, received.missing, received.events.length], [7, 0, 1])
    }
  })

  it("rejects a body that is not a list of stock events", () => {
    for (const content of [
      "{",
      "{}",
      [1],
      [null],
      [{ ...event("a", 1), quantity: "5" }],
      [{ ...event("a", 1), event_id: 1 }],
      [{ sku: "a" }]
    ]) {
      strictEqual(statusOf(incoming(content)), 400)
    }
    assertFailure(ReceiverKit.receive(incoming("nothing"), known()), {
      status: 400,
      reason: "The body is not a list of stock events"
    })
  })

  it("whatever is lost, repeated or late, the newest event that came is kept in the end", () => {
    const events = FastCheck.record({
      sku: FastCheck.constantFrom("a", "b", "c"),
      sequence: FastCheck.integer({ min: 1, max: 9 })
    })
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.array(events, { maxLength: 4 }), { maxLength: 12 }), (batches) => {
        const kept = new Map<string, ReceiverKit.StockEvent>()
        for (const batch of batches) {
          const one = incoming(batch.map(({ sequence, sku }) => event(sku, sequence)))
          const found = ReceiverKit.receive(one, known({ sequenceOf: ({ sku }) => kept.get(sku)?.sequence }))
          for (const next of Result.getOrThrow(found).events) kept.set(next.sku, next)
        }
        for (const sku of ["a", "b", "c"]) {
          const sent = batches.flat().filter((one) => one.sku === sku)
          strictEqual(kept.get(sku)?.sequence ?? 0, Math.max(0, ...sent.map((one) => one.sequence)))
        }
      })
    )
  })
})
