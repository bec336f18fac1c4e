/** The adapters of the ports of access, audit and kernel, on the cryptography of a runtime. */
import { LinkSigner, PasswordHash } from "@crossdock/access"
import { AuditChain } from "@crossdock/audit"
import { Ids, SecretCipher } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as CipherText from "./CipherText.ts"
import * as ScryptText from "./ScryptText.ts"

/** The primitives of a runtime or library. Each reads texts of any other. */
export interface Cryptography extends CipherText.Gcm, Pick<ScryptText.Scrypt, "derive"> {
  /** SHA-256 of bytes, or of a text's UTF-8 bytes, as hex. */
  readonly sha256: (data: string | Uint8Array) => string
  /** Compares two arrays of the same length, in constant time. */
  readonly isEqual: (one: Uint8Array, other: Uint8Array) => boolean
}

/** A `SecretCipher` of kernel: AES-256-GCM with a key of 32 bytes. It also decrypts with the `previous` keys. */
export interface SecretCipherAdapter {
  readonly make: (key: CipherText.Key, previous?: ReadonlyArray<CipherText.Key>) => SecretCipher.Cipher
  readonly layer: (key: CipherText.Key, previous?: ReadonlyArray<CipherText.Key>) => Layer.Layer<never>
}

const encoder = new TextEncoder()

/** The adapters; each requires nothing. */
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

  const passwords = (cost: ScryptText.ScryptCost = ScryptText.recommended) =>
    ScryptText.passwordHash({ derive: crypto.derive, salt: crypto.random, isEqual: crypto.isEqual }, cost)

  const cipher: SecretCipherAdapter["make"] = (key, previous = []) => CipherText.cipher(crypto, key, previous)
  const secretCipher: SecretCipherAdapter = {
    make: cipher,
    layer: (...keys) => Layer.succeed(SecretCipher.SecretCipher, cipher(...keys))
  }

  return {
    /** The `Digest` of audit: SHA-256 as 64 hex characters. */
    Digest: { make: digest, layer: Layer.succeed(AuditChain.Digest, digest) },
    /** The `Nonce` of kernel: 128 random bits as 32 hex characters. */
    Nonce: { make: nonce, layer: Layer.succeed(Ids.Nonce, nonce) },
    /** A `LinkSigner` with a key derived from the tokens' secret. Links of the `previous` secrets stay valid. */
    LinkSigner: {
      make: links,
      layer: (...secrets: Parameters<typeof links>): Layer.Layer<LinkSigner> =>
        Layer.succeed(LinkSigner, links(...secrets))
    },
    /** A `PasswordHash` by scrypt. Verifies hashes of any cost; any other text matches no password. */
    PasswordHash: {
      recommended: ScryptText.recommended,
      make: passwords,
      layer: (cost?: ScryptText.ScryptCost): Layer.Layer<PasswordHash> => Layer.succeed(PasswordHash, passwords(cost))
    },
    SecretCipher: secretCipher
  }
}
