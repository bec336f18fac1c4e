/** The report of a run as a table. */
import type { Report } from "./ClusterDemo.ts"

const padded = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
  )
}

const millis = (time: number): string => `${time.toFixed(0)} ms`

/** The lines of the table: one for each operation, and one for all operations. */
export const lines = ({ operations, seconds }: Report): ReadonlyArray<string> => {
  const total = operations.reduce((sum, { count }) => sum + count, 0)
  return padded([
    ["operation", "calls", "a second", "p50", "p99", "longest"],
    ...operations.map(({ count, longest, name, p50, p99 }) => [
      name,
      String(count),
      (count / seconds).toFixed(1),
      millis(p50),
      millis(p99),
      millis(longest)
    ]),
    ["all", String(total), (total / seconds).toFixed(1), "", "", ""]
  ])
}
