import { StaleWrite, StorageError, Transaction } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Cause, Deferred, Effect, Exit, Fiber, References } from "effect"
import { TestClock } from "effect/testing"

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

/** Statements that are sent concurrently, each answered when the test says so. */
const server = () => {
  const sent: Array<string> = []
  const statement = (name: string, answer: Effect.Effect<string, string>) =>
    Effect.suspend(() => {
      sent.push(name)
      return answer
    })
  return { sent, statement }
}

/** A transaction that records its commit in `sent`, and is rolled back when an earlier statement failed. */
const transaction =
  (sent: Array<string> = []) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.tap(effect, () => Effect.sync(() => sent.push("COMMIT")))

const rolledBack = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.andThen(effect, Effect.fail("rolled back"))

const answered = Effect.yieldNow.pipe(Effect.andThen(Effect.yieldNow))

describe("Statements that don't wait for answers", () => {
  it.effect("sends every write before the commit, however early a fiber must yield", () =>
    Effect.gen(function* () {
      for (let most = 10; most <= 60; most++) {
        const { sent, statement } = server()
        const slow = Effect.map(Effect.succeed(0), (n) => n + 1).pipe(Effect.repeat({ times: 9 }))
        const write = Transaction.write(
          Effect.andThen(slow, Effect.asVoid(statement("write", Effect.as(answered, ""))))
        )
        const unit = Transaction.pipelined(Transaction.writes(write), transaction(sent))
        yield* Effect.provideService(unit, References.MaxOpsBeforeYield, most)
        deepStrictEqual([most, ...sent], [most, "write", "COMMIT"])
      }
    })
  )

  it.effect("sends statements in their order before the first is answered, and gives their answers", () =>
    Effect.gen(function* () {
      const { sent, statement } = server()
      const first = yield* Deferred.make<string, string>()
      const all = Transaction.together(statement("a", Deferred.await(first)), statement("b", Effect.succeed("B")))
      const fiber = yield* Effect.forkChild(Transaction.pipelined(all, transaction()))
      yield* answered
      deepStrictEqual(sent, ["a", "b"])
      yield* Deferred.succeed(first, "A")
      deepStrictEqual(yield* Fiber.join(fiber), ["A", "B"])
    })
  )

  it.effect("sends one after the other where the storage takes no more", () =>
    Effect.gen(function* () {
      const { sent, statement } = server()
      const all = Transaction.together(statement("a", Effect.fail("no")), statement("b", Effect.succeed("B")))
      deepStrictEqual(yield* Effect.exit(all), Exit.fail("no"))
      deepStrictEqual(sent, ["a"])
    })
  )

  it.effect("fails as the first statement did, for which the others failed too", () =>
    Effect.gen(function* () {
      const { statement } = server()
      const all = Transaction.together(
        statement("a", Effect.andThen(answered, Effect.fail("the reason"))),
        statement("b", Effect.fail("the transaction has failed"))
      )
      deepStrictEqual(yield* Effect.exit(Transaction.pipelined(all, transaction())), Exit.fail("the reason"))
    })
  )

  it.effect(
    "does not wait for a write before it sends the next one and the commit, and for all of them at the end",
    () =>
      Effect.gen(function* () {
        const { sent, statement } = server()
        const first = yield* Deferred.make<string, string>()
        const write = (name: string, answer: Effect.Effect<string, string>) =>
          Transaction.write(Effect.asVoid(statement(name, answer)))
        const saved = Transaction.writes(
          Effect.as(Effect.andThen(write("a", Deferred.await(first)), write("b", Effect.succeed("B"))), "saved")
        )
        const fiber = yield* Effect.forkChild(Transaction.pipelined(saved, transaction(sent)))
        yield* answered
        deepStrictEqual([sent, fiber.pollUnsafe()], [["a", "b", "COMMIT"], undefined])
        yield* Deferred.succeed(first, "A")
        strictEqual(yield* Fiber.join(fiber), "saved")
      })
  )

  it.effect("fails as the first of its writes did, also when it failed itself in the meantime", () =>
    Effect.gen(function* () {
      const failed = Transaction.writes(
        Effect.andThen(Transaction.write(Effect.andThen(answered, Effect.fail("stale"))), Effect.fail("later"))
      )
      deepStrictEqual(yield* Effect.exit(Transaction.pipelined(failed, transaction())), Exit.fail("stale"))
    })
  )

  it.effect("fails as a write did that the storage rolled back, behind which the commit was sent", () =>
    Effect.gen(function* () {
      const stale = Transaction.writes(Transaction.write(Effect.andThen(answered, Effect.fail("stale"))))
      deepStrictEqual(yield* Effect.exit(Transaction.pipelined(stale, rolledBack)), Exit.fail("stale"))
    })
  )

  it.effect("never succeeds, nor fails as something that is repeated, when a write failed that was committed", () =>
    Effect.gen(function* () {
      const stale = Transaction.writes(Transaction.write(Effect.andThen(answered, Effect.fail("stale"))))
      const exit = yield* Effect.exit(Transaction.pipelined(stale, transaction()))
      assertTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    })
  )

  it.effect("waits for the writes of a unit inside of it before that unit ends, unless it is joined", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const noted = (what: string) => Effect.asVoid(Effect.sync(() => order.push(what)))
      const write = Transaction.writes(Transaction.write(Effect.andThen(answered, noted("answered"))))
      const inner = Effect.andThen(Transaction.nested(write), noted("inner unit ended"))
      yield* Transaction.pipelined(inner, transaction())
      yield* Transaction.pipelined(Transaction.joined(inner), transaction())
      deepStrictEqual(order, ["answered", "inner unit ended", "inner unit ended", "answered"])
    })
  )

  it.effect("gives the answer of a statement that it sent on to who asks for it", () =>
    Effect.gen(function* () {
      const { sent, statement } = server()
      const first = yield* Deferred.make<string, string>()
      const saved = Transaction.writes(
        Effect.gen(function* () {
          const answer = yield* Transaction.started(statement("a", Deferred.await(first)))
          yield* Transaction.write(Effect.asVoid(statement("b", Effect.succeed("B"))))
          return yield* answer
        })
      )
      const fiber = yield* Effect.forkChild(Transaction.pipelined(saved, transaction()))
      yield* answered
      deepStrictEqual(sent, ["a", "b"])
      yield* Deferred.succeed(first, "A")
      strictEqual(yield* Fiber.join(fiber), "A")
      strictEqual(yield* Effect.flatten(Transaction.started(Effect.succeed("elsewhere"))), "elsewhere")
    })
  )

  it.effect("that is interrupted has interrupted its writes before the unit is rolled back", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const noted = (what: string) =>
        Effect.sync(() => {
          order.push(what)
        })
      const stuck = Effect.onInterrupt(Effect.never, () => noted("write interrupted"))
      const unit = Transaction.pipelined(
        Transaction.writes(Effect.andThen(Transaction.write(stuck), Effect.never)),
        (effect) => Effect.onInterrupt(effect, () => noted("rolled back"))
      )
      const fiber = yield* Effect.forkChild(unit)
      yield* answered
      yield* Fiber.interrupt(fiber)
      deepStrictEqual(order, ["write interrupted", "rolled back"])
    })
  )
})

