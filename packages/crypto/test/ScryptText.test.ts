import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import { passwordHash, recommended, type Scrypt } from "../src/PasswordHashScrypt.ts"

describe("The hash of a generated password", () => {
  it.effect("takes a fifth of the work to make, and as much as any to verify", () =>
    Effect.gen(function* () {
      const rounds: Array<number> = []
      const scrypt: Scrypt = {
        salt: (bytes) => new Uint8Array(bytes),
        derive: (password, _, { parallel }, bytes) =>
          Effect.sync(() => {
            rounds.push(parallel)
            return new Uint8Array(bytes).fill(password.length)
          }),
        isEqual: (one, other) => one[0] === other[0]
      }
      const { hash: hashOf, verify } = passwordHash(scrypt, recommended)
      for (const isGenerated of [true, false]) {
        const hash = yield* hashOf("generated", isGenerated)
        deepStrictEqual([yield* verify("generated", hash), yield* verify("another", hash)], [true, false])
      }
      deepStrictEqual(rounds, [1, 1, 4, 1, 4, 5, 5, 5])
    })
  )
})
