/** The failures of any storage. */
import * as Schema from "effect/Schema"

/**
 * The storage behind a port failed or stayed busy too long. `cause` is for logs and is never sent to a caller.
 * `isContended` means that it gave way to another writer, so that the whole transaction can be tried again. `isTooLarge` means
 * that a value was longer than it takes, so that the same write never succeeds.
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
