/**
 * Limits of the requests that change prices. Source: docs/reference/bulk.md#limits.
 */
export const Limits = {
  /** Records in one bulk price write. */
  recordsPerRequest: 500
} as const
