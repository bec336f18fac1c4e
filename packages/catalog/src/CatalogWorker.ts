/**
 * Background work: processes writes of products as soon as they are accepted. Any number of hosts may run it.
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CatalogWrites } from "./CatalogWrites.ts"

export interface Options {
  /** How often it looks for what other hosts accepted, or left behind. */
  readonly poll?: Duration.Input
}

/**
 * Runs until its scope ends; what was being processed then stays as it was. A storage that fails is logged and tried again.
 */
export const run = ({ poll = Duration.millis(100) }: Options = {}) =>
  Effect.gen(function* () {
    const writes = yield* CatalogWrites

    /** Whether there was anything to do. */
    const look = Effect.gen(function* () {
      const due = yield* writes.due
      const done = yield* Effect.forEach(due, writes.process)
      return done.includes(true)
    }).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause as Cause.Cause<never>)
          : Effect.logError("Processing of catalog writes failed", cause).pipe(
              Effect.andThen(Effect.sleep(Duration.seconds(1))),
              Effect.as(false)
            )
      )
    )

    yield* Effect.forever(
      Effect.flatMap(look, (busy) => (busy ? Effect.void : Effect.timeoutOption(writes.accepted, poll)))
    )
  })

export const layer = (options?: Options): Layer.Layer<never, never, CatalogWrites> =>
  Layer.effectDiscard(Effect.forkScoped(run(options)))
