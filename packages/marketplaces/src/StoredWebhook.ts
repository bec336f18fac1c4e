/**
 * Encrypts a webhook except its address. Another row can't decrypt it. Source: docs/reference/host.md#encrypted-secrets.
 *
 * @example
 * ```ts
 * import { deepStrictEqual, strictEqual } from "node:assert/strict"
 * import { StoredWebhook } from "@crossdock/marketplaces"
 * import { SecretCipherNode } from "@crossdock/crypto"
 * import { Redacted, Result } from "effect"
 *
 * const cipher = SecretCipherNode.make(Redacted.make(new Uint8Array(32)))
 * const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
 * const webhook = { url: "https://shop.example", secret, retiring: null, authentication: { type: "none" } } as const
 * const stored = StoredWebhook.renewed({ cipher, place: "a" }, webhook)
 * deepStrictEqual(Object.keys(stored), ["url", "encrypted"])
 * deepStrictEqual(StoredWebhook.decrypted({ cipher, place: "a" }, stored), Result.succeed(webhook))
 * strictEqual(Result.isFailure(StoredWebhook.decrypted({ cipher, place: "b" }, stored)), true)
 * ```
 */
import type { SecretCipher } from "@crossdock/kernel"
import * as Result from "effect/Result"
import type { StoredWebhook, Webhook } from "./Marketplace.ts"
import * as Registration from "./Registration.ts"

export type { StoredWebhook } from "./Marketplace.ts"

/** The host's cipher, and the place for which the webhook's secrets are encrypted. */
export interface Encryption {
  readonly cipher: SecretCipher.Cipher
  readonly place: string
}

/** The place of a marketplace's webhook, for encryption. */
export const placeOf = (slug: string): string => JSON.stringify(["marketplace", slug])

const encrypted = ({ cipher, place }: Encryption, webhook: Webhook): StoredWebhook => {
  const { url, ...secrets } = webhook
  const text = cipher.encrypt(JSON.stringify(secrets), place)
  return text === undefined ? webhook : { url, encrypted: text }
}

/** A stored webhook with its secrets, or the reason why they can't be read. */
export type Decrypted = Result.Result<Webhook, SecretCipher.UnreadableSecret>

/** Decrypts a stored webhook. A webhook that isn't encrypted is returned unchanged. */
export const decrypted = ({ cipher, place }: Encryption, stored: StoredWebhook): Decrypted =>
  "encrypted" in stored
    ? Result.map(cipher.decrypt(stored.encrypted, place), (text) => ({ url: stored.url, ...JSON.parse(text) }))
    : Result.succeed(stored)

/** Whether a webhook is encrypted with the current key, an earlier key, no key (`plain`) or an unknown key. */
export type Protection = "current" | "previous" | "plain" | "unreadable"

/** The protection of a stored webhook. If you have already decrypted it, pass the result as `read`. */
export const protectionOf = (
  encryption: Encryption,
  stored: StoredWebhook,
  read: Decrypted = decrypted(encryption, stored)
): Protection => {
  if (!("encrypted" in stored)) return "plain"
  if (Result.isFailure(read)) return "unreadable"
  return encryption.cipher.isCurrent(stored.encrypted) ? "current" : "previous"
}

/** The webhook, encrypted with the current key, or unchanged if it is unreadable. `read` is the result of `decrypted`. */
export const renewed = (
  encryption: Encryption,
  stored: StoredWebhook,
  read: Decrypted = decrypted(encryption, stored)
): StoredWebhook => {
  if ("encrypted" in stored && encryption.cipher.isCurrent(stored.encrypted)) return stored
  return Result.match(read, { onFailure: () => stored, onSuccess: (webhook) => encrypted(encryption, webhook) })
}

/**
 * The webhook that a registration stores in place of `known` at `now` (epoch milliseconds). See `Registration.webhookOf`. If
 * the replaced secret can't be read, it isn't valid any longer. The call fails if a part that can't be read has to be kept.
 */
export const registered = (
  encryption: Encryption,
  asked: NonNullable<Registration.Registration["webhook"]>,
  known: StoredWebhook | null,
  now: number
): Result.Result<StoredWebhook, SecretCipher.UnreadableSecret> => {
  const { authentication, secret, url } = asked
  // The secrets don't change, so they needn't be read.
  if (known !== null && secret === null && authentication === null)
    return Result.succeed({ ...renewed(encryption, known), url })
  const before = known === null ? Result.succeed(null) : decrypted(encryption, known)
  const isReplaced = secret !== null && authentication !== null
  return Result.map(isReplaced ? Result.orElse(before, () => Result.succeed(null)) : before, (readable) =>
    encrypted(encryption, Registration.webhookOf(asked, readable, now))
  )
}
