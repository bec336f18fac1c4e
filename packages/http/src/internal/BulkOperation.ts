/** A bulk: its contract, texts, decoder and answer from one declaration. Source: docs/reference/bulk.md. */
import type { Caller, Integration } from "@crossdock/access"
import { type Bulk, type Ids, Metrics, pointer, type Stored, Text } from "@crossdock/kernel"
import { rejectionCodes } from "@crossdock/shipments"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  type AnswerCode,
  Failure,
  fieldCodes,
  recordCodes,
  sentence,
  validationFailed,
  writeErrors
} from "../Failure.ts"
import { Limits } from "../Limits.ts"
import type { Reply, WriteRequest } from "../Reply.ts"
import { RequestFacts } from "../RequestContext.ts"
import type { Body, Payload } from "./Body.ts"
import * as Decode from "./Decode.ts"
import * as Fields from "./Fields.ts"
import { field, iso, nested, optionalField } from "./Fields.ts"
import { codes } from "./OpenApiDocument.ts"

type Path = ReadonlyArray<PropertyKey>

const reject = (code: AnswerCode, message: string) => Effect.fail(new Failure({ code, message }))

/** The records of a body, 1 to `limit`, or the request fails. Source: docs/reference/bulk.md#envelope. */
export const recordsIn = (
  body: Pick<Body, "json"> | undefined,
  limit: number,
  root: Path = []
): Effect.Effect<ReadonlyArray<unknown>, Failure> => {
  if (body === undefined) return reject("EMPTY_REQUEST", "The body is empty. Send an array of records.")
  const { json } = body
  if (json === undefined)
    return Effect.fail(validationFailed([{ path: pointer(root), code: "REQUIRED", message: "is required" }]))
  if (!Array.isArray(json)) {
    const wrapper = Decode.wrapperOf(json, Decode.isRecords)
    const remedy = wrapper === undefined ? "an array for a single record too: [{…}]" : `the array in "${wrapper}" alone`
    const message = `must be an array of records; this is ${Text.jsonKind(json)}. Send ${remedy}`
    return Effect.fail(validationFailed([{ path: pointer(root), code: "INVALID_TYPE", message }]))
  }
  if (json.length === 0) return reject("EMPTY_REQUEST", "The list of records is empty. Send at least one record.")
  const tooMany = `The request has ${json.length} records; at most ${limit} are allowed. Split it into smaller requests.`
  return json.length <= limit ? Effect.succeed(json) : reject("TOO_MANY_RECORDS", tooMany)
}

/** A list of records: its schema in a contract, and its reader. The records are decoded one by one. */
export const recordList = <T>(record: Schema.Codec<T, unknown>, limit: number) => ({
  payload: Schema.Array(record).check(Schema.isMaxLength(limit)),
  limit,
  read: (body: Pick<Body, "json"> | undefined, root?: Path) => recordsIn(body, limit, root)
})

/** How much of a bulk was applied. Source: docs/reference/bulk.md#outcome. */
export const BulkStatus = Schema.Literals(["SUCCESS", "PARTIAL_SUCCESS", "FAILED"]).annotate({
  identifier: "BulkStatus",
  description: "SUCCESS when every record was applied, PARTIAL_SUCCESS when some were, FAILED when none was"
})

/** The fields of an entry of `errors`, with the codes of these operations. Source: docs/reference/bulk.md#entries. */
export const entry = (operations: RegExp, ...more: ReadonlyArray<string>) => ({
  index: field(Fields.count(), "Index of the record in the request, from 0"),
  code: field(
    Fields.code([
      ...Object.entries(recordCodes).flatMap(([code, text]) => (operations.test(text.operations) ? [code] : [])),
      ...more
    ]),
    "The fault, as a code that never changes"
  ),
  message: field(Schema.String, "The fault in words; may change"),
  path: optionalField(Schema.String, "JSON Pointer to the fault in the request, such as /1/quantity")
})

/** A key of the record, as it was sent. It may be of any type, since a wrong key may be the entry's fault. */
export const sent = (key: string) => optionalField(Fields.json, `The record's ${key} as sent`)

const FailedRecord = Schema.Struct({
  ...entry(/^all$|price|inventory/),
  sku: sent("sku"),
  location_id: sent("location_id"),
  current_quantity: optionalField(Fields.count(), "With STALE_QUANTITY: the stock on hand")
}).annotate({ identifier: "FailedRecord", description: "A rejected record of a price or stock update" })

const { lock: _, ...moveCodes } = rejectionCodes

const FailedMove = Schema.Struct({
  ...entry(/^all$|shipment|awb/, ...Object.values(moveCodes).flatMap((own) => Object.values(own))),
  orderId: sent("orderId"),
  order_id: sent("order_id"),
  current: optionalField(Fields.status, "The shipment's operational status"),
  allowed: optionalField(Schema.Array(Schema.String), "The moves that the caller can make now"),
  steps: optionalField(
    Schema.Array(Schema.String),
    "The shortest sequence of moves that ends with the requested move, if any"
  ),
  target: optionalField(Schema.String, "Only for the status operation: the requested status"),
  reason: optionalField(
    Schema.Literal("INVALID_TRANSITION"),
    "Only for the status operation: the current status doesn't lead to the requested status"
  )
}).annotate({ identifier: "FailedMove", description: "A rejected record of a shipment operation" })

