import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * The storage failed or was busy for too long. `cause` is for logs only. If `isContended`, the whole transaction can be
 * retried. If `isTooLarge`, a value exceeds its limit and a retry never succeeds.
 */
export class StorageError extends Schema.TaggedError<StorageError>("@crossdock/kernel/StorageError")("StorageError", {
  operation: Schema.String,
  cause: Schema.Defect(),
  isContended: Schema.optionalKey(Schema.Boolean),
  isTooLarge: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return `Storage failed during ${this.operation}`
  }
}

/** Another writer changed the rows after they were read, and nothing was written. Read them again and repeat the write. */
export class StaleWrite extends Schema.TaggedError<StaleWrite>("@crossdock/kernel/StaleWrite")("StaleWrite", {
  operation: Schema.String
}) {
  override get message() {
    return `${this.operation} wrote nothing, because another writer changed its rows since they were read`
  }
}

/** Work of a storage that returns `A`. It may fail with `StorageError`, as all work of a storage may, or with `E`. */
export type Stored<A, E = never, R = never> = Effect.Effect<A, E | StorageError, R>