const patience = { limit: "2 seconds", orElse: () => "no answer" } as const

describe("A time limit", () => {
  it.effect("answers as the work does when it ends in time", () =>
    Effect.gen(function* () {
      strictEqual(yield* Transaction.abandonAfter(Effect.succeed(1), patience), 1)
      strictEqual(yield* Effect.flip(Transaction.abandonAfter(Effect.fail("own"), patience)), "own")
    })
  )

  it.effect("gives up on work that can't be interrupted as soon as the time is over, and not earlier", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(
        Effect.exit(Transaction.abandonAfter(Effect.uninterruptible(Effect.never), patience)),
        { startImmediately: true }
      )
      yield* TestClock.adjust("1999 millis")
      strictEqual(waiting.pollUnsafe(), undefined)
      yield* TestClock.adjust("1 millis")
      deepStrictEqual(yield* Fiber.join(waiting), Exit.fail("no answer"))
    })
  )

  it.effect("is reported also when the work has a limit of the same length, whose failure comes first", () =>
    Effect.gen(function* () {
      const work = Effect.andThen(Effect.sleep(patience.limit), Effect.fail("its own limit"))
      const waiting = yield* Effect.forkChild(Effect.flip(Transaction.abandonAfter(work, patience)), {
        startImmediately: true
      })
      yield* TestClock.adjust(patience.limit)
      strictEqual(yield* Fiber.join(waiting), "no answer")
    })
  )

  it.live("lets no work end that it gave up on in the same turn", () =>
    Effect.gen(function* () {
      let failures = 0
      for (let attempt = 0; attempt < 20; attempt++) {
        let isEnded = false
        // The work's timer fires just before the limit's. Then the work has one more turn to wait for.
        const late = Effect.andThen(Effect.sleep("20 millis"), Effect.yieldNow)
        const work = Effect.andThen(late, () => Effect.sync(() => (isEnded = true)))
        const limited = Transaction.abandonAfter(work, { limit: "20 millis", orElse: () => "no answer" })
        const exit = yield* Effect.exit(limited)
        yield* Effect.sleep("2 millis")
        if (Exit.isSuccess(exit)) continue
        failures++
        deepStrictEqual([exit, isEnded], [Exit.fail("no answer"), false])
      }
      assertTrue(failures > 0)
    })
  )

  it.effect("interrupts the work that it gave up on, and work whose caller is interrupted", () =>
    Effect.gen(function* () {
      for (const end of [() => TestClock.adjust("2 seconds"), Fiber.interrupt]) {
        const interrupted = yield* Deferred.make<void>()
        const work = Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
        const fiber = yield* Effect.forkChild(Transaction.abandonAfter(work, patience), { startImmediately: true })
        yield* end(fiber)
        yield* Deferred.await(interrupted)
      }
    })
  )
})
