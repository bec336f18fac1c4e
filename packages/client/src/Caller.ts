/**
 * Calls operations: with a token, with an Idempotency-Key for writes, again when that is safe.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { ApiError } from "./ApiError.ts"
import * as Operation from "./Operation.ts"
import * as Retry from "./Retry.ts"
import * as Session from "./Session.ts"
import * as Transport from "./Transport.ts"

/**
 * `url` is where the host serves its interfaces. A request without an answer after `timeout`, 30 seconds by default, is given
 * up; how often it is sent again says `retry`.
 */
export interface Options {
  readonly url: string
  readonly timeout?: Duration.Input
  readonly retry?: Partial<Retry.Policy>
}

/**
 * How an interface signs in, and how a request shows its token. `params` are the parts of every path that the account gives.
 */
export interface Account {
  readonly signInPath: string
  readonly params: Readonly<Record<string, string>>
  readonly credentials: (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest
  readonly authorized: (
    request: HttpClientRequest.HttpClientRequest,
    token: string
  ) => HttpClientRequest.HttpClientRequest
}

/**
 * Calls an operation with what it takes.
 */
export type Call = (
  operation: Operation.Operation,
  input: Operation.Input,
  options?: Operation.CallOptions
) => Effect.Effect<unknown, Transport.Failure>

/** The token's time is over, or the account changed: a new sign-in says which. */
const isRejectedToken = (error: Transport.Failure): error is ApiError =>
  error._tag === "ApiError" && (error.code === "TOKEN_EXPIRED" || error.code === "TOKEN_INVALID")

const requestOf = (url: string, operation: Operation.Operation, input: Operation.Input) => {
  const request = HttpClientRequest.make(operation.method)(Operation.addressOf(url, operation, input)).pipe(
    HttpClientRequest.setHeaders(input.headers ?? {})
  )
  return input.payload === undefined
    ? request
    : HttpClientRequest.bodyText(request, JSON.stringify(input.payload), "application/json")
}

export const make = (
  { retry, timeout = "30 seconds", url }: Options,
  { authorized, credentials, params, signInPath }: Account
): Effect.Effect<Call, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (http) => {
    const policy = { ...Retry.standard, ...retry }
    const send = (
      operation: Operation.Operation,
      request: HttpClientRequest.HttpClientRequest
    ): Effect.Effect<unknown, Transport.Failure> =>
      Retry.retrying(
        policy,
        Transport.send(
          http,
          timeout,
          `${operation.method} ${operation.path}`,
          request,
          operation.bytes === true ? "bytes" : "json"
        )
      )

    const signIn: Operation.Operation = { method: "POST", path: signInPath }
    const session = Session.make(
      Effect.map(
        Effect.suspend(() => send(signIn, credentials(requestOf(url, signIn, { params })))),
        (answer) => String((answer as { readonly access_token?: unknown }).access_token)
      )
    )

    return (operation, input, options = {}) =>
      Effect.suspend(() => {
        const plain = requestOf(url, operation, { ...input, params: { ...input.params, ...params } })
        const request =
          operation.key === true
            ? HttpClientRequest.setHeader(plain, "idempotency-key", options.idempotencyKey ?? crypto.randomUUID())
            : plain
        const withToken = (token: string) => send(operation, authorized(request, token))
        return Effect.flatMap(session.token, (token) =>
          Effect.catchIf(withToken(token), isRejectedToken, () => Effect.flatMap(session.tokenAfter(token), withToken))
        )
      })
  })
