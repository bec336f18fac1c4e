/**
 * Why a database can't be used by this release.
 */
import * as Data from "effect/Data"

/**
 * The database was written by a later release, or its schema was changed by hand. The message is one sentence for the
 * operator: what differs, and what to do.
 */
export class UnusableSchema extends Data.TaggedError("UnusableSchema")<{ readonly message: string }> {}
