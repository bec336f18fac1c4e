/** Adapters for ports of access, audit and kernel, made from the cryptography of a runtime or library. */
import { LinkSigner, PasswordHash } from "@crossdock/access"
import { AuditChain } from "@crossdock/audit"
import { Ids, SecretCipher } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { passwordHash, recommended, type Scrypt, type ScryptCost } from "./PasswordHashScrypt.ts"

/** A key of 32 bytes, as `SecretCipher.keyOf` returns it. */
export type Key = Redacted.Redacted<Uint8Array>

/** The cryptographic functions of a runtime or library. All implementations can read each other's texts. */
export interface Cryptography extends Pick<Scrypt, "derive"> {
  readonly random: (bytes: number) => Uint8Array
  /** Computes HMAC-SHA256. If the key is a text, its UTF-8 bytes are used. */
  readonly hmac: (key: string | Uint8Array, text: string) => Uint8Array
  /** Encrypts with AES-256-GCM. The tag of 16 bytes follows the ciphertext. */
  readonly encrypt: (key: Uint8Array, nonce: Uint8Array, bound: Uint8Array, plain: Uint8Array) => Uint8Array
  /** Decrypts what `encrypt` returned for the same key, nonce and bound bytes. Throws for anything else. */
  readonly decrypt: (key: Uint8Array, nonce: Uint8Array, bound: Uint8Array, encrypted: Uint8Array) => Uint8Array
  /** Computes SHA-256 of bytes, or of a text's UTF-8 bytes, as hex. */
  readonly sha256: (data: string | Uint8Array) => string
  /** Compares arrays of the same length in constant time. */
  readonly isEqual: (one: Uint8Array, other: Uint8Array) => boolean
}

/** Makes kernel's `SecretCipher` with AES-256-GCM and a key of 32 bytes. It can also decrypt with the `previous` keys. */
export interface SecretCipherAdapter {
  readonly make: (key: Key, previous?: ReadonlyArray<Key>) => SecretCipher.Cipher
  readonly layer: (key: Key, previous?: ReadonlyArray<Key>) => Layer.Layer<never>
}

const encoder = new TextEncoder()

const version = "v1"
const nonceBytes = 12
const tagBytes = 16

const form = /^v1\.[0-9a-f]{12}\.([\w-]+)\.([\w-]+)$/

const decoded = (text: string): Uint8Array => Result.getOrElse(Base64Url.decode(text), () => new Uint8Array())

/** Makes a cipher. An encrypted text is `v1`, the key's id, the nonce and the ciphertext, joined by dots. */
const cipherOf = (gcm: Cryptography, key: Key, previous: ReadonlyArray<Key>): SecretCipher.Cipher => {
  const decoder = new TextDecoder()
  // The id doesn't reveal the key: it is 48 bits of an HMAC.
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

/** Makes the adapters. None of them depends on another service. */
export const make = (crypto: Cryptography) => {
  const isSame = (one: string, other: string) => {
    const [left, right] = [encoder.encode(one), encoder.encode(other)]
    return left.length === right.length && crypto.isEqual(left, right)
  }

  const digest = AuditChain.Digest.of({ sha256: crypto.sha256 })
  const nonce = Ids.Nonce.of({ hex: Effect.sync(() => Hex.encode(crypto.random(16))) })

  const links = (secret: Redacted.Redacted, previous: ReadonlyArray<Redacted.Redacted> = []) => {
    const signing = (one: Redacted.Redacted) => {
      const key = crypto.hmac(Redacted.value(one), "crossdock links, version 1")
      return (text: string) => Base64Url.encode(crypto.hmac(key, text))
    }
    const sign = signing(secret)
    const all = [sign, ...previous.map(signing)]
    return LinkSigner.of({ sign, matches: (text, signature) => all.some((one) => isSame(one(text), signature)) })
  }

  const passwords = (cost: ScryptCost = recommended) =>
    passwordHash({ derive: crypto.derive, salt: crypto.random, isEqual: crypto.isEqual }, cost)

  const cipher: SecretCipherAdapter["make"] = (key, previous = []) => cipherOf(crypto, key, previous)
  const secretCipher: SecretCipherAdapter = {
    make: cipher,
    layer: (...keys) => Layer.succeed(SecretCipher.SecretCipher, cipher(...keys))
  }

  return {
    /** The `Digest` of audit, which computes SHA-256 as 64 hex characters. */
    Digest: { make: digest, layer: Layer.succeed(AuditChain.Digest, digest) },
    /** The `Nonce` of kernel, which returns 128 random bits as 32 hex characters. */
    Nonce: { make: nonce, layer: Layer.succeed(Ids.Nonce, nonce) },
    /** The `LinkSigner` of access, with a key derived from the tokens' secret. It also accepts `previous` secrets' links. */
    LinkSigner: {
      make: links,
      layer: (...secrets: Parameters<typeof links>): Layer.Layer<LinkSigner> =>
        Layer.succeed(LinkSigner, links(...secrets))
    },
    /** The `PasswordHash` of access, which uses scrypt and verifies hashes of any cost. */
    PasswordHash: {
      recommended: recommended,
      make: passwords,
      layer: (cost?: ScryptCost): Layer.Layer<PasswordHash> => Layer.succeed(PasswordHash, passwords(cost))
    },
    SecretCipher: secretCipher
  }
}
