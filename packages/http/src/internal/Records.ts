/**
 * Reads the list of a bulk request, and lists its failed records in the answer.
 */

import type { Caller } from "@crossdock/access"
import { productCodes } from "@crossdock/catalog"
import { type Bulk, Metrics, pointer, type StorageError, Text } from "@crossdock/kernel"
import { operationalStatuses } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type AnswerCode, fieldCodes, recordCodes, shipmentCodes } from "../ErrorCodes.ts"
import { Failure, FieldFault, validationFailed } from "../Failure.ts"
import type { Reply } from "../Reply.ts"
import type { Body } from "./Body.ts"
import * as Fields from "./Fields.ts"
import { described } from "./Fields.ts"
import { RequestFacts } from "./RequestFacts.ts"
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
    const message = `must be an array of records; this is ${Text.jsonKind(body.json)}. Send an array for a single record too: [{…}]`
    return Effect.fail(validationFailed([{ path, code: "INVALID_TYPE", message }]))
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
 * Decodes one record, which is at `root` in the body.
 */
export type Decoder<A> = (value: unknown, root: ReadonlyArray<PropertyKey>) => Result.Result<A, Bulk.Rejection>

/**
 * The records of a bulk as they were sent, and each of them decoded.
 */
export interface Listed<A> {
  readonly records: ReadonlyArray<unknown>
  readonly decoded: ReadonlyArray<Result.Result<A, Bulk.Rejection>>
}

/**
 * Reads a bulk whose array is at `root` in the body, and decodes each record separately.
 */
export const listed =
  <A>(decode: Decoder<A>, limit: number, root: ReadonlyArray<PropertyKey> = []) =>
  (body: Pick<Body, "json"> | undefined): Effect.Effect<Listed<A>, Failure> =>
    Effect.map(envelope(body, limit, pointer(root)), (records) => ({
      records,
      decoded: records.map((record, index) => decode(record, [...root, index]))
    }))

/**
 * Source: docs/reference/bulk.md#outcome.
 */
export const BulkStatus = Schema.Literals(["SUCCESS", "PARTIAL_SUCCESS", "FAILED"]).annotate({
  identifier: "BulkStatus",
  description: "SUCCESS when every record was applied, PARTIAL_SUCCESS when some were, FAILED when none was"
})

const entry = (codes: ReadonlyArray<string>) => ({
  index: described(Fields.count(), "Place of the record in the request, from 0"),
  code: described(Fields.code(codes), "What is wrong; never changes"),
  message: described(Schema.String, "What is wrong, for a person; may change"),
  path: described(
    Schema.optionalKey(Schema.String),
    "JSON Pointer to the fault in the whole request, such as /1/quantity"
  )
})

/** The codes of records of every operation whose name matches. */
const recordCodesOf = (operations: RegExp): ReadonlyArray<string> =>
  Object.entries(recordCodes)
    .filter(([, text]) => operations.test(text.operations))
    .map(([code]) => code)

/** A key of the record, as it was sent. It may be of any type: a wrong one is what the entry is about. */
const sent = (key: string) => described(Schema.optionalKey(Fields.json), `The record's ${key}, as it was sent`)

/**
 * An entry of the errors of a price or stock update. Source: docs/reference/bulk.md#entries.
 */
export const FailedRecord = Schema.Struct({
  ...entry(recordCodesOf(/^all$|price|inventory/)),
  sku: sent("sku"),
  location_id: sent("location_id"),
  current_quantity: described(Schema.optionalKey(Fields.count()), "With STALE_QUANTITY: the stock on hand")
}).annotate({ identifier: "FailedRecord", description: "A rejected record of a price or stock update" })

/**
 * An entry of the errors of a shipment operation. Source: docs/reference/bulk.md#entries.
 */
