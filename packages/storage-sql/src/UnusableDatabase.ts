/** Why a database can't be used. */
import * as Data from "effect/Data"

/** A later release wrote the database, or it was changed by hand. The message has the difference and the remedy. */
export class UnusableSchema extends Data.TaggedError("UnusableSchema")<{ readonly message: string }> {}

/** The address can't be used. The message is a clause with the fault and the remedy, without secrets. */
export class UnusableUrl extends Data.TaggedError("UnusableUrl")<{ readonly message: string }> {}
