/** The facts of a request while it is answered: its id, caller, network and allowances; and whose request runs next. */

import type { Principal } from "@crossdock/access"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import { MixedScheduler } from "effect/Scheduler"
import ipaddr from "ipaddr.js"
import { type Failure, tooManyRequestsFailure } from "./Failure.ts"

/** Limits on one caller: average rate, burst, unanswered requests, and bytes of bodies. Infinity sets no limit. */
export interface Allowance {
  readonly perSecond: number
  readonly burst: number
  readonly concurrent: number
  readonly concurrentBytes: number
}

/**
 * Limits of accounts, and of network addresses, which many accounts may share. `share` is how many requests of one
 * account run at once. The writes of a company's own accounts count separately: `writes` of a company run at once.
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
  /** Requests that the caller may still make at `at`, in epoch milliseconds. */
  left: number
  at: number
  running: number
  bytes: number
}

/**
 * The maximum of remembered callers, about 200 bytes each. It is exceeded only while more callers have requests in
 * flight.
 */
const mostCallers = 20_000

/** `enter` lets a request in with 0, or gives the seconds to wait. Each must `leave` at its end with the same bytes. */
export const makeAllowance = ({ concurrent, burst, concurrentBytes, perSecond }: Allowance) => {
  // Callers of late, and those before them. A map that always lost its oldest entry would search for it longer and longer.
  let recent = new Map<string, Use>()
  let earlier = new Map<string, Use>()

  const refilled = (use: Use, now: number): number => {
    const elapsed = Math.max(0, now - use.at)
    return elapsed === 0 ? use.left : Math.min(burst, use.left + (elapsed * perSecond) / 1000)
  }

  /**
   * Forgets the callers that were idle for longest, whose allowance is full again. Callers with requests in flight are
   * kept.
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

interface Line {
  readonly most: number
  inWork: number
  readonly waiting: Set<() => void>
}

/** Milliseconds of requests in one turn of the event loop, which SQLite's requests would not interrupt. */
const turnMillis = 2

/**
 * Rotates among lines of requests, so a flood delays others little. Source: docs/reference/host.md#limits.
 *
 * At most `most` requests of a line run at once, `mostWrites` of a line of writes. `leave` gets the function that ends
 * a turn.
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
      // The others come first now.
      lines.delete(name)
      lines.set(name, line)
      return start
    }
    return undefined
  }

  /** Starts requests until this turn of the event loop is over. After it a request starts at once if nothing is scheduled. */
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

/** Some proxies add the port: `203.0.113.7:51234`, `[2001:db8::1]:51234`. */
const withoutPort = (text: string): string =>
  /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text

const ipv4 = /^(?:::ffff:)?((?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4})$/

/** Whether a proxy wrote an address, with or without a port. */
const isAddress = (text: string): boolean => ipaddr.isValid(withoutPort(text))

/** An IPv4 address, or the 64 bits of an IPv6 address that one customer has. Anything else stays as it is. */
export const networkOf = (text: string): string => {
  // The usual one, without reading its numbers. A server that listens on IPv6 too sees IPv4 addresses mapped to it.
  const plain = ipv4.exec(text)?.[1]
  if (plain !== undefined) return plain
  const address = withoutPort(text)
  if (!ipaddr.isValid(address)) return text
  // `process` turns an IPv4 address that is mapped to IPv6 into IPv4.
  const parsed = ipaddr.process(address)
  if (parsed.kind() === "ipv4") return parsed.toString()
  const [a, b, c, d] = (parsed as ipaddr.IPv6).parts
  return `${new ipaddr.IPv6([a, b, c, d, 0, 0, 0, 0].map((part) => part ?? 0))}/64`
}

interface HostAllowances {
  readonly account: ReturnType<typeof makeAllowance>
  readonly address: ReturnType<typeof makeAllowance>
  readonly share: ReturnType<typeof makeShares>
}

/** The label `code` of answers without an error. */
export const noError = "OK"

/** A route: its path with the names of its parameters, and the metrics of its successful answers. */
export interface Route {
  readonly method: string
  readonly path: string
  readonly succeeded: Metric.Metric<number, unknown>
  readonly duration: Metric.Metric<number, unknown>
}

/** One request's facts. `Edge` makes them, and each part of the service adds its own. */
export interface RequestFacts {
  readonly requestId: string
  /** The caller's network, by which failed sign-ins are counted and requests are limited. */
  readonly network: string
  /** The address of the host's documents; empty for none. */
  readonly docsUrl: string
  route?: Route
  /** The code of an answer outside 2xx. */
  code?: string
  /** The caller, as kind and id. */
  caller?: string
  companyId?: number
  /** Whether the request writes: writes of a company's own accounts wait in one line. */
  isWrite?: boolean
  /** Whether the request has waited for its turn. */
  hasTurn?: boolean
  readonly bytes: number
  /** The host's allowances; undefined outside its `Edge`. */
  readonly allowances: HostAllowances | undefined
  /** Gives back the allowances that the request uses. */
  readonly leave: Array<() => void>
}

export const RequestFacts = Context.Reference<RequestFacts>("@crossdock/http/RequestFacts", {
  defaultValue: () => ({ requestId: "", network: "unknown", docsUrl: "", bytes: 0, allowances: undefined, leave: [] })
})

/** The bytes of a request's body as it states them; a body without a stated length counts as `unstated`. */
export const bytesOf = ({ headers }: HttpServerRequest.HttpServerRequest, unstated: number): number => {
  const stated = Number(headers["content-length"] ?? 0)
  if (headers["transfer-encoding"] !== undefined) return unstated
  return Number.isSafeInteger(stated) && stated >= 0 ? stated : 0
}

/** Lets a request in if its address or account has allowance left, or returns the 429. */
export const enter = (facts: RequestFacts, by: "account" | "address", caller: string, now: number) => {
  const allowance = facts.allowances?.[by]
  if (allowance === undefined) return undefined
  const retryAfter = allowance.enter(caller, now, facts.bytes)
  if (retryAfter > 0) return tooManyRequestsFailure(retryAfter)
  facts.leave.push(() => allowance.leave(caller, facts.bytes))
  return undefined
}

const waiting = (facts: RequestFacts, line: string, isOfWrites = false): Effect.Effect<void> => {
  if (facts.allowances === undefined || facts.hasTurn) return Effect.void
  facts.hasTurn = true
  return facts.allowances.share.enter(line, facts.leave, isOfWrites)
}

/** Waits for a turn in a line: an account's, a company's writes, or a company's opened links. */
export const turnOf = (line: string): Effect.Effect<void> =>
  Effect.flatMap(RequestFacts, (facts) => waiting(facts, line))

/** Waits for the caller's turn, once the body is here. Writes of a company wait in one line: its row is locked. */
export const turn: Effect.Effect<void> = Effect.flatMap(RequestFacts, (facts) => {
  if (facts.caller === undefined) return Effect.void
  return facts.isWrite && facts.companyId !== undefined
    ? waiting(facts, `writes of ${facts.companyId}`, true)
    : waiting(facts, facts.caller)
})

/** Methods whose bodies no route reads. */
const bodyless: ReadonlyArray<string> = ["GET", "HEAD"]

/** Notes the caller once it is known: counts the request against its allowance, and names it in the log line. */
export const identified = (
  facts: RequestFacts,
  principal: Principal,
  { method }: HttpServerRequest.HttpServerRequest,
  now: number
): Effect.Effect<void, Failure> => {
  facts.caller = `${principal.kind}:${principal.id}`
  if ("companyId" in principal) facts.companyId = principal.companyId
  const rejection = enter(facts, "account", facts.caller, now)
  if (rejection !== undefined) return Effect.fail(rejection)
  return bodyless.includes(method) ? waiting(facts, facts.caller) : Effect.void
}

/** The request's id: the caller's own if valid, else a new one. Source: docs/reference/requests.md#request-id. */
export const RequestId: Effect.Effect<string> = Effect.map(RequestFacts, ({ requestId }) => requestId)

/** The caller's network, by which failed sign-ins are counted and requests are limited. */
export const peerAddress: Effect.Effect<string> = Effect.map(RequestFacts, ({ network }) => network)

/**
 * The host's settings for requests. Behind `trustedProxies`, the caller's address is in X-Forwarded-For; without
 * `queryCredentials`, credentials in URLs are rejected; `lenientQuery` ignores unknown query parameters; `publicUrl` is
 * the address by which browsers reach the host; `docsUrl` is the address of its documents, which `docs` in error bodies
 * links to, or empty for none.
 */
export const HttpPolicy = Context.Reference<{
  readonly trustedProxies: number
  readonly queryCredentials: boolean
  readonly lenientQuery: boolean
  readonly publicUrl: string
  readonly docsUrl: string
}>("@crossdock/http/HttpPolicy", {
  defaultValue: () => ({ trustedProxies: 0, queryCredentials: true, lenientQuery: false, publicUrl: "", docsUrl: "" })
})

/** A sane `x-request-id`; any other is replaced. */
export const valid = /^[A-Za-z0-9._-]{1,128}$/

export const requestIdOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const sent = request.headers["x-request-id"]
  return sent !== undefined && valid.test(sent) ? sent : globalThis.crypto.randomUUID()
}

/** The entry of X-Forwarded-For that the outermost of `proxies` added. Earlier entries may be the caller's own. */
export const forwardedAddress = (header: string, proxies: number): string =>
  header.split(",").slice(-Math.max(1, proxies))[0]?.trim() ?? ""

/** The network of the caller's address. Behind `trustedProxies` proxies the address is in a header. */
export const peerOf = (request: HttpServerRequest.HttpServerRequest, trustedProxies: number): string => {
  const header = trustedProxies === 0 ? undefined : request.headers["x-forwarded-for"]
  const forwarded = header === undefined ? undefined : forwardedAddress(header, trustedProxies)
  return networkOf(
    forwarded !== undefined && isAddress(forwarded)
      ? forwarded
      : Option.getOrElse(request.remoteAddress, () => "unknown")
  )
}
