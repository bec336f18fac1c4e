import { BackgroundLoop, StorageError } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { type Cause, Clock, Effect, Exit, Fiber, Logger, Metric, Option, Ref } from "effect"
import { TestClock } from "effect/testing"

const bad = {
  fails: Effect.fail(new StorageError({ operation: "due", cause: "unreachable" })),
  dies: Effect.die("a bug"),
  "is interrupted inside": Effect.interrupt
} as const

/** Lets the fibers run without any time passing. */
const turns = Effect.repeat(Effect.yieldNow, { times: 200 })

const states = Effect.flatMap(BackgroundLoop.BackgroundLoops, (loops) => loops.states)

/** A loop's metrics: its failures, and its last success, in seconds. */
const metricsOf = (worker: string) =>
  Effect.map(Metric.snapshot, (all) => {
    const of = (id: string) => all.find((one) => one.id === id && one.attributes?.worker === worker)?.state
    const [failures, success] = [
      of("crossdock_worker_failures_total"),
      of("crossdock_worker_last_success_timestamp_seconds")
    ]
    return [
      failures !== undefined && "count" in failures ? Number(failures.count) : null,
      success !== undefined && "value" in success ? Number(success.value) : null
    ]
  })

const isolated = <A, E>(test: Effect.Effect<A, E, BackgroundLoop.BackgroundLoops>) =>
  test.pipe(Effect.provide(BackgroundLoop.registry), Effect.provideService(Metric.MetricRegistry, new Map()))

/** A loop whose first `times` passes fail, and the times of its passes. */
const looping = (fault: Effect.Effect<never, StorageError>, times: number, logged: Array<unknown> = []) =>
  Effect.gen(function* () {
    const passes = yield* Ref.make<ReadonlyArray<number>>([])
    const pass = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const nth = yield* Ref.modify(passes, (all) => [all.length, [...all, now]])
      return nth < times ? yield* fault : false
    })
    const logger = Logger.make(({ message }) => logged.push(message))
    const fiber = yield* BackgroundLoop.run({ name: "w", every: "1 minute", pass }).pipe(
      Effect.provide(Logger.layer([logger])),
      Effect.forkChild
    )
    yield* turns
    return { fiber, passes: Ref.get(passes) }
  })

