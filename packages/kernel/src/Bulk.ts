/**
 * Outcomes of bulk work: every record succeeds or fails by itself.
 */
import * as Result from "effect/Result"

/**
 * Why one record of a bulk was rejected. `path` points into the whole request.
 */
export interface Rejection {
  readonly code: string
  readonly message: string
  readonly path?: string
  /** What a caller needs beside the code, such as the present quantity of a rejected compare-and-set. */
  readonly details?: Readonly<Record<string, unknown>>
}

/**
 * A rejection and the index of its record in the request.
 */
export interface Failure extends Rejection {
  readonly index: number
}

export type Status = "SUCCESS" | "PARTIAL_SUCCESS" | "FAILED"

/**
 * `succeeded + failures.length = total`, always.
 */
export interface Summary {
  readonly total: number
  readonly succeeded: number
  readonly failures: ReadonlyArray<Failure>
  readonly status: Status
}

/**
 * Counts outcomes given in the order of the request. SUCCESS means all, FAILED none, PARTIAL_SUCCESS some.
 */
export const summarize = (outcomes: ReadonlyArray<Result.Result<unknown, Rejection>>): Summary => {
  const failures = outcomes.flatMap((outcome, index) =>
    Result.isFailure(outcome) ? [{ index, ...outcome.failure }] : []
  )
  const total = outcomes.length
  const succeeded = total - failures.length
  return {
    total,
    succeeded,
    failures,
    status: failures.length === 0 ? "SUCCESS" : succeeded === 0 ? "FAILED" : "PARTIAL_SUCCESS"
  }
}

/**
 * Judges `records` that were decoded one by one: those that failed to decode keep their rejection, the others get the
 * answer of `judge`, which sees them in order and answers in the same order.
 */
export const judgeDecoded = <A, B>(
  decoded: ReadonlyArray<Result.Result<A, Rejection>>,
  judge: (
    records: ReadonlyArray<{ readonly index: number; readonly record: A }>
  ) => ReadonlyArray<Result.Result<B, Rejection>>
): ReadonlyArray<Result.Result<B, Rejection>> => {
  const sound = decoded.flatMap((one, index) => (Result.isSuccess(one) ? [{ index, record: one.success }] : []))
  const judged = judge(sound)
  let next = 0
  return decoded.map((one) =>
    Result.isFailure(one) ? Result.fail(one.failure) : (judged[next++] as Result.Result<B, Rejection>)
  )
}
