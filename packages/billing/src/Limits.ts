/**
 * Limits of charges.
 */
import { Instant } from "@crossdock/kernel"

export const Limits = {
  /** Lines of one charge. Source: docs/reference/billing.md#lines. */
  lines: 100,
  /** The price of a plan in minor units: with a tax of 100 % it still has 15 digits. Source: docs/reference/billing.md#plans. */
  planAmount: 499_999_999_999_999,
  /** Milliseconds after which a charge that nobody confirmed expires. Source: docs/reference/billing.md#pending. */
  pendingMillis: 2 * Instant.dayMillis
} as const
