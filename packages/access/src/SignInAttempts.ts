/**
 * Failed sign-ins: the port that stores them and the rule that counts them. Source:
 * docs/reference/authentication.md#sign-in-limit.
 */

import type { StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import { Limits } from "./Limits.ts"

/**
 * The seconds, at most 60, until a username or an address can sign in again; undefined when it isn't blocked. Ten failures
 * within a minute block it until the oldest of them is a minute old. `failures` are its failures' times within the window, in
 * any order; both times are in epoch milliseconds. A failure later than `now` comes from a host whose clock is a little
 * ahead, or from before the clock was set back; if it is more than a minute ahead it doesn't count.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { SignInAttempts } from "@crossdock/access"
 *
 * strictEqual(SignInAttempts.blockedSeconds([0, 100, 200], 1000), undefined)
 * strictEqual(SignInAttempts.blockedSeconds(Array(10).fill(0), 1000), 59)
 * ```
 */
export const blockedSeconds = (failures: ReadonlyArray<number>, now: number): number | undefined => {
  const recent = failures
    .filter((at) => Math.abs(at - now) < Limits.signInWindowMillis)
    .map((at) => Math.min(at, now))
    .sort((a, b) => b - a)
  const tenth = recent[Limits.failedSignIns - 1]
  return tenth === undefined ? undefined : Math.max(1, Math.ceil((tenth + Limits.signInWindowMillis - now) / 1000))
}

/**
 * Port: the failures of each key. Keys are opaque texts, times are epoch milliseconds.
 */
export class SignInAttempts extends Context.Service<
  SignInAttempts,
  {
    /** The failures of these keys after `since`. */
    readonly failures: (
      keys: ReadonlyArray<string>,
      since: number
    ) => Effect.Effect<ReadonlyArray<{ readonly key: string; readonly at: number }>, StorageError>
    /** Adds a failure to each key and deletes all failures older than `forgetBefore`. */
    readonly add: (keys: ReadonlyArray<string>, at: number, forgetBefore: number) => Effect.Effect<void, StorageError>
  }
>()("@crossdock/access/SignInAttempts") {}
