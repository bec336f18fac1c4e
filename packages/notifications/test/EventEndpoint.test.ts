import type { CompanyEvent } from "@crossdock/audit"
import { CompanyId } from "@crossdock/kernel"
import { DeliveryAttempts, EventDeliveries, EventEndpoint, Limits } from "@crossdock/notifications"
import { endpoint } from "@crossdock/notifications/testing"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"

const { next, nextLetter } = EventDeliveries
const { bodyOf, changed, claim, done, enabled, fresh, moved, pause, rejected, released, resent } = EventEndpoint

const now = 1_790_000_000_000
const maxBytes = Limits.eventBatchBytes

const event = (number: number, type = "price.changed"): CompanyEvent.CompanyEvent => ({
  companyId: CompanyId.make(1),
  number,
  change: number,
  at: now,
  type,
  version: 1,
  data: {}
})

const read = (from: number, count: number, type?: string) =>
  Array.from({ length: count }, (_, i) => event(from + i, type))

const trying = (webhookId: string, upTo = 15): EventEndpoint.Outstanding => ({
  ...DeliveryAttempts.first(webhookId, now),
  upTo
})

const lease = DeliveryAttempts.lease("host", now)
const fromFeed: EventEndpoint.Sent = { events: read(13, 3), reach: 15, letter: null }
const timeout = (at: number) => ({ answer: { _tag: "Unanswered", reason: "timeout" } as const, now: at, random: 1 })

