/** Failed sign-ins, their limit, and the order of attempts. Source: docs/reference/authentication.md#sign-in-limit. */
import { type Stored, taggedError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"

/** Too many failures have blocked the username or address, or too many sign-ins are queued on this host. */
export class TooManyAttempts extends taggedError<TooManyAttempts>()(
  "@crossdock/access/TooManyAttempts",
  { retryAfterSeconds: Schema.Int },
  ({ retryAfterSeconds }) =>
    `There were too many failed sign-ins, or too many at once. Try again in ${retryAfterSeconds} seconds.`
) {}

/** This many failed sign-ins within the window block a username or an address. */
export const maxFailures = 10

/** The length of the window, and of the longest block, in milliseconds. */
export const windowMillis = 60_000

/**
 * The seconds until a username or address can sign in again, at most 60, or undefined if nothing is blocked. Ten failures
 * within a minute block a key until the oldest of them is a minute old. `failures` are in epoch milliseconds and in any
 * order. A failure more than a minute after `now` isn't counted.
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
    .filter((at) => Math.abs(at - now) < windowMillis)
    .map((at) => Math.min(at, now))
    .sort((a, b) => b - a)
  const tenth = recent[maxFailures - 1]
  return tenth === undefined ? undefined : Math.max(1, Math.ceil((tenth + windowMillis - now) / 1000))
}

/** Port: stores the failures of each key. Keys are opaque texts, and times are in epoch milliseconds. */
export class SignInAttempts extends Context.Service<
  SignInAttempts,
  {
    /** The failures of these keys that are later than `since`. */
    readonly failures: (
      keys: ReadonlyArray<string>,
      since: number
    ) => Stored<ReadonlyArray<{ readonly key: string; readonly at: number }>>
    /** Adds a failure to each key, and deletes all failures that are older than `forgetBefore`. */
    readonly add: (keys: ReadonlyArray<string>, at: number, forgetBefore: number) => Stored<void>
  }
>()("@crossdock/access/SignInAttempts") {}

/** Runs one piece of work at a time. Senders take turns. At most `max` pieces run or wait, and `maxPerKey` of one sender. */
export const fairTurns = ({ max, maxPerKey }: { readonly max: number; readonly maxPerKey: number }) => {
  const turn = Semaphore.makeUnsafe(1)
  // At most one piece of work per sender waits for the turn, so senders alternate.
  const senders = new Map<string, { works: number; readonly own: Semaphore.Semaphore }>()
  let works = 0

  /** Runs the work in its turn. Returns `None` if too much work is queued. */
  return <A, E, R>(sender: string, work: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
    Effect.suspend(() => {
      const line = senders.get(sender) ?? { works: 0, own: Semaphore.makeUnsafe(1) }
      if (works >= max || line.works >= maxPerKey) return Effect.succeedNone
      senders.set(sender, line)
      line.works++
      works++
      const leave = Effect.sync(() => {
        works--
        line.works--
        if (line.works === 0) senders.delete(sender)
      })
      return line.own.withPermit(turn.withPermit(work)).pipe(Effect.asSome, Effect.ensuring(leave))
    })
}
