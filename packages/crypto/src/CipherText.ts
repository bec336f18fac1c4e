/** A secret encrypted by AES-256-GCM as text, by any library: `v1`, key id, nonce and ciphertext, joined by dots. */
import { SecretCipher } from "@crossdock/kernel"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

/** 32 bytes, as `SecretCipher.keyOf` reads them. */
export type Key = Redacted.Redacted<Uint8Array>

/** A library's AES-256-GCM. The tag of 16 bytes follows the ciphertext. */
export interface Gcm {
  readonly random: (bytes: number) => Uint8Array
  /** HMAC-SHA256; a text as key is its UTF-8 bytes. */
  readonly hmac: (key: string | Uint8Array, text: string) => Uint8Array
  readonly encrypt: (key: Uint8Array, nonce: Uint8Array, bound: Uint8Array, plain: Uint8Array) => Uint8Array
  /** Throws unless `encrypt` returned it for the same key, nonce and bound bytes. */
  readonly decrypt: (key: Uint8Array, nonce: Uint8Array, bound: Uint8Array, encrypted: Uint8Array) => Uint8Array
}

const version = "v1"
const nonceBytes = 12
const tagBytes = 16

const form = /^v1\.[0-9a-f]{12}\.([\w-]+)\.([\w-]+)$/

const decoded = (text: string): Uint8Array => Result.getOrElse(Base64Url.decode(text), () => new Uint8Array())

/** A `Cipher` of kernel that encrypts with `key`, and also decrypts with the `previous` keys. */
export const cipher = (gcm: Gcm, key: Key, previous: ReadonlyArray<Key>): SecretCipher.Cipher => {
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  // Identifies the key without revealing it: 48 bits of an HMAC.
  const idOf = (one: Uint8Array) => Hex.encode(gcm.hmac(one, "crossdock secrets, key id").slice(0, 6))
  const current = Redacted.value(key)
  const id = idOf(current)
  const keys = new Map([...previous.map(Redacted.value), current].map((one) => [idOf(one), one]))

  const decrypt: SecretCipher.Cipher["decrypt"] = (encrypted, place) => {
    const keyId = SecretCipher.keyIdOf(encrypted)
    const known = keyId === null ? undefined : keys.get(keyId)
    if (known === undefined) return Result.fail(new SecretCipher.UnreadableSecret({ keyId }))
    const [, nonce = "", text = ""] = form.exec(encrypted) ?? []
    const [start, bytes] = [decoded(nonce), decoded(text)]
    const damaged = () => new SecretCipher.UnreadableSecret({ keyId: null })
    if (start.length !== nonceBytes || bytes.length < tagBytes) return Result.fail(damaged())
    return Result.try({
      try: () => decoder.decode(gcm.decrypt(known, start, encoder.encode(place), bytes)),
      catch: damaged
    })
  }

  return {
    encrypt: (text, place) => {
      const nonce = gcm.random(nonceBytes)
      const encrypted = gcm.encrypt(current, nonce, encoder.encode(place), encoder.encode(text))
      return [version, id, Base64Url.encode(nonce), Base64Url.encode(encrypted)].join(".")
    },
    decrypt,
    isCurrent: (encrypted) => encrypted.startsWith(`${version}.${id}.`)
  }
}
