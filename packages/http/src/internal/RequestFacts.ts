/**
 * What becomes known of a request while it is answered: for its log line, and for the allowances that it uses.
 */
import type { Principal } from "@crossdock/access"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { tooManyRequestsFailure } from "../Failure.ts"
import type * as Allowance from "./Allowance.ts"

export type Allowances = Readonly<Record<keyof Allowance.Allowances, ReturnType<typeof Allowance.make>>>

/**
 * One request's facts. `Edge` makes them; each part of the service adds what it finds out.
 */
export interface RequestFacts {
  /** The path of the route, with the names of its parameters. */
  route?: string
  /** The code of an answer outside 2xx. */
  code?: string
  /** Who is calling, as kind and id. */
  caller?: string
  companyId?: number
  readonly bytes: number
  readonly allowances: Allowances
  /** Gives back the allowances that the request uses. */
  readonly leave: Array<() => void>
}

export const RequestFacts = Context.Reference<RequestFacts | undefined>("@crossdock/http/RequestFacts", {
  defaultValue: () => undefined
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
 * Lets a request in by the allowance of its address or account, or fails with 429.
 */
export const enter = (facts: RequestFacts, by: keyof Allowances, caller: string, now: number) => {
  const allowance = facts.allowances[by]
  const retryAfter = allowance.enter(caller, now, facts.bytes)
  if (retryAfter > 0) return Effect.fail(tooManyRequestsFailure(retryAfter))
  facts.leave.push(() => allowance.leave(caller, facts.bytes))
  return Effect.void
}

/**
 * The caller of the request is known: counts it, and names it in the log line.
 */
export const identified = (principal: Principal, now: number) =>
  Effect.flatMap(RequestFacts, (facts) => {
    if (facts === undefined) return Effect.void
    facts.caller = `${principal.kind}:${principal.id}`
    if ("companyId" in principal) facts.companyId = principal.companyId
    return enter(facts, "account", facts.caller, now)
  })
