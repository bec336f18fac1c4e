import { BackgroundLoops, Idempotency, IdempotencyWorker, StorageError } from "@crossdock/kernel"
import { StorageMemory } from "@crossdock/storage-memory"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

describe("Answers kept for an Idempotency-Key", () => {
  it.effect("are cleaned up again after any failure of the last cleanup", () =>
    Effect.gen(function* () {
      const faults = [
        Effect.die("a bug"),
        Effect.interrupt,
        Effect.fail(new StorageError({ operation: "deleteExpired", cause: "" }))
      ]
      const times: Array<number> = []
      const faulty = Layer.effect(
        Idempotency.Idempotency,
        Effect.map(Idempotency.Idempotency, (store) => ({
          ...store,
          deleteExpired: (before: number, limit: number) => {
            times.push(before)
            return faults[times.length - 1] ?? store.deleteExpired(before, limit)
          }
        }))
      )
      const worker = IdempotencyWorker.layer.pipe(
        Layer.provide(faulty),
        Layer.provide([StorageMemory.layer, BackgroundLoops.layer])
      )
      const began = yield* Clock.currentTimeMillis
      yield* Effect.gen(function* () {
        yield* TestClock.adjust("1 minute")
        yield* TestClock.adjust("10 minutes")
      }).pipe(Effect.provide(worker))
      deepStrictEqual(
        times.map((at) => at - began),
        [0, 1000, 3000, 7000, 607_000]
      )
    })
  )
})
