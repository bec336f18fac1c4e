/**
 * The records of a bulk of moves, and its summary.
 */
import { Bulk } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { MoveRequest } from "../MoveBatch.ts"
import type { Outcomes } from "./MoveRecord.ts"

/**
 * Moves to make, and records that were already rejected.
 */
export type Requests = ReadonlyArray<Result.Result<MoveRequest, Bulk.Rejection>>

/**
 * A move to make and its index in the bulk.
 */
export interface IndexedRequest {
  readonly index: number
  readonly record: MoveRequest
}

export const indexed = (requests: Requests): ReadonlyArray<IndexedRequest> =>
  requests.flatMap((request, index) => (Result.isSuccess(request) ? [{ index, record: request.success }] : []))

/**
 * The outcome of each record, in the order in which they were sent. A record without one is a bug, and no success.
 */
export const summarize = (requests: Requests, outcomes: Outcomes): Effect.Effect<Bulk.Summary> => {
  const byIndex = new Map(outcomes)
  const all = Effect.forEach(requests, (request, index) => {
    const outcome = Result.isFailure(request) ? request : byIndex.get(index)
    return outcome === undefined ? Effect.die(new Error(`Record ${index} has no outcome`)) : Effect.succeed(outcome)
  })
  return Effect.map(all, Bulk.summarize)
}
