import { Directory } from "@crossdock/access"
import { AuditStore, CompanyWrite } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { CompanyId, Ids } from "@crossdock/kernel"
import {
  DeliveryAttempts,
  NotificationChannel,
  NotificationStore,
  Notifications,
  sendStored,
  type WebhookAnswer,
  type WebhookMessage,
  WebhookSender
} from "@crossdock/notifications"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageMemory } from "@crossdock/storage-memory"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Clock, Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { caller } from "./EventHosts.ts"
import * as Hosts from "./Hosts.ts"
import { a, b, channel, eventsOf, key } from "./Received.ts"
import * as Receiver from "./Receiver.ts"

/** What the company's trail has of marketplaces, and of whom. */
const recorded = Effect.flatMap(AuditStore, (log) =>
  Effect.map(log.read(Hosts.company, 0, 100), (records) =>
    records
      .filter(({ entityType }) => entityType === "marketplace")
      .map(({ action, body, entityId, entityType }) => {
        const { logs, recorded_by } = JSON.parse(body)
        return [entityType, entityId, action, recorded_by.id, logs.request]
      })
  )
)

describe("A marketplace that rejects", () => {
  it.effect("is woken by somebody whom the trail of each company names, and by nobody when nothing waits", () =>
    Effect.gen(function* () {
      yield* Hosts.fill([Hosts.marketplace("bazaar", Receiver.webhookOf("https://bazaar.example"))])
      const { begin, due, settle, wake } = yield* Notifications.Notifications
      yield* wake(caller, "bazaar")
      yield* Hosts.setStock([{ sku: a, quantity: 5 }])
      const delivery = yield* begin(key)
      if (delivery === undefined) return yield* Effect.die("nothing was due")
      yield* wake(caller, "bazaar")
      yield* settle(delivery, { _tag: "Answered", status: 503 })
      deepStrictEqual([yield* due, yield* recorded], [[], []])
      yield* wake(caller, "bazaar")
      yield* wake(caller, "bazaar")
      deepStrictEqual(yield* due, [key])
      deepStrictEqual(yield* recorded, [["marketplace", "bazaar", "wake", "test", null]])
    }).pipe(Effect.provide(Hosts.groundInMemory))
  )

  it.effect("is woken company by company, so that no company waits for the channels of the others", () => {
    const locked: Array<ReadonlyArray<number>> = []
    const noting = Layer.effect(
      AuditStore,
      Effect.map(AuditStore, (log) => ({
        ...log,
        lock: (companies: ReadonlyArray<CompanyId>) => {
          if (companies.length > 0) locked.push(companies)
          return log.lock(companies)
        }
      }))
    )
    const watched = Notifications.layer.pipe(
      Layer.provideMerge(CompanyWrite.layer),
      Layer.provideMerge(noting),
      Layer.provideMerge(StorageMemory.layer),
      Layer.provideMerge(Layer.mergeAll(DigestNode.layer, Ids.layer))
    )
    return Effect.gen(function* () {
      const companies = [1, 2, 3].map((id) => CompanyId.make(id))
      yield* (yield* Directory).putCompanies(companies.map((id) => Fresh.company(id)))
      const store = yield* NotificationStore
      for (const companyId of companies) {
        const fresh = NotificationChannel.fresh({ marketplace: "bazaar", companyId })
        const outstanding = { ...DeliveryAttempts.first("msg_1", 0), nextAt: 2_000, fingerprint: "f", size: null }
        yield* store.save({ ...fresh, outstanding })
      }
      yield* (yield* Notifications.Notifications).wake(caller, "bazaar")
      deepStrictEqual(locked, [[1], [2], [3]])
      for (const id of companies) strictEqual((yield* (yield* AuditStore).read(id, 0, 9)).length, 1)
    }).pipe(Effect.provide(watched))
  })
})

