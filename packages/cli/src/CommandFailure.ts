/**
 * Why a command can't be done.
 */
import { Data, Effect } from "effect"

/**
 * The message is a sentence or more for who called the command: what is wrong, and what to do. It never contains a secret.
 */
export class CommandFailure extends Data.TaggedError("CommandFailure")<{ readonly message: string }> {}

/** What was found; without it the command fails, and names the command that lists what there is. */
export const found = <A>(one: A | undefined, what: string, list: string): Effect.Effect<A, CommandFailure> =>
  one === undefined
    ? Effect.fail(new CommandFailure({ message: `There is no ${what}. "crossdock ${list}" lists them` }))
    : Effect.succeed(one)
