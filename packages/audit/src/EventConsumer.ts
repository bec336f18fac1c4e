/** A group's progress in a company's events, and the host that works on it. All steps are pure functions. */
import { type CompanyId, Instant } from "@crossdock/kernel"

/** A host's claim. Until `until` (epoch milliseconds), no other host works on the company for the group. */
export interface Claim {
  readonly owner: string
  readonly until: number
}

/** A group's progress in one company: events up to number `cursor` were handled. `version` is 0 before it is stored. */
export interface Consumer {
  readonly group: string
  readonly companyId: CompanyId
  readonly cursor: number
  readonly claim: Claim | null
  readonly version: number
}

/** A handler has this many milliseconds for one batch of events. */
export const handlerMillis = 10_000

/** A host claims a company for this many milliseconds, which is longer than a handler's time limit. */
export const claimMillis = 15_000

/** A consumer that hasn't handled any event. It begins with the company's first event. */
export const fresh = (group: string, companyId: CompanyId) => ({ group, companyId, cursor: 0, claim: null, version: 0 })

/**
 * Whether a host may claim the company. A claim that ends too far in the future is ignored: a clock must have been ahead.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { EventConsumer } from "@crossdock/audit"
 * import { CompanyId } from "@crossdock/kernel"
 *
 * const claimed = EventConsumer.claimed(EventConsumer.fresh("search", CompanyId.make(1)), "host-1", 0)
 * const times = [0, EventConsumer.claimMillis, -3_600_000]
 * deepStrictEqual(times.map((now) => EventConsumer.isFree(claimed, now)), [false, true, true])
 * ```
 */
export const isFree = ({ claim }: Consumer, now: number): boolean =>
  claim === null || claim.until <= now || claim.until > now + claimMillis + Instant.clockSkew

export const claimed = (consumer: Consumer, owner: string, now: number): Consumer => ({
  ...consumer,
  claim: { owner, until: now + claimMillis }
})

/** The consumer after it was saved. */
export const saved = (consumer: Consumer): Consumer => ({ ...consumer, version: consumer.version + 1 })
