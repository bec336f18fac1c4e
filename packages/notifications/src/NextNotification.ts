/** Makes the next notification of a channel from current stock. */
import { AuditChain, AuditStore } from "@crossdock/audit"
import { type Level, StockLevels } from "@crossdock/inventory"
import { type StockKey, type Stored, stockKeyText } from "@crossdock/kernel"
import { codesOf, type Marketplace, Offer } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import * as InventoryEvent from "./InventoryEvent.ts"
import { Limits } from "./Limits.ts"
import * as Channel from "./NotificationChannel.ts"
import * as Cursor from "./NotificationCursor.ts"

const stateOf = (marketplace: Marketplace, { aside, companyId, cursor }: Channel.Channel): string =>
  JSON.stringify([[...codesOf(marketplace, companyId)], cursor, aside.map(stockKeyText)])

/** Makes `compose`, `composeAside` and `idleUpTo`, which returns the last change known to need no notification, or 0. */
export const make = Effect.gen(function* () {
  const levels = yield* StockLevels
  const log = yield* AuditStore
  const { sha256 } = yield* AuditChain.Digest
  // The state in which each channel last had nothing to send, and the last change that was checked then. Thanks to this
  // map, idle channels aren't read again.
  const idle = new Map<string, { readonly state: string; readonly changeNumber: number }>()

  const idleUpTo = (marketplace: Marketplace, channel: Channel.Channel): number => {
    const found = idle.get(Channel.channelName(channel))
    return found?.state === stateOf(marketplace, channel) ? found.changeNumber : 0
  }

  /** Reads the levels of whole changes after `from`. If a single change exceeds the limit, the limit is doubled. */
  const markedAfter = (
    { companyId, cursor, marketplace }: Channel.Channel,
    locations: ReadonlyArray<string>,
    from: number
  ) => {
    const read = (limit: number): Stored<ReadonlyArray<Level.Level>> =>
      Effect.flatMap(levels.marked(companyId, locations, from, limit, marketplace), (found) => {
        const whole = Cursor.wholeChanges(found, limit)
        const more = found.length >= limit && !whole.some(Cursor.isBeyond(cursor))
        return more ? read(limit * 2) : Effect.succeed(whole)
      })
    return read(2 * Limits.batchSize + 1)
  }

  /** The levels of these keys, including deleted levels of which the marketplace hasn't been notified yet. */
  const levelsOf = ({ companyId, marketplace }: Channel.Channel, keys: ReadonlyArray<StockKey>) =>
    Effect.gen(function* () {
      const loaded = keys.length === 0 ? [] : yield* levels.load(companyId, keys)
      const found = loaded.filter((level) => typeof level === "object").filter(({ changeNumber }) => changeNumber > 0)
      // If a key has no level, the level was deleted with its product.
      const missing = Channel.without(keys, found)
      const deleted = missing.length === 0 ? [] : yield* levels.deleted(companyId, missing, marketplace)
      return [...found, ...deleted]
    })

  const compose = (marketplace: Marketplace, channel: Channel.Channel): Stored<Channel.Sent> =>
    Effect.gen(function* () {
      const { again, aside, companyId, cursor, floor, outstanding } = channel
      const others = new Set(aside.map(stockKeyText))
      const isAside = (key: StockKey) => others.has(stockKeyText(key))
      const codes = codesOf(marketplace, companyId)
      const [last] = yield* log.heads([companyId])
      const known = idleUpTo(marketplace, channel)
      // Keys that the marketplace no longer sells are dropped, since they would be pending forever. Keys that are sent alone
      // are dropped too.
      const isRepeated = (key: StockKey) =>
        codes.has(key.location) && Offer.sells(marketplace, key.sku) && !isAside(key)
      const repeat = again.filter(isRepeated)
      const marked = yield* markedAfter(channel, [...codes.keys()], Math.max(Cursor.readAfter(cursor), known))
      const sendable = yield* levelsOf(channel, repeat)
      const { levels: chosen, reach } = Cursor.nextBatch(
        { cursor, again: sendable, marked: marked.filter((level) => !isAside(level)) },
        outstanding?.size ?? Limits.batchSize
      )
      if (chosen.length === 0 && last !== undefined)
        idle.set(Channel.channelName(channel), { state: stateOf(marketplace, channel), changeNumber: last.sequence })
      const events = InventoryEvent.eventsOf(chosen, { marketplace, floor, sha256 })
      // Levels beyond the cursor are sent anyway, so they needn't be repeated.
      const repeated = sendable.filter((level) => !Cursor.isBeyond(cursor)(level))
      return { events, reach, dropped: Channel.without(again, repeated), aside: null }
    })

  /** The current content for a set-aside SKU. The content has no event if the marketplace no longer sells the SKU. */
  const composeAside = (marketplace: Marketplace, channel: Channel.Channel, aside: Channel.SetAside) =>
    Effect.map(levelsOf(channel, [aside]), (levels): Channel.Sent => {
      const events = InventoryEvent.eventsOf(levels, { marketplace, floor: channel.floor, sha256 })
      return { events, reach: channel.cursor, dropped: [], aside }
    })

  return { compose, composeAside, idleUpTo }
})