const counts = <S extends Schema.Constraint>(failed: S, limit: number) =>
  nested("The outcome of the records", {
    payload_count: field(Fields.count(limit), "Records in the request"),
    success_count: field(Fields.count(limit), "Applied records"),
    failed_count: field(Fields.count(limit), "Rejected records"),
    errors: field(Schema.Array(failed), "The rejected records, in the order of the request")
  })

const countsOf = <A>({ failures, succeeded, total }: Bulk.Summary, errors: ReadonlyArray<A>) => ({
  payload_count: total,
  success_count: succeeded,
  failed_count: failures.length,
  errors
})

const lookFirst = (at: string) => `Look at ${at} first: the answer is 200 even if records were rejected.`

interface Outcome<C> {
  readonly summary: Bulk.Summary
  readonly errors: ReturnType<typeof entriesOf>
  readonly caller: C
  readonly ids: typeof Ids.Ids.Service
}

/** The answer of a bulk: its schema, and the function that makes it from an outcome. */
export interface BulkAnswer<C, S extends Schema.Top> {
  readonly schema: S
  readonly answer: (outcome: Outcome<C>) => Effect.Effect<object>
}

export const Meta = Schema.Struct({
  ack_id: field(Schema.String, "Id of this answer, 24 hex characters"),
  integrationId: field(Schema.String, "Id of the calling integration"),
  time: field(Fields.time, "Time of the answer, ISO 8601 in UTC"),
  status: field(BulkStatus, "Outcome of the whole request")
}).annotate({ identifier: "Meta", description: "About an answer" })

export const metaOf = (ids: typeof Ids.Ids.Service, { principal }: Caller<Integration>, status: Bulk.Status) =>
  Effect.zipWith(ids.hex, Clock.currentTimeMillis, (ack_id, now) => ({
    ack_id,
    integrationId: principal.integrationId,
    time: iso(now),
    status
  }))

/** The result of a price or stock update. Source: docs/reference/bulk.md#bulk-result. */
export const BulkResult = Schema.Struct({
  data: counts(FailedRecord, Limits.bulkRecords),
  meta: field(Meta, "About this answer")
}).annotate({
  identifier: "BulkResult",
  description: `${lookFirst("data.failed_count")} The outcome of a price or stock update`
})

export const bulkResult = {
  schema: BulkResult,
  answer: ({ caller, errors, ids, summary }: Outcome<Caller<Integration>>) =>
    Effect.map(metaOf(ids, caller, summary.status), (meta) => ({ data: countsOf(summary, errors), meta }))
}

/** A result whose counts are beside its errors. */
const plainResult = <S extends Schema.Constraint>(failed: S, limit: number, identifier: string, what: string) => ({
  schema: Schema.Struct({
    payloadCount: field(Fields.count(limit), "Records in the request"),
    successCount: field(Fields.count(limit), "Applied records"),
    failedCount: field(Fields.count(limit), "Rejected records"),
    status: field(BulkStatus, "Outcome of the whole request"),
    errors: field(Schema.Array(failed), "The rejected records, in the order of the request")
  }).annotate({ identifier, description: `${lookFirst("failedCount")} The outcome of ${what}` }),
  answer: ({ errors, summary: { failures, status, succeeded, total } }: Outcome<Caller>) =>
    Effect.succeed({ payloadCount: total, successCount: succeeded, failedCount: failures.length, status, errors })
})

/** The result of cancel, confirm, invoiceUpdate, pack, dispatch and return. Source: docs/reference/bulk.md#moves. */
export const movesResult = plainResult(FailedMove, Limits.shipmentRecords, "MovesResult", "a shipment operation")

const FailedSeller = Schema.Struct({
  ...entry(/^all$/, ...Object.keys(fieldCodes)),
  id: sent("id"),
  username: sent("username")
}).annotate({ identifier: "FailedSeller", description: "A rejected seller" })

export const sellersResult = plainResult(FailedSeller, Limits.sellerRecords, "SellersResult", "a bulk of sellers")

/** The result of awb and status. Source: docs/reference/bulk.md#envelope-result. */
export const envelopeResult = {
  schema: Schema.Struct({
    data: counts(FailedMove, Limits.shipmentRecords),
    meta: nested("About this answer", {
      trace_id: field(Schema.String, "Id of this answer: 16 hex characters, a hyphen, epoch milliseconds"),
      time: field(Fields.time, "Time of the answer, ISO 8601 in UTC"),
      status: field(BulkStatus, "Outcome of the whole request")
    })
  }).annotate({
    identifier: "EnvelopeResult",
    description: `${lookFirst("data.failed_count")} The outcome of an awb or status operation`
  }),
  answer: ({ errors, ids, summary }: Outcome<Caller>) =>
    Effect.zipWith(Clock.currentTimeMillis, ids.hex, (now, hex) => ({
      data: countsOf(summary, errors),
      meta: { trace_id: `${hex.slice(8)}-${now}`, time: iso(now), status: summary.status }
    }))
}

