/** Limits on the requests of accounts and network addresses, and their order. Source: docs/reference/host.md#limits. */
import * as Effect from "effect/Effect"
import { MixedScheduler } from "effect/Scheduler"

/** Limits on one caller: average rate, burst, unanswered requests, and bytes of bodies. Infinity sets no limit. */
export interface Allowance {
  readonly perSecond: number
  readonly burst: number
  readonly concurrent: number
  readonly concurrentBytes: number
}

/**
 * Limits of accounts, and of network addresses, which many accounts may share. `share` is how many requests of one
 * account run at once. `writes` is how many writes of one company's own accounts run at once.
 */
export interface Allowances {
  readonly account: Allowance
  readonly address: Allowance
  readonly share: number
  readonly writes: number
}

/** Default limits: above the needs of any integration, and low enough that a host keeps working. */
export const generousAllowances: Allowances = {
  account: { perSecond: 2_000, burst: 10_000, concurrent: 1_000, concurrentBytes: 128 * 1024 * 1024 },
  address: { perSecond: 5_000, burst: 25_000, concurrent: 2_000, concurrentBytes: 256 * 1024 * 1024 },
  share: 8,
  writes: 2
}

interface Use {
  /** The number of requests that the caller may still make at the time `at`, in epoch milliseconds. */
  left: number
  at: number
  running: number
  bytes: number
}

/** The maximum of remembered callers, of about 200 bytes each. Only callers with requests in flight can exceed it. */
const mostCallers = 20_000

/** `enter` returns 0 if a request may begin, or the seconds to wait. When it ends, call `leave` with the same bytes. */
export const makeAllowance = ({ concurrent, burst, concurrentBytes, perSecond }: Allowance) => {
  // Recent callers, and earlier callers. Deleting the oldest entry of a single map would become slower and slower.
  let recent = new Map<string, Use>()
  let earlier = new Map<string, Use>()

  const refilled = (use: Use, now: number): number => {
    const elapsed = Math.max(0, now - use.at)
    return elapsed === 0 ? use.left : Math.min(burst, use.left + (elapsed * perSecond) / 1000)
  }

  /** Forgets the callers that were idle for longest, so their allowance is full again. Those with requests in flight stay. */
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
    // A single body may be larger than this limit, because the limit of one body is checked later.
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

interface Line {
  readonly most: number
  inWork: number
  readonly waiting: Set<() => void>
}

/** Milliseconds in which a turn of the event loop starts requests. Requests to SQLite never wait, so they wouldn't end it. */
const turnMillis = 2

/**
 * Rotates among queues of requests, so a busy caller hardly delays other callers. Source: docs/reference/host.md#limits.
 *
 * At most `most` requests of a queue run at once, or `mostWrites` if it is a queue of writes. The function that ends a
 * turn is added to `leave`.
 */
export const makeShares = (most: number, mostWrites = most) => {
  const lines = new Map<string, Line>()
  const loop = new MixedScheduler().makeDispatcher()
  let isScheduled = false

  const next = (): (() => void) | undefined => {
    for (const [name, line] of lines) {
      const [start] = line.waiting
      if (start === undefined || line.inWork >= line.most) continue
      line.waiting.delete(start)
      // Now the other queues come first.
      lines.delete(name)
      lines.set(name, line)
      return start
    }
    return undefined
  }

  /** Starts requests until this turn of the event loop is over. Later requests start immediately if nothing is scheduled. */
  const work = () => {
    const until = performance.now() + turnMillis
    isScheduled = false
    for (let start = next(); start !== undefined; start = next()) {
      start()
      if (performance.now() >= until) return schedule()
    }
  }
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    loop.scheduleTask(work, 0)
  }

  const end = (name: string, line: Line) => {
    line.inWork--
    if (line.waiting.size > 0) schedule()
    else if (line.inWork === 0) lines.delete(name)
  }

  const enter = (name: string, leave: Array<() => void>, isOfWrites: boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      const line = lines.get(name) ?? { most: isOfWrites ? mostWrites : most, inWork: 0, waiting: new Set() }
      lines.set(name, line)
      const begin = () => {
        line.inWork++
        leave.push(() => end(name, line))
      }
      if (!isScheduled && line.inWork < line.most && line.waiting.size === 0) {
        schedule()
        begin()
        return Effect.void
      }
      return Effect.callback((resume) => {
        const start = () => {
          begin()
          resume(Effect.void)
        }
        line.waiting.add(start)
        if (line.inWork < line.most) schedule()
        return Effect.sync(() => {
          line.waiting.delete(start)
          if (line.inWork === 0 && line.waiting.size === 0) lines.delete(name)
        })
      })
    })

  return { enter, size: () => lines.size }
}

export const make = ({ account, address, share, writes }: Allowances) => ({
  account: makeAllowance(account),
  address: makeAllowance(address),
  share: makeShares(share, writes)
})

export type RateLimits = ReturnType<typeof make>
