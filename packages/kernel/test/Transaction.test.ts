import { StaleWrite, StorageError, Transaction } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"

const retrying = Transaction.retrying(Transaction.Transaction.of({ run: (effect) => effect }))

const contended = new StorageError({ operation: "test", cause: new Error("deadlock"), isContended: true })
const stale = new StaleWrite({ operation: "test" })

/** Counts its attempts, and fails `times` times. */
const failing = (error: StaleWrite | StorageError, times: number) => {
  const count = { attempts: 0 }
  const effect = Effect.suspend(() => (++count.attempts <= times ? Effect.fail(error) : Effect.succeed("done")))
  return { count, effect }
}

describe("A transaction inside of another one", () => {
  it.live("that the database ended in favour of another writer starts the outer one again", () =>
    Effect.gen(function* () {
      const inner = failing(contended, 2)
      let outer = 0
      const whole = Effect.suspend(() => {
        outer++
        return retrying(inner.effect)
      })
      strictEqual(yield* retrying(whole), "done")
      deepStrictEqual([outer, inner.count.attempts], [3, 3])
    })
  )

  it.live("that read a stale row repeats its own part", () =>
    Effect.gen(function* () {
      const inner = failing(stale, 2)
      let outer = 0
      const whole = Effect.suspend(() => {
        outer++
        return retrying(inner.effect)
      })
      strictEqual(yield* retrying(whole), "done")
      deepStrictEqual([outer, inner.count.attempts], [1, 3])
    })
  )

  it.live("within the program's own leaves the repeating to the program", () =>
    Effect.gen(function* () {
      const { count, effect } = failing(contended, 1)
      strictEqual(yield* Effect.flip(Transaction.repeatedByCaller(retrying(effect))), contended)
      strictEqual(count.attempts, 1)
    })
  )
})
