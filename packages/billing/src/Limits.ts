/**
 * Limits of charges.
 */
export const Limits = {
  /** Lines of one charge. Source: docs/reference/billing.md#lines. */
  lines: 100,
  /** Milliseconds for which a charge waits for its confirmation. Source: docs/reference/billing.md#pending. */
  pendingMillis: 48 * 3_600_000
} as const
