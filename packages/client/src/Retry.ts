/** The retries of requests. All are safe: reads change nothing, and writes have an Idempotency-Key. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { ApiError, NetworkError } from "./ApiError.ts"

/**
 * At most `times` retries. The first wait is `first`, each later one twice as long, up to `longest`. Each is shortened by
 * up to a half at random, so that many callers don't return at once. An answer's Retry-After is obeyed; if it is above
 * `longest`, the call fails at once.
 */
export interface Policy {
  readonly times: number
  readonly first: Duration.Input
  readonly longest: Duration.Input
}

export const standard: Policy = { times: 5, first: "200 millis", longest: "1 minute" }

/** Answers that don't concern the request itself: the service is busy, or a proxy got no answer from it. */
const passing = [429, 502, 503, 504]

/** The first request with this key is still running. */
const isRunning = (error: ApiError): boolean => error.code === "IDEMPOTENCY_IN_FLIGHT"

/** Milliseconds before the next try; undefined for no retry. `sent` counts the tries, `random` is from 0 to 1. */
export const delay = (
  policy: Policy,
  error: ApiError | NetworkError,
  sent: number,
  random: number
): number | undefined => {
  if (sent > policy.times) return undefined
  const longest = Duration.toMillis(policy.longest)
  const backoff = Math.min(longest, Duration.toMillis(policy.first) * 2 ** (sent - 1)) * (1 - random / 2)
  if (error._tag === "NetworkError") return backoff
  if (!passing.includes(error.status) && !isRunning(error)) return undefined
  const stated = error.retryAfter === undefined ? 0 : error.retryAfter * 1000
  return stated > longest ? undefined : Math.max(stated, backoff)
}

/** Sends a request until it is answered, within the policy. */
export const retrying = <A, R>(
  policy: Policy,
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
