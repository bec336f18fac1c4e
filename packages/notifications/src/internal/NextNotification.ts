/**
 * Composes the next notification of a channel from the present stock.
 */
import { AuditChain, AuditLog } from "@crossdock/audit"
import { type Level, StockLevels } from "@crossdock/inventory"
import { type StockKey, type StorageError, stockKeyText } from "@crossdock/kernel"
import { codesOf, type Marketplace, Offer } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as InventoryEvent from "../InventoryEvent.ts"
import { Limits } from "../Limits.ts"
import * as Batch from "../NotificationBatch.ts"
import * as Channel from "../NotificationChannel.ts"
import { type QuietChannels, quietUpTo, remember } from "./QuietChannels.ts"

/**
 * Makes `compose`, which gives what to send and how far it reaches.
 */
export const make = (quiet: QuietChannels) =>
  Effect.gen(function* () {
    const levels = yield* StockLevels
    const log = yield* AuditLog
    const { sha256 } = yield* AuditChain.Digest

    /**
     * Reads whole changes after the cursor. It reads more at a time when a single change exceeds the limit.
     */
    const markedAfter = (
      { companyId, cursor, marketplace }: Channel.Channel,
      locations: ReadonlyArray<string>,
      from: number
    ) => {
      const read = (limit: number): Effect.Effect<ReadonlyArray<Level.Level>, StorageError> =>
        Effect.flatMap(levels.marked(companyId, locations, from, limit, marketplace), (found) => {
          const whole = Batch.wholeChanges(found, limit)
          const more = found.length >= limit && !whole.some(Batch.isBeyond(cursor))
          return more ? read(limit * 2) : Effect.succeed(whole)
        })
      return read(2 * Limits.batchSize + 1)
    }

    /** The levels of these keys, also deleted ones that the marketplace still believes in. */
    const present = ({ companyId, marketplace }: Channel.Channel, keys: ReadonlyArray<StockKey>) =>
      Effect.gen(function* () {
        const loaded = keys.length === 0 ? [] : yield* levels.load(companyId, keys)
        const found = loaded.filter((level) => typeof level === "object").filter(({ changeNumber }) => changeNumber > 0)
        // A key without a level was deleted with its product.
        const missing = Channel.without(keys, found)
        const deleted = missing.length === 0 ? [] : yield* levels.deleted(companyId, missing, marketplace)
        return [...found, ...deleted]
      })

    const compose = (marketplace: Marketplace, channel: Channel.Channel): Effect.Effect<Channel.Sent, StorageError> =>
      Effect.gen(function* () {
        const { again, aside, companyId, cursor, floor, outstanding } = channel
        const others = new Set(aside.map(stockKeyText))
        const isAside = (key: StockKey) => others.has(stockKeyText(key))
        const codes = codesOf(marketplace, companyId)
        const [last] = yield* log.heads([companyId])
        const known = quietUpTo(yield* Ref.get(quiet), marketplace, channel)
        // Keys that the marketplace no longer sells are dropped, or they would be pending for ever; so are those sent alone.
        const isRepeated = (key: StockKey) =>
          codes.has(key.location) && Offer.sells(marketplace, key.sku) && !isAside(key)
        const repeat = again.filter(isRepeated)
        const marked = yield* markedAfter(channel, [...codes.keys()], Math.max(Batch.readAfter(cursor), known))
        const sendable = yield* present(channel, repeat)
        const { levels: chosen, reach } = Batch.nextBatch(
          { cursor, again: sendable, marked: marked.filter((level) => !isAside(level)) },
          outstanding?.size ?? Limits.batchSize
        )
        if (chosen.length === 0 && last !== undefined) yield* remember(quiet, marketplace, channel, last.sequence)
        const events = InventoryEvent.eventsOf(chosen, { marketplace, floor, sha256 })
        // Levels beyond the cursor are sent in any case.
        const repeated = sendable.filter((level) => !Batch.isBeyond(cursor)(level))
        return { events, reach, dropped: Channel.without(again, repeated), aside: null }
      })

    /** What is set aside, as it is now; no event when the marketplace no longer sells it. */
    const composeAside = (marketplace: Marketplace, channel: Channel.Channel, aside: Channel.SetAside) =>
      Effect.map(present(channel, [aside]), (levels): Channel.Sent => {
        const events = InventoryEvent.eventsOf(levels, { marketplace, floor: channel.floor, sha256 })
        return { events, reach: channel.cursor, dropped: [], aside }
      })

    return { compose, composeAside }
  })

export type NextNotification = Effect.Success<ReturnType<typeof make>>
