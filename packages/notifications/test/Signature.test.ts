import { createHmac, randomBytes } from "node:crypto"
import { Signature } from "@crossdock/notifications/node"
import { describe, it } from "@effect/vitest"
import { assertTrue, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"

const { matches, sign, tolerance } = Signature

// The vector that the specification's libraries are tested with.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
const timestamp = 1_614_265_330
const body = '{"test": 2432232314}'
const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

const headers = (more: Readonly<Record<string, string | ReadonlyArray<string> | undefined>> = {}) => ({
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": signature,
  ...more
})

describe("Signature", () => {
  it("equals the published vector of Standard Webhooks", () => {
    strictEqual(sign(secret, id, timestamp, body), signature)
    strictEqual(sign(secret.slice("whsec_".length), id, timestamp, body), signature)
  })

  it("equals HMAC-SHA256 of node:crypto over id, timestamp and the body's UTF-8 bytes", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.uint8Array({ minLength: 1, maxLength: 80 }),
        FastCheck.hexaString(),
        FastCheck.nat(),
        FastCheck.oneof(FastCheck.string(), FastCheck.fullUnicodeString()),
        (key, someId, at, text) => {
          const signed = Buffer.concat([Buffer.from(`${someId}.${at}.`), Buffer.from(text, "utf8")])
          strictEqual(
            sign(`whsec_${Buffer.from(key).toString("base64")}`, someId, at, text),
            `v1,${createHmac("sha256", key).update(signed).digest("base64")}`
          )
        }
      )
    )
  })

  it("a receiver accepts a signed body", () => {
    strictEqual(matches(secret, headers(), body), true)
    strictEqual(matches(secret, headers(), body, timestamp), true)
  })

  it("a tampered body, id, timestamp or signature and another secret are rejected", () => {
    strictEqual(matches(secret, headers(), `${body} `), false)
    strictEqual(matches(secret, headers(), ""), false)
    strictEqual(matches(secret, headers({ "webhook-id": `${id}x` }), body), false)
    strictEqual(matches(secret, headers({ "webhook-timestamp": String(timestamp + 1) }), body), false)
    strictEqual(matches(secret, headers({ "webhook-signature": signature.replace("g0", "g1") }), body), false)
    strictEqual(matches(secret, headers({ "webhook-signature": signature.replace("v1,", "") }), body), false)
    strictEqual(matches(secret, headers({ "webhook-signature": signature.replace("v1,", "v2,") }), body), false)
    strictEqual(matches(`whsec_${randomBytes(24).toString("base64")}`, headers(), body), false)
  })

  it("the end of the id can't be moved into the timestamp or the body", () => {
    const at = sign(secret, "a.1", 2, "b")
    const of = (other: string, sent: string) => ({
      "webhook-id": other,
      "webhook-timestamp": sent,
      "webhook-signature": at
    })
    strictEqual(matches(secret, of("a.1", "2"), "b"), true)
    strictEqual(matches(secret, of("a", "1"), "b"), false)
  })

  it("missing and repeated headers and timestamps that are not whole numbers are rejected", () => {
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
      strictEqual(matches(secret, headers({ [name]: undefined }), body), false)
      strictEqual(matches(secret, headers({ [name]: [headers()[name as "webhook-id"]] }), body), false)
    }
    for (const sent of ["", "NaN", "soon", "1614265330.5", "Infinity", "1e400"]) {
      strictEqual(matches(secret, headers({ "webhook-timestamp": sent }), body, timestamp), false)
    }
  })

  it("a notification more than five minutes old or ahead is a replay", () => {
    strictEqual(tolerance, 300)
    for (const off of [-300, 300]) strictEqual(matches(secret, headers(), body, timestamp + off), true)
    for (const off of [-301, 301, 86_400]) strictEqual(matches(secret, headers(), body, timestamp + off), false)
  })

  it("one right signature among several is enough, while a sender changes its secret", () => {
    const other = sign(`whsec_${randomBytes(24).toString("base64")}`, id, timestamp, body)
    strictEqual(matches(secret, headers({ "webhook-signature": `${other} v1a,x ${signature}` }), body), true)
    strictEqual(matches(secret, headers({ "webhook-signature": `${other} ${other}` }), body), false)
  })

  it("no text that differs in one place is accepted", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.nat({ max: body.length - 1 }), FastCheck.nat({ max: 127 }), (place, code) => {
        const changed = body.slice(0, place) + String.fromCharCode(code) + body.slice(place + 1)
        assertTrue(matches(secret, headers(), changed) === (changed === body))
      })
    )
  })
})
