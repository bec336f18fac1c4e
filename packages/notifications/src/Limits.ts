/** The limits of notifications. Source: docs/reference/notifications.md. */
import { frozen, Instant } from "@crossdock/kernel"

export const Limits = /* @__PURE__ */ frozen({
  /** Events in one notification of stock, or in one webhook of a change feed. */
  batchSize: 500,
  /** SKUs at locations that a channel sets aside. */
  mostAside: 100,
  /** Milliseconds for which a due SKU set aside waits behind other events. */
  asideLastMillis: 60_000,
  /** Bytes of a change feed's webhook: 1 MiB. A longer event is sent alone. */
  eventBatchBytes: 1_048_576,
  endpointsPerCompany: 100,
  /** Characters of the id of an endpoint of events. */
  endpointIdLength: 100,
  /** Milliseconds for a receiver to answer one try. */
  answerMillis: 10_000,
  /** Milliseconds for which a host claims a channel: longer than one try can take. */
  claimMillis: 15_000,
  /** Milliseconds between the first two tries of a rejected body; the delay then doubles. */
  shortestDelayMillis: 1000,
  /** The longest delay between two tries, in milliseconds. */
  longestDelayMillis: 3_600_000,
  /** Milliseconds for which an event is tried before it becomes a dead letter: 3 days. */
  retryMillis: 3 * Instant.dayMillis
} as const)
