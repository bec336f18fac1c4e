import { SignInAttempts } from "@crossdock/access"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
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
