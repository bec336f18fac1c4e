/** The adapters that use the cryptography of Node. They also run in workers that have Node's modules. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  type ScryptOptions,
  scrypt,
  timingSafeEqual
} from "node:crypto"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import * as Adapters from "./Adapters.ts"

const scryptAsync = promisify<string, Uint8Array, number, ScryptOptions, Uint8Array>(scrypt)
const algorithm = "aes-256-gcm"
const tagBytes = 16

const adapters = Adapters.make({
  sha256: (data) => createHash("sha256").update(data).digest("hex"),
  hmac: (key, text) => createHmac("sha256", key).update(text, "utf8").digest(),
  isEqual: timingSafeEqual,
  random: randomBytes,
  encrypt: (key, nonce, bound, plain) => {
    const cipher = createCipheriv(algorithm, key, nonce).setAAD(bound)
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  },
  decrypt: (key, nonce, bound, encrypted) => {
    const end = encrypted.length - tagBytes
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(bound).setAuthTag(encrypted.subarray(end))
    return Buffer.concat([decipher.update(encrypted.subarray(0, end)), decipher.final()])
  },
  derive: (password, salt, { blockSize, logN, parallel }, bytes) =>
    Effect.tryPromise(() =>
      scryptAsync(password, salt, bytes, {
        N: 2 ** logN,
        r: blockSize,
        p: parallel,
        maxmem: 2 ** logN * blockSize * 256
      })
    )
})

export const {
  Digest: DigestNode,
  LinkSigner: LinkSignerHmac,
  Nonce: NonceNode,
  PasswordHash: PasswordHashScrypt,
  SecretCipher: SecretCipherNode
} = adapters
