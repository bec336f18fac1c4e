import * as Schema from "effect/Schema"

/**
 * The storage failed or was busy for too long. `cause` is for logs, never for a caller. `isContended`: it gave way to another
 * writer, so the whole transaction can be retried. `isTooLarge`: a value exceeds its limit, so a retry never succeeds.
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

/** Another writer changed the rows between read and write. Nothing was written; start over from the read. */
export class StaleWrite extends Schema.TaggedError<StaleWrite>("@crossdock/kernel/StaleWrite")("StaleWrite", {
  operation: Schema.String
}) {
  override get message() {
    return `${this.operation} wrote nothing, because another writer changed its rows since they were read`
  }
}
