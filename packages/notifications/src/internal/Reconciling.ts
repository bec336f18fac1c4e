/**
 * Use cases: send a marketplace everything that it sells again, under new sequences. Source:
 * docs/reference/notifications.md#reconcile.
 */
import type { Caller } from "@crossdock/access"
import { AuditLog, ChangeNumber, CompanyWrite } from "@crossdock/audit"
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Channel from "../NotificationChannel.ts"
import { NotificationStore } from "../NotificationStore.ts"
import { channelsOf } from "./MarketplaceChannels.ts"

/**
 * Makes the use cases.
 */
export const make = Effect.gen(function* () {
  const { run } = yield* CompanyWrite.CompanyWrite
  const store = yield* NotificationStore
  const log = yield* AuditLog

  const restart = Effect.fn("Notifications.restart")(function* (
    marketplace: string,
    companyId: CompanyId,
    { at, changeNumber }: CompanyWrite.Mark
  ) {
    const channels = yield* channelsOf(store, marketplace)
    const changes = yield* log.heads(channels.map((channel) => channel.companyId))
    const last = new Map(changes.map((one) => [one.companyId, one.sequence]))
    const least = Channel.nextSequence(channels, (id) => last.get(id) ?? 0, at)
    const key = { marketplace, companyId }
    const channel = (yield* store.find(key)) ?? Channel.fresh(key)
    yield* store.save(Channel.restarted(channel, yield* ChangeNumber.known(changeNumber), least))
  })

  const reconcile = Effect.fn("Notifications.reconcile")(
    (caller: Caller, marketplace: string, companies: ReadonlyArray<CompanyId>) =>
      run(caller, {
        load: Effect.void,
        decide: () =>
          Effect.succeed({
            answer: undefined,
            changes: companies.map((companyId) => ({
              companyId,
              entity: { type: "marketplace", id: marketplace, action: "reconcile" },
              save: (mark: CompanyWrite.Mark) =>
                Effect.as(restart(marketplace, companyId, mark), {
                  logs: { request: null, response: null },
                  events: []
                })
            }))
          })
      })
  )

  return { reconcile, restart }
})
