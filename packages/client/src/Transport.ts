/**
 * How a request reaches a host: over HTTP (`HttpTransport`), or any other way that `over` of a client is given.
 */
import type * as Effect from "effect/Effect"
import type { ApiError, NetworkError } from "./ApiError.ts"
import type { Input, Operation } from "./Operation.ts"

/** What a call fails with. */
export type Failure = ApiError | NetworkError

/** An operation with what it takes. `headers` are the client's own: its token and its Idempotency-Key. */
export interface Request {
  readonly operation: Operation
  readonly input: Input
  readonly headers: Readonly<Record<string, string>>
}

/** Sends a request once; what it answers is the JSON of a 2xx, or a document's bytes. */
export type Transport = (request: Request) => Effect.Effect<unknown, Failure>

/** The request in messages. */
export const nameOf = ({ operation }: Request): string => `${operation.method} ${operation.path}`
