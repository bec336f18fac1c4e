/**
 * Clocks of several hosts differ a little, and a clock may be set back. What is kept with a time must bear both.
 */

/**
 * Milliseconds by which two hosts' clocks may differ.
 */
export const most = 5_000

/**
 * The same for what callers carry from host to host, tokens and links: the leeway of the contract.
 */
export const ofTokens = 60_000

/**
 * Times after this one were written by a clock that has been set back since; no other host's clock is that far ahead.
 */
export const aheadOf = (now: number): number => now + most
