/**
 * How many requests one caller may make: a second on average, in a burst, and at once.
 */

/**
 * `perSecond` requests on average, up to `burst` of them together; at most `atOnce` that aren't answered yet, with bodies of
 * at most `bytesAtOnce` in all. Each may be Infinity.
 */
export interface Allowance {
  readonly perSecond: number
  readonly burst: number
  readonly atOnce: number
  readonly bytesAtOnce: number
}

/**
 * For accounts, and for network addresses, from which many accounts may call.
 */
export interface Allowances {
  readonly account: Allowance
  readonly address: Allowance
}

/**
 * More than any integration needs, and less than what stops a host.
 */
export const generous: Allowances = {
  account: { perSecond: 2_000, burst: 10_000, atOnce: 1_000, bytesAtOnce: 128 * 1024 * 1024 },
  address: { perSecond: 5_000, burst: 25_000, atOnce: 2_000, bytesAtOnce: 256 * 1024 * 1024 }
}

interface Use {
  /** Requests that the caller may still make at `at`, in epoch milliseconds. */
  left: number
  at: number
  running: number
  bytes: number
}

/** Callers that are remembered; each takes about 200 bytes. */
const mostCallers = 20_000

/**
 * Counts requests by caller. `enter` returns 0 and lets a request in, or else the seconds after which the caller may try
 * again. Each request that was let in must `leave` when it ends, with the same `bytes`.
 */
export const make = ({ atOnce, burst, bytesAtOnce, perSecond }: Allowance) => {
  const uses = new Map<string, Use>()

  const refilled = (use: Use, now: number): number =>
    Math.min(burst, use.left + (Math.max(0, now - use.at) * perSecond) / 1000)

  /** Forgets callers that could use their whole allowance again. */
  const forget = (now: number) => {
    for (const [caller, use] of uses) if (use.running === 0 && refilled(use, now) >= burst) uses.delete(caller)
  }

  const known = (caller: string, now: number): Use => {
    const found = uses.get(caller)
    if (found !== undefined) return found
    if (uses.size >= mostCallers) forget(now)
    const begun = { left: burst, at: now, running: 0, bytes: 0 }
    uses.set(caller, begun)
    return begun
  }

  const enter = (caller: string, now: number, bytes: number): number => {
    const use = known(caller, now)
    use.left = refilled(use, now)
    use.at = now
    // A single body may be larger than the bound; its own limit is judged later.
    if (use.running >= atOnce || (use.running > 0 && use.bytes + bytes > bytesAtOnce)) return 1
    if (use.left < 1) return Math.max(1, Math.ceil((1 - use.left) / perSecond))
    use.left--
    use.running++
    use.bytes += bytes
    return 0
  }

  const leave = (caller: string, bytes: number): void => {
    const use = uses.get(caller)
    if (use === undefined) return
    use.running--
    use.bytes -= bytes
  }

  return { enter, leave, size: () => uses.size }
}
