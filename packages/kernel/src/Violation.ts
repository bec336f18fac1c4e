/**
 * What is wrong with an input, and where.
 */
import * as Schema from "effect/Schema"

/**
 * `path` is a JSON Pointer into the request (RFC 6901); `code` is UPPER_SNAKE_CASE and never changes; `message` is for a
 * person; `suggestion` is the value that was probably meant, where a fix is mechanical. Source: contract, Errors.
 */
export const Violation = Schema.Struct({
  path: Schema.String,
  code: Schema.String,
  message: Schema.String,
  suggestion: Schema.optionalKey(Schema.String)
})

export type Violation = typeof Violation.Type

/**
 * The JSON Pointer of a place given by its keys and indexes.
 */
export const pointer = (segments: ReadonlyArray<PropertyKey>): string =>
  segments.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
