/**
 * Calls operations: with a token, with an Idempotency-Key for writes, again when that is safe.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type ApiError, NetworkError } from "./ApiError.ts"
import type * as Operation from "./Operation.ts"
import * as Retry from "./Retry.ts"
import * as Session from "./Session.ts"
import * as Transport from "./Transport.ts"

/**
 * A request without an answer after `timeout`, 30 seconds by default, is given up; how often it is sent again says `retry`.
 */
export interface Options {
  readonly timeout?: Duration.Input
  readonly retry?: Partial<Retry.Policy>
}

/**
 * How an interface signs in, and the header with which a request shows its token. `params` are the parts of every path that the
 * account gives.
 */
export interface Account {
  readonly signInPath: string
  readonly params: Readonly<Record<string, string>>
  readonly credentials: Pick<Operation.Input, "headers" | "payload">
  readonly tokenHeader: (token: string) => Readonly<Record<string, string>>
}

/** Calls an operation with what it takes. */
export type Call = (
  operation: Operation.Operation,
  input: Operation.Input,
  options?: Operation.CallOptions
) => Effect.Effect<unknown, Transport.Failure>

/** The token's time is over, or the account changed: a new sign-in says which. */
const isRejectedToken = (error: Transport.Failure): error is ApiError =>
  error._tag === "ApiError" && (error.code === "TOKEN_EXPIRED" || error.code === "TOKEN_INVALID")

export const make = (
  transport: Transport.Transport,
  { retry, timeout = "30 seconds" }: Options,
  { credentials, params, signInPath, tokenHeader }: Account
): Call => {
  const policy = { ...Retry.standard, ...retry }
  const send = (request: Transport.Request) =>
    Retry.retrying(
      policy,
      Effect.timeoutOrElse(transport(request), {
        duration: timeout,
        orElse: () =>
          Effect.fail(
            new NetworkError({ reason: "timeout", message: `${Transport.nameOf(request)} got no answer in time.` })
          )
      })
    )

  const signIn: Operation.Operation = { method: "POST", path: signInPath }
  const session = Session.make(
    Effect.map(
      Effect.suspend(() => send({ operation: signIn, input: { ...credentials, params }, headers: {} })),
      (answer) => String((answer as { readonly access_token?: unknown }).access_token)
    )
  )

  return (operation, input, options = {}) =>
    Effect.suspend(() => {
      const filled = { ...input, params: { ...input.params, ...params } }
      const key = operation.key === true ? { "idempotency-key": options.idempotencyKey ?? crypto.randomUUID() } : {}
      const withToken = (token: string) =>
        send({ operation, input: filled, headers: { ...key, ...tokenHeader(token) } })
      return Effect.flatMap(session.token, (token) =>
        Effect.catchIf(withToken(token), isRejectedToken, () => Effect.flatMap(session.tokenAfter(token), withToken))
      )
    })
}
