/**
 * Why a command can't be done.
 */
import { Data } from "effect"

/**
 * The message is a sentence or more for who called the command: what is wrong, and what to do. It never contains a secret.
 */
export class CommandFailure extends Data.TaggedError("CommandFailure")<{ readonly message: string }> {}
