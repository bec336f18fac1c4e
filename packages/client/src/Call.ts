/** Calls operations. Each call has a token, and each write has an Idempotency-Key, so retries are safe. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import { type ApiError, NetworkError } from "./ApiError.ts"
import type * as Operation from "./Operation.ts"
import { type Failure, nameOf, type Request, type Transport } from "./Operation.ts"

/** A token that calls share. After a rejection, `tokenAfter` signs in again, unless another call already has. */
export interface AccessToken<E> {
  readonly token: Effect.Effect<string, E>
  readonly tokenAfter: (rejected: string) => Effect.Effect<string, E>
}

export const accessToken = <E>(signIn: Effect.Effect<string, E>): AccessToken<E> => {
  let token: string | undefined
  let signingIn: Fiber.Fiber<string, E> | undefined

  // The sign-in continues if the call that began it is interrupted, because other calls wait for it.
  const begin = signIn.pipe(
    Effect.tap((signedIn) => Effect.sync(() => (token = signedIn))),
    Effect.ensuring(Effect.sync(() => (signingIn = undefined))),
    Effect.forkDetach,
    Effect.tap((fiber) => Effect.sync(() => (signingIn = fiber)))
  )

  const after = (rejected: string | undefined) =>
    Effect.suspend(() =>
      token !== undefined && token !== rejected
        ? Effect.succeed(token)
        : Effect.flatMap(signingIn === undefined ? begin : Effect.succeed(signingIn), Fiber.join)
    )

  return { token: after(undefined), tokenAfter: after }
}

export const basicCredentials = (username: string, password: Redacted.Redacted): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Base64.encode(`${username}:${Redacted.value(password)}`)}`
})

export const accessTokenHeader = (token: string) => ({ "x-access-token": token })

export const bearerHeader = (token: string) => ({ authorization: `Bearer ${token}` })

/** Options of all calls. `timeout` limits each try of a request, by default to 30 seconds. */
export interface Options {
  readonly timeout?: Duration.Input
  readonly retry?: Partial<RetryPolicy>
}

/** An account that signs in with a username and a password. */
export interface PasswordAccount extends Options {
  readonly username: string
  readonly password: Redacted.Redacted
}

/** How to sign in at an interface and send the token. `params` are the account's path parameters, such as its slug. */
export interface SignIn {
  readonly signInPath: string
  readonly params: Readonly<Record<string, string>>
  readonly credentials: Pick<Operation.Input, "headers" | "payload">
  readonly tokenHeader: (token: string) => Readonly<Record<string, string>>
}

export type Call = (
  operation: Operation.Operation,
  input: Operation.Input,
  options?: Operation.CallOptions
) => Effect.Effect<unknown, Failure>

/** Whether the token expired or its account changed. Only a new sign-in shows whether the account is still valid. */
const isRejectedToken = (error: Failure): error is ApiError =>
  error._tag === "ApiError" && (error.code === "TOKEN_EXPIRED" || error.code === "TOKEN_INVALID")

export const make = (
  transport: Transport,
  { retry, timeout = "30 seconds" }: Options,
  { credentials, params, signInPath, tokenHeader }: SignIn
): Call => {
  const policy = { ...standard, ...retry }
  const send = (request: Request) =>
    retrying(
      policy,
      Effect.timeoutOrElse(transport(request), {
        duration: timeout,
        orElse: () =>
          Effect.fail(new NetworkError({ reason: "timeout", message: `${nameOf(request)} got no answer in time.` }))
      })
    )

  const signIn: Operation.Operation = { method: "POST", path: signInPath }
  const signedIn = accessToken(
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
      return Effect.flatMap(signedIn.token, (token) =>
        Effect.catchIf(withToken(token), isRejectedToken, () => Effect.flatMap(signedIn.tokenAfter(token), withToken))
      )
    })
}

/**
 * How calls are retried: at most `times`, after delays that double from `first` up to `longest`, each minus a random part
 * of up to half. If an answer's Retry-After is longer than `longest`, the call fails without a retry.
 */
export interface RetryPolicy {
  readonly times: number
  readonly first: Duration.Input
  readonly longest: Duration.Input
}

export const standard: RetryPolicy = { times: 5, first: "200 millis", longest: "1 minute" }

/** The statuses of temporary failures: the service is busy, or a proxy got no answer from it. */
const passing = [429, 502, 503, 504]

/** The milliseconds until the next try, or undefined if none follows. `sent` counts tries, `random` is between 0 and 1. */
export const delay = (
  policy: RetryPolicy,
  error: ApiError | NetworkError,
  sent: number,
  random: number
): number | undefined => {
  if (sent > policy.times) return undefined
  const longest = Duration.toMillis(policy.longest)
  const backoff = Math.min(longest, Duration.toMillis(policy.first) * 2 ** (sent - 1)) * (1 - random / 2)
  if (error._tag === "NetworkError") return backoff
  if (!passing.includes(error.status) && error.code !== "IDEMPOTENCY_IN_FLIGHT") return undefined
  const stated = error.retryAfter === undefined ? 0 : error.retryAfter * 1000
  return stated > longest ? undefined : Math.max(stated, backoff)
}

/** Sends a request, and again after each temporary failure, until the policy allows no more tries. */
export const retrying = <A, R>(
  policy: RetryPolicy,
  send: Effect.Effect<A, ApiError | NetworkError, R>,
  sent = 1
): Effect.Effect<A, ApiError | NetworkError, R> =>
  Effect.catch(send, (error) =>
    Effect.flatMap(Random.next, (random) => {
      const wait = delay(policy, error, sent, random)
      return wait === undefined
        ? Effect.fail(error)
        : Effect.andThen(Effect.sleep(Duration.millis(wait)), retrying(policy, send, sent + 1))
    })
  )
