/**
 * Limits of tokens and sign-ins.
 */
export const Limits = {
  /** Seconds for which a token is valid. Source: docs/reference/authentication.md#tokens. */
  tokenSeconds: 86_400,
  /** Failed sign-ins within the window that block a username or an address. Source: docs/reference/authentication.md#sign-in-limit. */
  failedSignIns: 10,
  /** Length of that window, which is also the longest block. */
  signInWindowMillis: 60_000
} as const
