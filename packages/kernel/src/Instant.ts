/** Instants in epoch milliseconds. Stored times must survive hosts' differing clocks, and clocks that are set back. */

/** A day in milliseconds. */
export const dayMillis = 86_400_000

const pattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/

/**
 * Epoch milliseconds of ISO 8601 text with its offset. Undefined for any other form, and for days and times that don't exist;
 * `Date.parse` reads 30 February as March, and 24:00 as the next day. Source: docs/reference/requests.md#times.
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
  if (Number.isNaN(asUtc) || Number.isNaN(millis)) return undefined
  return new Date(asUtc).toISOString().startsWith(written) ? millis : undefined
}

/** Milliseconds by which hosts' clocks may differ. */
export const clockSkew = 5_000

/** Milliseconds of leeway for tokens and links, used on any host. Source: docs/reference/authentication.md#verification. */
export const tokenLeeway = 60_000

/** The latest time on any clock at `now`, in epoch milliseconds. A later stored time was written before a clock was set back. */
export const latest = (now: number): number => now + clockSkew
