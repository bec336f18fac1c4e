/**
 * Adapter: stored secrets encrypted by AES-256-GCM of Node.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto"
import { SecretCipher } from "@crossdock/kernel"
import * as Layer from "effect/Layer"
import * as CipherText from "./internal/CipherText.ts"

const algorithm = "aes-256-gcm"
const tagBytes = 16

const gcm: CipherText.Gcm = {
  random: randomBytes,
  hmac: (key, text) => createHmac("sha256", key).update(text).digest(),
  encrypt: (key, nonce, bound, plain) => {
    const cipher = createCipheriv(algorithm, key, nonce).setAAD(bound)
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  },
  decrypt: (key, nonce, bound, encrypted) => {
    const end = encrypted.length - tagBytes
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(bound).setAuthTag(encrypted.subarray(end))
    return Buffer.concat([decipher.update(encrypted.subarray(0, end)), decipher.final()])
  }
}

/**
 * A `SecretCipher` of kernel with a key of 32 bytes. What one of the `previous` keys encrypted is still decrypted.
 */
export const make = (key: CipherText.Key, previous: ReadonlyArray<CipherText.Key> = []) =>
  CipherText.cipher(gcm, key, previous)

/**
 * Provides `SecretCipher`. It requires nothing.
 */
export const layer = (key: CipherText.Key, previous: ReadonlyArray<CipherText.Key> = []): Layer.Layer<never> =>
  Layer.succeed(SecretCipher.SecretCipher, make(key, previous))
