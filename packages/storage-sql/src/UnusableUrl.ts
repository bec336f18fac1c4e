/**
 * Why the address of a database can't be used.
 */
import * as Data from "effect/Data"

/** The message says in a clause what of the address is wrong, and what to do; it contains no secret. */
export class UnusableUrl extends Data.TaggedError("UnusableUrl")<{ readonly message: string }> {}
