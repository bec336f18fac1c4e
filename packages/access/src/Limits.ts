/**
 * Limits of tokens and sign-ins.
 */
export const Limits = {
  /** Seconds for which a token is valid. Source: docs/reference/authentication.md#tokens. */
  tokenSeconds: 86_400,
  /** Characters of a token, as many as a header can have. A longer one isn't looked at. */
  tokenLength: 16_384,
  /** Failed sign-ins within the window that block a username or an address. Source: docs/reference/authentication.md#sign-in-limit. */
  failedSignIns: 10,
  /** Length of that window, which is also the longest block. */
  signInWindowMillis: 60_000,
  /** Sign-ins of a host that are verified or wait for it. Verifying one takes about a tenth of a second. */
  queuedSignIns: 100,
  /** Length of the longest sign-in with its wait for a turn, so that its caller has the answer within 10 seconds. */
  signInMillis: 9_000,
  /** Seconds after which a sign-in that found the queue full, or had no turn in time, can be tried again. */
  queueRetrySeconds: 5
} as const
