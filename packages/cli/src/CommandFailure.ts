/** The reasons why a command fails, and why a host can't start. */
import { Data, Effect, Layer } from "effect"

/** The reason why a command failed. The message names the fault and the remedy, and never contains a secret. */
export class CommandFailure extends Data.TaggedError("CommandFailure")<{ readonly message: string }> {
  constructor(message: string) {
    super({ message })
  }
}

/** Returns the found value, or fails with a message that names the command that lists the existing values. */
export const found = <A>(one: A | undefined, what: string, list: string): Effect.Effect<A, CommandFailure> =>
  one === undefined
    ? Effect.fail(new CommandFailure(`There is no ${what}. "crossdock ${list}" lists them`))
    : Effect.succeed(one)

/** The reason why a host or a command can't start: one sentence for the operator, with the remedy and never a secret. */
export class StartFailure extends Data.TaggedError("StartFailure")<{
  readonly message: string
  readonly cause?: unknown
}> {}

/** A layer that fails, in place of a layer that provides `A`. */
export const failing = <A>(failure: StartFailure): Layer.Layer<A, StartFailure> =>
  Layer.effectContext<A, StartFailure, never>(Effect.fail(failure))
