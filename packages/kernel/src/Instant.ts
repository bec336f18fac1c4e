/** Instants in epoch milliseconds. The rules allow for hosts whose clocks differ or are set back. */

/** A day in milliseconds. */
export const dayMillis = 86_400_000

const pattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/

const first = /* @__PURE__ */ Date.parse("0000-01-01T00:00Z")

/** The last instant whose year in UTC has four digits, in epoch milliseconds. Answers can't contain later ones. */
export const last = /* @__PURE__ */ Date.parse("9999-12-31T23:59:59.999Z")

/**
 * The epoch milliseconds of an ISO 8601 text with an offset. The result is undefined for a text of any other form, for days
 * and times that don't exist, and for years that don't have four digits in UTC. Source: docs/reference/requests.md#times.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Instant } from "@crossdock/kernel"
 *
 * strictEqual(Instant.parse("1970-01-01T00:00:01Z"), 1000)
 * strictEqual(Instant.parse("2026-02-30T00:00:00Z"), undefined)
 * ```
 */
export const parse = (text: string): number | undefined => {
  const [, day, time, seconds = "00"] = pattern.exec(text) ?? []
  const written = `${day}T${time}:${seconds}`
  const [asUtc, millis] = [Date.parse(`${written}Z`), Date.parse(text)]
  if (Number.isNaN(asUtc) || !(millis >= first && millis <= last)) return undefined
  return new Date(asUtc).toISOString().startsWith(written) ? millis : undefined
}

/** The clocks of two hosts may differ by this many milliseconds. */
export const clockSkew = 5_000

/** Hosts accept tokens and links this many ms beyond their limits. Source: docs/reference/authentication.md#verification. */
export const tokenLeeway = 60_000

/** The latest time that any host's clock can show at `now`, in epoch milliseconds. */
export const latest = (now: number): number => now + clockSkew
