/**
 * Chooses the levels of the next notification, and the cursor after it. Source: docs/reference/notifications.md#batches.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { NotificationCursor } from "@crossdock/notifications"
 * import { stockLevel } from "@crossdock/inventory/testing"
 *
 * const marked = ["SKU-1", "SKU-2", "SKU-3"].map((sku) => stockLevel({ sku, changeNumber: 12 }))
 * const { levels, reach } = NotificationCursor.nextBatch({ cursor: NotificationCursor.start, again: [], marked }, 2)
 * deepStrictEqual(levels.map(({ sku }) => sku), ["SKU-1", "SKU-2"])
 * deepStrictEqual(reach, { changeNumber: 12, within: { sku: "SKU-2", location: "BLR1" } })
 * ```
 */
import type { Level } from "@crossdock/inventory"
import { frozen, type StockKey, stockKeyText } from "@crossdock/kernel"
import * as Order from "effect/Order"
import { Limits } from "./Limits.ts"

/**
 * The position of a channel. All levels with lower change numbers are done, and those of `changeNumber` up to the key
 * `within`, or all if `within` is null.
 */
export interface Cursor {
  readonly changeNumber: number
  readonly within: StockKey | null
}

/** The cursor of a new channel. A channel that is reset to this cursor resends everything. */
export const start: Cursor = /* @__PURE__ */ frozen({ changeNumber: 0, within: null })

/** The change number after which to read. All levels beyond the cursor have higher numbers. */
export const readAfter = (cursor: Cursor): number =>
  cursor.within === null ? cursor.changeNumber : cursor.changeNumber - 1

const compareKeys = Order.mapInput(Order.String, stockKeyText)

const compare = (a: Level.Level, b: Level.Level): number => a.changeNumber - b.changeNumber || compareKeys(a, b)

/** Whether the level is beyond the cursor. */
export const isBeyond =
  (cursor: Cursor) =>
  (level: StockKey & Pick<Level.Level, "changeNumber">): boolean =>
    level.changeNumber > cursor.changeNumber ||
    (level.changeNumber === cursor.changeNumber && cursor.within !== null && compareKeys(level, cursor.within) > 0)

/** The levels of a read with this `limit`, without those of the last change if the limit may have cut it. */
export const wholeChanges = (found: ReadonlyArray<Level.Level>, limit: number): ReadonlyArray<Level.Level> => {
  if (found.length < limit) return found
  const last = found.at(-1)?.changeNumber
  return found.filter((level) => level.changeNumber !== last)
}

/** The levels to choose from. `again` are levels behind the cursor. `marked` are the levels of whole later changes. */
export interface Candidates {
  readonly cursor: Cursor
  readonly again: ReadonlyArray<Level.Level>
  readonly marked: ReadonlyArray<Level.Level>
}

/** Chooses up to `size` levels in the order of changes, and each SKU and location once. `reach` is the cursor after them. */
export const nextBatch = ({ again, cursor, marked }: Candidates, size: number = Limits.batchSize) => {
  const beyond = isBeyond(cursor)
  const pending = marked.filter(beyond).sort(compare)
  const newer = new Set(pending.map(stockKeyText))
  const repeated = again
    .filter((one) => !beyond(one) && !newer.has(stockKeyText(one)))
    .sort(compare)
    .slice(0, size)
  const fresh = pending.slice(0, size - repeated.length)
  const last = fresh.at(-1)
  const cut = last !== undefined && pending[fresh.length]?.changeNumber === last.changeNumber
  const reach: Cursor =
    last === undefined
      ? cursor
      : { changeNumber: last.changeNumber, within: cut ? { sku: last.sku, location: last.location } : null }
  return { levels: [...repeated, ...fresh], reach }
}
