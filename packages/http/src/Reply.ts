/** Answers writes as JSON, and at most once per Idempotency-Key. Source: docs/reference/requests.md#idempotency. */
import type { Caller } from "@crossdock/access"
import { AuditChain, Redaction } from "@crossdock/audit"
import { Idempotency } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { bodyOf, type DomainError, Failure, toFailure, validationFailed } from "./Failure.ts"
import * as Body from "./internal/Body.ts"
import { Limits } from "./Limits.ts"
import { RequestFacts, turn } from "./RequestContext.ts"

/** How to answer a write. */
export interface WriteRequest {
  readonly caller: Caller
  /** Largest body in bytes. */
  readonly limit?: number
  /** Ignores the body: existing clients send an empty form. */
  readonly ignoresBody?: boolean
  /** Changes the message of a rejection, also in the stored answer. */
  readonly worded?: (failure: Failure) => Failure
  /**
   * Does slow work on the secrets of a body, before the transaction of an Idempotency-Key, and returns the services for the
   * write. Two requests with the same key may differ in these secrets, because a stored fingerprint could be guessed.
   */
  readonly prepare?: (body: unknown) => Effect.Effect<Context.Context<never>>
}

/** Answers writes. */
export class Reply extends Context.Service<
  Reply,
  {
    /** Reads the body, runs `work` and answers 200. A repeated Idempotency-Key gets the stored answer instead. */
    readonly write: <A extends object>(
      request: WriteRequest,
      work: (body: Body.Body | undefined) => Effect.Effect<A, Failure | DomainError>
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, Failure, HttpServerRequest.HttpServerRequest>
    /** Like `write`, if `complete` adds personal data or a secret to the answer. Only the result of `work` is stored. */
    readonly writeUnstored: <A extends object, B extends object>(
      request: WriteRequest,
      work: (body: Body.Body | undefined) => Effect.Effect<A, Failure | DomainError>,
      complete: (stored: A) => Effect.Effect<B, Failure | DomainError>
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, Failure, HttpServerRequest.HttpServerRequest>
  }
>()("@crossdock/http/Reply") {}

/** The routes of writes that prepare something before their transaction. */
export const Rehearsed = Context.Reference<ReadonlySet<string>>("@crossdock/http/Rehearsed", {
  defaultValue: () => new Set<string>()
})

/**
 * What a write has prepared. Before the transaction of an Idempotency-Key, the work runs with `prepared` undefined: it sets
 * `prepared`, and is interrupted before it reads or writes. In the transaction, the work runs again and uses `prepared`.
 */
export const Rehearsal = Context.Reference<{ prepared: ReadonlyArray<unknown> | undefined } | undefined>(
  "@crossdock/http/Rehearsal",
  { defaultValue: () => undefined }
)

const contentType = "application/json"

const textOf = (answer: Idempotency.StoredAnswer, headers?: Readonly<Record<string, string>>) =>
  HttpServerResponse.text(answer.body, {
    status: answer.status,
    contentType: answer.contentType,
    ...(headers === undefined ? {} : { headers })
  })

const answerOf = (value: object) => ({ status: 200, contentType, body: JSON.stringify(value) })

/** The fault of a key of a wrong length. */
const keyFaultOf = (key: string): Failure | undefined => {
  if (Idempotency.isKey(key)) return undefined
  const message = `must have 1 to ${Limits.idempotencyKeyLength} characters; this has ${key.length}`
  return validationFailed([{ path: "/Idempotency-Key", code: "OUT_OF_RANGE", message }])
}

/** The key in its scope, and the rest of the request, which must be the same in a repeated request. */
const scoped = (
  key: string,
  { principal: { id, kind } }: Caller,
  { method, url }: Pick<HttpServerRequest.HttpServerRequest, "method" | "url">,
  body: string
): { readonly key: Idempotency.IdempotencyKey; readonly rest: string } => {
  const [path = url, query = ""] = url.split("?")
  return { key: { principal: `${kind}:${id}`, method, path, key }, rest: JSON.stringify([query, body]) }
}

const make = Effect.gen(function* () {
  const { once } = yield* Idempotency.Idempotent
  const digest = yield* AuditChain.Digest
  const rehearsed = yield* Rehearsed

  /** Like `once`, but the work prepares what it needs before the transaction begins. */
  const prepared = (route: string | undefined): typeof once =>
    route === undefined || !rehearsed.has(route)
      ? once
      : (key, fingerprint, answer, rejection) =>
          Effect.suspend(() => {
            const rehearsing = Effect.provideService(answer, Rehearsal, { prepared: undefined })
            // A defect is left to `once`, which ignores it if the answer to the key is already stored.
            return Effect.flatMap(Effect.exit(rehearsing), (exit) => {
              const work = Exit.isFailure(exit) && Exit.hasDies(exit) ? Effect.failCause(exit.cause) : rehearsing
              return once(key, fingerprint, work, rejection)
            })
          })

  const reply = <A extends object, B extends object>(
    { caller, ignoresBody = false, limit = Limits.bodyBytes, prepare, worded = (failure) => failure }: WriteRequest,
    work: (body: Body.Body | undefined) => Effect.Effect<A, Failure | DomainError>,
    complete?: (stored: A) => Effect.Effect<B, Failure | DomainError>
  ) =>
    Effect.withFiber<HttpServerResponse.HttpServerResponse, Failure, HttpServerRequest.HttpServerRequest>((fiber) => {
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const header = request.headers["idempotency-key"]
      const fault = header === undefined ? undefined : keyFaultOf(header)
      if (fault !== undefined) return Effect.fail(worded(fault))
      const facts = fiber.getRef(RequestFacts)
      facts.isWrite = true
      const receiving = ignoresBody ? Effect.as(turn, undefined) : Body.receive(request, limit)
      return Effect.flatMap(receiving, (received) => {
        // The body is parsed before a transaction begins. A rejection of the body is stored like any other answer.
        const parsed = Body.parse(received)
        const body = Effect.fromResult(parsed)
        const answer = Effect.flatMap(body, work).pipe(
          Effect.catch(toFailure),
          Effect.mapError(worded),
          Effect.map(answerOf)
        )
        const completed = (stored: Idempotency.StoredAnswer) =>
          complete === undefined || stored.status !== 200
            ? Effect.succeed(stored)
            : Effect.map(Effect.catch(complete(JSON.parse(stored.body)), toFailure), answerOf)
        if (header === undefined) return Effect.map(Effect.flatMap(answer, completed), (stored) => textOf(stored))
        const json = prepare && Result.getOrUndefined(parsed)?.json
        const open = json === undefined ? "" : JSON.stringify(Redaction.withoutSecrets({ json }))
        const known = prepare === undefined ? (received?.text ?? "") : open
        const { key, rest } = scoped(header, caller, request, known)
        const rejection = (error: unknown) =>
          error instanceof Failure && Idempotency.isKept(error.status)
            ? { status: error.status, contentType, body: JSON.stringify(bodyOf(error, facts.requestId, facts.docsUrl)) }
            : undefined
        const once = prepared(facts.route?.path)(key, digest.sha256(rest), answer, rejection)
        const ready = prepare === undefined ? once : Effect.flatMap(prepare(json), (made) => Effect.provide(once, made))
        const kept = Effect.catch(ready, toFailure)
        return Effect.flatMap(kept, ({ answer: given, isReplayed }) =>
          Effect.map(completed(given), (stored) =>
            textOf(stored, isReplayed ? { "idempotent-replayed": "true" } : undefined)
          )
        )
      })
    })

  return Reply.of({ write: reply, writeUnstored: reply })
})

/** Stores answers through the port `Idempotency`, and forgets them after 24 hours. */
export const layer = Layer.provide(Layer.effect(Reply, make), Idempotency.layer)
