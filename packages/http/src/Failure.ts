/** The error body, and the table that turns domain errors into answers. */
import type {
  CredentialsInvalid,
  Forbidden,
  TokenExpired,
  TokenInvalid,
  TokenMissing,
  TooManyAttempts,
  UnknownLocation
} from "@crossdock/access"
import type { BillingNotFound, BillingRejected, OtherCurrency } from "@crossdock/billing"
import { type CatalogWrites, productErrorCodes } from "@crossdock/catalog"
import type { DocumentFailure } from "@crossdock/documents"
import { type Idempotency, type StorageError, Violation } from "@crossdock/kernel"
import type { OrderNotFound, OrderRejected } from "@crossdock/orders"
import type { OperationFamily, RejectionCode } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import codes from "./errorCodes.json" with { type: "json" }
import * as Field from "./internal/Fields.ts"
import { field, optionalField } from "./internal/Fields.ts"
import { Limits } from "./Limits.ts"

/** The cause of a code and the caller's remedy. `see` links to its section in docs/reference. */
export interface CodeText {
  readonly cause: string
  readonly fix: string
  readonly see?: string
}

/** `operations` are those in which a record can have the code. */
interface Table {
  readonly answers: Readonly<Record<keyof typeof codes.answers, CodeText & { readonly status: number }>>
  readonly fields: Readonly<Record<keyof typeof codes.fields, CodeText>>
  readonly records: Readonly<Record<keyof typeof codes.records, CodeText & { readonly operations: string }>>
}

/** The texts of codes. A limit's name in braces, such as `{nesting}`, is replaced by the limit. */
const { answers, fields, records }: Table = JSON.parse(
  JSON.stringify(codes).replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof Limits) => String(Limits[name]))
)

/** The codes of answers with a status outside 2xx, each with one status. Source: docs/reference/errors.md#codes. */
export const answerCodes = answers

/** The code of an answer with a status outside 2xx. */
export type AnswerCode = keyof typeof answerCodes

/** The codes of faults in requests accepted or rejected as a whole. Source: docs/reference/errors.md#field-codes. */
export const fieldCodes = fields

/** The codes of rejected records, except those in `shipmentCodes`. Source: docs/reference/errors.md#record-codes. */
export const recordCodes = records

/** The codes of each operation on shipments. Source: docs/reference/errors.md#shipment-codes. */
export const shipmentCodes: {
  readonly [F in Exclude<OperationFamily, "lock">]: { readonly [C in RejectionCode<F>]: CodeText }
} = codes.shipments

/** A fault in a part of a request, with its possible codes. */
export const FieldFault = Schema.Struct({
  ...Violation.fields,
  code: field(
    Field.code([fieldCodes, productErrorCodes, shipmentCodes.labels, shipmentCodes.invoice].flatMap(Object.keys)),
    "The fault, as a code that never changes"
  )
}).annotate({ identifier: "Violation", description: "A fault in a part of the request" })

/** The body of every answer with a status outside 2xx. Source: docs/reference/errors.md#body. */
export const ErrorBody = Schema.Struct({
  message: field(Schema.String, "The fault in words; may change"),
  code: field(Schema.String, "The fault, in UPPER_SNAKE_CASE; never changes. Each answer lists its codes"),
  request_id: field(Schema.String, "Id of the request, as in x-request-id and in the host's log"),
  docs: optionalField(Schema.String, "Where the code is explained"),
  errors: optionalField(Schema.Array(FieldFault), `The faults of parts of the request, at most ${Limits.errorEntries}`)
}).annotate({ identifier: "Error", description: "Every answer outside 2xx but redirects" })

interface Fields {
  readonly code: AnswerCode
  /** The status, for a code that isn't in `answerCodes`: of a newer host, in a client, or of a hook's veto. */
  readonly status?: number
  readonly message: string
  readonly errors?: ReadonlyArray<Violation> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** An answer with a status outside 2xx. It isn't an `Error`, because capturing a stack would be slow. */
export class Failure extends Effectable.Class<never, Failure> {
  readonly _tag = "Failure"
  readonly status: number
  readonly code: AnswerCode
  readonly message: string
  readonly errors: ReadonlyArray<Violation> | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor({ code, errors, headers, message, status = answerCodes[code].status }: Fields) {
    super()
    this.status = status
    this.code = code
    this.message = message
    this.errors = errors?.slice(0, Limits.errorEntries)
    this.headers = headers
  }

