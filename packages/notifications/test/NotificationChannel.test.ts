import { CompanyId } from "@crossdock/kernel"
import { DeliveryAttempts, InventoryEvent, Limits, NotificationChannel } from "@crossdock/notifications"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"
import { prop } from "../../kernel/test/prop.ts"
import { company, keyOf } from "./Stock.ts"

const { isFree } = DeliveryAttempts
const { accepted, channelName, fresh, rejected, released, resent, restarted, woken } = NotificationChannel
const { claimMillis, retryMillis } = Limits

const empty = fresh({ marketplace: "bazaar", companyId: company })
const now = 1_790_000_000_000
const body = { fingerprint: "one", webhookId: "msg_1" }
const hour = 3_600_000

const event = (sku: string, more: Partial<InventoryEvent.InventoryEvent> = {}): InventoryEvent.InventoryEvent => ({
  eventId: sku,
  sku,
  location: "L1",
  code: "B-1",
  quantity: 1,
  changeNumber: 1,
  sequence: 1,
  occurredAt: now,
  ...more
})

const sentOf = (
  events: ReadonlyArray<InventoryEvent.InventoryEvent>,
  more: Partial<NotificationChannel.Sent> = {}
): NotificationChannel.Sent => ({
  events,
  reach: { changeNumber: events.at(-1)?.changeNumber ?? 0, within: null },
  dropped: [],
  aside: null,
  ...more
})

/** The channel when `owner` has claimed it to send a body from the feed. */
const claim = (channel: NotificationChannel.Channel, of: typeof body, owner: string, at: number) => {
  const claimed = NotificationChannel.claim(channel, sentOf([]), of, { owner, now: at }).channel
  const { outstanding } = claimed
  if (outstanding === null) throw new Error("nothing is being sent")
  return { ...claimed, outstanding }
}

/** How far a clock may be set, forth or back. */
const anyShift = FastCheck.oneof(
  FastCheck.integer({ min: -2 * hour, max: hour }),
  FastCheck.integer({ min: -10_000 * hour, max: 10_000 * hour })
)

const rejection = (at: number, random = 0.5) => ({
  answer: { _tag: "Answered", status: 500 } as const,
  now: at,
  random
})

