import {
  DeliveryAttempts,
  Limits,
  NotificationChannel,
  NotificationStore,
  Notifications
} from "@crossdock/notifications"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Hosts from "./Hosts.ts"
import { key } from "./Received.ts"
import * as Receiver from "./Receiver.ts"

const hour = 3_600_000
const tried = { ...DeliveryAttempts.first("msg", 0), failures: 2, nextAt: hour, fingerprint: "5f2a", size: null }
const asideOf = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({ ...tried, sku: `SKU-${nth}`, location: "BLR1" }))
const channelOf = (
  count: number,
  outstanding: Partial<NotificationChannel.Outstanding> = {}
): NotificationChannel.Channel => ({
  ...NotificationChannel.fresh(key),
  aside: asideOf(count),
  outstanding: { ...tried, ...outstanding }
})

const event = {
  eventId: "e1",
  sku: "SKU-X",
  location: "BLR1",
  code: "B-1",
  quantity: 7,
  changeNumber: 12,
  sequence: 12
}
const reach = { changeNumber: 12, within: null }
const sent = { events: [{ ...event, occurredAt: 0 }], reach, dropped: [], aside: null }

describe("What a channel has set aside", () => {
  it("is at most 100 events: the next one is tried again in its place", () => {
    const rejection = { answer: { _tag: "Answered", status: 422 }, now: hour, random: 1 } as const
    const after = (count: number) => {
      const { channel } = NotificationChannel.rejected(channelOf(count, { size: 1 }), sent, rejection)
      return [channel.aside.length, channel.outstanding?.size, channel.cursor === reach]
    }
    deepStrictEqual([Limits.mostAside - 1, Limits.mostAside].map(after), [
      [Limits.mostAside, null, true],
      [Limits.mostAside, 1, false]
    ])
  })

  it("is tried when something is accepted again, when the channel is woken, and no more after a reconcile", () => {
    const triesAt = ({ aside }: NotificationChannel.Channel) => aside.map(({ nextAt }) => nextAt)
    const accepted = (failures: number) =>
      triesAt(NotificationChannel.accepted(channelOf(1, { failures, nextAt: 5 }), sent))
    deepStrictEqual([accepted(0), accepted(1)], [[hour], [5]])
    deepStrictEqual(triesAt(NotificationChannel.woken(channelOf(1), 5)), [5])
    deepStrictEqual(NotificationChannel.restarted(channelOf(1), 20, 0).aside, [])
  })

  it.effect("is due when its next try is, though nothing else is sent, and is in the marketplace's progress", () =>
    Effect.gen(function* () {
      const marketplace = Hosts.marketplace("bazaar", Receiver.webhookOf("https://bazaar.example"))
      yield* Hosts.fill([marketplace])
      const [{ due, progress }, store] = [yield* Notifications.Notifications, yield* NotificationStore]
      yield* store.save({ ...NotificationChannel.fresh(key), aside: asideOf(1) })
      deepStrictEqual(
        (yield* progress(marketplace)).map(({ hasPending, setAside }) => [hasPending, setAside]),
        [[true, [{ location: "BLR1", sku: "SKU-0" }]]]
      )
      yield* TestClock.setTime(hour - 1)
      deepStrictEqual(yield* due, [])
      yield* TestClock.adjust(1)
      deepStrictEqual(yield* due, [key])
    }).pipe(Effect.provide(Hosts.groundInMemory))
  )
})

describe("The size of a channel's bodies", () => {
  it("doubles after each accepted half, until it is the usual one", () => {
    const sizes = [1, 60, 249, 250].map(
      (size) => NotificationChannel.accepted(channelOf(0, { size }), sent).outstanding?.size ?? null
    )
    deepStrictEqual(sizes, [2, 120, 498, null])
  })
})
