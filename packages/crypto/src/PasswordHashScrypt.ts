/**
 * Adapter: passwords by the scrypt of Node, kept in the PHC string form, which names its own parameters.
 */

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto"
import { promisify } from "node:util"
import { PasswordHash } from "@crossdock/access"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ScryptText from "./internal/ScryptText.ts"

export { type Cost, recommended } from "./internal/ScryptText.ts"

const scryptAsync = promisify<string, Uint8Array, number, ScryptOptions, Uint8Array>(scrypt)

const derive: ScryptText.Scrypt["derive"] = (password, salt, { blockSize, logN, parallel }, bytes) =>
  Effect.tryPromise(() =>
    scryptAsync(password, salt, bytes, {
      N: 2 ** logN,
      r: blockSize,
      p: parallel,
      maxmem: 2 ** logN * blockSize * 256
    })
  )

/**
 * A `PasswordHash` of access, with the recommended cost unless another is given. It also verifies hashes of any other cost;
 * a text that isn't such a hash matches no password.
 */
export const make = (cost: ScryptText.Cost = ScryptText.recommended) =>
  ScryptText.passwordHash({ derive, salt: randomBytes, isEqual: timingSafeEqual }, cost)

/**
 * Provides `PasswordHash`, with the recommended cost unless another is given. It requires nothing.
 */
export const layer = (cost?: ScryptText.Cost): Layer.Layer<PasswordHash> => Layer.succeed(PasswordHash, make(cost))
