/**
 * Sends one request and reads its whole answer, within a time.
 */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import type * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as ApiError from "./ApiError.ts"

/** What a call fails with. */
export type Failure = ApiError.ApiError | ApiError.NetworkError

/** What of an answer is wanted: its JSON or its bytes. */
export type Reading = "json" | "bytes"

/** The system's word for what went wrong, such as ECONNRESET. */
const systemCode = (cause: unknown, depth = 0): string => {
  if (typeof cause !== "object" || cause === null || depth > 4) return ""
  if ("code" in cause && typeof cause.code === "string" && /^[A-Z_]+$/.test(cause.code)) return ` (${cause.code})`
  return "cause" in cause ? systemCode(cause.cause, depth + 1) : ""
}

const unanswered = (what: string) => (error: HttpClientError.HttpClientError) => {
  const { reason } = error
  return reason._tag === "TransportError"
    ? new ApiError.NetworkError({
        reason: "connection",
        message: `${what} got no answer: the connection failed${systemCode(reason.cause)}.`
      })
    : new ApiError.NetworkError({
        reason: "unreadable",
        message: `${what} got an answer that ended early or can't be read.`
      })
}

const readJson = (what: string, text: string) => {
  try {
    return Effect.succeed(JSON.parse(text) as unknown)
  } catch {
    return Effect.fail(
      new ApiError.NetworkError({ reason: "unreadable", message: `${what} got an answer that is not JSON.` })
    )
  }
}

/** A redirect would take the token to another host, and a trace would keep it. What the program has set besides stays. */
const guarded = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.serviceOption(FetchHttpClient.RequestInit), (init) =>
    effect.pipe(
      Effect.provideService(FetchHttpClient.RequestInit, { ...Option.getOrUndefined(init), redirect: "manual" }),
      Effect.updateService(Headers.CurrentRedactedNames, (names) => [...names, "authorization", "x-access-token"])
    )
  )

/**
 * The answer to `request`. `what` names it in messages.
 */
export const send = (
  http: HttpClient.HttpClient,
  timeout: Duration.Input,
  what: string,
  request: HttpClientRequest.HttpClientRequest,
  reading: Reading
): Effect.Effect<unknown, Failure> =>
  Effect.gen(function* () {
    const answer = yield* Effect.mapError(http.execute(request), unanswered(what))
    const isFine = answer.status >= 200 && answer.status < 300
    if (isFine && reading === "bytes") {
      return new Uint8Array(yield* Effect.mapError(answer.arrayBuffer, unanswered(what)))
    }
    const text = yield* Effect.mapError(answer.text, unanswered(what))
    if (isFine) return yield* readJson(what, text)
    return yield* ApiError.fromAnswer(answer.status, answer.headers, text, yield* Clock.currentTimeMillis)
  }).pipe(
    guarded,
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () =>
        Effect.fail(new ApiError.NetworkError({ reason: "timeout", message: `${what} got no answer in time.` }))
    })
  )
