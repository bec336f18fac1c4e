/**
 * `amount` × `part` / `whole`, rounded down. Shares of growing parts never shrink, so their differences add up to the
 * amount and none is negative. All arguments are whole numbers that are not negative, `part` at most `whole`.
 */
export const cumulativeShare = (amount: number, part: number, whole: number): number =>
  whole === 0 ? 0 : Number((BigInt(amount) * BigInt(part)) / BigInt(whole))
