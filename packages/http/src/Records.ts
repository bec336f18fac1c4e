/**
 * The one judgement of a bulk's envelope, and the shapes of its outcome.
 */

import type { Bulk } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Body } from "./Body.ts"
import { Failure, validationFailed } from "./Failure.ts"
import * as Fields from "./Fields.ts"

const reject = (code: string, message: string) => new Failure({ status: 400, code, message })

/**
 * The list of a bulk: an array, not empty, not over its limit; else nothing is done at all (contract, Bulk writes). `path`
 * is where in the body it stands.
 */
export const envelope = (
  body: Pick<Body, "json"> | undefined,
  limit: number,
  path = ""
): Effect.Effect<ReadonlyArray<unknown>, Failure> => {
  if (body === undefined)
    return Effect.fail(reject("EMPTY_REQUEST", "The body is empty; it must be an array of records"))
  if (!Array.isArray(body.json)) {
    return Effect.fail(validationFailed([{ path, code: "INVALID_TYPE", message: "must be an array of records" }]))
  }
  if (body.json.length === 0) return Effect.fail(reject("EMPTY_REQUEST", "The request has no records"))
  return body.json.length > limit
    ? Effect.fail(reject("TOO_MANY_RECORDS", `A request takes ${limit} records; this one has ${body.json.length}`))
    : Effect.succeed(body.json)
}

/**
 * Each record by itself. `root` is where in the body their list stands.
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
 * The entries of `errors`: each with its record's own keys as they were sent.
 */
export const failures = (summary: Bulk.Summary, records: ReadonlyArray<unknown>, keys: ReadonlyArray<string>) =>
  summary.failures.map(({ code, details, index, message, path }) => {
    const record = records[index]
    const own = keys.filter((key) => typeof record === "object" && record !== null && Object.hasOwn(record, key))
    return {
      index,
      code,
      message,
      ...(path === undefined ? {} : { path }),
      ...details,
      ...Object.fromEntries(own.map((key) => [key, (record as Readonly<Record<string, unknown>>)[key]]))
    }
  })
