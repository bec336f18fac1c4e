/** Why a host or a command can't start. */
import { Data, Effect, Layer } from "effect"

/** The message is one sentence for the operator: the fault and the remedy. It never contains a secret. */
export class StartFailure extends Data.TaggedError("StartFailure")<{
  readonly message: string
  readonly cause?: unknown
}> {}

/** A layer that fails to build, in place of one that provides `A`. */
export const layer = <A>(failure: StartFailure): Layer.Layer<A, StartFailure> =>
  Layer.effectContext<A, StartFailure, never>(Effect.fail(failure))
