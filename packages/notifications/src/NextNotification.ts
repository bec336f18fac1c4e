/** Composes a channel's next notification from current stock. */
import { AuditChain, AuditStore } from "@crossdock/audit"
import { type Level, StockLevels } from "@crossdock/inventory"
import { type StockKey, type Stored, stockKeyText } from "@crossdock/kernel"
import { codesOf, type Marketplace, Offer } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as InventoryEvent from "./InventoryEvent.ts"
import { Limits } from "./Limits.ts"
import * as Channel from "./NotificationChannel.ts"
import * as Cursor from "./NotificationCursor.ts"

const stateOf = (marketplace: Marketplace, { aside, companyId, cursor }: Channel.Channel): string =>
  JSON.stringify([[...codesOf(marketplace, companyId)], cursor, aside.map(stockKeyText)])

/** Makes `compose`, `composeAside`, and `idleUpTo`: the change up to which a channel in its state has nothing to send, or 0. */
export const make = Effect.gen(function* () {
  const levels = yield* StockLevels
  const log = yield* AuditStore
  const { sha256 } = yield* AuditChain.Digest
  // Each channel's state with nothing to send, and the last change that it covers, so that idle channels aren't read again.
  const idle = yield* Ref.make<ReadonlyMap<string, { readonly state: string; readonly changeNumber: number }>>(
    new Map()
  )

  const idleUpTo = Effect.map(
    Ref.get(idle),
    (known) =>
      (marketplace: Marketplace, channel: Channel.Channel): number => {
        const found = known.get(Channel.channelName(channel))
        return found?.state === stateOf(marketplace, channel) ? found.changeNumber : 0
      }
  )

  /** Reads whole changes after the cursor, beyond the limit if a single change exceeds it. */
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

  /** These keys' levels, and deleted ones that the marketplace must still be notified of. */
  const levelsOf = ({ companyId, marketplace }: Channel.Channel, keys: ReadonlyArray<StockKey>) =>
    Effect.gen(function* () {
      const loaded = keys.length === 0 ? [] : yield* levels.load(companyId, keys)
      const found = loaded.filter((level) => typeof level === "object").filter(({ changeNumber }) => changeNumber > 0)
      // A key without a level was deleted with its product.
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
      const known = (yield* idleUpTo)(marketplace, channel)
      // Drops keys that the marketplace no longer sells, which would be pending forever, and those sent alone.
      const isRepeated = (key: StockKey) =>
        codes.has(key.location) && Offer.sells(marketplace, key.sku) && !isAside(key)
      const repeat = again.filter(isRepeated)
      const marked = yield* markedAfter(channel, [...codes.keys()], Math.max(Cursor.readAfter(cursor), known))
      const sendable = yield* levelsOf(channel, repeat)
      const { levels: chosen, reach } = Cursor.nextBatch(
        { cursor, again: sendable, marked: marked.filter((level) => !isAside(level)) },
        outstanding?.size ?? Limits.batchSize
      )
      if (chosen.length === 0 && last !== undefined) {
        const found = { state: stateOf(marketplace, channel), changeNumber: last.sequence }
        yield* Ref.update(idle, (all) => new Map(all).set(Channel.channelName(channel), found))
      }
      const events = InventoryEvent.eventsOf(chosen, { marketplace, floor, sha256 })
      // Levels beyond the cursor are sent anyway.
      const repeated = sendable.filter((level) => !Cursor.isBeyond(cursor)(level))
      return { events, reach, dropped: Channel.without(again, repeated), aside: null }
    })

  /** A set-aside SKU's current content; no event if the marketplace no longer sells it. */
  const composeAside = (marketplace: Marketplace, channel: Channel.Channel, aside: Channel.SetAside) =>
    Effect.map(levelsOf(channel, [aside]), (levels): Channel.Sent => {
      const events = InventoryEvent.eventsOf(levels, { marketplace, floor: channel.floor, sha256 })
      return { events, reach: channel.cursor, dropped: [], aside }
    })

  return { compose, composeAside, idleUpTo }
})
