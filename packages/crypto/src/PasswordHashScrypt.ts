/** Hashes of passwords with a salt, by scrypt. */
import { PasswordHash } from "@crossdock/access"
import * as Effect from "effect/Effect"

/** The cost of a scrypt hash, which needs 2^logN × 128 × blockSize bytes of memory. */
export interface ScryptCost {
  readonly logN: number
  readonly blockSize: number
  readonly parallel: number
}

/** A cost that OWASP recommends for scrypt. It takes 16 MiB and, on Node, about a tenth of a second. */
export const recommended: ScryptCost = { logN: 14, blockSize: 8, parallel: 5 }

/** The scrypt function of a library. `derive` fails with the library's error if the library rejects the parameters. */
export interface Scrypt {
  readonly salt: (bytes: number) => Uint8Array
  readonly derive: (
    password: string,
    salt: Uint8Array,
    cost: ScryptCost,
    bytes: number
  ) => Effect.Effect<Uint8Array, unknown>
  /** Compares arrays of the same length in constant time. */
  readonly isEqual: (one: Uint8Array, other: Uint8Array) => boolean
}

const keyBytes = 32
const saltBytes = 16

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes)).replaceAll("=", "")

const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))

/** Whether a text has a valid length for Base64. Four letters are three bytes, so one letter can't remain at the end. */
const isBase64 = (text: string): boolean => text.length % 4 !== 1

/** The form of a stored hash. No parameter can be 0, because Node would replace it by a default. */
const phc = /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** The value of `parallel` for generated passwords, which a slower hash would make no safer. */
const parallelOfGenerated = 1

/** A `PasswordHash` with this cost. It verifies hashes of any cost. A stored text that isn't a hash matches no password. */
export const passwordHash = ({ derive, isEqual, salt: freshSalt }: Scrypt, cost: ScryptCost) =>
  PasswordHash.of({
    hash: Effect.fnUntraced(function* (password, isGenerated = false) {
      const salt = freshSalt(saltBytes)
      const parallel = isGenerated ? parallelOfGenerated : cost.parallel
      const key = yield* Effect.orDie(derive(password, salt, { ...cost, parallel }, keyBytes))
      return `$scrypt$ln=${cost.logN},r=${cost.blockSize},p=${parallel}$${toBase64(salt)}$${toBase64(key)}`
    }),
    verify: (password, hash) => {
      const [, logN, blockSize, parallel, salt = "", expected = ""] = phc.exec(hash) ?? []
      if (expected === "" || !isBase64(salt) || !isBase64(expected)) return Effect.succeed(false)
      const stored = fromBase64(expected)
      const read = { logN: Number(logN), blockSize: Number(blockSize), parallel: Number(parallel) }
      // The hash of a generated password has fewer rounds. The rest follows here, so that every check takes equally long.
      const rest = { ...read, parallel: cost.parallel - read.parallel }
      const padding = rest.parallel > 0 ? derive(password, fromBase64(salt), rest, keyBytes) : Effect.void
      return Effect.tap(derive(password, fromBase64(salt), read, keyBytes), () => padding).pipe(
        Effect.map((key) => key.length === stored.length && isEqual(key, stored)),
        // A hash whose parameters this machine rejects matches no password.
        Effect.orElseSucceed(() => false)
      )
    }
  })
