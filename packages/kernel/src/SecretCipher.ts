/** Port: encrypts stored secrets, such as the signing secrets of webhooks. Source: docs/reference/host.md#encrypted-secrets. */
import * as Context from "effect/Context"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A secret can't be decrypted. `keyId` is the missing key, or null if the text is damaged or from another place. */
export class UnreadableSecret extends Schema.TaggedError<UnreadableSecret>("@crossdock/kernel/UnreadableSecret")(
  "UnreadableSecret",
  { keyId: Schema.NullOr(Schema.String) }
) {
  /** The reason, worded as the end of a sentence. */
  get why(): string {
    return this.keyId === null
      ? "is damaged, or was copied from another row"
      : `is encrypted with key ${this.keyId}, which this host doesn't have`
  }

  get todo(): string {
    return this.keyId === null
      ? "register the webhook again with a new secret"
      : "set SECRETS_KEY or SECRETS_KEY_PREVIOUS to that key, or register the webhook again with a new secret"
  }

  override get message() {
    return `The stored secret ${this.why}: ${this.todo}`
  }
}

/**
 * Encrypts and decrypts stored secrets. Laws: `decrypt` returns the text that was passed to `encrypt`, but only if it gets the
 * same place. Two encryptions of a text differ. No encrypted text, place or error reveals a secret or a key.
 */
export interface Cipher {
  /** Encrypts a text for a place, which is the name of its row. Returns undefined if there is no key. */
  readonly encrypt: (text: string, place: string) => string | undefined
  readonly decrypt: (encrypted: string, place: string) => Result.Result<string, UnreadableSecret>
  /** Whether the text was encrypted with the key that `encrypt` uses now. */
  readonly isCurrent: (encrypted: string) => boolean
}

/** The id of the key with which a text was encrypted. The result is null for unencrypted or damaged text. */
export const keyIdOf = (encrypted: string): string | null => /^v\d+\.([0-9a-f]{12})\./.exec(encrypted)?.[1] ?? null

const none: Cipher = {
  encrypt: () => undefined,
  decrypt: (encrypted) => Result.fail(new UnreadableSecret({ keyId: keyIdOf(encrypted) })),
  isCurrent: () => false
}

/** The host's cipher. Without a cipher, secrets are stored unencrypted. */
export const SecretCipher = Context.Reference<Cipher>("@crossdock/kernel/SecretCipher", { defaultValue: () => none })

const keyBytes = 32

/**
 * The 32 bytes of a key that is written in hex, Base64 or Base64url. The result is undefined for any other text.
 *
 * @example
 * ```ts
 * import { deepStrictEqual, strictEqual } from "node:assert/strict"
 * import { SecretCipher } from "@crossdock/kernel"
 *
 * deepStrictEqual(SecretCipher.keyOf("00".repeat(32)), new Uint8Array(32))
 * deepStrictEqual(SecretCipher.keyOf("A".repeat(43) + "="), new Uint8Array(32))
 * strictEqual(SecretCipher.keyOf("a password"), undefined)
 * ```
 */
export const keyOf = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  if (text.length > 2 * keyBytes) return undefined
  const isHex = text.length === 2 * keyBytes
  const base64 = text.replaceAll("-", "+").replaceAll("_", "/").replace(/=*$/, "")
  const read = isHex ? Hex.decode(text) : Base64.decode(base64.padEnd(Math.ceil(base64.length / 4) * 4, "="))
  return Result.isSuccess(read) && read.success.length === keyBytes ? new Uint8Array(read.success) : undefined
}
