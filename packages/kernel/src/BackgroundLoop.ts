/** A host's background loops. A failure is logged and counted, and the loop continues. */
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Metrics from "./Metrics.ts"
import { OwnTransactionOnly } from "./Transaction.ts"

/** `failing`: the last pass, or one of its entries, failed and hasn't succeeded since. `stopped`: the loop has ended. */
export type Condition = "working" | "failing" | "stopped"

/** The condition of one loop. */
export interface LoopState {
  readonly name: string
  readonly state: Condition
  /** The time since which the loop has this condition, in epoch milliseconds. */
  readonly since: number
}

/** The host's background loops and their conditions, for readiness and metrics. */
export class BackgroundLoops extends Context.Service<
  BackgroundLoops,
  {
    /** The loops in the order in which they started. */
    readonly states: Effect.Effect<ReadonlyArray<LoopState>>
    readonly note: (state: LoopState) => Effect.Effect<void>
  }
>()("@crossdock/kernel/BackgroundLoops") {}

const makeRegistry = Effect.sync(() => {
  const states = new Map<string, LoopState>()
  return BackgroundLoops.of({
    states: Effect.sync(() => [...states.values()]),
    note: (state) =>
      Effect.sync(() => {
        if (states.get(state.name)?.state !== state.state) states.set(state.name, state)
      })
  })
})

/** An in-memory registry of all loops of a host. It depends on no other service. */
export const registry: Layer.Layer<BackgroundLoops> = Layer.effect(BackgroundLoops, makeRegistry)

/** A loop repeats its pass. Between passes it pauses for `every`, or until `wakeBy` ends. */
export interface Loop<E, R> {
  /** The name of the loop in logs, metrics and the host's readiness. */
  readonly name: string
  readonly every: Duration.Input
  readonly wakeBy?: Effect.Effect<void>
  /** Does the pending work. It returns true if the next pass should follow immediately. */
  readonly pass: Effect.Effect<boolean, E, R>
}

