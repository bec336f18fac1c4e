/**
 * Why a host or a command can't start.
 */
import { Data, Effect, Layer } from "effect"

/**
 * The message is one sentence for whoever starts it: what is wrong, and what to do. It shows no secret.
 */
export class StartRejected extends Data.TaggedError("StartRejected")<{
  readonly message: string
  readonly cause?: unknown
}> {}

/**
 * In place of a layer of `A` that can't be built.
 */
export const layer = <A>(rejected: StartRejected): Layer.Layer<A, StartRejected> =>
  Layer.effectContext<A, StartRejected, never>(Effect.fail(rejected))
