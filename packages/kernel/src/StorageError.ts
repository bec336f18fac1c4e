import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * The storage failed or was busy for too long. `cause` is for logs, never for a caller. If `isContended`, the transaction was
 * ended in favor of another writer and can be retried as a whole. If `isTooLarge`, a value exceeds its limit and a retry never
 * succeeds.
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

/**
 * Another writer changed the rows between this writer's read and write. Nothing was written. Read the rows again and repeat the
 * write.
 */
export class StaleWrite extends Schema.TaggedError<StaleWrite>("@crossdock/kernel/StaleWrite")("StaleWrite", {
  operation: Schema.String
}) {
  override get message() {
    return `${this.operation} wrote nothing, because another writer changed its rows since they were read`
  }
}

/** Work of a storage that returns `A`. It may fail with `StorageError`, as all work of a storage may, or with `E`. */
export type Stored<A, E = never> = Effect.Effect<A, E | StorageError>