type Attempt = <A, E, R>(entry: string, work: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>

/** Outside a loop, failures propagate unchanged. */
const Attempts = Context.Reference<Attempt>("@crossdock/kernel/BackgroundLoop/Attempts", {
  defaultValue: () => (_, work) => Effect.asSome(work)
})

/** The number of companies that a worker handles at once, each in a separate transaction. It doesn't limit webhooks. */
export const Concurrency = Context.Reference<number>("@crossdock/kernel/BackgroundLoop/Concurrency", {
  defaultValue: () => 1
})

/** A pass never joins the application's transaction. */
const passWith =
  (attempt: Attempt) =>
  <A, E, R>(pass: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    pass.pipe(Effect.provideService(Attempts, attempt), Effect.provideService(OwnTransactionOnly, true))

/**
 * Runs a pass's work for one entry, such as a company. A failed entry doesn't stop others and is paused for 1 s, then twice
 * as long, up to 10 s. The result is `None` if the work fails or is paused. Outside a loop, a failure propagates.
 */
export const isolated: Attempt = (entry, work) => Effect.flatMap(Attempts, (attempt) => attempt(entry, work))

/** The first pause is short, so that work resumes soon after an outage. */
const firstPause = Duration.seconds(1)
const longestPause = Duration.seconds(10)

/** An entry that wasn't retried for this long is taken for deleted. */
const forgottenAfter = Duration.minutes(1)

const pauseAfter = (failures: number): Duration.Duration =>
  Duration.min(longestPause, Duration.times(firstPause, 2 ** Math.min(failures - 1, 10)))

/** Milliseconds of a clock that can't be set. Only the difference of two readings has a meaning. */
const uptime = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

interface Fault {
  readonly failures: number
  /** The end of the pause, in milliseconds of uptime. */
  readonly until: number
}

const wholePass = ""

const reportFault = (worker: string, entry: string, cause: Cause.Cause<unknown>) =>
  Effect.logError("Background work failed and is tried again", cause).pipe(
    Effect.annotateLogs(entry === wholePass ? { worker } : { worker, entry })
  )

/**
 * Runs the loop until its fiber is interrupted. Failures, defects and interruptions inside a pass don't end the loop.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { BackgroundLoop } from "@crossdock/kernel"
 * import { Deferred, Effect, Fiber, Logger, Option } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const done = yield* Deferred.make<ReadonlyArray<Option.Option<number>>>()
 *   const bill = (company: number) => (company === 2 ? Effect.fail("no plan") : Effect.succeed(company))
 *   const pass = Effect.forEach([1, 2, 3], (company) => BackgroundLoop.isolated(`company ${company}`, bill(company))).pipe(
 *     Effect.flatMap((billed) => Deferred.succeed(done, billed)),
 *     Effect.as(false)
 *   )
 *   const fiber = yield* Effect.forkChild(BackgroundLoop.run({ name: "billing", every: "1 minute", pass }))
 *   deepStrictEqual(yield* Deferred.await(done), [Option.some(1), Option.none(), Option.some(3)])
 *   yield* Fiber.interrupt(fiber)
 * })
 * await Effect.runPromise(program.pipe(Effect.provide([BackgroundLoop.registry, Logger.layer([])])))
 * ```
 */
export const run = <E, R>({
  every,
  name,
  pass,
  wakeBy = Effect.never
}: Loop<E, R>): Effect.Effect<never, never, R | BackgroundLoops> =>
  Effect.gen(function* () {
    const loops = yield* BackgroundLoops
    const failed = Metrics.workerFailures.at({ worker: name })
    const succeeded = Metrics.workerLastSuccess.at({ worker: name })
    const faults = new Map<string, Fault>()
    let isBusy = true

    const note = (state: Condition) =>
      Effect.flatMap(Clock.currentTimeMillis, (since) => loops.note({ name, state, since }))

    const rememberFault = Effect.fnUntraced(function* (entry: string, cause: Cause.Cause<unknown>) {
      const failures = (faults.get(entry)?.failures ?? 0) + 1
      faults.set(entry, { failures, until: (yield* uptime) + Duration.toMillis(pauseAfter(failures)) })
      yield* Metric.update(failed, 1)
      yield* note("failing")
      yield* reportFault(name, entry, cause)
    })

    // An interruption of the loop's own fiber isn't caught here, so every cause comes from inside the pass.
    const attempt = <A, E, R>(entry: string, work: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, never, R> =>
      Effect.gen(function* () {
        const fault = faults.get(entry)
        if (fault !== undefined && (yield* uptime) < fault.until) return Option.none()
        return yield* work.pipe(
          Effect.tap(() => Effect.sync(() => faults.delete(entry))),
          Effect.asSome,
          Effect.catchCause((cause) => Effect.as(rememberFault(entry, cause), Option.none()))
        )
      })

    const turn = Effect.gen(function* () {
      const rests = !isBusy
      // If this pass fails, the next pass starts right after the pause.
      isBusy = true
      if (rests) yield* Effect.timeoutOption(wakeBy, every)
      isBusy = yield* passWith(attempt)(pass)
    })

    const reportSuccess = Effect.gen(function* () {
      const now = yield* uptime
      for (const [entry, { until }] of faults) {
        if (until + Duration.toMillis(forgottenAfter) < now) faults.delete(entry)
      }
      if (faults.size > 0) return
      yield* Metric.update(succeeded, (yield* Clock.currentTimeMillis) / 1000)
      yield* note("working")
    })

    const pause = Effect.flatMap(uptime, (now) => Effect.sleep((faults.get(wholePass)?.until ?? now) - now))

    yield* Metric.update(failed, 0)
    yield* note("working")
    return yield* Effect.andThen(attempt(wholePass, turn), Effect.andThen(reportSuccess, pause)).pipe(
      Effect.forever,
      Effect.ensuring(note("stopped"))
    )
  })

/** Runs a loop in the background until the layer's scope ends. The loop is registered before the host's later parts start. */
export const layer = <R>(running: Effect.Effect<never, never, R>): Layer.Layer<never, never, Exclude<R, Scope.Scope>> =>
  Layer.effectDiscard(Effect.forkScoped(Effect.scoped(running), { startImmediately: true }))

/** Runs passes until no work is left, for a host without loops, and returns the names of the failed entries. */
export const once = <E, R>({
  name,
  pass
}: Pick<Loop<E, R>, "name" | "pass">): Effect.Effect<ReadonlyArray<string>, never, R> =>
  Effect.suspend(() => {
    const failed = new Set<string>()
    const attempt = <A, E, R>(entry: string, work: Effect.Effect<A, E, R>) =>
      failed.has(entry)
        ? Effect.succeedNone
        : Effect.catchCause(Effect.asSome(work), (cause) => {
            failed.add(entry)
            return Effect.as(reportFault(name, entry, cause), Option.none())
          })
    const turn = passWith(attempt)(pass)
    return Effect.map(
      Effect.repeat(attempt(wholePass, turn), { while: (more) => Option.getOrElse(more, () => false) }),
      () => [...failed].map((entry) => (entry === wholePass ? name : entry))
    )
  })
