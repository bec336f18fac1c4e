/**
 * A host that can't be put together as it was asked to.
 */
import * as Schema from "effect/Schema"

/** The message says what to change. */
export class SetupError extends Schema.TaggedError<SetupError>("@crossdock/host/SetupError")("SetupError", {
  message: Schema.String
}) {}
