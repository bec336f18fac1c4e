/**
 * The limits of a marketplace's registration. Source: docs/reference/notifications.md#registration.
 */
export const Limits = {
  /** Characters of a slug. */
  slugLength: 100,
  /** Characters of a name. */
  nameLength: 300,
  /** The fewest characters of a password. */
  shortestPassword: 12,
  /** Characters of the marketplace's code for a location. */
  codeLength: 100,
  /** Units of a stock buffer. */
  bufferUnits: 1_000_000_000,
  /** The fewest and the most bytes of a webhook secret, as Standard Webhooks recommends. */
  secretBytes: { least: 24, most: 64 },
  /** Milliseconds for which a replaced webhook secret stays valid beside the new one: a day. */
  retiringSecretMillis: 86_400_000
} as const
