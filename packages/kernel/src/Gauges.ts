/**
 * Gauges that are read when somebody looks, such as queues in a database. A reading happens at most every 5 seconds, however
 * many look, and a slow one keeps nobody waiting.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

/**
 * The readings of a process.
 */
export interface Readings {
  /** Adds a reading, which sets gauges, until the scope ends. Its failures are logged. */
  readonly add: (reading: Effect.Effect<void, unknown>) => Effect.Effect<void, never, Scope.Scope>
  /** Does the readings that are older than 5 seconds, and returns after half a second at the latest: the rest goes on. */
  readonly refresh: Effect.Effect<void>
}

const freshMillis = 5_000
const patience = "500 millis"

/** One at a time; another look meanwhile waits for the same one. */
const sparingly = (reading: Effect.Effect<void, unknown>, scope: Scope.Scope): Effect.Effect<void> => {
  let began = Number.NEGATIVE_INFINITY
  let running: Fiber.Fiber<void> | undefined
  const logged = Effect.catchCause(reading, (cause) => Effect.logWarning("Gauges could not be read", cause)).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        running = undefined
      })
    )
  )
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (running === undefined && Math.abs(now - began) >= freshMillis) {
      began = now
      const fiber = yield* Effect.forkIn(logged, scope)
      running = fiber
    }
    if (running !== undefined) yield* Effect.timeoutOption(Fiber.await(running), patience)
  })
}

/**
 * No readings yet.
 */
export const make = (): Readings => {
  const readings = new Set<Effect.Effect<void>>()
  return {
    add: (reading) =>
      Effect.flatMap(Effect.scope, (scope) => {
        const own = sparingly(reading, scope)
        return Effect.acquireRelease(
          Effect.sync(() => readings.add(own)),
          () => Effect.sync(() => readings.delete(own))
        )
      }),
    refresh: Effect.suspend(() => Effect.forEach(readings, (one) => one, { concurrency: "unbounded", discard: true }))
  }
}

/**
 * One for the process by default, as its metrics are.
 */
export const Gauges = Context.Reference<Readings>("@crossdock/kernel/Gauges", { defaultValue: make })