describe("An endpoint for events", () => {
  it("starts behind its cursor, with nothing to send again", () => {
    const { webhook } = endpoint()
    const types = ["order.placed"]
    deepStrictEqual(fresh({ companyId: CompanyId.make(7), id: "erp" }, { webhook, types, cursor: 3 }), {
      companyId: CompanyId.make(7),
      id: "erp",
      webhook,
      types,
      cursor: 3,
      paused: null,
      resending: [],
      maxBytes,
      invalid: 0,
      outstanding: null,
      lease: null,
      version: 0
    })
  })

  it("has its company and its id in its name", () => {
    strictEqual(EventEndpoint.endpointName({ companyId: CompanyId.make(7), id: "erp" }), "7 erp")
  })

  it("receives the fields of events, always in the same order", () => {
    const { at, ...rest } = event(13)
    const shown = (n: number) =>
      `{"companyId":1,"number":${n},"change":${n},"at":${now},"type":"price.changed","version":1,"data":{}}`
    strictEqual(EventEndpoint.bodyOf([{ at, ...rest }, event(14)]), `[${shown(13)},${shown(14)}]`)
  })

  describe("chooses", () => {
    it("at most 500 of the events that it wants; its cursor passes the unwanted ones that it has looked at", () => {
      const all = { cursor: 12, types: null, maxBytes, outstanding: null }
      deepStrictEqual(next(all, read(13, 500)), { events: read(13, 500), reach: 512, letter: null })
      deepStrictEqual(next(all, read(13, 501)), { events: read(13, 500), reach: 512, letter: null })
      const orders = { ...all, types: ["order.placed"] }
      deepStrictEqual(next(orders, read(13, 5)), { events: [], reach: 17, letter: null })
      // The last unwanted one is passed only if no wanted one is left.
      const placed = read(13, 500, "order.placed")
      deepStrictEqual(next(orders, [...placed, event(513)]).reach, 513)
      deepStrictEqual(next(orders, [...placed, event(513), event(514, "order.placed")]), {
        events: placed,
        reach: 512,
        letter: null
      })
    })

    it("the event of a restore, whatever types it wants", () => {
      const restored = event(13, "feed.restored")
      const orders = { cursor: 12, types: ["order.placed"], maxBytes, outstanding: null }
      deepStrictEqual(next(orders, [restored, event(14)]), { events: [restored], reach: 14, letter: null })
    })

    it("bodies of at most 1 MiB: as many events as make exactly that, and one less for a byte more", () => {
      const all = { cursor: 12, types: null, maxBytes, outstanding: null }
      const withText = (text: string) => [{ ...event(13), data: { text } }, ...read(14, 2)]
      const filledTo = (bytes: number) => {
        const events = withText(`é${"x".repeat(bytes - Buffer.byteLength(bodyOf(withText("é"))))}`)
        strictEqual(Buffer.byteLength(bodyOf(events)), bytes)
        return events
      }
      strictEqual(maxBytes, 1024 * 1024)
      const whole = filledTo(maxBytes)
      deepStrictEqual(next(all, whole), { events: whole, reach: 15, letter: null })
      const longer = filledTo(maxBytes + 1)
      deepStrictEqual(next(all, longer), { events: longer.slice(0, 2), reach: 14, letter: null })
    })

    it("nothing and stays where it is when there are no events", () => {
      deepStrictEqual(next({ cursor: 12, types: null, maxBytes, outstanding: null }, []), {
        events: [],
        reach: 12,
        letter: null
      })
    })

    it("the events that are being tried, without those that came since", () => {
      const outstanding = trying("msg_1", 14)
      const { events, reach } = next({ cursor: 12, types: null, maxBytes, outstanding }, read(13, 9))
      deepStrictEqual([events, reach], [read(13, 2), 14])
    })

    it("a dead letter before the feed, but what is being tried first", () => {
      const resending = ["msg_1", "msg_2"]
      strictEqual(nextLetter({ resending, outstanding: null }), "msg_1")
      strictEqual(nextLetter({ resending, outstanding: trying("msg_2") }), "msg_2")
      strictEqual(nextLetter({ resending, outstanding: trying("msg_3") }), undefined)
      strictEqual(nextLetter({ resending: [], outstanding: null }), undefined)
    })
  })

  describe("that is tried", () => {
    const claimed = claim(endpoint(), fromFeed, { owner: "host", webhookId: "msg_1", now })

    it("belongs to the host that claimed it, and counts from its first try", () => {
      deepStrictEqual(claimed, { ...endpoint(), lease, outstanding: trying("msg_1") })
    })

    it("keeps its webhook id in later tries, and a dead letter its own", () => {
      const again = claim(
        claimed,
        { ...fromFeed, reach: 20 },
        { owner: "other", webhookId: "msg_2", now: now + 60_000 }
      )
      deepStrictEqual([again.outstanding, again.lease?.owner], [claimed.outstanding, "other"])
      const letter = claim(endpoint(), { ...fromFeed, letter: "msg_0" }, { owner: "host", webhookId: "msg_1", now })
      strictEqual(letter.outstanding.webhookId, "msg_0")
    })

    it("moves its cursor once the events are accepted, and drops the dead letter that they were", () => {
      const resending = ["msg_0", "msg_9"]
      deepStrictEqual(done({ ...claimed, resending }, { ...fromFeed, letter: "msg_0" }), {
        ...endpoint(),
        cursor: 15,
        resending: ["msg_9"]
      })
      deepStrictEqual(done({ ...claimed, resending }, fromFeed).resending, resending)
    })

    it("is tried again after a delay until three days are over; then its events are a dead letter", () => {
      const { endpoint: waiting, letter: none } = rejected(claimed, fromFeed, timeout(now + Limits.retryMillis - 1))
      strictEqual(none, null)
      deepStrictEqual(waiting, {
        ...endpoint(),
        outstanding: { ...trying("msg_1"), failures: 1, nextAt: now + Limits.retryMillis + 1_999, failure: "timeout" }
      })
      const { endpoint: after, letter } = rejected(claimed, fromFeed, timeout(now + Limits.retryMillis))
      deepStrictEqual(after, { ...endpoint(), cursor: 15 })
      deepStrictEqual(letter, {
        companyId: CompanyId.make(1),
        endpoint: "erp",
        id: "msg_1",
        events: fromFeed.events,
        failures: 1,
        since: now,
        at: now + Limits.retryMillis,
        failure: "timeout"
      })
    })

    it("only ends its claim when it was already answered", () => {
      deepStrictEqual(rejected(endpoint({ lease }), fromFeed, timeout(now)), { endpoint: endpoint(), letter: null })
    })

    it("keeps its webhook id when the host releases it", () => {
      deepStrictEqual(released(claimed), { ...claimed, lease: null })
    })
  })

  describe("that an operator changes", () => {
    const outstanding = { ...trying("msg_1"), failures: 9, since: now - 1, nextAt: now + 90_000, failure: "timeout" }
    const failing = endpoint({ outstanding, lease, resending: ["msg_0"] })
    const outOfRange = { reason: "out_of_range", resumeAfter: 4 } as const
    const disabled = { reason: "disabled" } as const

    it("receives nothing while it is paused, and an answer still expected no longer counts", () => {
      deepStrictEqual(pause(failing, disabled), { ...failing, paused: disabled, lease: null })
    })

    it("is tried at once when it is enabled, with three days ahead", () => {
      const later = now + 500
      deepStrictEqual(enabled({ ...failing, paused: disabled }, later), {
        ...failing,
        lease: null,
        outstanding: { ...DeliveryAttempts.first("msg_1", later), upTo: 15 }
      })
      strictEqual(enabled(endpoint({ paused: disabled }), later).outstanding, null)
    })

    it("forgets what it was trying when its cursor is moved, and only a cursor out of range pauses it no longer", () => {
      deepStrictEqual(moved({ ...failing, paused: outOfRange }, 4), endpoint({ cursor: 4 }))
      deepStrictEqual(moved({ ...failing, paused: disabled }, 4), endpoint({ cursor: 4, paused: disabled }))
      strictEqual(moved(failing, 4).paused, null)
    })

    it("chooses events again when its types change; another address receives what was tried", () => {
      const webhook = { ...failing.webhook, url: "https://erp.example/other" }
      const retried = { ...DeliveryAttempts.first("msg_1", now + 500), upTo: 15 }
      deepStrictEqual(changed({ ...failing, invalid: 2, paused: disabled }, { webhook, types: null }, now + 500), {
        ...failing,
        webhook,
        paused: disabled,
        lease: null,
        outstanding: retried
      })
      const types = ["order.placed"]
      const { outstanding, types: present } = changed(failing, { webhook, types }, now + 500)
      deepStrictEqual([outstanding, present], [null, types])
      deepStrictEqual(changed({ ...failing, types }, { webhook, types: [...types] }, now + 500).outstanding, retried)
    })

    it("sends a dead letter again once, after those that were asked for before", () => {
      const twice = resent(resent(resent(endpoint(), "msg_1"), "msg_2"), "msg_1")
      deepStrictEqual(twice, endpoint({ resending: ["msg_2", "msg_1"] }))
    })
  })
})

describe("Attempts of a delivery", () => {
  const { first, isFree, lease } = DeliveryAttempts

  it("begin with none that failed, at once", () => {
    deepStrictEqual(first("msg_1", now), { webhookId: "msg_1", failures: 0, since: now, nextAt: now, failure: null })
  })

  it("are free when neither a claim nor a delay lies ahead", () => {
    const delayed = (nextAt: number) => ({ lease: null, outstanding: { ...first("msg_1", now), nextAt } })
    strictEqual(isFree({ lease: null, outstanding: null }, now), true)
    deepStrictEqual(
      [now, now + Limits.claimMillis - 1, now + Limits.claimMillis].map((at) =>
        isFree({ lease: lease("host", now), outstanding: null }, at)
      ),
      [false, false, true]
    )
    deepStrictEqual(
      [now, now + 1].map((nextAt) => isFree(delayed(nextAt), now)),
      [true, false]
    )
    // A time that is further ahead than any delay was written by a wrong clock.
    const longest = now + Limits.longestDelayMillis
    deepStrictEqual(
      [longest, longest + 1].map((nextAt) => isFree(delayed(nextAt), now)),
      [false, true]
    )
  })
})
