/** The law that stores with rows of limited age share. */
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import * as Fresh from "./Fresh.ts"

/**
 * Asserts that rows from before a time are deleted, the oldest first. `put` stores a row of that time, before 1970, where no other
 * law has data, and returns whether it is still there.
 */
export const areDeleted = Effect.fnUntraced(function* <E1, R1, E2, R2, E3, R3>(
  put: (at: number, nth: number) => Effect.Effect<Effect.Effect<boolean, E1, R1>, E2, R2>,
  deleteBefore: (before: number, limit: number) => Effect.Effect<number, E3, R3>
) {
  const first = -(yield* Fresh.companyId)
  const rows = yield* Effect.forEach([2, 0, 1, 3], (later, nth) =>
    Effect.map(put(first + later, nth), (isThere) => ({ later, isThere }))
  )
  const left = Effect.map(
    Effect.filter(rows, ({ isThere }) => isThere),
    (found): ReadonlyArray<number> => found.map(({ later }) => later)
  )
  for (const [before, limit, deleted, remaining] of [
    [0, 10, 0, [2, 0, 1, 3]],
    [3, 2, 2, [2, 3]],
    [3, 10, 1, [3]],
    [3, 10, 0, [3]],
    [4, 10, 1, []]
  ] as const) {
    strictEqual(yield* deleteBefore(first + before, limit), deleted)
    deepStrictEqual(yield* left, remaining)
  }
})
