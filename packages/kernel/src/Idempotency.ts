/** Idempotency keys: a repeated write changes nothing and gets the first answer: docs/reference/requests.md#idempotency. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BackgroundLoop from "./BackgroundLoop.ts"
import * as Ids from "./Ids.ts"
import * as Instant from "./Instant.ts"
import { batchSize } from "./Retention.ts"
import { type StaleWrite, StorageError, type Stored, taggedError } from "./StorageError.ts"
import * as Transaction from "./Transaction.ts"

/** A key, with the caller and the route that it belongs to. */
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

/** A key's record, with times in epoch milliseconds. The attempt `owner` may store the answer, which is null until then. */
export interface IdempotencyRecord {
  readonly fingerprint: string
  readonly owner: string
  readonly claimedUntil: number
  readonly expiresAt: number
  readonly answer: StoredAnswer | null
}

/** The number of milliseconds for which an answer is kept: 24 hours. */
export const answerMillis = Instant.dayMillis

/** The default length of a claim in milliseconds. It exceeds the 10 seconds within which a write is answered. */
export const claimMillis = 12_000

/** A claim's length in milliseconds. It must be equal on all hosts and exceed the longest transaction. */
export const Claim = Context.Reference<number>("@crossdock/kernel/Idempotency/Claim", {
  defaultValue: () => claimMillis
})

/** The most UTF-16 code units of a key. */
export const maxKeyLength = 255

/** Whether a text can be a key: it isn't empty or too long. */
export const isKey = (text: string): boolean => text.length >= 1 && text.length <= maxKeyLength

/** Whether an answer with this HTTP status is stored under its key. It isn't stored if a retry could succeed. */
export const isKept = (status: number): boolean => status < 500 && ![401, 403, 413, 415, 429].includes(status)

/** How to handle a request. `Mismatch`: another request has this key. `InFlight`: the first request is still running. */
export type Verdict =
  | { readonly _tag: "Proceed" }
  | { readonly _tag: "Replay"; readonly answer: StoredAnswer }
  | { readonly _tag: "Mismatch" }
  | { readonly _tag: "InFlight" }

/**
 * The verdict on a request at `now` (epoch milliseconds), from the stored `record` and a claim's length in milliseconds. A
 * claim that ends too far in the future was made before the clock was set back, and is ignored.
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

/** The fields in which two states of a key differ. */
export type Kept = Pick<IdempotencyRecord, "owner" | "claimedUntil" | "answer">

/** Port: stores the records of keys. */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    readonly find: (key: IdempotencyKey) => Stored<IdempotencyRecord | undefined>
    /**
     * Writes `record` if the stored record still equals `expected`, and returns whether it wrote. `expected` is undefined if no
     * record was stored. Two records are equal if they have the same owner and claim end, and if both or neither have an
     * answer. So a newer answer is never replaced. One of several concurrent calls succeeds.
     */
    readonly put: (key: IdempotencyKey, record: IdempotencyRecord, expected: Kept | undefined) => Stored<boolean>
    /** Stores an answer as a unit's last write. Fails with `StaleWrite` if the stored record doesn't equal `expected`. */
    readonly answer: (key: IdempotencyKey, record: IdempotencyRecord, expected: Kept) => Stored<void, StaleWrite>
    /** Deletes the claim of a key if `owner` still has it. A stored answer isn't deleted. */
    readonly remove: (key: IdempotencyKey, owner: string) => Stored<void>
    /** Deletes at most `limit` records that expired before the given time. Returns the number of deleted records. */
    readonly deleteExpired: (before: number, limit: number) => Stored<number>
  }
>()("@crossdock/kernel/Idempotency") {}

/** The key was already used with another request. This request had no effect. */
export class KeyMismatch extends taggedError<KeyMismatch>()(
  "@crossdock/kernel/KeyMismatch",
  {},
  () => "This Idempotency-Key was already used with another request. Send this one with a new key."
) {}

/** The key's first request is still running, or another attempt has claimed the key. This request had no effect. */
export class KeyInFlight extends taggedError<KeyInFlight>()(
  "@crossdock/kernel/KeyInFlight",
  {},
  () => "The first request with this Idempotency-Key is still running. Send it again in a few seconds."
) {}

/** An answer, and whether it repeats the answer to an earlier request. */
export interface Answered {
  readonly answer: StoredAnswer
  readonly isReplayed: boolean
}

/** Commits the work of a key at most once. */
export class Idempotent extends Context.Service<
  Idempotent,
  {
    /**
     * Runs `work` in a transaction that also stores its answer. If `work` fails, the answer that `rejection` makes of the
     * failure is stored afterwards. If `rejection` makes none, the key is usable again. `work` may run several times, so it
     * must have no effects outside the database.
     */
    readonly once: <E, R>(
      key: IdempotencyKey,
      fingerprint: string,
      work: Effect.Effect<StoredAnswer, E, R>,
      rejection: (error: unknown) => StoredAnswer | undefined
    ) => Stored<Answered, E | KeyMismatch | KeyInFlight, R>
  }
