/**
 * What a run says at its end.
 */
import type { Outcome } from "./Fuzz.ts"
import * as Operation from "./Operation.ts"

/**
 * A line for each operation with how often it gave each status, then every fault with its smallest request.
 */
export const of = ({ failures, requests, statuses, tried, ways }: Outcome): string => {
  const counts = Operation.all.map(({ id }) => {
    const all = [...(statuses.get(id) ?? [])].sort(([a], [b]) => a - b)
    const total = all.reduce((sum, [, times]) => sum + times, 0)
    return `${id.padEnd(40)} ${String(total).padStart(6)}  ${all.map(([status, times]) => `${status}: ${times}`).join("  ")}`
  })
  const faults = [...failures.values()].map(({ after, answer, broken, curl, fault, operation, times }) =>
    [
      `${operation}: ${fault} (${times} times)`,
      `  broken: ${broken}; after ${after}`,
      `  ${curl.slice(0, 3_000)}`,
      `  ${answer}`
    ].join("\n")
  )
  return [
    ...counts,
    "",
    ...faults,
    `${requests()} requests, ${tried} of ${ways} ways to break one, ${failures.size} different faults`
  ].join("\n")
}
