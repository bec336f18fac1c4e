/**
 * Use cases: send again what was rejected, dead letters, or everything that a marketplace sells, under new sequences. All are
 * recorded in the trails of their companies. Source: docs/reference/notifications.md#reconcile.
 */
import type { Caller } from "@crossdock/access"
import { AuditLog, CompanyWrite } from "@crossdock/audit"
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Channel from "./NotificationChannel.ts"
import { NotificationStore } from "./NotificationStore.ts"

/** The channels of one marketplace that are stored. */
export const channelsOf = (store: typeof NotificationStore.Service, marketplace: string) =>
  Effect.map(store.channels, (all) => all.filter((channel) => channel.marketplace === marketplace))

/** Makes the use cases. */
export const make = Effect.gen(function* () {
  const store = yield* NotificationStore
  const { run } = yield* CompanyWrite.CompanyWrite
  const log = yield* AuditLog

  const resend = Effect.fn("Notifications.resend")((caller: Caller, key: Channel.ChannelKey, id: string) =>
    run(caller, {
      load: store.takeDeadLetter(key, id),
      decide: (letter) =>
        Effect.gen(function* () {
          if (letter === undefined) return CompanyWrite.nothing(false)
          const channel = Channel.resent((yield* store.find(key)) ?? Channel.fresh(key), letter)
          const change: CompanyWrite.CompanyChange = {
            companyId: key.companyId,
            entity: { type: "marketplace", id: key.marketplace, action: "resend" },
            save: () =>
              Effect.as(store.save(channel), { logs: { request: { deadLetter: id }, response: null }, events: [] })
          }
          return { answer: true, changes: [change] }
        })
    })
  )

  const wakeOne = (caller: Caller, key: Channel.ChannelKey) =>
    run(caller, {
      load: store.find(key),
      decide: (channel, now) => {
        const woken = channel && Channel.woken(channel, now)
        if (woken === undefined || woken === channel) return Effect.succeed(CompanyWrite.nothing(undefined))
        const change: CompanyWrite.CompanyChange = {
          companyId: key.companyId,
          entity: { type: "marketplace", id: key.marketplace, action: "wake" },
          save: () => Effect.as(store.save(woken), { logs: { request: null, response: null }, events: [] })
        }
        return Effect.succeed({ answer: undefined, changes: [change] })
      }
    })

  /** Company by company: no company waits until the channels of all others are saved. */
  const wake = Effect.fn("Notifications.wake")(function* (caller: Caller, marketplace: string) {
    const channels = yield* channelsOf(store, marketplace)
    const rejected = channels.filter(({ aside, outstanding }) => outstanding !== null || aside.length > 0)
    yield* Effect.forEach(rejected, (channel) => wakeOne(caller, channel), { discard: true })
  })

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
    yield* store.save(Channel.restarted(channel, yield* CompanyWrite.knownNumber(changeNumber), least))
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

  return { deadLetters: store.deadLetters, reconcile, resend, restart, wake }
})
