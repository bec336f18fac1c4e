/**
 * Answers of writes: what a route's work gives becomes JSON, once for each Idempotency-Key.
 */

import type { Caller } from "@crossdock/access"
import { Digest } from "@crossdock/audit"
import {
  BackgroundLoop,
  type BackgroundLoops,
  Idempotency,
  Ids,
  type StorageError,
  Transaction
} from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Body from "./Body.ts"
import { answering, bodyOf, type DomainError, Failure } from "./Failure.ts"
import { RequestId } from "./RequestContext.ts"

/**
 * What a write's work needs of its request.
 */
export interface WriteRequest {
  readonly caller: Caller
  /** Largest body in bytes. */
  readonly limit?: number
  /** Whatever was sent is not looked at: existing clients send an empty form. */
  readonly ignoresBody?: boolean
}

export class Reply extends Context.Service<
  Reply,
  {
    /**
     * Reads the body, runs `work` and answers 200 with what it gives. With an Idempotency-Key the answer commits together
     * with the change, and a repeat gives it again without doing anything.
     */
    readonly write: <A>(
      request: WriteRequest,
      work: (body: Body.Body | undefined) => Effect.Effect<A, Failure | DomainError>
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, Failure, HttpServerRequest.HttpServerRequest>
  }
>()("@crossdock/http/Reply") {}

const contentType = "application/json"

const textOf = (answer: Idempotency.StoredAnswer, headers?: Readonly<Record<string, string>>) =>
  HttpServerResponse.text(answer.body, {
    status: answer.status,
    contentType: answer.contentType,
    ...(headers === undefined ? {} : { headers })
  })

const answerOf = (value: unknown): Idempotency.StoredAnswer => ({
  status: 200,
  contentType,
  body: JSON.stringify(value)
})

/**
 * Refusals that are an answer to the request itself; the others may be gone at the next try (contract, Errors).
 */
const isKept = (failure: Failure): boolean =>
  failure.status < 500 && ![401, 403, 413, 415, 429].includes(failure.status)

/**
 * How often keys are forgotten whose answers are not kept any more.
 */
const forgetEvery = "10 minutes"

const keyFailure = (status: number, code: string, message: string) => new Failure({ status, code, message })

const inFlight = () => keyFailure(409, "IDEMPOTENCY_IN_FLIGHT", "The first request with this key is still running")

const mismatch = () => keyFailure(422, "IDEMPOTENCY_MISMATCH", "This Idempotency-Key was used with another body")

const keyOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string | undefined, Failure> => {
  const key = request.headers["idempotency-key"]
  return key === undefined || (key.length >= 1 && key.length <= 255)
    ? Effect.succeed(key)
    : Effect.fail(keyFailure(400, "VALIDATION_FAILED", "An Idempotency-Key has 1 to 255 characters"))
}

export const make = Effect.gen(function* () {
  const store = yield* Idempotency.Idempotency
  const transaction = yield* Transaction.Transaction
  const digest = yield* Digest
  const ids = yield* Ids.Ids

  /**
   * Takes the key for this attempt, or gives the answer it already has.
   */
  const claim = (key: Idempotency.IdempotencyKey, fingerprint: string, owner: string) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const kept = yield* store.find(key)
      const verdict = Idempotency.judge(kept, fingerprint, now)
      switch (verdict._tag) {
        case "Replay":
          return verdict.answer
        case "Mismatch":
          return yield* mismatch()
        case "InFlight":
          return yield* inFlight()
        case "Proceed": {
          const record = {
            fingerprint,
            owner,
            claimedUntil: now + Idempotency.claimHolds,
            expiresAt: now + Idempotency.keptFor,
            answer: null
          }
          const won = yield* store.put(key, record, kept?.owner)
          return won ? undefined : yield* inFlight()
        }
      }
    })

  const keep = (
    key: Idempotency.IdempotencyKey,
    fingerprint: string,
    owner: string,
    answer: Idempotency.StoredAnswer
  ) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const record = { fingerprint, owner, claimedUntil: now, expiresAt: now + Idempotency.keptFor, answer }
      const kept = yield* store.put(key, record, owner)
      if (!kept) {
        return yield* keyFailure(409, "IDEMPOTENCY_IN_FLIGHT", "Another request took this key over; nothing was done")
      }
    })

  // A storage that has one connection would keep a second request waiting until the first is answered.
  const running = new Map<string, string>()

  const alone = <A, E, R>(key: Idempotency.IdempotencyKey, fingerprint: string, work: Effect.Effect<A, E, R>) => {
    const name = JSON.stringify([key.principal, key.method, key.path, key.key])
    const enter = Effect.suspend(() => {
      const first = running.get(name)
      if (first !== undefined) return Effect.fail(first === fingerprint ? inFlight() : mismatch())
      running.set(name, fingerprint)
      return Effect.void
    })
    return Effect.acquireUseRelease(
      enter,
      () => work,
      () => Effect.sync(() => running.delete(name))
    )
  }

  const once = (
    key: Idempotency.IdempotencyKey,
    fingerprint: string,
    work: Effect.Effect<Idempotency.StoredAnswer, Failure>
  ) =>
    Effect.gen(function* () {
      const owner = yield* ids.hex
      const first = yield* claim(key, fingerprint, owner)
      if (first !== undefined) return textOf(first, { "idempotent-replayed": "true" })
      const requestId = yield* RequestId
      const done = transaction.run(Effect.tap(work, (answer) => keep(key, fingerprint, owner, answer))).pipe(
        Effect.map((answer) => textOf(answer)),
        Effect.tapErrorTag("Failure", (failure) => {
          if (!isKept(failure)) return Effect.void
          const body = JSON.stringify(bodyOf(failure, requestId))
          return keep(key, fingerprint, owner, { status: failure.status, contentType, body })
        })
      )
      return yield* Effect.onError(done, () => Effect.ignore(release(key, owner), { log: "Debug" }))
    })

  /**
   * After a failure that was not kept the key is free again; one that was kept is not this owner's claim any more.
   */
  const release = (key: Idempotency.IdempotencyKey, owner: string): Effect.Effect<void, StorageError> =>
    Effect.flatMap(store.find(key), (kept) => (kept?.answer === null ? store.remove(key, owner) : Effect.void))

  const write = <A>(
    { caller, ignoresBody = false, limit = Body.ordinaryLimit }: WriteRequest,
    work: (body: Body.Body | undefined) => Effect.Effect<A, Failure | DomainError>
  ) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const header = yield* keyOf(request)
      const received = ignoresBody ? undefined : yield* Body.receive(request, limit)
      // Read before any transaction begins; what is wrong with it is an answer like any other.
      const body = yield* Effect.exit(Body.parse(received))
      const answer = Effect.flatMap(body, work).pipe(answering, Effect.map(answerOf))
      if (header === undefined) return textOf(yield* answer)
      const principal = `${caller.principal.kind}:${caller.principal.id}`
      const path = request.url.split("?")[0] ?? request.url
      const key = { principal, method: request.method, path, key: header }
      const fingerprint = digest.sha256(received?.text ?? "")
      return yield* answering(alone(key, fingerprint, once(key, fingerprint, answer)))
    })

  const forget = Effect.as(Effect.flatMap(Clock.currentTimeMillis, store.prune), false)
  yield* Effect.forkScoped(BackgroundLoop.run({ name: "idempotency", every: forgetEvery, pass: forget }))

  return Reply.of({ write })
})

export const layer: Layer.Layer<
  Reply,
  never,
  Idempotency.Idempotency | Transaction.Transaction | Digest | Ids.Ids | BackgroundLoops.BackgroundLoops
> = Layer.effect(Reply, make)
