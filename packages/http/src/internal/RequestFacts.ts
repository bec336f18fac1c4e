/**
 * What becomes known of a request while it is answered: for its log line, and for the allowances that it uses.
 */
import type { Principal } from "@crossdock/access"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { type Failure, tooManyRequestsFailure } from "../Failure.ts"
import type * as Allowance from "./Allowance.ts"
import type * as FairShares from "./FairShares.ts"

export interface Allowances {
  readonly account: ReturnType<typeof Allowance.make>
  readonly address: ReturnType<typeof Allowance.make>
  readonly share: ReturnType<typeof FairShares.make>
}

/**
 * One request's facts. `Edge` makes them; each part of the service adds what it finds out.
 */
export interface RequestFacts {
  readonly requestId: string
  /** The caller's network, by which failed sign-ins are counted and requests are limited. */
  readonly network: string
  /** The address of the host's documents; empty for none. */
  readonly docsUrl: string
  /** The path of the route, with the names of its parameters. */
  route?: string
  /** The code of an answer outside 2xx. */
  code?: string
  /** Who is calling, as kind and id. */
  caller?: string
  companyId?: number
  /** Whether it changes something: writes of a company's own accounts wait in one line. */
  isWrite?: boolean
  /** Whether it has waited for its turn. */
  hasTurn?: boolean
  readonly bytes: number
  /** None outside of a host's `Edge`. */
  readonly allowances: Allowances | undefined
  /** Gives back the allowances that the request uses. */
  readonly leave: Array<() => void>
}

export const RequestFacts = Context.Reference<RequestFacts>("@crossdock/http/RequestFacts", {
  defaultValue: () => ({ requestId: "", network: "unknown", docsUrl: "", bytes: 0, allowances: undefined, leave: [] })
})

/**
 * The bytes of a request's body as it states them; a body without a stated length counts as `unstated`.
 */
export const bytesOf = ({ headers }: HttpServerRequest.HttpServerRequest, unstated: number): number => {
  const stated = Number(headers["content-length"] ?? 0)
  if (headers["transfer-encoding"] !== undefined) return unstated
  return Number.isSafeInteger(stated) && stated >= 0 ? stated : 0
}

/**
 * Lets a request in by the allowance of its address or account, or says with which 429 it is rejected.
 */
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

/**
 * Waits for a turn of a line: that of an account, of a company's writes, or of a company whose link was opened.
 */
export const turnOf = (line: string): Effect.Effect<void> =>
  Effect.flatMap(RequestFacts, (facts) => waiting(facts, line))

/**
 * Waits until it is the caller's turn. It is called once the whole body is here, so that a slow sender keeps no other waiting.
 * Writes of a company wait in one line: they meet on its row in the database, where more of them at once are no faster.
 */
export const turn: Effect.Effect<void> = Effect.flatMap(RequestFacts, (facts) => {
  if (facts.caller === undefined) return Effect.void
  return facts.isWrite && facts.companyId !== undefined
    ? waiting(facts, `writes of ${facts.companyId}`, true)
    : waiting(facts, facts.caller)
})

/** No route reads a body that comes with one of these. */
const bodyless: ReadonlyArray<string> = ["GET", "HEAD"]

/**
 * The caller of the request is known: counts it, and names it in the log line.
 */
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