const counted = ({ failures }: Bulk.Summary) =>
  Effect.withFiber((fiber) => {
    const route = fiber.getRef(RequestFacts).route?.path ?? "none"
    for (const { code } of failures) Metrics.rejectedRecords.at({ route, code }).updateUnsafe(1, fiber.context)
    return Effect.void
  })

const unknownShipment: ReadonlySet<string> = new Set(Object.values(moveCodes).map(({ notFound }) => notFound))

/** Where a seller finds the ids of shipments. */
export const listOfShipments = " GET /oms/v3/shipment/info?orderStatus=CREATED, or a later status, lists them."

/** The entries of `errors`, each with the keys of its record as they were sent. */
const entriesOf = (
  { principal }: Caller,
  summary: Bulk.Summary,
  records: ReadonlyArray<unknown>,
  keys: ReadonlyArray<string>
) =>
  summary.failures.map(({ code, details, index, message, path }) => {
    const isUnknownShipment = unknownShipment.has(code) && path?.endsWith("/orderId")
    const list = isUnknownShipment && principal.kind === "integration" ? listOfShipments : ""
    const record = records[index]
    const sent = typeof record === "object" && record !== null ? (record as Readonly<Record<string, unknown>>) : {}
    // A number that lost digits, such as an id that should be text, is omitted, because it would be a different number.
    const own = keys.filter((key) => Object.hasOwn(sent, key) && sent[key] !== Number.POSITIVE_INFINITY)
    return {
      index,
      code,
      message: `${sentence(message)}${list}`,
      ...(path === undefined ? {} : { path }),
      ...details,
      ...Object.fromEntries(own.map((key) => [key, sent[key]]))
    }
  })

/** The records of a bulk as they were sent, and the commands that they decode to. */
export interface Listed<A> {
  readonly records: ReadonlyArray<unknown>
  readonly decoded: ReadonlyArray<Result.Result<A, Bulk.Rejection>>
}

interface Declaration<T, A, G, C, B extends Schema.Top> {
  readonly record: Schema.Codec<T, unknown>
  /** The maximum of records in a request. */
  readonly limit: number
  /** The keys of a record that an entry of `errors` shows. */
  readonly keys: ReadonlyArray<string>
  readonly result: BulkAnswer<C, B>
  /** The command of a record. `place` is its JSON Pointer; `given` has the request's settings for all records. */
  readonly to: (record: T, place: string, given?: G) => A
  /** Changes the rejection of a record that its schema rejects. */
  readonly worded?: (rejection: Bulk.Rejection) => Bulk.Rejection
}

export interface Services<C extends Caller, R> {
  readonly caller: Effect.Effect<C, never, R>
  readonly ids: typeof Ids.Ids.Service
  readonly reply: typeof Reply.Service
  readonly prepare?: WriteRequest["prepare"]
}

/** The codes of every bulk in the OpenAPI document. */
export const bulkCodes = codes("EMPTY_REQUEST", "TOO_MANY_RECORDS")

/** Declares a bulk. */
export const bulk = <T, A, C extends Caller, B extends Schema.Top, G = never>(declared: Declaration<T, A, G, C, B>) => {
  const { keys, limit, record, result, to, worded = (rejection) => rejection } = declared
  const list = recordList(record, limit)
  const decode = Decode.record(record)

  /** Reads the array at `root` in the body, and decodes each record separately. */
  const read = (body: Pick<Body, "json"> | undefined, given?: G, root: Path = []): Effect.Effect<Listed<A>, Failure> =>
    Effect.map(list.read(body, root), (records) => {
      const base = root.map((key) => `/${String(key)}`).join("")
      const decoded = records.map((one, index) =>
        Result.mapBoth(decode(one, [...root, index]), {
          onFailure: worded,
          onSuccess: (found) => to(found, `${base}/${index}`, given)
        })
      )
      return { records, decoded }
    })

  return {
    read,
    /** The payload, the answer and the errors of the operation. */
    contract: { payload: list.payload, success: result.schema, error: writeErrors },
    /** The handler: `run` carries out the records' commands. */
    handler: <D extends C, R>(
      { caller, ids, prepare, reply }: Services<D, R>,
      run: (caller: D, records: Listed<A>["decoded"]) => Stored<Bulk.Summary>,
      payload: Payload<Listed<A>> = read
    ) => {
      const handled = Effect.flatMap(caller, (caller) =>
        reply.write({ caller, ...(prepare && { prepare }) }, (body) =>
          Effect.flatMap(payload(body), ({ decoded, records }) =>
            Effect.flatMap(run(caller, decoded), (summary) =>
              Effect.flatMap(Effect.as(counted(summary), entriesOf(caller, summary, records, keys)), (errors) =>
                result.answer({ summary, errors, caller, ids })
              )
            )
          )
        )
      )
      return () => handled
    }
  }
}
