/**
 * Limits of charges.
 */
export const Limits = {
  /** Lines of one charge. Source: docs/reference/billing.md#lines. */
  lines: 100,
  /** The price of a plan in minor units: with a tax of 100 % it still has 15 digits. Source: docs/reference/billing.md#plans. */
  planAmount: 499_999_999_999_999,
  /** Milliseconds after which a charge that nobody confirmed expires. Source: docs/reference/billing.md#pending. */
  pendingMillis: 48 * 3_600_000
} as const