>()("@crossdock/kernel/Idempotent") {}

/** The last attempt must end this many milliseconds before its claim does. */
const margin = 3_000

/** Makes the service from `Idempotency`, which stores the answers, `Transaction` and `Ids`. */
export const make = Effect.gen(function* () {
  const store = yield* Idempotency
  const transaction = yield* Transaction.Transaction
  const ids = yield* Ids.Ids

  const claim = Effect.fnUntraced(function* (key: IdempotencyKey, fingerprint: string, owner: string) {
    const now = yield* Clock.currentTimeMillis
    const kept = yield* store.find(key)
    const length = yield* Claim
    const verdict = verdictFor(kept, fingerprint, now, length)
    if (verdict._tag === "Replay") return { first: verdict.answer }
    if (verdict._tag === "Mismatch") return yield* new KeyMismatch()
    if (verdict._tag === "InFlight") return yield* new KeyInFlight()
    const mine = { fingerprint, owner, claimedUntil: now + length, expiresAt: now + answerMillis, answer: null }
    return (yield* store.put(key, mine, kept)) ? { mine } : yield* new KeyInFlight()
  })

  const keep = (key: IdempotencyKey, mine: IdempotencyRecord, answer: StoredAnswer) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const record = { ...mine, claimedUntil: now, expiresAt: now + answerMillis, answer }
      yield* Effect.catchTag(store.answer(key, record, mine), "StaleWrite", () => Effect.fail(new KeyInFlight()))
    })

  const tooSlow = (operation: string, why: string) => () => new StorageError({ operation, cause: new Error(why) })

  const boundedByClaim =
    (until: number): Transaction.Run =>
    (repeats) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const limit = Math.max(0, until - margin - now)
        return Transaction.abandonAfter(repeats, {
          limit,
          orElse: tooSlow("Idempotent.once", "Other writers were faster")
        })
      })

  /** Runs the work and stores its answer as one unit. The commit is sent directly after the last writes. */
  const unit = <E, R>(key: IdempotencyKey, mine: IdempotencyRecord, work: Effect.Effect<StoredAnswer, E, R>) =>
    Transaction.repeating(
      transaction,
      boundedByClaim(mine.claimedUntil)
    )(Effect.tap(Transaction.joined(work), (answer) => Transaction.writes(Transaction.write(keep(key, mine, answer)))))

  /** Makes the key usable again after a failure, unless an answer was stored. */
  const release = (key: IdempotencyKey, owner: string) =>
    Transaction.abandonAfter(store.remove(key, owner), {
      limit: "500 millis",
      orElse: tooSlow("Idempotent.release", "It took too long")
    })

  // Without this map, a repeated request would block on a storage with one connection until the first one is answered.
  const running = new Map<string, string>()

  const exclusively = <A, E, R>(key: IdempotencyKey, fingerprint: string, work: Effect.Effect<A, E, R>) => {
    const name = JSON.stringify([key.principal, key.method, key.path, key.key])
    const enter = Effect.suspend(() => {
      const first = running.get(name)
      if (first !== undefined) return Effect.fail(first === fingerprint ? new KeyInFlight() : new KeyMismatch())
      running.set(name, fingerprint)
      return Effect.void
    })
    return Effect.acquireUseRelease(
      enter,
      () => work,
      () => Effect.sync(() => running.delete(name))
    )
  }

  const once: typeof Idempotent.Service.once = (key, fingerprint, work, rejection) =>
    exclusively(
      key,
      fingerprint,
      // The key's claim must be released even if an interruption comes between the claim and the work.
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const owner = yield* ids.hex
          const { first, mine } = { first: undefined, mine: undefined, ...(yield* claim(key, fingerprint, owner)) }
          if (mine === undefined) return { answer: first, isReplayed: true }
          const done = unit(key, mine, work).pipe(
            Effect.map((answer) => ({ answer, isReplayed: false })),
            Effect.tapError((error) => {
              const rejected = rejection(error)
              return rejected === undefined ? Effect.void : keep(key, mine, rejected)
            })
          )
          return yield* Effect.onError(restore(done), () => Effect.ignore(release(key, owner), { log: "Debug" }))
        })
      )
    )

  return Idempotent.of({ once })
})

/** The service `Idempotent`, which needs a storage's `Idempotency`. Run `worker` too, which deletes expired answers. */
export const layer = Layer.effect(Idempotent, make)

const expiry = Effect.map(Idempotency, ({ deleteExpired }) => ({
  name: "idempotency",
  every: "10 minutes" as const,
  pass: Effect.gen(function* () {
    const deleted = yield* deleteExpired(yield* Clock.currentTimeMillis, batchSize)
    return deleted === batchSize
  })
}))

/** Deletes expired answers in the background of a host. */
export const worker = BackgroundLoop.layer(Effect.flatMap(expiry, BackgroundLoop.run))

/** Deletes expired answers once, for a host without loops. Returns the failures, as `BackgroundLoop.once` does. */
export const forgetExpired = Effect.flatMap(expiry, BackgroundLoop.once)
