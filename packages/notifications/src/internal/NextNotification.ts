/**
 * Composes the next notification of a channel from the present stock.
 */
import { AuditLog, Digest } from "@crossdock/audit"
import { type Level, StockLevels } from "@crossdock/inventory"
import type { StorageError } from "@crossdock/kernel"
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
    const { sha256 } = yield* Digest

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

    const compose = (marketplace: Marketplace, channel: Channel.Channel): Effect.Effect<Channel.Sent, StorageError> =>
      Effect.gen(function* () {
        const { again, companyId, cursor, floor } = channel
        const codes = codesOf(marketplace, companyId)
        const [last] = yield* log.heads([companyId])
        const known = quietUpTo(yield* Ref.get(quiet), marketplace, channel)
        // Keys that the marketplace no longer sells are dropped, or they would be pending for ever.
        const repeat = again.filter(({ location, sku }) => codes.has(location) && Offer.sells(marketplace, sku))
        const loaded = repeat.length === 0 ? [] : yield* levels.load(companyId, repeat)
        const marked = yield* markedAfter(channel, [...codes.keys()], Math.max(Batch.readAfter(cursor), known))
        const present = loaded
          .filter((level) => typeof level === "object")
          .filter(({ changeNumber }) => changeNumber > 0)
        // A key without a level was deleted with its product.
        const missing = Channel.without(repeat, present)
        const deleted = missing.length === 0 ? [] : yield* levels.deleted(companyId, missing, marketplace.slug)
        const sendable = [...present, ...deleted]
        const { levels: chosen, reach } = Batch.nextBatch({ cursor, again: sendable, marked })
        if (chosen.length === 0 && last !== undefined) yield* remember(quiet, marketplace, channel, last.sequence)
        const events = InventoryEvent.eventsOf(chosen, { marketplace, floor, sha256 })
        // Levels beyond the cursor are sent in any case.
        const repeated = sendable.filter((level) => !Batch.isBeyond(cursor)(level))
        return { events, reach, dropped: Channel.without(again, repeated) }
      })

    return { compose }
  })

export type NextNotification = Effect.Success<ReturnType<typeof make>>
