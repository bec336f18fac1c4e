/**
 * Adapter: stored secrets encrypted by AES-256-GCM in JavaScript, in the same text as `SecretCipherNode`, and at once: WebCrypto
 * answers later, and a transaction that waits for it would let others in.
 */
import { SecretCipher } from "@crossdock/kernel"
import { gcm } from "@noble/ciphers/aes.js"
import * as Layer from "effect/Layer"
import * as CipherText from "../internal/CipherText.ts"
import * as HmacText from "../internal/HmacText.ts"

const aes: CipherText.Gcm = {
  random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  hmac: HmacText.hmacOf,
  encrypt: (key, nonce, bound, plain) => gcm(key, nonce, bound).encrypt(plain),
  decrypt: (key, nonce, bound, encrypted) => gcm(key, nonce, bound).decrypt(encrypted)
}

/**
 * A `SecretCipher` of kernel with a key of 32 bytes. What one of the `previous` keys encrypted is still decrypted.
 */
export const make = (key: CipherText.Key, previous: ReadonlyArray<CipherText.Key> = []) =>
  CipherText.cipher(aes, key, previous)

/**
 * Provides `SecretCipher`. It requires nothing.
 */
export const layer = (key: CipherText.Key, previous: ReadonlyArray<CipherText.Key> = []): Layer.Layer<never> =>
  Layer.succeed(SecretCipher.SecretCipher, make(key, previous))
