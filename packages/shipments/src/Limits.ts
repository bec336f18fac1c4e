/**
 * The limits of shipments and of the operations on them.
 */
export const Limits = {
  /** Records in one request. Source: docs/reference/bulk.md#limits. */
  recordsPerRequest: 20,
  /** Units of one line, in orders and in records. */
  unitsPerLine: 1_000_000_000,
  /** Shipments on a page of a list. Source: docs/reference/shipments.md#read. */
  pageSize: { default: 20, most: 100 }
} as const
