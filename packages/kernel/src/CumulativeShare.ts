/**
 * The share of `amount` that belongs to the first `part` units of `whole`: `amount` × `part` / `whole`, rounded down. As
 * `part` grows the share never shrinks, so the differences of successive shares are never negative and add up to the amount.
 * All arguments are whole numbers from 0 on; `part` is at most `whole`.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { cumulativeShare } from "@crossdock/kernel"
 *
 * deepStrictEqual([1, 2, 3].map((units) => cumulativeShare(100, units, 3)), [33, 66, 100])
 * ```
 */
export const cumulativeShare = (amount: number, part: number, whole: number): number =>
  whole === 0 ? 0 : Number((BigInt(amount) * BigInt(part)) / BigInt(whole))
