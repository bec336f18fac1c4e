import * as Schema from "effect/Schema"

/** A fault of an input. `path` is a JSON Pointer (RFC 6901) into the request. Source: docs/reference/errors.md#body. */
export const Violation = Schema.Struct({
  path: Schema.String.annotateKey({ description: "JSON Pointer to the place in the request" }),
  code: Schema.String.annotateKey({ description: "What is wrong, in UPPER_SNAKE_CASE; never changes" }),
  message: Schema.String.annotateKey({ description: "The fault in words; may change" }),
  suggestion: Schema.optionalKey(Schema.String).annotateKey({ description: "The value that was probably meant" })
}).annotate({ identifier: "Violation", description: "A fault of a part of the request" })

export type Violation = typeof Violation.Type

/**
 * The JSON Pointer made of these keys and indexes.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { pointer } from "@crossdock/kernel"
 *
 * strictEqual(pointer([0, "a/b"]), "/0/a~1b")
 * ```
 */
export const pointer = (segments: ReadonlyArray<PropertyKey>): string =>
  segments.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