  asEffect(): Effect.Effect<never, Failure> {
    return Effect.fail(this)
  }
}

/** The error body of a failure. With an empty `docsUrl` it has no `docs`. */
export const bodyOf = (
  { code, errors, message }: Pick<Failure, "code" | "message"> & Partial<Failure>,
  requestId: string,
  docsUrl: string
): typeof ErrorBody.Type => ({
  message,
  code,
  request_id: requestId,
  ...(docsUrl === "" ? {} : { docs: `${docsUrl}/errors#${code}` }),
  ...(errors === undefined ? {} : { errors })
})

/** Handlers fail with a `Failure` or a domain error; clients always get a `Failure`. */
const AnyFailure = Schema.declare((value): value is Failure | DomainError => value instanceof Failure)

/** Declares an error status for the OpenAPI document and the derived clients. */
export const failure = (status: number, description: string) =>
  ErrorBody.pipe(
    Schema.decodeTo(
      AnyFailure,
      SchemaTransformation.transform<Failure | DomainError, typeof ErrorBody.Type>({
        decode: ({ code, errors, message }) => new Failure({ status, code: code as AnswerCode, message, errors }),
        encode: (error) => bodyOf(failureOf(error), "", "")
      })
    )
  ).annotate({ httpApiStatus: status, description })

export const badRequest = failure(400, "The request is malformed, or a field is wrong or missing")
export const unauthorized = failure(401, "The token or the credentials are missing, wrong or expired")
export const forbidden = failure(403, "The token is valid but doesn't permit this")
export const notFound = failure(404, "There is no such resource")
export const conflict = failure(409, "The current state doesn't allow it")
export const tooLarge = failure(413, "The body is larger than this route accepts")
export const unsupportedMediaType = failure(
  415,
  "The body has a content type that this route does not take, or is compressed"
)
export const unprocessable = failure(422, "The Idempotency-Key was used before with another body")
export const tooManyRequests = failure(429, "Too many requests, or too many failed sign-ins")
const internal = failure(500, "An unexpected error of the service")
export const unavailable = failure(503, "The storage is unreachable or busy")

/** The errors of an endpoint that takes a body. */
export const bodyErrors = [badRequest, conflict, tooLarge, unsupportedMediaType] as const

/** The errors of a write that may have an Idempotency-Key. */
export const writeErrors = [...bodyErrors, unprocessable] as const

/** Declares the errors that every endpoint of an interface can answer. */
export class ErrorAnswers extends HttpApiMiddleware.Service<ErrorAnswers>()("@crossdock/http/ErrorAnswers", {
  error: internal
}) {}

/** A 400 `VALIDATION_FAILED` with all violations. The default message names the first one. */
export const validationFailed = (violations: ReadonlyArray<Violation>, message?: string) => {
  const errors = asSentences(violations)
  return new Failure({ code: "VALIDATION_FAILED", message: message ?? summaryOf(errors), errors })
}

export const asSentences = (violations: ReadonlyArray<Violation>): ReadonlyArray<Violation> =>
  violations.map((one) => ({ ...one, message: sentence(one.message) }))

const summaryOf = (errors: ReadonlyArray<Violation>): string => {
  const [first] = errors
  if (first === undefined) return "The request is not valid."
  const more = errors.length > 1 ? ` See errors for ${errors.length - 1} more.` : ""
  return `${first.path === "" ? "The request" : first.path}: ${first.message}${more}`
}

/** `near` are the closest known paths. */
export const routeNotFound = (path: string, near: ReadonlyArray<string> = []) =>
  new Failure({
    code: "ROUTE_NOT_FOUND",
    message: `There is no route ${path}. ${near.length === 0 ? "Check the path: it" : `Did you mean ${alternatives(near)}? A path`} is case-sensitive and has no trailing slash.`
  })

/** `reads` are the GET routes beside the path, for a caller who wants to read. */
export const methodNotAllowed = (method: string, allowed: ReadonlyArray<string>, reads: ReadonlyArray<string> = []) =>
  new Failure({
    code: "METHOD_NOT_ALLOWED",
    message: `${method} is not allowed on this path. Use ${alternatives(allowed)}.${
      method === "GET" && reads.length > 0 ? ` To read, use GET ${alternatives(reads)}.` : ""
    }`,
    headers: { allow: allowed.join(", ") }
  })

export const tooManyRequestsFailure = (retryAfterSeconds: number) =>
  new Failure({
    code: "TOO_MANY_REQUESTS",
    message: `You sent too many requests in a short time, or too many at once. Send the next one after ${retryAfterSeconds} seconds.`,
    headers: { "retry-after": String(retryAfterSeconds) }
  })

export const defect = new Failure({
  code: "INTERNAL_SERVER_ERROR",
  message:
    "An unexpected error occurred. Send the request again; if it fails again, report its request_id to the operator."
})

/** Domain errors that can fail a whole request. */
export type DomainError =
  | StorageError
  | TokenMissing
  | TokenInvalid
  | TokenExpired
  | CredentialsInvalid
  | TooManyAttempts
  | Forbidden
  | UnknownLocation
  | OrderRejected
  | OrderNotFound
  | CatalogWrites.ProductsInvalid
  | BillingRejected
  | BillingNotFound
  | OtherCurrency
  | DocumentFailure
  | Idempotency.KeyMismatch
  | Idempotency.KeyInFlight

const noCustomer = "The company has no customer details yet. Send them with POST …/subscription/customer-detail."

const table: { readonly [Tag in DomainError["_tag"]]: (error: Extract<DomainError, { _tag: Tag }>) => Failure } = {
  StorageError: ({ isTooLarge }) =>
    isTooLarge === true
      ? new Failure({
          code: "BODY_TOO_LARGE",
          message:
            "This request would write a value that is too long for the host's storage. Send fewer records at once, or an order with fewer lines."
        })
      : new Failure({
          code: "STORAGE_UNAVAILABLE",
          message: "The storage is unreachable or busy. Send the request again in a few seconds.",
          headers: { "retry-after": "1" }
        }),
  TokenMissing: ({ message }) => new Failure({ code: "TOKEN_MISSING", message }),
  TokenInvalid: ({ message }) => new Failure({ code: "TOKEN_INVALID", message }),
  TokenExpired: ({ message }) => new Failure({ code: "TOKEN_EXPIRED", message }),
  CredentialsInvalid: ({ message }) => new Failure({ code: "CREDENTIALS_INVALID", message }),
  TooManyAttempts: ({ message, retryAfterSeconds }) =>
    new Failure({ code: "TOO_MANY_ATTEMPTS", message, headers: { "retry-after": String(retryAfterSeconds) } }),
  UnknownLocation: ({ message }) =>
    new Failure({
      code: "UNKNOWN_LOCATION",
      message,
      errors: [{ path: "/locationCode", code: "UNKNOWN_LOCATION", message }]
    }),
  Forbidden: ({ message }) => new Failure({ code: "FORBIDDEN", message }),
  OrderRejected: ({ code, summary, violations }) => {
    const errors = asSentences(violations)
    return new Failure({ code, message: summary === undefined ? summaryOf(errors) : sentence(summary), errors })
  },
  ProductsInvalid: ({ violations }) => validationFailed(violations),
  OrderNotFound: ({ message }) => new Failure({ code: "NOT_FOUND", message }),
  BillingRejected: ({ message, violations }) =>
    new Failure({ code: "VALIDATION_FAILED", message, ...(violations.length === 0 ? {} : { errors: violations }) }),
  BillingNotFound: ({ message, violations, what }) => {
    const errors = what === "Customer" ? [{ path: "", code: "NOT_FOUND", message: noCustomer }] : undefined
    return new Failure({ code: "NOT_FOUND", message, errors: violations ?? errors })
  },
  OtherCurrency: ({ message }) => new Failure({ code: "CONFLICT", message }),
  KeyMismatch: ({ message }) => new Failure({ code: "IDEMPOTENCY_MISMATCH", message }),
  KeyInFlight: ({ message }) => new Failure({ code: "IDEMPOTENCY_IN_FLIGHT", message }),
  DocumentTooLarge: ({ message }) => new Failure({ code: "DOCUMENT_TOO_LARGE", message }),
  DocumentTooSlow: ({ message }) =>
    new Failure({ code: "DOCUMENT_TOO_SLOW", message, headers: { "retry-after": "5" } }),
  DocumentsBusy: ({ message }) => new Failure({ code: "DOCUMENTS_BUSY", message, headers: { "retry-after": "5" } })
}

export const isFailed = (error: unknown): error is Failure | DomainError =>
  error instanceof Failure || (Predicate.hasProperty(error, "_tag") && Object.hasOwn(table, String(error._tag)))

export const failureOf = (error: Failure | DomainError): Failure =>
  error._tag === "Failure" ? error : (table[error._tag] as (error: DomainError) => Failure)(error)

/** Turns an error into its answer. A storage failure is logged with its cause, but the answer doesn't show the cause. */
export const toFailure = (error: DomainError | Failure): Effect.Effect<never, Failure> =>
  error._tag === "StorageError"
    ? Effect.andThen(Effect.logError(error.message, error.cause), failureOf(error))
    : failureOf(error)

export const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) || text === "" ? "" : "."}`

const list = new Intl.ListFormat("en-GB", { type: "disjunction" })

export const alternatives = (names: ReadonlyArray<string>): string => list.format(names)
