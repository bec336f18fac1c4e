/**
 * One key, one effect: a write that is sent again gives its first answer again.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as ClockSkew from "./ClockSkew.ts"
import type { StorageError } from "./StorageError.ts"

/**
 * A key belongs to who sent it and to what it was sent to (contract, Errors).
 */
export interface IdempotencyKey {
  readonly principal: string
  readonly method: string
  readonly path: string
  readonly key: string
}

/**
 * What was answered the first time.
 */
export interface StoredAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/**
 * What a storage keeps for a key. `owner` names the one attempt that may answer.
 */
export interface IdempotencyRecord {
  readonly fingerprint: string
  readonly owner: string
  readonly claimedUntil: number
  readonly expiresAt: number
  readonly answer: StoredAnswer | null
}

/**
 * How long an answer is kept, and how long a claim holds whose host may have died (contract, Errors). A claim from further
 * ahead than clocks differ was made before the clock was set back, and holds nothing up.
 */
export const keptFor = 24 * 3_600_000
export const claimHolds = 25_000

export type Verdict =
  | { readonly _tag: "Proceed" }
  | { readonly _tag: "Replay"; readonly answer: StoredAnswer }
  | { readonly _tag: "Mismatch" }
  | { readonly _tag: "InFlight" }

/**
 * May a request with this fingerprint go on at `now` (epoch milliseconds), given what is kept for its key? A key used
 * for another body is a mismatch as long as it is kept, also while the first request runs. A claim that reaches further
 * than claims do was made before the clock was set back, and holds nobody off: who made it answers only if nobody else
 * took it over.
 */
export const judge = (record: IdempotencyRecord | undefined, fingerprint: string, now: number): Verdict => {
  if (record === undefined || record.expiresAt <= now) return { _tag: "Proceed" }
  if (record.fingerprint !== fingerprint) return { _tag: "Mismatch" }
  if (record.answer !== null) return { _tag: "Replay", answer: record.answer }
  const isClaimed = record.claimedUntil > now && record.claimedUntil <= ClockSkew.aheadOf(now) + claimHolds
  return isClaimed ? { _tag: "InFlight" } : { _tag: "Proceed" }
}

/**
 * Port: what is kept for each key.
 */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    readonly find: (key: IdempotencyKey) => Effect.Effect<IdempotencyRecord | undefined, StorageError>
    /**
     * Writes `record` when what is kept still has the owner `expected` (undefined: nothing is kept). Answers whether it
     * did: of several at once exactly one wins.
     */
    readonly put: (
      key: IdempotencyKey,
      record: IdempotencyRecord,
      expected: string | undefined
    ) => Effect.Effect<boolean, StorageError>
    /** Forgets the key when `owner` still holds it. */
    readonly remove: (key: IdempotencyKey, owner: string) => Effect.Effect<void, StorageError>
    /** Forgets everything that expired before `now`. */
    readonly prune: (now: number) => Effect.Effect<void, StorageError>
  }
>()("@crossdock/kernel/Idempotency") {}
