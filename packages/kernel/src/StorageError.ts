/**
 * How storage fails, whatever it is made of.
 */
import * as Schema from "effect/Schema"

/**
 * The storage behind a port failed or stayed busy too long. `cause` is for logs only and never reaches a caller.
 * `isContended`: it gave way to another writer, so the whole unit may be tried again.
 */
export class StorageError extends Schema.TaggedError<StorageError>("@crossdock/kernel/StorageError")("StorageError", {
  operation: Schema.String,
  cause: Schema.Defect(),
  isContended: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return `Storage failed during ${this.operation}`
  }
}

/**
 * Somebody else changed what was read before it was written. Nothing was written; read again and decide again.
 */
export class StaleWrite extends Schema.TaggedError<StaleWrite>("@crossdock/kernel/StaleWrite")("StaleWrite", {
  operation: Schema.String
}) {
  override get message() {
    return `What ${this.operation} had read was changed meanwhile`
  }
}