describe("A background loop", () => {
  for (const [how, fault] of Object.entries(bad)) {
    it.effect(
      `goes on after a pass that ${how}, a second later, then after growing pauses of ten seconds at most`,
      () =>
        Effect.gen(function* () {
          const { passes } = yield* looping(fault, 7)
          for (let second = 0; second < 70; second++) yield* TestClock.adjust("1 second")
          deepStrictEqual(yield* passes, [0, 1000, 3000, 7000, 15_000, 25_000, 35_000, 45_000])
          yield* TestClock.adjust("1 minute")
          strictEqual((yield* passes).at(-1), 105_000)
        }).pipe(isolated)
    )

    it.effect(`logs each failure once when its pass ${how}, counts it, and shows since when it is failing`, () =>
      Effect.gen(function* () {
        const logged: Array<unknown> = []
        yield* TestClock.setTime(5000)
        yield* looping(fault, 2, logged)
        yield* TestClock.adjust("1 second")
        strictEqual(logged.length, 2)
        deepStrictEqual(yield* states, [{ name: "w", state: "failing", since: 5000 }])
        deepStrictEqual(yield* metricsOf("w"), [2, null])
        yield* TestClock.adjust("2 seconds")
        deepStrictEqual(yield* states, [{ name: "w", state: "working", since: 8000 }])
        deepStrictEqual(yield* metricsOf("w"), [2, 8])
        strictEqual(logged.length, 2)
      }).pipe(isolated)
    )

    it.effect(`does the other entries when one of them ${how}, and leaves that one alone for a while`, () =>
      Effect.gen(function* () {
        const done = yield* Ref.make<Record<string, number>>({})
        const entry = (name: string, work: Effect.Effect<void, StorageError>) =>
          BackgroundLoop.isolated(
            name,
            Effect.andThen(
              Ref.update(done, (counts) => ({ ...counts, [name]: (counts[name] ?? 0) + 1 })),
              work
            )
          )
        const pass = Effect.as(Effect.all([entry("a", Effect.void), entry("b", fault), entry("c", Effect.void)]), false)
        yield* Effect.forkChild(BackgroundLoop.run({ name: "w", every: "100 millis", pass }))
        yield* turns
        deepStrictEqual(yield* Ref.get(done), { a: 1, b: 1, c: 1 })
        for (let tenth = 0; tenth < 9; tenth++) yield* TestClock.adjust("100 millis")
        deepStrictEqual(yield* Ref.get(done), { a: 10, b: 1, c: 10 })
        yield* TestClock.adjust("100 millis")
        deepStrictEqual(yield* Ref.get(done), { a: 11, b: 2, c: 11 })
        deepStrictEqual(yield* states, [{ name: "w", state: "failing", since: 0 }])
        deepStrictEqual(yield* metricsOf("w"), [2, null])
      }).pipe(isolated)
    )
  }

  it.effect("is failing until the entry that failed was done, or is not there any more", () =>
    Effect.gen(function* () {
      const entries = yield* Ref.make<ReadonlyArray<string>>(["removed"])
      const pass = Effect.flatMap(Ref.get(entries), (all) =>
        Effect.as(
          Effect.forEach(all, (name) => BackgroundLoop.isolated(name, Effect.fail("no"))),
          false
        )
      )
      yield* Effect.forkChild(BackgroundLoop.run({ name: "w", every: "1 second", pass }))
      yield* turns
      yield* Ref.set(entries, [])
      yield* TestClock.adjust("30 seconds")
      strictEqual((yield* states)[0]?.state, "failing")
      for (let second = 0; second < 40; second++) yield* TestClock.adjust("1 second")
      strictEqual((yield* states)[0]?.state, "working")
    }).pipe(isolated)
  )

  it.effect("passes again at once while there is more to do, and when it is woken", () =>
    Effect.gen(function* () {
      const [count, bell] = [yield* Ref.make(0), yield* Ref.make(false)]
      const pass = Ref.modify(count, (n) => [n < 4, n + 1] as const)
      const wakeBy = Effect.repeat(Effect.andThen(Effect.yieldNow, Ref.getAndSet(bell, false)), {
        until: (rung) => rung
      })
      yield* Effect.forkChild(BackgroundLoop.run({ name: "w", every: "1 hour", wakeBy: Effect.asVoid(wakeBy), pass }))
      yield* turns
      strictEqual(yield* Ref.get(count), 5)
      yield* Ref.set(bell, true)
      yield* turns
      strictEqual(yield* Ref.get(count), 6)
    }).pipe(isolated)
  )

  it.effect("goes on when what wakes it fails", () =>
    Effect.gen(function* () {
      const count = yield* Ref.make(0)
      const pass = Effect.as(
        Ref.update(count, (n) => n + 1),
        false
      )
      yield* Effect.forkChild(BackgroundLoop.run({ name: "w", every: "1 second", wakeBy: Effect.die("no bell"), pass }))
      for (let second = 0; second < 40; second++) yield* TestClock.adjust("1 second")
      assertTrue((yield* Ref.get(count)) > 3)
    }).pipe(isolated)
  )

  it.effect("ends with its own fiber, in the middle of a pass too, and is stopped then", () =>
    Effect.gen(function* () {
      const undone = yield* Ref.make(0)
      const pass = Effect.onInterrupt(Effect.never, () => Ref.update(undone, (n) => n + 1))
      const entry = BackgroundLoop.isolated("a", pass)
      const both = Effect.all([entry, entry], { concurrency: 2 })
      for (const work of [pass, Effect.as(entry, false), Effect.as(both, false)]) {
        const fiber = yield* Effect.forkChild(BackgroundLoop.run({ name: "w", every: "1 second", pass: work }))
        yield* turns
        const exit: Exit.Exit<never, never> = yield* Effect.andThen(Fiber.interrupt(fiber), Fiber.await(fiber))
        assertTrue(Exit.isFailure(exit))
        strictEqual((yield* states)[0]?.state, "stopped")
      }
      strictEqual(yield* Ref.get(undone), 4)
      deepStrictEqual(yield* metricsOf("w"), [0, null])
    }).pipe(isolated)
  )

  it.effect("run once, passes until there is no more to do, and leaves a failed entry for the next time", () =>
    Effect.gen(function* () {
      const tried: Array<string> = []
      const logged: Array<unknown> = []
      const entry = (name: string) => Effect.sync(() => tried.push(name))
      const failing = Effect.andThen(entry("b"), Effect.die("a bug"))
      const pass = Effect.gen(function* () {
        yield* BackgroundLoop.isolated("b", failing)
        const a = yield* BackgroundLoop.isolated("a", entry("a"))
        return Option.isSome(a) && tried.length < 5
      })
      const logger = Logger.layer([Logger.make(({ message }) => logged.push(message))])
      deepStrictEqual(yield* Effect.provide(BackgroundLoop.once({ name: "w", pass }), logger), ["b"])
      deepStrictEqual(tried, ["b", "a", "a", "a", "a"])
      strictEqual(logged.length, 1)
      deepStrictEqual(yield* Effect.provide(BackgroundLoop.once({ name: "w", pass: failing }), logger), ["w"])
    })
  )

  it.effect("an entry outside of any loop fails like anything else", () =>
    Effect.gen(function* () {
      const exit: Exit.Exit<unknown, string> = yield* Effect.exit(BackgroundLoop.isolated("a", Effect.fail("no")))
      assertTrue(Exit.isFailure(exit))
      const cause: Cause.Cause<string> = exit.cause
      assertTrue(cause.reasons.length === 1)
    })
  )
})
