/**
 * Background work of a host: bills and collects, again and again.
 */
import type { StorageError } from "@crossdock/kernel"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { BillingRun } from "./BillingRun.ts"

export interface Options {
  /** How often it looks for what is due. */
  readonly poll?: Duration.Input
}

/**
 * Says what went wrong and rests, so that what fails is not told to the log at every look.
 */
const rest = (cause: Cause.Cause<StorageError>) =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.void
    : Effect.andThen(Effect.logError("Billing failed", cause), Effect.sleep(Duration.seconds(5)))

/**
 * Runs until its scope ends. A payment that is under way then is asked for by whoever comes next.
 */
export const run = ({ poll = Duration.seconds(1) }: Options = {}) =>
  Effect.gen(function* () {
    const { bill, collect } = yield* BillingRun
    const look = Effect.andThen(bill, collect).pipe(
      Effect.exit,
      Effect.flatMap(Exit.match({ onFailure: rest, onSuccess: () => Effect.void }))
    )
    yield* Effect.repeat(look, Schedule.spaced(poll))
  })

export const layer = (options?: Options): Layer.Layer<never, never, BillingRun> =>
  Layer.effectDiscard(Effect.forkScoped(run(options)))
