/** Why a command failed. */
import { Data, Effect } from "effect"

/** The message names the fault and the remedy, and never contains a secret. */
export class CommandFailure extends Data.TaggedError("CommandFailure")<{ readonly message: string }> {
  constructor(message: string) {
    super({ message })
  }
}

/** Returns the found value. Without one it fails, and names the command that lists the existing values. */
export const found = <A>(one: A | undefined, what: string, list: string): Effect.Effect<A, CommandFailure> =>
  one === undefined
    ? Effect.fail(new CommandFailure(`There is no ${what}. "crossdock ${list}" lists them`))
    : Effect.succeed(one)
