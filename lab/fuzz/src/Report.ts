/** The final report of a run. */
import type * as Verdict from "@crossdock/system-tests/Verdict"
import type { Outcome } from "./Fuzz.ts"
import * as Operation from "./Operation.ts"

/** The statuses of each operation with their counts, and every fault with its smallest request. */
export const of = ({
  aborted,
  failures,
  requests,
  statuses,
  tried,
  ways
}: Outcome): Pick<Verdict.Verdict, "faults" | "figures"> => {
  const counts = Operation.all.map(({ id }): readonly [string, string] => {
    const all = [...(statuses.get(id) ?? [])].sort(([a], [b]) => a - b)
    const total = all.reduce((sum, [, times]) => sum + times, 0)
    return [id, `${String(total).padStart(6)}  ${all.map(([status, times]) => `${status}: ${times}`).join("  ")}`]
  })
  return {
    figures: {
      requests: requests(),
      "aborted and sent again": aborted(),
      "ways to break one": `${tried} of ${ways} tried`,
      ...Object.fromEntries(counts)
    },
    faults: [...failures.values()].map(({ after, answer, broken, curl, fault, operation, times }) =>
      [
        `${operation}: ${fault} (${times} times)`,
        `  broken: ${broken}; after ${after}`,
        `  ${curl.slice(0, 3_000)}`,
        `  ${answer}`
      ].join("\n")
    )
  }
}
