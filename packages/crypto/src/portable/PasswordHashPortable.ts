/**
 * Adapter: passwords by scrypt in JavaScript, in the same text as `PasswordHashScrypt`. WebCrypto has no scrypt.
 */
import { PasswordHash } from "@crossdock/access"
import { scryptAsync } from "@noble/hashes/scrypt.js"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as HmacText from "../internal/HmacText.ts"
import * as ScryptText from "../internal/ScryptText.ts"

export { type Cost, recommended } from "../internal/ScryptText.ts"

/** Gives others their turn each 10 milliseconds, where the clock goes on while code runs: not in a Worker. */
const derive: ScryptText.Scrypt["derive"] = (password, salt, { blockSize, logN, parallel }, bytes) =>
  Effect.tryPromise(() =>
    scryptAsync(password, salt, {
      N: 2 ** logN,
      r: blockSize,
      p: parallel,
      dkLen: bytes,
      maxmem: 2 ** logN * blockSize * 256
    })
  )

const salt = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))

/**
 * A `PasswordHash` of access, with the recommended cost unless another is given: that takes twice as long as on Node.
 * It also verifies hashes of any other cost; a text that isn't such a hash matches no password.
 */
export const make = (cost: ScryptText.Cost = ScryptText.recommended) =>
  ScryptText.passwordHash({ derive, salt, isEqual: HmacText.isEqual }, cost)

/**
 * Provides `PasswordHash`, with the recommended cost unless another is given. It requires nothing.
 */
export const layer = (cost?: ScryptText.Cost): Layer.Layer<PasswordHash> => Layer.succeed(PasswordHash, make(cost))
