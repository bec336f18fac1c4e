/**
 * Use case: find the channels that may have something to send.
 */
import { AuditLog } from "@crossdock/audit"
import { companiesOf, type Marketplace, MarketplaceStore } from "@crossdock/marketplaces"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Batch from "../NotificationBatch.ts"
import * as Channel from "../NotificationChannel.ts"
import { NotificationStore } from "../NotificationStore.ts"
import { type QuietChannels, quietUpTo } from "./QuietChannels.ts"

/**
 * The marketplaces with a webhook, as of a version of the marketplaces.
 */
interface Notified {
  readonly version: number
  readonly marketplaces: ReadonlyArray<Marketplace>
}

/**
 * Makes the use case.
 */
export const make = (quiet: QuietChannels) =>
  Effect.gen(function* () {
    const registered = yield* MarketplaceStore
    const store = yield* NotificationStore
    const log = yield* AuditLog

    const latest = yield* Ref.make<Notified>({ version: 0, marketplaces: [] })

    /** The marketplaces to notify; they are read again only after one has changed. */
    const marketplaces = Effect.gen(function* () {
      const version = yield* registered.version
      const known = yield* Ref.get(latest)
      if (known.version === version) return known.marketplaces
      const notified = (yield* registered.all).filter(({ webhook }) => webhook !== null)
      yield* Ref.set(latest, { version, marketplaces: notified })
      return notified
    })

    return Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const notified = yield* marketplaces
      if (notified.length === 0) return []
      const channels = new Map((yield* store.channels).map((channel) => [Channel.channelName(channel), channel]))
      const companies = [...new Set(notified.flatMap(companiesOf))]
      const last = new Map((yield* log.heads(companies)).map((one) => [one.companyId, one.sequence]))
      const known = yield* Ref.get(quiet)
      return notified.flatMap((marketplace) =>
        companiesOf(marketplace)
          .map((companyId) => ({ marketplace: marketplace.slug, companyId }))
          .filter((key) => {
            const channel = channels.get(Channel.channelName(key)) ?? Channel.fresh(key)
            if (!Channel.isFree(channel, now)) return false
            const isRejected = channel.outstanding !== null || Channel.dueAside(channel, now) !== undefined
            if (isRejected || channel.again.length > 0) return true
            const done = Math.max(Batch.readAfter(channel.cursor), quietUpTo(known, marketplace, channel))
            return (last.get(key.companyId) ?? 0) > done
          })
      )
    })
  })
