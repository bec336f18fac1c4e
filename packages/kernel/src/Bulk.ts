/**
 * Outcomes of bulk work: every record succeeds or fails by itself.
 */
import * as Either from "effect/Either"

/**
 * Why one record of a bulk was refused. `path` points into the whole request.
 */
export interface Refusal {
  readonly code: string
  readonly message: string
  readonly path?: string
  /** What a caller needs beside the code, such as the present quantity of a refused compare-and-set. */
  readonly details?: Readonly<Record<string, unknown>>
}

/**
 * A refusal and the index of its record in the request.
 */
export interface Failure extends Refusal {
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
export const summarize = (outcomes: ReadonlyArray<Either.Either<unknown, Refusal>>): Summary => {
  const failures = outcomes.flatMap((outcome, index) => (Either.isLeft(outcome) ? [{ index, ...outcome.left }] : []))
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
 * Judges `records` that were decoded one by one: those that failed to decode keep their refusal, the others get the
 * answer of `judge`, which sees them in order and answers in the same order.
 */
export const judgeDecoded = <A, B>(
  decoded: ReadonlyArray<Either.Either<A, Refusal>>,
  judge: (
    records: ReadonlyArray<{ readonly index: number; readonly record: A }>
  ) => ReadonlyArray<Either.Either<B, Refusal>>
): ReadonlyArray<Either.Either<B, Refusal>> => {
  const sound = decoded.flatMap((one, index) => (Either.isRight(one) ? [{ index, record: one.right }] : []))
  const judged = judge(sound)
  let next = 0
  return decoded.map((one) =>
    Either.isLeft(one) ? Either.left(one.left) : (judged[next++] as Either.Either<B, Refusal>)
  )
}
