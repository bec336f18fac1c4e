/**
 * Which levels go into the next notification, and how far a channel has come with it.
 */

import type { Level } from "@crossdock/inventory"
import { type StockKey, stockKeyText } from "@crossdock/kernel"

/**
 * The most events of one notification (contract, Inventory webhook).
 */
export const batchSize = 500

/**
 * Everything with an earlier sequence is done. Of `sequence` itself all is done when `within` is null, else what stands
 * up to this key in key order: one change of a company may touch more levels than a notification holds.
 */
export interface Cursor {
  readonly sequence: number
  readonly within: StockKey | null
}

/**
 * Nothing has been told yet. A cursor that is put back here tells everything once more.
 */
export const start: Cursor = { sequence: 0, within: null }

/**
 * All levels with a sequence after this one hold everything that the cursor has not passed.
 */
export const readAfter = (cursor: Cursor): number => (cursor.within === null ? cursor.sequence : cursor.sequence - 1)

const compareKeys = (a: StockKey, b: StockKey): number => {
  const [one, other] = [stockKeyText(a), stockKeyText(b)]
  return one === other ? 0 : one < other ? -1 : 1
}

const compare = (a: Level.Level, b: Level.Level): number => a.sequence - b.sequence || compareKeys(a, b)

export const isBeyond =
  (cursor: Cursor) =>
  (level: StockKey & Pick<Level.Level, "sequence">): boolean =>
    level.sequence > cursor.sequence ||
    (level.sequence === cursor.sequence && cursor.within !== null && compareKeys(level, cursor.within) > 0)

/**
 * What was found with `limit`, without the last change when some of its levels may have been cut off.
 */
export const wholeChanges = (found: ReadonlyArray<Level.Level>, limit: number): ReadonlyArray<Level.Level> => {
  if (found.length < limit) return found
  const last = found.at(-1)?.sequence
  return found.filter((level) => level.sequence !== last)
}

/**
 * `again` are levels that shall be told once more though the cursor has passed them; `marked` are whole changes after the
 * cursor.
 */
export interface Candidates {
  readonly cursor: Cursor
  readonly again: ReadonlyArray<Level.Level>
  readonly marked: ReadonlyArray<Level.Level>
}

/**
 * At most `size` levels by rising sequence, each SKU and location once, and where the cursor stands when they are done.
 */
export const take = ({ again, cursor, marked }: Candidates, size: number = batchSize) => {
  const beyond = isBeyond(cursor)
  const waiting = marked.filter(beyond).sort(compare)
  const newer = new Set(waiting.map(stockKeyText))
  const repeated = again
    .filter((level) => !beyond(level) && !newer.has(stockKeyText(level)))
    .sort(compare)
    .slice(0, size)
  const fresh = waiting.slice(0, size - repeated.length)
  const last = fresh.at(-1)
  const cut = last !== undefined && waiting[fresh.length]?.sequence === last.sequence
  const reach: Cursor =
    last === undefined
      ? cursor
      : { sequence: last.sequence, within: cut ? { sku: last.sku, location: last.location } : null }
  return { levels: [...repeated, ...fresh], reach }
}
