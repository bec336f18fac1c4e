import { Metrics } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Clock, Effect, Layer, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import * as DatabaseClock from "../src/DatabaseClock.ts"

describe("A host's watch of the database's clock", () => {
  for (const [seconds, warning] of [
    [-61, "This host's clock is 61 s behind the database's: synchronise both machines with a time server"],
    [-60, undefined],
    [60, undefined],
    [61, "This host's clock is 61 s ahead of the database's: synchronise both machines with a time server"]
  ] as const)
    it.effect(
      `${warning === undefined ? "keeps quiet" : "warns"} when it is ${seconds} s ahead, and measures that`,
      () => {
        const lines: Array<unknown> = []
        const logger = Logger.make(({ logLevel, message }) => void lines.push(logLevel, ...[message].flat()))
        const database = Effect.map(Clock.currentTimeMillis, (now) => now - seconds * 1_000)
        return Effect.gen(function* () {
          yield* Layer.build(DatabaseClock.watch)
          yield* TestClock.adjust("1 second")
          deepStrictEqual(lines, warning === undefined ? [] : ["Warn", warning])
          const measured = yield* Metric.value(Metrics.clockAhead.at({}))
          strictEqual((measured as { readonly value: number }).value, seconds)
          yield* TestClock.adjust("1 minute")
          strictEqual(lines.length, warning === undefined ? 0 : 4)
        }).pipe(
          Effect.provideService(DatabaseClock.DatabaseClock, database),
          Effect.provide(Logger.layer([logger])),
          Effect.scoped
        )
      }
    )

  it.effect("keeps quiet about a database without a clock of its own", () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      yield* Layer.build(DatabaseClock.watch).pipe(
        Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(message))]))
      )
      yield* TestClock.adjust("1 second")
      deepStrictEqual(lines, [])
    })
  )
})
