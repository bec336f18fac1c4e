/** The findings of a test program. All programs print them in one form: verdict, figures, faults. */

export interface Verdict {
  /** A sentence that is true if there are no faults: `every acknowledged move happened exactly once`. */
  readonly claim: string
  /** Work and measurements, by name. */
  readonly figures: Readonly<Record<string, string | number>>
  /** The faults, as sentences. The list is empty if the test passed. */
  readonly faults: ReadonlyArray<string>
}

const shown = 20

export const lines = ({ claim, faults, figures }: Verdict): ReadonlyArray<string> => {
  const names = Object.keys(figures)
  const width = Math.max(0, ...names.map((name) => name.length))
  const count = faults.length === 1 ? "1 fault" : `${faults.length} faults`
  return [
    faults.length === 0 ? `PASSED: ${claim}` : `FAILED: ${count}, so it is not true that ${claim}`,
    ...names.map((name) => `  ${name.padEnd(width)}  ${figures[name]}`),
    ...faults.slice(0, shown).map((fault) => `fault: ${fault}`),
    ...(faults.length > shown ? [`and ${faults.length - shown} more`] : [])
  ]
}

/** Prints the verdict and returns the exit code. */
export const print = (verdict: Verdict): number => {
  process.stdout.write(`${lines(verdict).join("\n")}\n`)
  return verdict.faults.length === 0 ? 0 : 1
}

/** A duration for `figures`. */
export const secondsSince = (began: number): string => `${((performance.now() - began) / 1000).toFixed(1)} s`
