import * as FastCheck from "fast-check"

/** The number of values that a property draws, by default 100. The environment's RUNS multiplies it for all properties. */
export const runs = (count = 100): number => {
  const times = Number(process.env.RUNS || "1")
  if (!(times > 0)) throw new Error(`RUNS must be a number above 0, not ${process.env.RUNS}`)
  return Math.max(1, Math.round(count * times))
}

// Vitest loads this file before the tests of each file.
FastCheck.configureGlobal({ numRuns: runs() })
