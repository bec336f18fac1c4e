/**
 * Signatures of Standard Webhooks, version 1. Source: docs/reference/notifications.md#signature.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Signature } from "@crossdock/notifications/node"
 *
 * const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
 * const signature = Signature.sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, '{"test": 2432232314}')
 * strictEqual(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
 * ```
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import type { Webhook } from "@crossdock/marketplaces"
import { keyTextOf, secretsOf, signedText } from "../WebhookSender.ts"

/** The signature of a body: `v1,` and Base64. `secret` is `whsec_` and Base64. `timestamp` is in seconds since 1970. */
export const sign = (secret: string, id: string, timestamp: number, body: string): string => {
  const key = Buffer.from(keyTextOf(secret), "base64")
  return `v1,${createHmac("sha256", key)
    .update(signedText(id, timestamp, body))
    .digest("base64")}`
}

/** The text of the signature header, with a signature for each secret that is valid at `now` (epoch milliseconds). */
export const header = (webhook: Webhook, id: string, body: string, now: number): string => {
  const timestamp = Math.floor(now / 1000)
  return secretsOf(webhook, now)
    .map((one) => sign(one, id, timestamp, body))
    .join(" ")
}

const equal = (a: string, b: string): boolean => {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** The seconds by which clocks may differ. A notification with a larger difference is rejected as a replay. */
export const tolerance = 300

/** Whether a signature in the headers is valid. With `now` in seconds, the timestamp must also be within `tolerance`. */
export const matches = (
  secret: string,
  headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>,
  body: string,
  now?: number
): boolean => {
  const { "webhook-id": id, "webhook-signature": signatures, "webhook-timestamp": sent } = headers
  if (typeof id !== "string" || typeof sent !== "string" || typeof signatures !== "string") return false
  const timestamp = Number(sent)
  if (!Number.isSafeInteger(timestamp)) return false
  if (now !== undefined && Math.abs(now - timestamp) > tolerance) return false
  const expected = sign(secret, id, timestamp, body)
  return signatures.split(" ").some((signature) => equal(signature, expected))
}
