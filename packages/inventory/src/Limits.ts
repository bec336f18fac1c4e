/**
 * Limits of stock and of the requests that change or read it. Source: docs/reference/stock.md#record.
 */
export const Limits = {
  /** Records in one bulk stock write. Source: docs/reference/bulk.md#limits. */
  recordsPerRequest: 500,
  /** Units on hand of one SKU at one location, and unsellable ones. */
  onHand: 1_000_000_000,
  /** Rows in one page of the listings. Source: docs/reference/stock.md#listings. */
  listingsPerPage: 500
} as const
