/** The times of calls, and the reasons of retries. */

export interface Measurements {
  /** Runs a call and measures it under this name. Retries are included. */
  readonly timed: <A>(operation: string, call: () => Promise<A>) => Promise<A>
  /** A `fetch` for a client. It counts retries by their cause. */
  readonly fetch: typeof globalThis.fetch
  readonly retries: ReadonlyMap<string, number>
  readonly operations: () => ReadonlyArray<Operation>
}

/** All calls of one name. Times are in milliseconds. */
export interface Operation {
  readonly name: string
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly longest: number
}

/** The code in an answer. A 502 or 503 of a host has a code, and one of the balancer has no code. */
const codeOf = async (answer: Response): Promise<string | undefined> => {
  try {
    return ((await answer.clone().json()) as { readonly code?: string }).code
  } catch {
    return undefined
  }
}

const causes: Readonly<Record<number, string>> = {
  429: "429",
  502: "502, the host ended before it answered",
  503: "503, no host is ready"
}

const causeOf = async (answer: Response): Promise<string | undefined> => {
  if (answer.ok) return undefined
  const code = await codeOf(answer)
  if (answer.status === 409) return code === "IDEMPOTENCY_IN_FLIGHT" ? `409 ${code}` : undefined
  const cause = causes[answer.status]
  return cause === undefined || code === undefined ? cause : `${answer.status} ${code}`
}

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

export const make = (): Measurements => {
  const times = new Map<string, Array<number>>()
  const retries = new Map<string, number>()
  const retried = (cause: string) => retries.set(cause, (retries.get(cause) ?? 0) + 1)
  return {
    timed: async (operation, call) => {
      const began = performance.now()
      const answer = await call()
      const known = times.get(operation) ?? []
      known.push(performance.now() - began)
      times.set(operation, known)
      return answer
    },
    fetch: async (input, init) => {
      try {
        const answer = await fetch(input, init)
        const cause = await causeOf(answer)
        if (cause !== undefined) retried(cause)
        return answer
      } catch (error) {
        retried("no answer")
        throw error
      }
    },
    retries,
    operations: () =>
      [...times].map(([name, all]) => {
        const sorted = all.toSorted((a, b) => a - b)
        return {
          name,
          count: sorted.length,
          p50: quantile(sorted, 0.5),
          p99: quantile(sorted, 0.99),
          longest: sorted.at(-1) ?? 0
        }
      })
  }
}
