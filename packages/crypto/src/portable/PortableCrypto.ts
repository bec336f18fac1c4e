/** The adapters that need no Node. WebCrypto isn't used, since other work could enter a transaction that awaits it. */
import { gcm } from "@noble/ciphers/aes.js"
import { hmac } from "@noble/hashes/hmac.js"
import { scryptAsync } from "@noble/hashes/scrypt.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Adapters from "../Adapters.ts"

const encoder = new TextEncoder()

const adapters = Adapters.make({
  sha256: (data) => bytesToHex(sha256(typeof data === "string" ? encoder.encode(data) : data)),
  hmac: (key, text) => hmac(sha256, typeof key === "string" ? encoder.encode(key) : key, encoder.encode(text)),
  isEqual: (one, other) => {
    let difference = 0
    for (const [at, byte] of one.entries()) difference |= byte ^ (other[at] ?? 0)
    return difference === 0
  },
  random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  encrypt: (key, nonce, bound, plain) => gcm(key, nonce, bound).encrypt(plain),
  decrypt: (key, nonce, bound, encrypted) => gcm(key, nonce, bound).decrypt(encrypted),
  // The hash yields every 10 ms, except in a Worker, whose clock doesn't advance while code runs.
  derive: (password, salt, { blockSize, logN, parallel }, bytes) =>
    Effect.tryPromise(() =>
      scryptAsync(password, salt, {
        N: 2 ** logN,
        r: blockSize,
        p: parallel,
        dkLen: bytes,
        maxmem: 2 ** logN * blockSize * 256
      })
    )
})

export const {
  Digest: DigestPortable,
  LinkSigner: LinkSignerPortable,
  Nonce: NoncePortable,
  PasswordHash: PasswordHashPortable,
  SecretCipher: SecretCipherPortable
} = adapters
