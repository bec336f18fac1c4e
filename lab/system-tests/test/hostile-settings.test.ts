import * as Settings from "@crossdock/cli/Settings"
import { SecretCipherNode } from "@crossdock/crypto"
import { SecretCipher } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Redacted, Result } from "effect"
import { processorMillis } from "../../../packages/kernel/test/processorMillis.ts"

/** Repeats a part up to `size` characters. */
const times = (part: string, size: number): string => part.repeat(Math.floor(size / part.length))

type Shape = readonly [what: string, text: (size: number) => string]

const shapesFrom = (start: string): ReadonlyArray<Shape> =>
  ["a", "=", "/", "-", "%41", ".", "é"].map((part) => [
    `${start}, many ${part}, and another character`,
    (size) => `${start}${times(part, size)}!`
  ])

const millisOf = (run: () => unknown): number => {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 2; attempt++) {
    const started = processorMillis()
    run()
    best = Math.min(best, processorMillis() - started)
  }
  return best
}

/**
 * The shapes of text whose sixteenfold length takes over 64 times as long: linear work takes 16 times as long, quadratic work
 * 256 times. Times under 2 ms say more about the machine.
 */
const slow = (shapes: ReadonlyArray<Shape>, size: number, run: (text: string) => unknown): ReadonlyArray<string> =>
  shapes.flatMap(([what, textOf]) => {
    const before = millisOf(() => run(textOf(size / 16)))
    const took = millisOf(() => run(textOf(size)))
    return took > 64 * Math.max(before, 2) ? [`${what}: ${took.toFixed(0)} ms, and ${before.toFixed(1)} ms`] : []
  })

// Another process may take the processor during a measurement; a quadratic time fails every time.
describe("the time to read a text grows with its length", { retry: 2 }, () => {
  const size = 2 ** 14

  for (const [start, names] of [
    ["", ["SECRETS_KEY", "SECRETS_KEY_PREVIOUS", "TOKEN_SECRET", "TOKEN_SECRET_PREVIOUS"]],
    ["postgres://u:p@h", ["DATABASE_POOLER_URL", "DATABASE_URL"]],
    ["https://h/", ["PUBLIC_URL", "DOCS_URL", "SANDBOX_WEBHOOK_URL"]],
    ["whsec_", ["SANDBOX_WEBHOOK_SECRET"]]
  ] as const) {
    for (const name of names) {
      it(`of the setting ${name}`, () => {
        assertTrue(Settings.variables.some((one) => one.name === name))
        const read = (text: string) => Effect.runSync(Effect.result(Settings.read({ [name]: text })))
        deepStrictEqual(slow(shapesFrom(start), size, read), [])
      })
    }
  }

  it("of a key", () => {
    deepStrictEqual(slow(shapesFrom(""), size, SecretCipher.keyOf), [])
  })

  it("of a ciphertext, whole or damaged", () => {
    const cipher = SecretCipherNode.make(Redacted.make(new Uint8Array(32)))
    const [id] = /^v1\.[0-9a-f]{12}/.exec(cipher.encrypt("", "") ?? "") ?? []
    const starts = ["", "v", "v1.", "v1.0123456789ab.", `${id}.`, `${id}.AAAAAAAAAAAAAAAA.`]
    const damaged = starts.flatMap(shapesFrom)
    const whole: Shape = ["a ciphertext", (size) => cipher.encrypt(times("é", size), "place") ?? ""]
    assertTrue(Result.isSuccess(cipher.decrypt(whole[1](99), "place")))
    const read = (text: string) => [SecretCipher.keyIdOf(text), cipher.isCurrent(text), cipher.decrypt(text, "place")]
    deepStrictEqual(slow([whole, ...damaged], size, read), [])
  })
})
