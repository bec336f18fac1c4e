/**
 * Background work: processes writes of products as soon as they are accepted. Any number of hosts can run it.
 */
import { BackgroundLoop, type BackgroundLoops } from "@crossdock/kernel"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { CatalogWrites } from "./CatalogWrites.ts"

/** Options of the worker. */
export interface Options {
  /** How often it looks for writes that other hosts accepted or didn't finish. */
  readonly poll?: Duration.Input
}

const loop = ({ poll = Duration.millis(100) }: Options = {}) =>
  Effect.map(CatalogWrites, (writes) => ({
    name: "catalog",
    every: poll,
    wakeBy: writes.accepted,
    pass: Effect.gen(function* () {
      const due = yield* writes.due
      const done = yield* Effect.forEach(
        due,
        (key) => BackgroundLoop.isolated(`company ${key.companyId}`, writes.process(key)),
        { concurrency: yield* BackgroundLoop.Concurrency }
      )
      return done.some(Option.contains(true))
    })
  }))

/**
 * Runs until its scope ends; a write that is being processed then is rolled back. A write that can't be processed is tried
 * again and doesn't delay other companies' writes.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { CatalogWorker, CatalogWrites } from "@crossdock/catalog"
 * import { company } from "@crossdock/catalog/testing"
 * import { BackgroundLoops } from "@crossdock/kernel"
 * import { Deferred, Effect, Layer } from "effect"
 *
 * const processed = Deferred.makeUnsafe<string>()
 * const writes = Layer.mock(CatalogWrites.CatalogWrites, {
 *   accepted: Effect.never,
 *   due: Effect.succeed([{ companyId: company, traceId: "t-1" }]),
 *   process: ({ traceId }) => Deferred.succeed(processed, traceId)
 * })
 * const traceId = Effect.race(CatalogWorker.run(), Deferred.await(processed))
 * strictEqual(await Effect.runPromise(Effect.provide(traceId, [writes, BackgroundLoops.layer])), "t-1")
 * ```
 */
export const run = (options?: Options) => Effect.flatMap(loop(options), BackgroundLoop.run)

/**
 * Processes every write that was accepted, for a host without loops. Returns what failed; see `BackgroundLoop.once`.
 */
export const once = Effect.flatMap(loop(), BackgroundLoop.once)

/** Runs the worker in the background of a host. */
export const layer = (options?: Options): Layer.Layer<never, never, CatalogWrites | BackgroundLoops.BackgroundLoops> =>
  BackgroundLoop.layer(run(options))
