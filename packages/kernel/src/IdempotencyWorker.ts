/**
 * Background work: forgets the answers of Idempotency-Keys that have expired.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as BackgroundLoop from "./BackgroundLoop.ts"
import type { BackgroundLoops } from "./BackgroundLoops.ts"
import { Idempotency } from "./Idempotency.ts"
import { batchSize } from "./Retention.ts"

const loop = Effect.map(Idempotency, ({ deleteExpired }) => ({
  name: "idempotency",
  every: "10 minutes" as const,
  pass: Effect.gen(function* () {
    const deleted = yield* deleteExpired(yield* Clock.currentTimeMillis, batchSize)
    return deleted === batchSize
  })
}))

/**
 * Runs the worker in the background of a host, until the host's scope ends.
 */
export const layer: Layer.Layer<never, never, Idempotency | BackgroundLoops> = BackgroundLoop.layer(
  Effect.flatMap(loop, BackgroundLoop.run)
)

/**
 * Forgets what has expired by now, for a host without loops. Returns what failed; see `BackgroundLoop.once`.
 */
export const once = Effect.flatMap(loop, BackgroundLoop.once)
