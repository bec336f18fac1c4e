import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as ApiError from "./ApiError.ts"
import * as Operation from "./Operation.ts"

/** Options of the transport. `url` is the base address of the host's interfaces. */
export interface Options {
  readonly url: string
}

/** The operating system's error code in parentheses, such as ` (ECONNRESET)`, or "" if there isn't one. */
const systemCode = (cause: unknown, depth = 0): string => {
  if (typeof cause !== "object" || cause === null || depth > 4) return ""
  if ("code" in cause && typeof cause.code === "string" && /^[A-Z_]+$/.test(cause.code)) return ` (${cause.code})`
  return "cause" in cause ? systemCode(cause.cause, depth + 1) : ""
}

const unanswered = (what: string, url: string) => (error: HttpClientError.HttpClientError) => {
  const { reason } = error
  return reason._tag === "TransportError"
    ? new ApiError.NetworkError({
        reason: "connection",
        message: `${what} got no answer from ${URL.canParse(url) ? new URL(url).origin : url}: the connection failed${systemCode(reason.cause)}.`
      })
    : new ApiError.NetworkError({
        reason: "unreadable",
        message: `${what} got an answer that ended early or can't be read.`
      })
}

/** Stops a redirect from sending the token to another host, and keeps the token out of traces. */
const guarded = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.serviceOption(FetchHttpClient.RequestInit), (init) =>
    effect.pipe(
      Effect.provideService(FetchHttpClient.RequestInit, { ...Option.getOrUndefined(init), redirect: "manual" }),
      Effect.updateService(Headers.CurrentRedactedNames, (names) => [...names, "authorization", "x-access-token"])
    )
  )

const requestOf = (url: string, { headers, input, operation }: Operation.Request) => {
  const request = HttpClientRequest.make(operation.method)(Operation.addressOf(url, operation, input)).pipe(
    HttpClientRequest.setHeaders({ ...input.headers, ...headers })
  )
  return input.payload === undefined
    ? request
    : HttpClientRequest.bodyText(request, JSON.stringify(input.payload), "application/json")
}

/** Makes a transport that sends requests with the `HttpClient` and reads whole answers. */
export const make = ({ url }: Options): Effect.Effect<Operation.Transport, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (http) => (request) => {
    const what = Operation.nameOf(request)
    return Effect.gen(function* () {
      const faults = Operation.faultsOf(request.operation, request.input)
      if (faults.length > 0) return yield* ApiError.notValid(faults)
      const answer = yield* Effect.mapError(http.execute(requestOf(url, request)), unanswered(what, url))
      const isFine = answer.status >= 200 && answer.status < 300
      if (isFine && request.operation.bytes === true)
        return new Uint8Array(yield* Effect.mapError(answer.arrayBuffer, unanswered(what, url)))
      const text = yield* Effect.mapError(answer.text, unanswered(what, url))
      if (!isFine)
        return yield* ApiError.fromAnswer(answer.status, answer.headers, text, yield* Clock.currentTimeMillis)
      return yield* Effect.try({
        try: () => JSON.parse(text) as unknown,
        catch: () =>
          new ApiError.NetworkError({ reason: "unreadable", message: `${what} got an answer that is not JSON.` })
      })
    }).pipe(guarded)
  })
