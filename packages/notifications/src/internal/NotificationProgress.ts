/**
 * Use case: read how far a marketplace has been notified.
 */
import { AuditLog } from "@crossdock/audit"
import type { CompanyId, StockKey } from "@crossdock/kernel"
import { companiesOf, type Marketplace } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import * as Batch from "../NotificationBatch.ts"
import * as Channel from "../NotificationChannel.ts"
import { NotificationStore } from "../NotificationStore.ts"
import type { NextNotification } from "./NextNotification.ts"
import { channelsOf } from "./Resend.ts"

/**
 * How far a marketplace has been notified of a company's stock. Everything up to the company's change number
 * `lastNotified` was accepted; `lastChange` is its last one. `hasPending` says whether changes are still to be sent. No
 * event since the last reconcile has a sequence below `sequencesFrom`. `notifications` counts those that were accepted or
 * given up. `failures` counts rejected tries in a row; the next try is at `nextAt`, in epoch milliseconds.
 * `setAside` are SKUs that are rejected alone.
 */
export interface Progress {
  readonly companyId: CompanyId
  readonly lastNotified: number
  readonly lastChange: number
  readonly hasPending: boolean
  readonly sequencesFrom: number
  readonly notifications: number
  readonly failures: number
  readonly failure: string | null
  readonly nextAt: number | null
  readonly setAside: ReadonlyArray<StockKey>
  readonly deadLetters: number
}

/**
 * Makes the use case.
 */
export const make = ({ compose }: NextNotification) =>
  Effect.gen(function* () {
    const store = yield* NotificationStore
    const log = yield* AuditLog

    return Effect.fn("Notifications.progress")(function* (marketplace: Marketplace) {
      const companies = companiesOf(marketplace)
      const present = yield* channelsOf(store, marketplace.slug)
      const channels = new Map(present.map((channel) => [channel.companyId, channel]))
      const letters = yield* store.deadLetters(marketplace.slug)
      const last = new Map((yield* log.heads(companies)).map((one) => [one.companyId, one.sequence]))
      return yield* Effect.forEach(companies, (companyId) => {
        const channel = channels.get(companyId) ?? Channel.fresh({ marketplace: marketplace.slug, companyId })
        return Effect.map(
          compose(marketplace, channel),
          ({ events, reach }): Progress => ({
            companyId,
            lastNotified: Batch.readAfter(channel.cursor),
            lastChange: last.get(companyId) ?? 0,
            hasPending: events.length > 0 || channel.aside.length > 0 || reach !== channel.cursor,
            sequencesFrom: channel.floor.sequence,
            notifications: channel.completed,
            failures: channel.outstanding?.failures ?? 0,
            failure: channel.outstanding?.failure ?? null,
            nextAt: channel.outstanding?.nextAt ?? null,
            setAside: channel.aside.map(({ location, sku }) => ({ location, sku })),
            deadLetters: letters.filter((letter) => letter.companyId === companyId).length
          })
        )
      })
    })
  })