export const FailedMove = Schema.Struct({
  ...entry([...recordCodesOf(/^all$|shipment|awb/), ...Object.values(shipmentCodes).flatMap(Object.keys)]),
  orderId: sent("orderId"),
  order_id: sent("order_id"),
  current: described(Schema.optionalKey(Schema.Literals(operationalStatuses)), "The shipment's operational status"),
  allowed: described(Schema.optionalKey(Schema.Array(Schema.String)), "What the caller may do with the shipment now"),
  steps: described(
    Schema.optionalKey(Schema.Array(Schema.String)),
    "The shortest way to what was asked, when there is one"
  ),
  target: described(Schema.optionalKey(Schema.String), "Of the status operation: the status that was asked for"),
  reason: described(
    Schema.optionalKey(Schema.Literal("INVALID_TRANSITION")),
    "Of the status operation: the present status does not lead to the one that was asked for"
  )
}).annotate({ identifier: "FailedMove", description: "A rejected record of a shipment operation" })

/**
 * An entry of the errors of a catalog write. Source: docs/reference/catalog.md#data-faults.
 */
export const FailedProduct = Schema.Struct({
  ...entry([...recordCodesOf(/^all$/), ...Object.keys(productCodes), ...Object.keys(fieldCodes)]),
  item_code: sent("item_code"),
  suggestion: described(Schema.optionalKey(Schema.String), "The value that was probably meant"),
  errors: described(Schema.optionalKey(Schema.Array(FieldFault)), "All faults of the product, when it has several")
}).annotate({ identifier: "FailedProduct", description: "A rejected product of a catalog write" })

/**
 * The outcome of the records of a bulk, with the rejected ones. Source: docs/reference/bulk.md#bulk-result.
 */
export const counts = <S extends Schema.Constraint>(failed: S, most: number) =>
  Schema.Struct({
    payload_count: described(Fields.count(most), "Records in the request"),
    success_count: described(Fields.count(most), "Records that were applied"),
    failed_count: described(Fields.count(most), "Records that were rejected; errors has each of them"),
    errors: described(Schema.Array(failed), "The rejected records, in the order of the request")
  })

export const countsOf = <A>({ failures, succeeded, total }: Bulk.Summary, errors: ReadonlyArray<A>) => ({
  payload_count: total,
  success_count: succeeded,
  failed_count: failures.length,
  errors
})

/**
 * Counts the rejected records of the request's route, by code.
 */
const counted = ({ failures }: Bulk.Summary) =>
  Effect.withFiber((fiber) => {
    const { route = "none" } = fiber.getRef(RequestFacts)
    for (const { code } of failures) Metrics.rejectedRecords.at({ route, code }).updateUnsafe(1, fiber.context)
    return Effect.void
  })

const entriesOf = (summary: Bulk.Summary, records: ReadonlyArray<unknown>, keys: ReadonlyArray<string>) =>
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

/**
 * The entries of `errors`, each with the keys of its record as they were sent; counted for the operator. Source:
 * docs/reference/bulk.md#entries.
 */
const failures = (summary: Bulk.Summary, records: ReadonlyArray<unknown>, keys: ReadonlyArray<string>) =>
  Effect.as(counted(summary), entriesOf(summary, records, keys))

/**
 * What a bulk answers, from its summary and the entries of its errors.
 */
export type Shape<A, C> = (summary: Bulk.Summary, errors: ReturnType<typeof entriesOf>, caller: C) => Effect.Effect<A>

/**
 * Answers a bulk: `update` gets its records, decoded one by one. The errors show the `keys` of their records.
 */
export const bulk =
  <C extends Caller, R>(reply: typeof Reply.Service, caller: Effect.Effect<C, never, R>, keys: ReadonlyArray<string>) =>
  <A, B extends object>(
    read: (body: Body | undefined) => Effect.Effect<Listed<A>, Failure>,
    update: (caller: C, records: Listed<A>["decoded"]) => Effect.Effect<Bulk.Summary, StorageError>,
    shape: Shape<B, C>
  ) =>
    Effect.flatMap(caller, (caller) =>
      reply.write({ caller }, (body) =>
        Effect.flatMap(read(body), ({ decoded, records }) =>
          Effect.flatMap(update(caller, decoded), (summary) =>
            Effect.flatMap(failures(summary, records, keys), (errors) => shape(summary, errors, caller))
          )
        )
      )
    )
