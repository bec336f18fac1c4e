import { BackgroundLoop, Retention } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Fiber, Logger, Ref } from "effect"
import { TestClock } from "effect/testing"

const day = 86_400_000
const now = 100 * day

/** A rule with this many rows to delete, and the times of its calls. */
const ruleOf = (name: string, days: number, rows: number) =>
  Effect.gen(function* () {
    const left = yield* Ref.make(rows)
    const calls = yield* Ref.make<ReadonlyArray<number>>([])
    const remove = (before: number, limit: number) =>
      Effect.andThen(
        Ref.update(calls, (all) => [...all, before]),
        Ref.modify(left, (some) => [Math.min(some, limit), Math.max(0, some - limit)])
      )
    return { rule: { name, days, remove }, left: Ref.get(left), calls: Ref.get(calls) }
  })

const turns = Effect.repeat(Effect.yieldNow, { times: 200 })

const runs = <E>(rules: ReadonlyArray<Retention.Rule<E, never>>) =>
  Effect.never.pipe(Effect.provide(Retention.layer(rules)))

const quiet = <A, E>(test: Effect.Effect<A, E, BackgroundLoop.BackgroundLoops>) =>
  test.pipe(Effect.provide([BackgroundLoop.registry, Logger.layer([])]))

describe("Retention", () => {
  it.effect("deletes batch after batch of what is older than its days until none is left, then rests for an hour", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const { calls, left, rule } = yield* ruleOf("letters", 30, 1200)
      const fiber = yield* Effect.forkChild(runs([rule]))
      yield* turns
      strictEqual(yield* left, 0)
      deepStrictEqual(yield* calls, [70 * day, 70 * day, 70 * day, 70 * day])
      yield* TestClock.adjust("59 minutes")
      strictEqual((yield* calls).length, 4)
      yield* TestClock.adjust("1 minute")
      deepStrictEqual((yield* calls).slice(4), [70 * day + 3_600_000])
      yield* Fiber.interrupt(fiber)
    }).pipe(quiet)
  )

  it.effect("goes on with the other rules while one fails", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const { left, rule } = yield* ruleOf("letters", 30, 700)
      const broken = { name: "writes", days: 1, remove: () => Effect.fail("unreachable") }
      const fiber = yield* Effect.forkChild(runs([broken, rule]))
      yield* turns
      strictEqual(yield* left, 0)
      yield* Fiber.interrupt(fiber)
    }).pipe(quiet)
  )
})
