import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Fiber, Latch } from "effect"
import * as FairShares from "../src/internal/FairShares.ts"

/** Starts work of accounts that ends when `end` is called, and notes in which order it started. */
const accounts = (most: number) => {
  const { enter, leave, size } = FairShares.make(most)
  const started: Array<string> = []
  const begin = (account: string) =>
    Effect.gen(function* () {
      const end = yield* Latch.make()
      const fiber = yield* Effect.forkChild(
        Effect.gen(function* () {
          yield* enter(account)
          started.push(account)
          yield* end.await.pipe(Effect.ensuring(Effect.sync(() => leave(account))))
        }),
        { startImmediately: true }
      )
      return { end: end.open, fiber }
    })
  const settled = Effect.callback<void>((resume) => {
    setTimeout(() => resume(Effect.void), 20)
  })
  return { begin, settled, size, started }
}

describe("Fair shares", () => {
  it.live("work on some requests of an account at once, and on others only when one of these ends", () =>
    Effect.gen(function* () {
      const { begin, settled, size, started } = accounts(3)
      const works = yield* Effect.forEach(Array.from({ length: 10 }), () => begin("a"))
      yield* settled
      strictEqual(started.length, 3)
      for (const [n, { end }] of works.entries()) {
        yield* end
        yield* settled
        strictEqual(started.length, Math.min(10, n + 4))
      }
      strictEqual(size(), 0)
    })
  )

  it.live("let an account begin at once, however many requests of another are waiting", () =>
    Effect.gen(function* () {
      const { begin, settled, started } = accounts(3)
      yield* Effect.forEach(Array.from({ length: 500 }), () => begin("a"))
      yield* settled
      yield* begin("b")
      yield* settled
      deepStrictEqual(started, ["a", "a", "a", "b"])
    })
  )

  it.live("rotate among the accounts that wait", () =>
    Effect.gen(function* () {
      const { begin, settled, started } = accounts(1)
      const works = yield* Effect.forEach(["a", "a", "a", "b", "b", "c"], begin)
      yield* settled
      for (const { end } of works) yield* end
      yield* settled
      deepStrictEqual(started.slice(0, 3).toSorted(), ["a", "b", "c"])
      strictEqual(started.length, 6)
    })
  )

  it.live("forget a request whose caller goes away while it waits", () =>
    Effect.gen(function* () {
      const { begin, settled, size, started } = accounts(1)
      const [first, second, third] = [yield* begin("a"), yield* begin("a"), yield* begin("a")]
      yield* Fiber.interrupt(second.fiber)
      yield* first.end
      yield* third.end
      yield* settled
      deepStrictEqual([started, size()], [["a", "a"], 0])
    })
  )
})
