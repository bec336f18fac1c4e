/**
 * Reads the list of a bulk request, and lists its failed records in the answer.
 */

import type { Bulk } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { AnswerCode } from "../ErrorCodes.ts"
import { Failure, validationFailed } from "../Failure.ts"
import type { Body } from "./Body.ts"
import * as Fields from "./Fields.ts"
import { sentence } from "./Sentence.ts"

const reject = (code: AnswerCode, message: string) => new Failure({ code, message })

/**
 * The records of a bulk: an array that is not empty and has at most `limit` records. Otherwise the whole request fails and
 * changes nothing. `path` is the array's place in the body. Source: docs/reference/bulk.md#envelope.
 */
export const envelope = (
  body: Pick<Body, "json"> | undefined,
  limit: number,
  path = ""
): Effect.Effect<ReadonlyArray<unknown>, Failure> => {
  if (body === undefined) return Effect.fail(reject("EMPTY_REQUEST", "The body is empty. Send an array of records."))
  if (body.json === undefined) {
    return Effect.fail(validationFailed([{ path, code: "REQUIRED", message: "is required" }]))
  }
  if (!Array.isArray(body.json)) {
    return Effect.fail(validationFailed([{ path, code: "INVALID_TYPE", message: "must be an array of records" }]))
  }
  if (body.json.length === 0)
    return Effect.fail(reject("EMPTY_REQUEST", "The list of records is empty. Send at least one record."))
  return body.json.length > limit
    ? Effect.fail(
        reject(
          "TOO_MANY_RECORDS",
          `The request has ${body.json.length} records; at most ${limit} are allowed. Split it into smaller requests.`
        )
      )
    : Effect.succeed(body.json)
}

/**
 * Decodes each record separately. `root` is the array's path in the body.
 */
export const decodeEach = <A>(
  records: ReadonlyArray<unknown>,
  decode: (value: unknown, root: ReadonlyArray<PropertyKey>) => Result.Result<A, Bulk.Rejection>,
  root: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<Result.Result<A, Bulk.Rejection>> => records.map((record, index) => decode(record, [...root, index]))

export const FailedRecord = Schema.StructWithRest(
  Schema.Struct({
    index: Schema.Int,
    code: Schema.String,
    message: Schema.String,
    path: Schema.optionalKey(Schema.String)
  }),
  [Fields.object]
).annotate({ identifier: "FailedRecord" })

/**
 * The entries of `errors`, each with the keys of its record as they were sent. Source: docs/reference/bulk.md#entries.
 */
export const failures = (summary: Bulk.Summary, records: ReadonlyArray<unknown>, keys: ReadonlyArray<string>) =>
  summary.failures.map(({ code, details, index, message, path }) => {
    const record = records[index]
    const sent = typeof record === "object" && record !== null ? (record as Readonly<Record<string, unknown>>) : {}
    // A number that lost digits, such as an id that should be text, is not shown: it would be another one.
    const own = keys.filter((key) => Object.hasOwn(sent, key) && sent[key] !== Number.POSITIVE_INFINITY)
    return {
      index,
      code,
      message: sentence(message),
      ...(path === undefined ? {} : { path }),
      ...details,
      ...Object.fromEntries(own.map((key) => [key, sent[key]]))
    }
  })