describe("NotificationChannel", () => {
  it("a new channel has sent nothing and is free", () => {
    deepStrictEqual(empty, {
      marketplace: "bazaar",
      companyId: company,
      cursor: { changeNumber: 0, within: null },
      floor: { changeNumber: 0, sequence: 0 },
      completed: 0,
      again: [],
      aside: [],
      outstanding: null,
      lease: null,
      version: 0
    })
    strictEqual(isFree(empty, now), true)
  })

  it("has its company and its marketplace in its name", () => {
    strictEqual(channelName({ marketplace: "bazaar", companyId: CompanyId.make(7) }), "7 bazaar")
  })

  it("a claim lasts longer than a try may, then the channel is free again", () => {
    const claimed = claim(empty, body, "host", now)
    assertTrue(claimMillis > Limits.answerMillis)
    deepStrictEqual(claimed.lease, { owner: "host", until: now + 15_000 })
    strictEqual(isFree(claimed, now), false)
    strictEqual(isFree(claimed, now + 14_999), false)
    strictEqual(isFree(claimed, now + 15_000), true)
  })

  prop(
    "wherever the clock was set, a try is at most an hour away and a claim ends within half a minute",
    [
      FastCheck.integer({ min: 1, max: 20 }),
      FastCheck.double({ min: 0, max: 1, noNaN: true }),
      anyShift,
      FastCheck.nat()
    ],
    ([failures, random, shift, wait]) => {
      const claimed = claim(empty, body, "host", now)
      const outstanding = { ...claimed.outstanding, failures }
      const waiting = rejected({ ...claimed, outstanding }, sentOf([event("a")]), rejection(now, random)).channel
      const set = now + shift
      strictEqual(isFree(waiting, set) || isFree(waiting, set + hour), true)
      const working = { ...claimed, outstanding: null }
      strictEqual(isFree(working, set) || isFree(working, set + 2 * claimMillis), true)
      // With a clock that only goes on, each has its time.
      const { nextAt = 0 } = waiting.outstanding ?? {}
      strictEqual(isFree(waiting, now + wait), now + wait >= nextAt)
      strictEqual(isFree(working, now + wait), wait >= claimMillis)
    }
  )

  it("a claim of a host whose clock is some seconds ahead is valid", () => {
    strictEqual(isFree({ ...claim(empty, body, "host", now), outstanding: null }, now - 5000), false)
  })

  it("a claim moves no cursor", () => deepStrictEqual(claim(empty, body, "host", now).cursor, empty.cursor))

  it("the same body keeps its webhook id, another body gets the new one", () => {
    const first = claim(empty, body, "host", now)
    strictEqual(first.outstanding.webhookId, "msg_1")
    const again = claim(released(first), { fingerprint: "one", webhookId: "msg_2" }, "host", now)
    strictEqual(again.outstanding.webhookId, "msg_1")
    const changed = claim(released(again), { fingerprint: "two", webhookId: "msg_3" }, "host", now)
    strictEqual(changed.outstanding.webhookId, "msg_3")
    const back = claim(released(changed), { fingerprint: "one", webhookId: "msg_4" }, "host", now)
    strictEqual(back.outstanding.webhookId, "msg_4")
  })

  it("a claim that was taken over from a dead host keeps the webhook id of the same body", () => {
    const abandoned = claim(empty, body, "dead", now)
    const taken = claim(abandoned, { fingerprint: "one", webhookId: "msg_2" }, "other", now + claimMillis)
    strictEqual(taken.outstanding.webhookId, "msg_1")
    strictEqual(taken.lease?.owner, "other")
  })

  it("rejections in a row are counted even if the body changes, and delay the next try longer each time", () => {
    const first = rejected(claim(empty, body, "host", now), sentOf([event("a")]), rejection(now + 100)).channel
    deepStrictEqual(first.outstanding, {
      webhookId: "msg_1",
      fingerprint: "one",
      size: null,
      failures: 1,
      since: now,
      nextAt: now + 100 + DeliveryAttempts.delay(1, 0.5),
      failure: "answered with status 500"
    })
    strictEqual(first.lease, null)
    deepStrictEqual(first.cursor, empty.cursor)
    const nextAt = first.outstanding?.nextAt ?? 0
    strictEqual(isFree(first, nextAt - 1), false)
    strictEqual(isFree(first, nextAt), true)
    const second = rejected(
      claim(first, { fingerprint: "two", webhookId: "msg_2" }, "host", nextAt),
      sentOf([event("a")]),
      rejection(nextAt)
    ).channel
    deepStrictEqual(second.outstanding, {
      webhookId: "msg_2",
      fingerprint: "two",
      size: null,
      failures: 2,
      since: now,
      nextAt: nextAt + DeliveryAttempts.delay(2, 0.5),
      failure: "answered with status 500"
    })
  })

  it("accepting moves the cursor, resets the count and removes the sent keys from those to be sent again", () => {
    const again = ["a", "b", "dropped"].map((sku) => ({ sku, location: "L1" }))
    const claimed = claim({ ...empty, again }, body, "host", now)
    const reach = { changeNumber: 4, within: { sku: "a", location: "L1" } }
    const done = accepted(claimed, sentOf([event("a")], { reach, dropped: [{ sku: "dropped", location: "L1" }] }))
    deepStrictEqual(done, { ...empty, cursor: reach, completed: 1, again: [{ sku: "b", location: "L1" }] })
  })

  prop(
    "a reconcile raises the sequences above all that were sent and to the clock or above, whatever the clock does",
    [
      FastCheck.array(FastCheck.tuple(FastCheck.nat(5), FastCheck.integer({ min: -hour, max: hour })), { maxLength: 9 })
    ],
    ([steps]) => {
      let channel = empty
      let changeNumber = 0
      for (const [changes, drift] of steps) {
        const sent = InventoryEvent.sequenceOf(channel.floor, changeNumber + changes)
        changeNumber += changes + 1
        channel = restarted(channel, changeNumber, now + drift)
        const lowest = InventoryEvent.sequenceOf(channel.floor, 0)
        assertTrue(lowest > sent && lowest >= now + drift && Number.isSafeInteger(lowest))
        strictEqual(InventoryEvent.sequenceOf(channel.floor, changeNumber), lowest)
        strictEqual(InventoryEvent.sequenceOf(channel.floor, changeNumber + 1), lowest + 1)
      }
    }
  )

  it("a reconcile sends everything again, and an answer still expected no longer counts", () => {
    const again = [{ sku: "a", location: "L1" }]
    const busy = { ...claim({ ...empty, again }, body, "host", now), cursor: { changeNumber: 4, within: null } }
    deepStrictEqual(restarted(busy, 5, now), { ...empty, floor: { changeNumber: 5, sequence: now } })
  })

  it("a rejected body is tried at once when its channel is woken, and never later than it was due", () => {
    const waiting = rejected(claim(empty, body, "host", now), sentOf([event("a")]), rejection(now)).channel
    const nextAt = waiting.outstanding?.nextAt ?? 0
    const woke = woken(waiting, now + 1)
    deepStrictEqual(woke, {
      ...waiting,
      outstanding: waiting.outstanding && { ...waiting.outstanding, nextAt: now + 1 }
    })
    deepStrictEqual(woken(waiting, nextAt + 1), waiting)
    deepStrictEqual(woken(empty, now), empty)
  })

  it("the next sequence is above all that were sent for any company, and not below the clock", () => {
    const [one, other] = [CompanyId.make(1), CompanyId.make(2)]
    const channels = [
      { ...empty, companyId: one, floor: { changeNumber: 5, sequence: now } },
      { ...empty, companyId: other, floor: { changeNumber: 7, sequence: now + hour } }
    ]
    const last = (company: CompanyId) => (company === one ? 9 : 12)
    // Company 2's last change was sent under now + 1 hour + 5.
    strictEqual(NotificationChannel.nextSequence(channels, last, now), now + hour + 6)
    strictEqual(NotificationChannel.nextSequence(channels, last, now + 2 * hour), now + 2 * hour)
    strictEqual(NotificationChannel.nextSequence([], last, now), now)
  })

  it("a release without an answer counts no failure", () => {
    const { lease, ...rest } = claim(empty, body, "host", now)
    deepStrictEqual(released({ ...rest, lease }), { ...rest, lease: null })
  })

  it("an answer without an outstanding body only ends the claim", () => {
    const channel = { ...empty, lease: { owner: "host", until: now } }
    deepStrictEqual(rejected(channel, sentOf([event("a")]), rejection(now)), { channel: empty, letter: null })
  })

  describe("after three days of rejections", () => {
    const claimed = claim(empty, body, "host", now)
    const end = now + retryMillis
    const old = event("old", { changeNumber: 1, occurredAt: now - hour })
    const exact = event("exact", { changeNumber: 2, occurredAt: now })
    const young = event("young", { changeNumber: 3, occurredAt: now + 1 })

    it("no event is a dead letter a millisecond earlier", () => {
      const { channel, letter } = rejected(claimed, sentOf([old, exact]), rejection(end - 1))
      strictEqual(letter, null)
      deepStrictEqual(channel.cursor, empty.cursor)
    })

    it("a dead letter has exactly the events that are three days old, and the cursor moves past them", () => {
      const { channel, letter } = rejected(claimed, sentOf([old, exact, young]), rejection(end))
      deepStrictEqual(letter, {
        marketplace: "bazaar",
        companyId: company,
        id: "msg_1",
        events: [old, exact],
        failures: 1,
        since: now,
        at: end,
        failure: "answered with status 500"
      })
      deepStrictEqual(channel, { ...empty, completed: 1, cursor: { changeNumber: 2, within: null } })
    })

    it("a body whose events are all three days old moves the cursor as if it had been accepted", () => {
      const reach = { changeNumber: 2, within: { sku: "exact", location: "L1" } }
      const { channel, letter } = rejected(claimed, sentOf([old, exact], { reach }), rejection(end))
      deepStrictEqual(letter?.events, [old, exact])
      deepStrictEqual(channel.cursor, reach)
    })

    it("three days are counted from the time that the clock was set back to", () => {
      const back = now - 30 * retryMillis
      const first = rejected(claimed, sentOf([exact]), rejection(back)).channel
      const again = claim(first, body, "host", back)
      strictEqual(rejected(again, sentOf([exact]), rejection(back + retryMillis - 1)).letter, null)
      deepStrictEqual(rejected(again, sentOf([exact]), rejection(back + retryMillis)).letter?.events, [exact])
    })

    it("a change of which only some events are three days old leaves the cursor between its keys", () => {
      const late = event("late", { changeNumber: 2, occurredAt: now + 1 })
      const { channel, letter } = rejected(claimed, sentOf([old, exact, late, young]), rejection(end))
      deepStrictEqual(letter?.events, [old, exact])
      deepStrictEqual(channel.cursor, { changeNumber: 2, within: keyOf(exact) })
    })

    it("a body without events that are three days old is still tried", () => {
      const { channel, letter } = rejected(claimed, sentOf([young]), rejection(end))
      strictEqual(letter, null)
      strictEqual(channel.outstanding?.failures, 1)
    })

    it("a dead letter of levels that were sent again leaves the cursor where it is", () => {
      const again = [old].map(keyOf)
      const at = { ...claimed, cursor: { changeNumber: 2, within: null }, again }
      const { channel, letter } = rejected(at, sentOf([old, young]), rejection(end))
      deepStrictEqual(letter?.events, [old])
      deepStrictEqual(channel.cursor, { changeNumber: 2, within: null })
      deepStrictEqual(channel.again, [])
    })

    it("dead letters and the events after the cursor are together all events, each once", () => {
      FastCheck.assert(
        FastCheck.property(
          FastCheck.array(FastCheck.integer({ min: -2 * retryMillis, max: retryMillis }), {
            minLength: 1,
            maxLength: 20
          }),
          FastCheck.integer({ min: 0, max: retryMillis }),
          (times, late) => {
            const events = times
              .sort((a, b) => a - b)
              .map((time, i) => event(`s${i}`, { changeNumber: i + 1, occurredAt: now + time }))
            const at = end + late
            const { channel, letter } = rejected(claimed, sentOf(events), rejection(at))
            const dead = events.filter(({ occurredAt }) => at - occurredAt >= retryMillis)
            deepStrictEqual(letter?.events ?? [], dead)
            strictEqual(channel.cursor.changeNumber, dead.length)
          }
        )
      )
    })
  })

  it("a dead letter is sent again, each key once, wherever the cursor is", () => {
    const letter: NotificationChannel.DeadLetter = {
      marketplace: "bazaar",
      companyId: company,
      id: "msg_1",
      events: [event("a"), event("b")],
      failures: 80,
      since: now,
      at: now + retryMillis,
      failure: "answered with status 500"
    }
    const channel = {
      ...empty,
      cursor: { changeNumber: 9, within: null },
      again: [
        { sku: "b", location: "L1" },
        { sku: "b", location: "L2" }
      ]
    }
    deepStrictEqual(resent(channel, letter), {
      ...channel,
      again: [
        { sku: "b", location: "L2" },
        { sku: "a", location: "L1" },
        { sku: "b", location: "L1" }
      ]
    })
  })
})
