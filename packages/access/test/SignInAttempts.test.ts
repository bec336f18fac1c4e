import { SignInAttempts } from "@crossdock/access"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Fiber, Latch, Option } from "effect"

const senders = (...names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const inTurn = SignInAttempts.fairTurns({ max: 4, maxPerKey: 3 })
    const gate = yield* Latch.make()
    const done: Array<string> = []
    const fibers = yield* Effect.forEach(names, (name) =>
      Effect.forkChild(
        inTurn(
          name,
          Effect.andThen(
            gate.await,
            Effect.sync(() => done.push(name))
          )
        ),
        { startImmediately: true }
      )
    )
    yield* gate.open
    const accepted = yield* Effect.forEach(fibers, Fiber.join)
    return { done, rejected: names.filter((_, nth) => Option.isNone(accepted[nth] ?? Option.none())), inTurn }
  })

describe("Turns among senders", () => {
  it.effect("rotate, also when one of them sends the most", () =>
    Effect.gen(function* () {
      deepStrictEqual((yield* senders("a", "a", "a", "b")).done, ["a", "b", "a", "a"])
    })
  )

  it.effect("are bounded for each sender and in all, and are free again afterwards", () =>
    Effect.gen(function* () {
      deepStrictEqual((yield* senders("a", "a", "a", "a", "b")).rejected, ["a"])
      const { inTurn, rejected } = yield* senders("a", "b", "c", "d", "e")
      deepStrictEqual(rejected, ["e"])
      deepStrictEqual(yield* inTurn("e", Effect.succeed(1)), Option.some(1))
    })
  )
})

describe("The block after failed sign-ins", () => {
  it("lasts a minute at most when another host's clock is ahead, and doesn't apply when it is ahead by more", () => {
    strictEqual(SignInAttempts.blockedSeconds(Array(10).fill(130_000), 100_000), 60)
    strictEqual(SignInAttempts.blockedSeconds(Array(10).fill(160_000), 100_000), undefined)
  })

  it("counts from the tenth latest failure", () => {
    const failures = Array.from({ length: 12 }, (_, nth) => nth * 1000)
    strictEqual(SignInAttempts.blockedSeconds(failures, 11_000), 51)
    strictEqual(SignInAttempts.blockedSeconds(failures.slice(0, 9), 11_000), undefined)
    strictEqual(SignInAttempts.blockedSeconds(failures, 63_000), undefined)
  })
})
