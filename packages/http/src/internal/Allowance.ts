/**
 * Limits on one caller: requests per second, in a burst, and in flight.
 */

/**
 * `perSecond` requests on average, up to `burst` of them together; at most `atOnce` that aren't answered yet, with bodies of
 * at most `bytesAtOnce` in all. Each may be Infinity.
 */
export interface Allowance {
  readonly perSecond: number
  readonly burst: number
  readonly concurrent: number
  readonly concurrentBytes: number
}

/**
 * For accounts, and for network addresses, from which many accounts may call. `share` is how many requests of one account
 * are worked on at once, without the writes that a company's own accounts make: of those, `writes` of one company are.
 */
export interface Allowances {
  readonly account: Allowance
  readonly address: Allowance
  readonly share: number
  readonly writes: number
}

/**
 * More than any integration needs, and less than what stops a host.
 */
export const generous: Allowances = {
  account: { perSecond: 2_000, burst: 10_000, concurrent: 1_000, concurrentBytes: 128 * 1024 * 1024 },
  address: { perSecond: 5_000, burst: 25_000, concurrent: 2_000, concurrentBytes: 256 * 1024 * 1024 },
  share: 8,
  writes: 2
}

interface Use {
  /** Requests that the caller may still make at `at`, in epoch milliseconds. */
  left: number
  at: number
  running: number
  bytes: number
}

/** Callers that are remembered, about 200 bytes each; more only while more than so many have requests in flight. */
const mostCallers = 20_000

/**
 * Counts requests by caller. `enter` returns 0 and lets a request in, or else the seconds after which the caller may try
 * again. Each request that was let in must `leave` when it ends, with the same `bytes`.
 */
export const make = ({ concurrent, burst, concurrentBytes, perSecond }: Allowance) => {
  // Callers of late, and those before them. A map that always lost its oldest entry would search for it longer and longer.
  let recent = new Map<string, Use>()
  let earlier = new Map<string, Use>()

  const refilled = (use: Use, now: number): number => {
    const elapsed = Math.max(0, now - use.at)
    return elapsed === 0 ? use.left : Math.min(burst, use.left + (elapsed * perSecond) / 1000)
  }

  /**
   * Forgets the callers that were quiet for longest, which then have their whole allowance again. Those with requests in flight
   * stay.
   */
  const forget = () => {
    for (const [caller, use] of earlier) if (use.running > 0) recent.set(caller, use)
    earlier = recent
    recent = new Map()
  }

  const find = (caller: string): Use | undefined => recent.get(caller) ?? earlier.get(caller)

  const known = (caller: string, now: number): Use => {
    const use = find(caller) ?? { left: burst, at: now, running: 0, bytes: 0 }
    if (recent.size >= mostCallers / 2) forget()
    recent.set(caller, use)
    return use
  }

  const enter = (caller: string, now: number, bytes: number): number => {
    const use = known(caller, now)
    use.left = refilled(use, now)
    use.at = now
    // A single body may be larger than the bound; its own limit is judged later.
    const isBeyondBytes = bytes > 0 && use.bytes > 0 && use.bytes + bytes > concurrentBytes
    if (use.running >= concurrent || isBeyondBytes) return 1
    if (use.left < 1) return Math.max(1, Math.ceil((1 - use.left) / perSecond))
    use.left--
    use.running++
    use.bytes += bytes
    return 0
  }

  const leave = (caller: string, bytes: number): void => {
    const use = find(caller)
    if (use === undefined) return
    use.running--
    use.bytes -= bytes
  }

  return { enter, leave, size: () => recent.size + earlier.size }
}
