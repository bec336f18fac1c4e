/**
 * Limits of charges.
 */
export const Limits = {
  /** Lines of one charge. Source: docs/reference/billing.md#lines. */
  lines: 100,
  /** Milliseconds after which a charge that nobody confirmed expires. Source: docs/reference/billing.md#pending. */
  pendingMillis: 48 * 3_600_000
} as const
