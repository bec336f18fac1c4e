/** The errors of calls. They don't contain the request, so they can be logged. */
import * as Data from "effect/Data"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** A fault in the request. `path` is a JSON Pointer into the request. */
export interface Fault {
  readonly path: string
  readonly code: string
  readonly message: string
}

/**
 * An answer with a status outside 2xx. `code` never changes, `message` is for people, and `retryAfter` is in seconds.
 * The code is `UNEXPECTED_ANSWER` if the answer isn't from the service. Source: docs/reference/errors.md#body.
 */
export class ApiError extends Data.TaggedError("ApiError")<{
  readonly status: number
  readonly code: string
  readonly message: string
  readonly requestId: string
  readonly errors: ReadonlyArray<Fault>
  readonly retryAfter: number | undefined
}> {}

/** No readable answer arrived, so a write may or may not have happened. Resending it with the same key is safe. */
export class NetworkError extends Data.TaggedError("NetworkError")<{
  readonly reason: "connection" | "timeout" | "unreadable"
  readonly message: string
}> {}

/** The error of a request that can't be sent. It looks like the service's answer to an invalid request. */
export const notValid = (errors: ReadonlyArray<Fault>): ApiError =>
  new ApiError({
    status: 400,
    code: "VALIDATION_FAILED",
    message: `The request can't be sent: ${errors.map(({ message, path }) => `${path} ${message}`).join("; ")}.`,
    requestId: "",
    errors,
    retryAfter: undefined
  })

const retryAfterOf = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const seconds = Number.isNaN(Number(header)) ? (Date.parse(header) - now) / 1000 : Number(header)
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

/** Turns an answer outside 2xx into its error. `now` is in epoch milliseconds. */
export const fromAnswer = (
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
  text: string,
  now: number
): ApiError => {
  const body = Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))
  const isOurs = Predicate.isObject(body) && typeof body.code === "string" && typeof body.message === "string"
  return new ApiError({
    status,
    code: isOurs ? String(body.code) : "UNEXPECTED_ANSWER",
    message: isOurs
      ? String(body.message)
      : `The answer has the status ${status} and no error body: it is not the service's.`,
    requestId: isOurs ? String(body.request_id) : (headers["x-request-id"] ?? ""),
    errors: isOurs && Array.isArray(body.errors) ? (body.errors as ReadonlyArray<Fault>) : [],
    retryAfter: retryAfterOf(headers["retry-after"], now)
  })
}
