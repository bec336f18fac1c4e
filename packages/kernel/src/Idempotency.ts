/**
 * Idempotency keys: a repeated write has no further effect and gets the first answer again. Source:
 * docs/reference/requests.md#idempotency.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Instant from "./Instant.ts"
import type { StaleWrite, StorageError } from "./StorageError.ts"

/** A key and its scope: principal, method and path. */
export interface IdempotencyKey {
  readonly principal: string
  readonly method: string
  readonly path: string
  readonly key: string
}

/** The answer to the first request with a key. */
export interface StoredAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/**
 * The stored record of a key, with times in epoch milliseconds. `fingerprint` identifies the request, `owner` the only
 * attempt that may store the answer; `answer` is null while it runs.
 */
export interface IdempotencyRecord {
  readonly fingerprint: string
  readonly owner: string
  readonly claimedUntil: number
  readonly expiresAt: number
  readonly answer: StoredAnswer | null
}

/** Milliseconds for which an answer is kept: 24 hours. */
export const answerMillis = Instant.dayMillis

/**
 * Milliseconds for which an attempt claims a key, unless `Claim` differs. A claim lapses, since its host may have died. A
 * write has its answer within 10 seconds. If one takes longer, the next attempt takes the key, and the first one fails to
 * store its answer.
 */
export const claimMillis = 12_000

/**
 * How long a claim lasts, in milliseconds; the same on all hosts. They must exceed the longest transaction: an attempt that outlasts its
 * claim fails if its request was resent meanwhile, and so may every later one.
 */
export const Claim = Context.Reference<number>("@crossdock/kernel/Idempotency/Claim", {
  defaultValue: () => claimMillis
})

/**
 * The decision on a request with a key: process it, repeat the stored answer, or reject it because the key was used for
 * another request or its first request is still running.
 */
export type Verdict =
  | { readonly _tag: "Proceed" }
  | { readonly _tag: "Replay"; readonly answer: StoredAnswer }
  | { readonly _tag: "Mismatch" }
  | { readonly _tag: "InFlight" }

/**
 * The verdict on a request with this fingerprint at `now` (epoch milliseconds). `record` is the stored one, `claim` the
 * length of a claim in milliseconds. Another fingerprint is a mismatch until the record expires, even while the first
 * request runs. A claim that ends too far in the future was made before the clock was set back: it is ignored, and its
 * attempt can answer only if the key has no other claim.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { Idempotency } from "@crossdock/kernel"
 *
 * const claimed = { fingerprint: "f", owner: "a", claimedUntil: 12_000, expiresAt: 86_400_000, answer: null }
 * deepStrictEqual(Idempotency.verdictFor(claimed, "f", 1_000), { _tag: "InFlight" })
 * ```
 */
export const verdictFor = (
  record: IdempotencyRecord | undefined,
  fingerprint: string,
  now: number,
  claim = claimMillis
): Verdict => {
  if (record === undefined || record.expiresAt <= now) return { _tag: "Proceed" }
  if (record.fingerprint !== fingerprint) return { _tag: "Mismatch" }
  if (record.answer !== null) return { _tag: "Replay", answer: record.answer }
  const isClaimed = record.claimedUntil > now && record.claimedUntil <= Instant.latest(now) + claim
  return isClaimed ? { _tag: "InFlight" } : { _tag: "Proceed" }
}

/** The fields that distinguish two states of a key. */
export type Kept = Pick<IdempotencyRecord, "owner" | "claimedUntil" | "answer">

/** Port: the records of keys. */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    readonly find: (key: IdempotencyKey) => Effect.Effect<IdempotencyRecord | undefined, StorageError>
    /**
     * Writes `record` if the stored record is still `expected` (undefined: if there is no record), and returns whether it
     * did. Two records are equal if owner, claim end and presence of an answer are equal: an answer put since the read is
     * never replaced. Exactly one of several concurrent calls succeeds.
     */
    readonly put: (
      key: IdempotencyKey,
      record: IdempotencyRecord,
      expected: Kept | undefined
    ) => Effect.Effect<boolean, StorageError>
    /**
     * Puts an answer as the last write of a unit. If the stored record is no longer `expected`, fails with `StaleWrite`,
     * and nothing of the unit stays.
     */
    readonly answer: (
      key: IdempotencyKey,
      record: IdempotencyRecord,
      expected: Kept
    ) => Effect.Effect<void, StaleWrite | StorageError>
    /** Deletes the claim of a key if it is still that of `owner`; an answer stays. */
    readonly remove: (key: IdempotencyKey, owner: string) => Effect.Effect<void, StorageError>
    /** Deletes records that expired before a time, at most `limit` at once; returns how many. */
    readonly deleteExpired: (before: number, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@crossdock/kernel/Idempotency") {}
