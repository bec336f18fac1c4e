/** The limits of notifications. Source: docs/reference/notifications.md. */
import { frozen, Instant } from "@crossdock/kernel"

export const Limits = /* @__PURE__ */ frozen({
  /** The most events in one notification, or in one webhook of a feed. */
  batchSize: 500,
  /** A channel sets aside at most this many SKUs at locations. */
  mostAside: 100,
  /** A set-aside SKU that is due waits behind other events for at most this many milliseconds. */
  asideLastMillis: 60_000,
  /** The most bytes of a webhook of a feed: 1 MiB. An event that is longer is sent alone. */
  eventBatchBytes: 1_048_576,
  endpointsPerCompany: 100,
  /** The most characters of an endpoint's id. */
  endpointIdLength: 100,
  /** A receiver must answer an attempt within this many milliseconds. */
  answerMillis: 10_000,
  /** The claim of a host lasts this many milliseconds, which is longer than an attempt can take. */
  claimMillis: 15_000,
  /** The fewest milliseconds between the first two attempts to send a body. The delay then doubles. */
  shortestDelayMillis: 1000,
  /** The most milliseconds between two attempts. */
  longestDelayMillis: 3_600_000,
  /** An event becomes a dead letter after attempts for this many milliseconds: 3 days. */
  retryMillis: 3 * Instant.dayMillis
} as const)
