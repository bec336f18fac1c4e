import { TokenSecrets } from "@crossdock/host"
import { Ids } from "@crossdock/kernel"
import { StorageMemory } from "@crossdock/storage-memory"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"

const counting = Layer.sync(Ids.Nonce, () => {
  let made = 0
  return { hex: Effect.sync(() => (++made).toString(16).padStart(32, "0")) }
})

const storage = Layer.merge(StorageMemory.layer, counting)

const secrets = Effect.map(TokenSecrets.present, ({ accepted, signs }) => ({
  signs: Redacted.value(signs),
  accepted: accepted.map(Redacted.value)
}))

describe("the secret of tokens", () => {
  it.effect("that was replaced is accepted for two days, however often it is replaced again", () =>
    Effect.gen(function* () {
      const signed: Array<{ readonly secret: string; readonly until: number }> = []
      for (let now = 0; now < 6 * 86_400_000; now += 8 * 3_600_000) {
        yield* TestClock.setTime(now)
        const { accepted, signs } = yield* secrets
        deepStrictEqual(
          accepted,
          signed.filter(({ until }) => until > now).map(({ secret }) => secret)
        )
        assertTrue(!accepted.includes(signs))
        const until = yield* TokenSecrets.rotate({ revoke: false })
        strictEqual(until, now + 2 * 86_400_000)
        signed.unshift({ secret: signs, until })
      }
    }).pipe(Effect.provide(storage))
  )

  it.effect("that is revoked is not accepted, nor are those before it", () =>
    Effect.gen(function* () {
      yield* TokenSecrets.rotate({ revoke: false })
      const { signs } = yield* secrets
      yield* TokenSecrets.rotate({ revoke: true })
      const now = yield* secrets
      deepStrictEqual(now.accepted, [])
      assertTrue(now.signs !== signs)
    }).pipe(Effect.provide(storage))
  )

  it.effect("is accepted when others replace it at the same time", () =>
    Effect.gen(function* () {
      const { signs } = yield* secrets
      yield* Effect.all(
        Array.from({ length: 10 }, () => TokenSecrets.rotate({ revoke: false })),
        { concurrency: "unbounded" }
      )
      const { accepted } = yield* secrets
      strictEqual(accepted.length, 10)
      strictEqual(accepted.at(-1), signs)
    }).pipe(Effect.provide(storage))
  )
})
