/**
 * Adapter: passwords by scrypt, kept in the PHC string form, which names its own parameters.
 */

import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { PasswordHash } from "@crossdock/access"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * `logN` is the binary logarithm of the work and memory: 2^logN × 128 × blockSize bytes.
 */
export interface Cost {
  readonly logN: number
  readonly blockSize: number
  readonly parallel: number
}

/**
 * 16 MiB and about a tenth of a second: one of the settings that OWASP gives for scrypt.
 */
export const recommended: Cost = { logN: 14, blockSize: 8, parallel: 5 }

const keyBytes = 32
const saltBytes = 16

const derive = (password: string, salt: Buffer, { blockSize, logN, parallel }: Cost) =>
  Effect.callback<Buffer, Error>((resume) => {
    const options = { N: 2 ** logN, r: blockSize, p: parallel, maxmem: 2 ** logN * blockSize * 256 }
    scrypt(password, salt, keyBytes, options, (error, key) => resume(error ? Effect.fail(error) : Effect.succeed(key)))
  })

const base64 = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "")

const phc = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/**
 * A `PasswordHash` of access, with the recommended cost unless another is given. It also verifies hashes of any other cost;
 * a text that isn't such a hash matches no password.
 */
export const make = (cost: Cost = recommended) =>
  PasswordHash.of({
    hash: (password) =>
      Effect.gen(function* () {
        const salt = randomBytes(saltBytes)
        const key = yield* Effect.orDie(derive(password, salt, cost))
        return `$scrypt$ln=${cost.logN},r=${cost.blockSize},p=${cost.parallel}$${base64(salt)}$${base64(key)}`
      }),
    verify: (password, hash) => {
      const [, logN, blockSize, parallel, salt, expected] = phc.exec(hash) ?? []
      if (salt === undefined || expected === undefined) return Effect.succeed(false)
      const stored = Buffer.from(expected, "base64")
      return derive(password, Buffer.from(salt, "base64"), {
        logN: Number(logN),
        blockSize: Number(blockSize),
        parallel: Number(parallel)
      }).pipe(
        Effect.map((key) => key.length === stored.length && timingSafeEqual(key, stored)),
        // Parameters that this machine rejects are a hash that can't be read.
        Effect.orElseSucceed(() => false)
      )
    }
  })

/**
 * Provides `PasswordHash`, with the recommended cost unless another is given. It requires nothing.
 */
export const layer = (cost?: Cost): Layer.Layer<PasswordHash> => Layer.succeed(PasswordHash, make(cost))