describe("Three days of rejections", () => {
  /**
   * A sender that answers as it is set up to, and keeps its messages.
   */
  const fake = Effect.gen(function* () {
    const answer = yield* Ref.make<WebhookAnswer>({ _tag: "Answered", status: 500 })
    const sent = yield* Ref.make<ReadonlyArray<WebhookMessage>>([])
    const layer = Layer.succeed(WebhookSender, {
      send: (message) =>
        Effect.andThen(
          Ref.update(sent, (all) => [...all, message]),
          Ref.get(answer)
        )
    })
    return { answer, sent, layer }
  })

  /**
   * As the worker does it, without its own fibers: the clock does not move between two looks.
   */
  const work = (sends: Layer.Layer<WebhookSender>) =>
    Effect.gen(function* () {
      const [notifications, send] = [yield* Notifications.Notifications, yield* sendStored]
      const due = yield* notifications.due
      return yield* Effect.forEach(due, (one) =>
        Effect.gen(function* () {
          const delivery = yield* notifications.begin(one)
          if (delivery === undefined) return "nothing" as const
          return yield* notifications.settle(delivery, yield* send(delivery))
        })
      )
    }).pipe(Effect.provide(sends))

  /**
   * Works until nothing is due at this time.
   */
  const drain = (sends: Layer.Layer<WebhookSender>) =>
    Effect.repeat(work(sends), { until: (settled) => settled.length === 0 })

  const day = 86_400_000

  it.effect("after 3 days, events that are three days old are a dead letter, which can be sent again", () =>
    Effect.gen(function* () {
      const { answer, layer, sent } = yield* fake
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        const notifications = yield* Notifications.Notifications
        yield* TestClock.setTime(1_790_000_000_000)
        yield* Hosts.fill([Hosts.marketplace("bazaar", Receiver.webhookOf("http://127.0.0.1:1"))])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        deepStrictEqual(yield* work(layer), ["rejected"])
        deepStrictEqual(yield* work(layer), [])
        yield* TestClock.adjust(day)
        yield* Hosts.setStock([{ sku: b, quantity: 6 }])
        deepStrictEqual(yield* work(layer), ["rejected"])
        yield* TestClock.adjust(2 * day - 1)
        deepStrictEqual(yield* work(layer), ["rejected"])
        deepStrictEqual(yield* notifications.deadLetters("bazaar"), [])
        yield* TestClock.adjust(3_600_000)
        // The receiver was sent both, then each alone; one that is alone, and late, comes first and doesn't delay the other.
        deepStrictEqual([yield* work(layer), yield* work(layer)], [["dead"], ["rejected"]])
        const last = (yield* Ref.get(sent)).at(-2)
        const [letter, ...others] = yield* notifications.deadLetters("bazaar")
        deepStrictEqual(others, [])
        deepStrictEqual(yield* notifications.deadLetters("souk"), [])
        assertTrue(letter !== undefined)
        strictEqual(letter.id, last?.webhookId)
        strictEqual(letter.failures, 4)
        strictEqual(letter.failure, "answered with status 500")
        deepStrictEqual(
          letter.events.map(({ quantity, sku }) => [sku, quantity]),
          [[a, 5]]
        )

        // Younger events are still sent, and accepted.
        yield* Ref.set(answer, { _tag: "Answered", status: 200 })
        yield* TestClock.adjust(3_600_000)
        yield* drain(layer)
        deepStrictEqual(
          eventsOf((yield* Ref.get(sent)).at(-1) ?? { body: "" }).map(({ sku }) => sku),
          [b]
        )
        deepStrictEqual(yield* work(layer), [])

        // Sent again it has the present quantity.
        strictEqual(yield* notifications.resend(caller, key, "msg_unknown"), false)
        strictEqual(yield* notifications.resend(caller, { ...key, marketplace: "souk" }, letter.id), false)
        strictEqual(yield* notifications.resend(caller, key, letter.id), true)
        strictEqual(yield* notifications.resend(caller, key, letter.id), false)
        deepStrictEqual(yield* notifications.deadLetters("bazaar"), [])
        deepStrictEqual(yield* recorded, [["marketplace", "bazaar", "resend", "test", { deadLetter: letter.id }]])
        const before = (yield* Ref.get(sent)).length
        yield* drain(layer)
        const again = (yield* Ref.get(sent)).slice(before)
        strictEqual(again.length, 1)
        deepStrictEqual(
          again.flatMap(eventsOf).map(({ event_id, quantity, sku }) => [event_id, sku, quantity]),
          [[letter.events[0]?.eventId, a, 5]]
        )
        deepStrictEqual((yield* channel)?.again, [])
      }).pipe(Effect.provide(Hosts.ground(file)))
    })
  )

  it.effect(
    "a dead letter that is sent again has the latest quantity, and is sent once even if it changed anyway",
    () =>
      Effect.gen(function* () {
        const { answer, layer, sent } = yield* fake
        const file = yield* Hosts.databaseFile
        yield* Effect.gen(function* () {
          const notifications = yield* Notifications.Notifications
          yield* Hosts.fill([Hosts.marketplace("bazaar", Receiver.webhookOf("http://127.0.0.1:1"))])
          yield* Hosts.setStock([{ sku: a, quantity: 5 }])
          yield* work(layer)
          yield* TestClock.adjust(4 * day)
          deepStrictEqual(yield* work(layer), ["dead"])
          yield* Ref.set(answer, { _tag: "Answered", status: 200 })
          const [letter] = yield* notifications.deadLetters("bazaar")
          yield* Hosts.setStock([{ sku: a, quantity: 3 }])
          strictEqual(yield* notifications.resend(caller, key, letter?.id ?? ""), true)
          yield* Ref.set(sent, [])
          yield* drain(layer)
          deepStrictEqual(
            (yield* Ref.get(sent)).map((one) => eventsOf(one).map(({ quantity, sku }) => [sku, quantity])),
            [[[a, 3]]]
          )
        }).pipe(Effect.provide(Hosts.ground(file)))
      })
  )

  it.effect("a dead letter of a SKU that was deleted with its product is sent again with quantity 0", () =>
    Effect.gen(function* () {
      const { answer, layer, sent } = yield* fake
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        const notifications = yield* Notifications.Notifications
        yield* Hosts.fill([Hosts.marketplace("bazaar", Receiver.webhookOf("http://127.0.0.1:1"))])
        yield* Ref.set(answer, { _tag: "Answered", status: 200 })
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        yield* drain(layer)
        yield* Ref.set(answer, { _tag: "Answered", status: 500 })
        yield* Hosts.deleteSkus([a], [b])
        yield* work(layer)
        yield* TestClock.adjust(4 * day)
        deepStrictEqual(yield* work(layer), ["dead"])
        const [letter] = yield* notifications.deadLetters("bazaar")
        yield* Ref.set(answer, { _tag: "Answered", status: 200 })
        strictEqual(yield* notifications.resend(caller, key, letter?.id ?? ""), true)
        const before = (yield* Ref.get(sent)).length
        yield* drain(layer)
        const again = (yield* Ref.get(sent)).slice(before).flatMap(eventsOf)
        deepStrictEqual(
          again.map(({ quantity, sequence, sku }) => [sku, quantity, sequence]),
          [[a, 0, letter?.events[0]?.sequence]]
        )
        deepStrictEqual((yield* channel)?.again, [])
      }).pipe(Effect.provide(Hosts.ground(file)))
    })
  )

  for (const change of ["set", "deleted"] as const) {
    it.effect(`stock that was ${change} has one body and dies after 3 days, though the trail forgot it`, () =>
      Effect.gen(function* () {
        const { answer, layer, sent } = yield* fake
        const file = yield* Hosts.databaseFile
        yield* Effect.gen(function* () {
          yield* TestClock.setTime(1_790_000_000_000)
          yield* Hosts.fill([Hosts.marketplace("bazaar", Receiver.webhookOf("http://127.0.0.1:1"))])
          yield* Hosts.setStock([{ sku: a, quantity: 5 }])
          if (change === "deleted") {
            yield* Ref.set(answer, { _tag: "Answered", status: 200 })
            yield* drain(layer)
            yield* Ref.set(answer, { _tag: "Answered", status: 500 })
            yield* Hosts.deleteSkus([a], [b])
          }
          yield* Ref.set(sent, [])
          deepStrictEqual(yield* work(layer), ["rejected"])
          yield* Hosts.forgetTrail
          for (let tries = 0; tries < 2; tries++) {
            yield* TestClock.adjust(day)
            deepStrictEqual(yield* work(layer), ["rejected"])
          }
          yield* TestClock.adjust(day)
          deepStrictEqual(yield* work(layer), ["dead"])
          const all = yield* Ref.get(sent)
          deepStrictEqual(
            [new Set(all.map(({ body }) => body)).size, new Set(all.map((one) => one.webhookId)).size],
            [1, 1]
          )
        }).pipe(Effect.provide(Hosts.ground(file)))
      })
    )
  }

  it.effect("a receiver that is down for 72 h is tried from every second to every hour, and not more", () =>
    Effect.gen(function* () {
      const { layer, sent } = yield* fake
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", Receiver.webhookOf("http://127.0.0.1:1"))])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        const delays: Array<number> = []
        for (let settled = yield* work(layer); settled[0] === "rejected"; settled = yield* work(layer)) {
          const { nextAt = 0 } = (yield* channel)?.outstanding ?? {}
          const now = yield* Clock.currentTimeMillis
          delays.push(nextAt - now)
          yield* TestClock.setTime(nextAt - 1)
          deepStrictEqual(yield* work(layer), [])
          yield* TestClock.setTime(nextAt)
        }
        assertTrue(delays.every((wait) => wait >= 1000 && wait <= 3_600_000))
        assertTrue(delays.slice(0, 11).every((wait, i) => wait >= 1000 * 2 ** i * 0.9))
        assertTrue(delays.length > 72 && delays.length < 170, `${delays.length} tries`)
        const messages = yield* Ref.get(sent)
        strictEqual(new Set(messages.map(({ webhookId }) => webhookId)).size, 1)
        strictEqual(new Set(messages.map(({ body }) => body)).size, 1)
        strictEqual(yield* Clock.currentTimeMillis.pipe(Effect.map((now) => now >= 3 * day)), true)
      }).pipe(Effect.provide(Hosts.ground(file)))
    })
  )

  it.effect("a rejected channel is tried within an hour, even if the clock was set back a day", () =>
    Effect.gen(function* () {
      const { layer, sent } = yield* fake
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* TestClock.setTime(1_790_000_000_000)
        yield* Hosts.fill([Hosts.marketplace("bazaar", Receiver.webhookOf("http://127.0.0.1:1"))])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        deepStrictEqual(yield* work(layer), ["rejected"])
        yield* TestClock.setTime(1_790_000_000_000 - day)
        yield* TestClock.adjust(3_600_000)
        deepStrictEqual(yield* work(layer), ["rejected"])
        const messages = yield* Ref.get(sent)
        strictEqual(new Set(messages.map(({ webhookId }) => webhookId)).size, 1)
      }).pipe(Effect.provide(Hosts.ground(file)))
    })
  )

  it.effect("an answer that comes after another host's claim doesn't count", () =>
    Effect.gen(function* () {
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        const notifications = yield* Notifications.Notifications
        yield* Hosts.fill([Hosts.marketplace("bazaar", Receiver.webhookOf("http://127.0.0.1:1"))])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        const slow = yield* notifications.begin(key)
        assertTrue(slow !== undefined)
        strictEqual(yield* notifications.begin(key), undefined)
        yield* TestClock.adjust(15_000)
        const other = yield* notifications.begin(key)
        assertTrue(other !== undefined)
        strictEqual(other.webhookId, slow.webhookId)
        strictEqual(yield* notifications.settle(slow, { _tag: "Answered", status: 200 }), "lost")
        strictEqual(yield* notifications.settle(other, { _tag: "Answered", status: 200 }), "accepted")
        strictEqual(yield* notifications.begin(key), undefined)
      }).pipe(Effect.provide(Hosts.ground(file)))
    })
  )
})
