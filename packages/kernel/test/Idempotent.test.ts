import { BackgroundLoop, Idempotency, Ids, StorageError } from "@crossdock/kernel"
import { StorageMemory } from "@crossdock/storage-memory"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Clock, Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const services = Idempotency.layer.pipe(Layer.provideMerge(StorageMemory.layer), Layer.provide(Ids.layer))

const key: Idempotency.IdempotencyKey = { principal: "job", method: "RUN", path: "/nightly", key: "k" }
const answerOf = (body: string) => ({ status: 200, contentType: "text/plain", body })

const once = (work: Effect.Effect<Idempotency.StoredAnswer, string>, fingerprint = "f", ofKey = key) =>
  Effect.flatMap(Idempotency.Idempotent, (idempotent) =>
    idempotent.once(ofKey, fingerprint, work, (error) => (error === "rejected" ? answerOf("rejected") : undefined))
  )

const outcome = <A, E extends string | { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: (error) => (typeof error === "string" ? error : error._tag), onSuccess: (a) => a })

describe("Work done once for a key", () => {
  it.effect("gives its answer to every repeat, and is done once", () =>
    Effect.gen(function* () {
      let times = 0
      const work = Effect.sync(() => answerOf(`done ${++times}`))
      deepStrictEqual(yield* once(work), { answer: answerOf("done 1"), isReplayed: false })
      deepStrictEqual(yield* once(work), { answer: answerOf("done 1"), isReplayed: true })
      strictEqual(yield* outcome(once(work, "another")), "KeyMismatch")
      strictEqual(times, 1)
    }).pipe(Effect.provide(services))
  )

  it.effect("is forgotten by the worker once its answer has expired, though nobody asks for it again", () =>
    Effect.gen(function* () {
      const store = yield* Idempotency.Idempotency
      yield* once(Effect.succeed(answerOf("done")))
      yield* TestClock.adjust(Idempotency.answerMillis - 1)
      deepStrictEqual(yield* Idempotency.forgetExpired, [])
      strictEqual((yield* store.find(key))?.answer?.body, "done")
      yield* TestClock.adjust("1 day")
      deepStrictEqual(yield* Idempotency.forgetExpired, [])
      strictEqual(yield* store.find(key), undefined)
    }).pipe(Effect.provide(services))
  )

  it.effect("keeps a rejection as its answer, and is free again after any other failure", () =>
    Effect.gen(function* () {
      strictEqual(yield* outcome(once(Effect.fail("broken"))), "broken")
      strictEqual(yield* outcome(once(Effect.die("a bug")).pipe(Effect.catchDefect(() => Effect.fail("bug")))), "bug")
      strictEqual(yield* outcome(once(Effect.fail("rejected"))), "rejected")
      deepStrictEqual(yield* once(Effect.succeed(answerOf("done"))), { answer: answerOf("rejected"), isReplayed: true })
    }).pipe(Effect.provide(services))
  )

  it.effect("whose storage doesn't answer any more fails without waiting for its key to be free", () =>
    Effect.gen(function* () {
      const silent = Layer.effect(
        Idempotency.Idempotency,
        Effect.map(Idempotency.Idempotency, (store) => ({
          ...store,
          remove: () => Effect.uninterruptible(Effect.never)
        }))
      )
      const failed = outcome(once(Effect.fail("broken"))).pipe(
        Effect.provide(Layer.fresh(Idempotency.layer).pipe(Layer.provide(silent)))
      )
      const fiber = yield* Effect.forkChild(failed)
      yield* TestClock.adjust("500 millis")
      strictEqual(yield* Fiber.join(fiber), "broken")
    }).pipe(Effect.provide(Layer.provideMerge(services, Ids.layer)))
  )

  it.effect("is rejected while the first is running, and leaves no claim behind when it is interrupted", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(once(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)))
      yield* Deferred.await(begun)
      strictEqual(yield* outcome(once(Effect.succeed(answerOf("second")))), "KeyInFlight")
      yield* Fiber.interrupt(first)
      strictEqual(yield* Effect.flatMap(Idempotency.Idempotency, (store) => store.find(key)), undefined)
      deepStrictEqual(yield* once(Effect.succeed(answerOf("third"))), { answer: answerOf("third"), isReplayed: false })
    }).pipe(Effect.provide(services))
  )

  it.effect("claims its key for a while, in which no other host begins it", () =>
    Effect.gen(function* () {
      const store = yield* Idempotency.Idempotency
      const claimed = yield* Deferred.make<Idempotency.IdempotencyRecord | undefined>()
      const work = Effect.orDie(Effect.flatMap(store.find(key), (kept) => Deferred.succeed(claimed, kept)))
      yield* once(Effect.as(work, answerOf("done")))
      const kept = yield* Deferred.await(claimed)
      deepStrictEqual([kept?.claimedUntil, kept?.expiresAt], [Idempotency.claimMillis, Idempotency.answerMillis])

      const elsewhere = { ...key, key: "claimed by another host" }
      if (kept !== undefined) yield* store.put(elsewhere, kept, undefined)
      strictEqual(yield* outcome(once(Effect.succeed(answerOf("second")), "f", elsewhere)), "KeyInFlight")
    }).pipe(Effect.provide(services))
  )

  it.effect("keeps its key for as long as the host says that a write may take", () =>
    Effect.gen(function* () {
      const store = yield* Idempotency.Idempotency
      const whileRunning = yield* Deferred.make<Idempotency.IdempotencyRecord | undefined>()
      const work = Effect.orDie(Effect.flatMap(store.find(key), (kept) => Deferred.succeed(whileRunning, kept)))
      yield* once(Effect.as(work, answerOf("done")))
      const kept = yield* Deferred.await(whileRunning)
      strictEqual(kept?.claimedUntil, 63_000)
      const elsewhere = { ...key, key: "claimed by another host" }
      if (kept !== undefined) yield* store.put(elsewhere, kept, undefined)
      const second = outcome(Effect.asVoid(once(Effect.succeed(answerOf("second")), "f", elsewhere)))
      yield* TestClock.adjust(62_999)
      strictEqual(yield* second, "KeyInFlight")
      yield* TestClock.adjust(1)
      strictEqual(yield* second, undefined)
    }).pipe(Effect.provideService(Idempotency.Claim, 63_000), Effect.provide(services))
  )

  it.effect("is rejected without the storage while the first is running here; work for another key waits", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      let reads = 0
      const counting = Layer.effect(
        Idempotency.Idempotency,
        Effect.map(Idempotency.Idempotency, (store) => ({
          ...store,
          find: (one: Idempotency.IdempotencyKey) => Effect.tap(store.find(one), () => Effect.sync(() => reads++))
        }))
      )
      yield* Effect.gen(function* () {
        const first = yield* Effect.forkChild(once(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)))
        yield* Deferred.await(begun)
        strictEqual(yield* outcome(once(Effect.succeed(answerOf("second")))), "KeyInFlight")
        strictEqual(yield* outcome(once(Effect.succeed(answerOf("second")), "another")), "KeyMismatch")
        strictEqual(reads, 1)
        const other = yield* Effect.forkChild(once(Effect.succeed(answerOf("other")), "f", { ...key, key: "other" }))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(first)
        deepStrictEqual(yield* Fiber.join(other), { answer: answerOf("other"), isReplayed: false })
      }).pipe(Effect.provide(Layer.fresh(Idempotency.layer).pipe(Layer.provide(counting))))
    }).pipe(Effect.provide(Layer.provideMerge(services, Ids.layer)))
  )

  it.effect("leaves no claim behind when it is interrupted between the claim and the work", () =>
    Effect.gen(function* () {
      const claimed = yield* Deferred.make<void>()
      const slow = Layer.effect(
        Idempotency.Idempotency,
        Effect.map(Idempotency.Idempotency, (store) => ({
          ...store,
          put: (...args: Parameters<typeof store.put>) =>
            Effect.tap(store.put(...args), () => Effect.andThen(Deferred.succeed(claimed, undefined), Effect.yieldNow))
        }))
      )
      yield* Effect.gen(function* () {
        const first = yield* Effect.forkChild(once(Effect.succeed(answerOf("first"))))
        yield* Deferred.await(claimed)
        yield* Fiber.interrupt(first)
      }).pipe(Effect.provide(Layer.fresh(Idempotency.layer).pipe(Layer.provide(slow))))
      const kept = yield* Effect.flatMap(Idempotency.Idempotency, (store) => store.find(key))
      strictEqual(kept === undefined || kept.answer !== null, true)
    }).pipe(Effect.provide(Layer.provideMerge(services, Ids.layer)))
  )
})

describe("Answers kept for an Idempotency-Key", () => {
  it.effect("are cleaned up again after any failure of the last cleanup", () =>
    Effect.gen(function* () {
      const faults = [
        Effect.die("a bug"),
        Effect.interrupt,
        Effect.fail(new StorageError({ operation: "deleteExpired", cause: "" }))
      ]
      const times: Array<number> = []
      const faulty = Layer.effect(
        Idempotency.Idempotency,
        Effect.map(Idempotency.Idempotency, (store) => ({
          ...store,
          deleteExpired: (before: number, limit: number) => {
            times.push(before)
            return faults[times.length - 1] ?? store.deleteExpired(before, limit)
          }
        }))
      )
      const worker = Idempotency.worker.pipe(
        Layer.provide(faulty),
        Layer.provide([StorageMemory.layer, BackgroundLoop.registry])
      )
      const began = yield* Clock.currentTimeMillis
      yield* Effect.gen(function* () {
        yield* TestClock.adjust("1 minute")
        yield* TestClock.adjust("10 minutes")
      }).pipe(Effect.provide(worker))
      deepStrictEqual(
        times.map((at) => at - began),
        [0, 1000, 3000, 7000, 607_000]
      )
    })
  )
})
