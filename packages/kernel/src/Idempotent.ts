/**
 * Use case: work that is done once per key and whose answer every repeat gets. It doesn't need HTTP: a queue consumer or a
 * job can use it too.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as BackgroundLoop from "./BackgroundLoop.ts"
import * as Idempotency from "./Idempotency.ts"
import * as Ids from "./Ids.ts"
import { batchSize } from "./Retention.ts"
import { StorageError } from "./StorageError.ts"
import * as Transaction from "./Transaction.ts"

/** The key was used with another request. Nothing was done. */
export class KeyMismatch extends Schema.TaggedError<KeyMismatch>("@crossdock/kernel/KeyMismatch")("KeyMismatch", {}) {
  override get message() {
    return "This Idempotency-Key was already used with another request. Send this one with a new key."
  }
}

/** The first request with the key is still running, or another attempt has claimed the key. Nothing was done. */
export class KeyInFlight extends Schema.TaggedError<KeyInFlight>("@crossdock/kernel/KeyInFlight")("KeyInFlight", {}) {
  override get message() {
    return "The first request with this Idempotency-Key is still running. Send it again in a few seconds."
  }
}

/** An answer, and whether it only repeats the first one. */
export interface Answered {
  readonly answer: Idempotency.StoredAnswer
  readonly isReplayed: boolean
}

/** Commits work at most once per key. */
export class Idempotent extends Context.Service<
  Idempotent,
  {
    /**
     * Runs `work` in a transaction that also stores its answer. It may run several times before it is committed, so it must
     * do nothing outside the database. `fingerprint` distinguishes one request from another. If the work fails and
     * `rejection` makes an answer of the failure, that answer is stored; after any other failure the key can be used again.
     */
    readonly once: <E, R>(
      key: Idempotency.IdempotencyKey,
      fingerprint: string,
      work: Effect.Effect<Idempotency.StoredAnswer, E, R>,
      rejection: (error: unknown) => Idempotency.StoredAnswer | undefined
    ) => Effect.Effect<Answered, E | KeyMismatch | KeyInFlight | StorageError, R>
  }
>()("@crossdock/kernel/Idempotent") {}

/** How much sooner than a claim, in milliseconds, the last of its attempts ends. */
const margin = 3_000

/** Runs work once per key; needs `Idempotency` to keep the answers, `Transaction` and `Ids`. */
export const make = Effect.gen(function* () {
  const store = yield* Idempotency.Idempotency
  const transaction = yield* Transaction.Transaction
  const ids = yield* Ids.Ids

  /** Claims the key for this attempt, or finds its stored answer. */
  const claim = Effect.fnUntraced(function* (key: Idempotency.IdempotencyKey, fingerprint: string, owner: string) {
    const now = yield* Clock.currentTimeMillis
    const kept = yield* store.find(key)
    const length = yield* Idempotency.Claim
    const verdict = Idempotency.verdictFor(kept, fingerprint, now, length)
    switch (verdict._tag) {
      case "Replay":
        return { first: verdict.answer }
      case "Mismatch":
        return yield* new KeyMismatch()
      case "InFlight":
        return yield* new KeyInFlight()
      case "Proceed": {
        const claimedUntil = now + length
        const mine = { fingerprint, owner, claimedUntil, expiresAt: now + Idempotency.answerMillis, answer: null }
        return (yield* store.put(key, mine, kept)) ? { mine } : yield* new KeyInFlight()
      }
    }
  })

  const keep = (
    key: Idempotency.IdempotencyKey,
    mine: Idempotency.IdempotencyRecord,
    answer: Idempotency.StoredAnswer
  ) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const record = { ...mine, claimedUntil: now, expiresAt: now + Idempotency.answerMillis, answer }
      yield* Effect.catchTag(store.answer(key, record, mine), "StaleWrite", () => Effect.fail(new KeyInFlight()))
    })

  /** A transaction takes no longer, so that a repeat of one ends before the claim does. */
  const boundedByClaim = (until: number): Transaction.Run => {
    return (repeats) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Transaction.abandonAfter(repeats, {
          limit: Math.max(0, until - margin - now),
          orElse: () =>
            new StorageError({ operation: "Idempotent.once", cause: new Error("Other writers were faster") })
        })
      )
  }

  /** The work and its answer as one unit, at whose end nothing waits: the commit is sent behind their last writes. */
  const unit = <E, R>(
    key: Idempotency.IdempotencyKey,
    mine: Idempotency.IdempotencyRecord,
    work: Effect.Effect<Idempotency.StoredAnswer, E, R>
  ) =>
    Transaction.repeating(
      transaction,
      boundedByClaim(mine.claimedUntil)
    )(Effect.tap(Transaction.joined(work), (answer) => Transaction.writes(Transaction.write(keep(key, mine, answer)))))

  /**
   * Frees the key after a failure, unless an answer was stored. If the storage doesn't answer, the claim lapses instead,
   * since the caller has waited long enough.
   */
  const release = (key: Idempotency.IdempotencyKey, owner: string) =>
    Transaction.abandonAfter(store.remove(key, owner), {
      limit: "500 millis",
      orElse: () => new StorageError({ operation: "Idempotent.release", cause: new Error("It took too long") })
    })

  // On a storage with one connection, a second request would block until the first is answered.
  const running = new Map<string, string>()

  const exclusively = <A, E, R>(key: Idempotency.IdempotencyKey, fingerprint: string, work: Effect.Effect<A, E, R>) => {
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
      // An interruption between claim and work must not leave a claim behind.
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

/** `Idempotent` on the `Idempotency` of a storage. `worker` deletes expired answers. */
export const layer = Layer.effect(Idempotent, make)

const expiry = Effect.map(Idempotency.Idempotency, ({ deleteExpired }) => ({
  name: "idempotency",
  every: "10 minutes" as const,
  pass: Effect.gen(function* () {
    const deleted = yield* deleteExpired(yield* Clock.currentTimeMillis, batchSize)
    return deleted === batchSize
  })
}))

/** Deletes expired answers in the background of a host, until the host's scope ends. */
export const worker = BackgroundLoop.layer(Effect.flatMap(expiry, BackgroundLoop.run))

/**
 * Deletes the answers that have expired by now, for a host without loops. Returns what failed; see `BackgroundLoop.once`.
 */
export const forgetExpired = Effect.flatMap(expiry, BackgroundLoop.once)
