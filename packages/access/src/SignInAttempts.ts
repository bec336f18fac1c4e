/**
 * Failed sign-ins: the port that keeps them and the rule that counts them.
 */

import type { StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * Ten failures within a minute close a username, and likewise an address, until the oldest of them is a minute old
 * (contract, Errors 429).
 */
export const allowedFailures = 10
export const windowMillis = 60_000

/**
 * How many seconds to wait, a minute at most, or undefined when a try is open. `failures` are the times of one username's
 * or one address's failures within the window, in any order. One of later than now is of a host whose clock is a little
 * ahead, or of before the clock was set back: by more than a minute it does not count.
 */
export const waitSeconds = (failures: ReadonlyArray<number>, now: number): number | undefined => {
  const recent = failures
    .filter((at) => Math.abs(at - now) < windowMillis)
    .map((at) => Math.min(at, now))
    .sort((a, b) => b - a)
  const tenth = recent[allowedFailures - 1]
  return tenth === undefined ? undefined : Math.max(1, Math.ceil((tenth + windowMillis - now) / 1000))
}

/**
 * Port: the failures of each key. Keys are opaque text.
 */
export class SignInAttempts extends Context.Service<
  SignInAttempts,
  {
    /** Times after `since`, for each key that has any. */
    readonly failures: (
      keys: ReadonlyArray<string>,
      since: number
    ) => Effect.Effect<ReadonlyArray<{ readonly key: string; readonly at: number }>, StorageError>
    /** Adds a failure to each key and forgets all that are older than `forgetBefore`. */
    readonly add: (keys: ReadonlyArray<string>, at: number, forgetBefore: number) => Effect.Effect<void, StorageError>
  }
>()("@crossdock/access/SignInAttempts") {}
