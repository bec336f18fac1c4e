/** The failures of any storage. */
import * as Schema from "effect/Schema"

/**
 * The storage behind a port failed or was busy for too long. `cause` is for logs and is never sent to a caller.
 * `isContended`: it gave way to another writer, so the whole transaction can be retried. `isTooLarge`: a value exceeds its
 * limit, so the same write never succeeds.
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

/** Another writer changed the rows between the read and the write. Nothing was written; start over from the read. */
export class StaleWrite extends Schema.TaggedError<StaleWrite>("@crossdock/kernel/StaleWrite")("StaleWrite", {
  operation: Schema.String
}) {
  override get message() {
    return `${this.operation} wrote nothing, because another writer changed its rows since they were read`
  }
}
