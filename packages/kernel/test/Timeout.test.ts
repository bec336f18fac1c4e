import { Timeout } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"

const patience = { limit: "2 seconds", orElse: () => "no answer" } as const

describe("Timeout", () => {
  it.effect("answers as the work does when it ends in time", () =>
    Effect.gen(function* () {
      strictEqual(yield* Timeout.abandonAfter(Effect.succeed(1), patience), 1)
      strictEqual(yield* Effect.flip(Timeout.abandonAfter(Effect.fail("own"), patience)), "own")
    })
  )

  it.effect("gives up on work that can't be interrupted as soon as the time is over, and not earlier", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(
        Effect.exit(Timeout.abandonAfter(Effect.uninterruptible(Effect.never), patience)),
        { startImmediately: true }
      )
      yield* TestClock.adjust("1999 millis")
      strictEqual(waiting.pollUnsafe(), undefined)
      yield* TestClock.adjust("1 millis")
      deepStrictEqual(yield* Fiber.join(waiting), Exit.fail("no answer"))
    })
  )

  it.effect("interrupts the work that it gave up on, and work whose caller is interrupted", () =>
    Effect.gen(function* () {
      for (const end of [() => TestClock.adjust("2 seconds"), Fiber.interrupt]) {
        const interrupted = yield* Deferred.make<void>()
        const work = Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
        const fiber = yield* Effect.forkChild(Timeout.abandonAfter(work, patience), { startImmediately: true })
        yield* end(fiber)
        yield* Deferred.await(interrupted)
      }
    })
  )
})
