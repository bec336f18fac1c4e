/** The limits of notifications. Source: docs/reference/notifications.md. */
import { frozen, Instant } from "@crossdock/kernel"

export const Limits = /* @__PURE__ */ frozen({
  /** Events in one stock notification or one feed's webhook. */
  batchSize: 500,
  /** SKUs at locations that a channel sets aside. */
  mostAside: 100,
  /** Milliseconds for which a set-aside SKU, when due, waits behind other events. */
  asideLastMillis: 60_000,
  /** Bytes of a feed's webhook: 1 MiB. A longer event is sent alone. */
  eventBatchBytes: 1_048_576,
  endpointsPerCompany: 100,
  /** Characters of an endpoint's id. */
  endpointIdLength: 100,
  /** Milliseconds for a receiver to answer a try. */
  answerMillis: 10_000,
  /** Milliseconds of a host's claim: longer than one try can take. */
  claimMillis: 15_000,
  /** Milliseconds between the first two tries of a rejected body; then doubled. */
  shortestDelayMillis: 1000,
  /** Milliseconds between two tries, at most. */
  longestDelayMillis: 3_600_000,
  /** Milliseconds of tries before an event becomes a dead letter: 3 days. */
  retryMillis: 3 * Instant.dayMillis
} as const)
