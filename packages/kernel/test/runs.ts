import * as FastCheck from "fast-check"

/**
 * How many values a property draws, by default 100. The environment's RUNS multiplies it, for all properties at once.
 */
export const runs = (count = 100): number => Math.max(1, Math.round(count * Number(process.env.RUNS ?? "1")))

// Vitest loads this file before the tests of each file.
FastCheck.configureGlobal({ numRuns: runs() })
