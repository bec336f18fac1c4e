/** Times out work, even uninterruptible work. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/**
 * Runs `effect`, and fails with `orElse()` if it takes longer than `limit`. `Effect.timeout` would wait for the work's
 * cleanup, which takes just as long if a server doesn't answer; here it goes on in the background.
 *
 * @example
 * ```ts
 * import { Timeout } from "@crossdock/kernel"
 * import { Effect } from "effect"
 * import { strictEqual } from "node:assert"
 *
 * const silent = Effect.uninterruptible(Effect.never)
 * const impatient = Timeout.abandonAfter(silent, { limit: "1 millis", orElse: () => "no answer" })
 * strictEqual(await Effect.runPromise(Effect.flip(impatient)), "no answer")
 * ```
 */
export const abandonAfter = <A, E, R, E2>(
  effect: Effect.Effect<A, E, R>,
  { limit, orElse }: { readonly limit: Duration.Input; readonly orElse: () => E2 }
): Effect.Effect<A, E | E2, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(effect), { startImmediately: true }), (fiber) => {
      const done = fiber.pollUnsafe()
      if (done !== undefined) return done
      const giveUp = Effect.sleep(limit).pipe(
        Effect.andThen(Effect.forkDetach(Fiber.interrupt(fiber))),
        Effect.andThen(Effect.suspend(() => Effect.fail(orElse())))
      )
      return restore(Effect.raceFirst(Fiber.join(fiber), giveUp)).pipe(Effect.onInterrupt(() => Fiber.interrupt(fiber)))
    })
  )
