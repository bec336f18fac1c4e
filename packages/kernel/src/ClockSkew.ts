/**
 * How far the clocks of several hosts may differ. Stored times must also survive a clock that is set back.
 */

/**
 * Milliseconds by which the clocks of two hosts may differ.
 */
export const max = 5_000

/**
 * Milliseconds of leeway for tokens and links, which callers carry from host to host. Source:
 * docs/reference/authentication.md#verification.
 */
export const ofTokens = 60_000

/**
 * The latest time that a host's clock can show at `now` (epoch milliseconds). A later stored time was written before a clock
 * was set back.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { ClockSkew } from "@crossdock/kernel"
 *
 * const now = Date.UTC(2026, 0, 31)
 * const storedAt = now + 3_600_000
 * strictEqual(storedAt > ClockSkew.aheadOf(now), true)
 * ```
 */
export const aheadOf = (now: number): number => now + max
