import {
  EventDeliveries,
  EventEndpoints,
  InventoryEvent,
  NotificationStore,
  Notifications,
  type WebhookAnswer
} from "@crossdock/notifications"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Clock, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as EventHosts from "./EventHosts.ts"
import * as Hosts from "./Hosts.ts"
import { eventsOf, key } from "./Received.ts"
import * as Receiver from "./Receiver.ts"

const start = 1_790_000_000_000
const [second, hour, day] = [1000, 3_600_000, 86_400_000]
const answered = (status: number): WebhookAnswer => ({ _tag: "Answered", status })
const silent: WebhookAnswer = { _tag: "Unanswered", reason: "no answer in time" }

describe("A marketplace that rejects some of its stock", () => {
  const skus = Hosts.skus.slice(0, 200)
  const bad = new Set(["SKU-0017", "SKU-0141"])

  /** What a receiver keeps that answers a body with a bad SKU like this, and how often it was tried. */
  const receiver = (rejection: WebhookAnswer) => {
    const known = new Map<string, { readonly quantity: number; readonly sequence: number }>()
    const state = {
      known,
      tries: 0,
      again: 0,
      sees: (_: Notifications.Delivery) => {},
      answers: (_: ReadonlyArray<string>) => rejection as WebhookAnswer
    }
    state.answers = (sent) => (sent.some((sku) => bad.has(sku)) ? rejection : answered(200))
    return state
  }

  /** Delivers what is due, waiting for what is due later, until `isDone` or the time is over. */
  const workUntil = (state: ReturnType<typeof receiver>, isDone: () => boolean, within: number) =>
    Effect.gen(function* () {
      const [{ begin, settle }, store] = [yield* Notifications.Notifications, yield* NotificationStore]
      const from = yield* Clock.currentTimeMillis
      while (!isDone()) {
        const now = yield* Clock.currentTimeMillis
        if (now - from > within) return now - from
        const delivery = yield* begin(key)
        if (delivery === undefined) {
          const channel = yield* store.find(key)
          const times = [channel?.outstanding, ...(channel?.aside ?? [])].flatMap((one) => one?.nextAt ?? [])
          yield* TestClock.setTime(Math.min(...times.filter((time) => time > now), from + within + 1))
          continue
        }
        state.tries++
        state.sees(delivery)
        const events = eventsOf(delivery)
        const answer = state.answers(events.map(({ sku }) => sku))
        if (answer._tag === "Answered" && answer.status === 200) {
          for (const { quantity, sequence, sku } of events) {
            const last = state.known.get(sku)?.sequence ?? 0
            assertTrue(sequence >= last, `${sku} went back`)
            if (sequence === last) state.again++
            state.known.set(sku, { quantity, sequence })
          }
        }
        yield* settle(delivery, answer)
      }
      return (yield* Clock.currentTimeMillis) - from
    })

  const ready = Effect.gen(function* () {
    yield* TestClock.setTime(start)
    yield* Hosts.fill([Hosts.marketplace("bazaar", Receiver.webhookOf("https://bazaar.example"))], skus)
    yield* Hosts.setStock(skus.map((sku) => ({ sku, quantity: 5 })))
  })
  const asides = Effect.map(
    Effect.flatMap(NotificationStore, ({ find }) => find(key)),
    (channel) => channel?.aside.map(({ sku }) => sku).toSorted()
  )

  for (const [name, rejection, within] of [
    ["400", answered(400), 90 * second],
    ["413", answered(413), 90 * second],
    ["422", answered(422), 90 * second],
    ["500", answered(500), 3 * hour],
    ["silence", silent, 3 * hour]
  ] as const) {
    it.effect(`gets all others after ${name}; what it rejects is set aside and tried for 3 days`, () =>
      Effect.gen(function* () {
        yield* ready
        const state = receiver(rejection)
        const took = yield* workUntil(state, () => state.known.size === skus.length - bad.size, within)
        assertTrue(took <= within, `${took} ms`)
        assertTrue(state.tries < 60, `${state.tries} tries`)
        // The last one may still be in the body that was cut down.
        yield* workUntil(state, () => false, 2 * hour)
        deepStrictEqual(yield* asides, [...bad])

        // Nothing waits for what is set aside, not even a change of it.
        yield* Hosts.setStock(skus.map((sku) => ({ sku, quantity: 6 })))
        const isNew = () => [...state.known.values()].every(({ quantity }) => quantity === 6)
        strictEqual(yield* workUntil(state, isNew, second), 0)

        const { deadLetters } = yield* Notifications.Notifications
        yield* workUntil(state, () => false, 2 * day)
        deepStrictEqual(yield* deadLetters("bazaar"), [])
        yield* workUntil(state, () => false, 1.2 * day)
        deepStrictEqual(yield* asides, [])
        const letters = yield* deadLetters("bazaar")
        deepStrictEqual(
          letters.map(({ events }) => events.map(({ quantity, sku }) => [sku, quantity])).toSorted(),
          [...bad].map((sku) => [[sku, 6]])
        )
        strictEqual(state.again, 0)
      }).pipe(Effect.provide([Hosts.groundInMemory, Logger.layer([])]))
    )
  }

  it.effect("gets what was set aside, as it is by then, once it accepts it", () =>
    Effect.gen(function* () {
      yield* ready
      const state = receiver(answered(422))
      yield* workUntil(state, () => false, hour)
      yield* Hosts.setStock(skus.map((sku) => ({ sku, quantity: 7 })))
      yield* workUntil(state, () => false, second)
      state.answers = () => answered(200)
      yield* workUntil(state, () => state.known.size === skus.length, 2 * hour)
      deepStrictEqual([...new Set([...state.known.values()].map(({ quantity }) => quantity))], [7])
      yield* Hosts.setStock(skus.map((sku) => ({ sku, quantity: 8 })))
      const isNew = () => [...state.known.values()].every(({ quantity }) => quantity === 8)
      strictEqual(yield* workUntil(state, isNew, second), 0)
      deepStrictEqual([yield* asides, state.again], [[], 0])
    }).pipe(Effect.provide([Hosts.groundInMemory, Logger.layer([])]))
  )

  it.effect("gets the same text under the same webhook id, and another text under another, also when it is alone", () =>
    Effect.gen(function* () {
      yield* ready
      const state = receiver(answered(422))
      const ids = new Map<string, string>()
      const { deadLetters } = yield* Notifications.Notifications
      state.sees = ({ body, webhookId }) => {
        strictEqual(ids.get(body) ?? webhookId, webhookId, "another id for the same text")
        ids.set(body, webhookId)
      }
      yield* workUntil(state, () => false, hour)
      yield* Hosts.setStock(skus.map((sku) => ({ sku, quantity: 7 })))
      yield* workUntil(state, () => false, 4 * day)
      const letters = yield* deadLetters("bazaar")
      strictEqual(new Set(ids.values()).size, ids.size)
      deepStrictEqual(
        letters.map(({ events, id }) => ids.get(InventoryEvent.bodyOf(events)) === id),
        [...bad].map(() => true)
      )
    }).pipe(Effect.provide([Hosts.groundInMemory, Logger.layer([])]))
  )

  it.effect("gets what is set aside alone, also when a dead letter of it is sent again", () =>
    Effect.gen(function* () {
      yield* ready
      const state = receiver(answered(422))
      yield* workUntil(state, () => false, 4 * day)
      const { deadLetters, resend } = yield* Notifications.Notifications
      const letters = yield* deadLetters("bazaar")
      strictEqual(letters.length, bad.size)
      yield* Hosts.setStock(skus.map((sku) => ({ sku, quantity: 7 })))
      yield* workUntil(state, () => false, 2 * hour)
      deepStrictEqual(yield* asides, [...bad])
      yield* Effect.forEach(letters, ({ id }) => resend(EventHosts.caller, key, id))
      yield* workUntil(state, () => false, 2 * hour)
      deepStrictEqual(yield* asides, [...bad])
    }).pipe(Effect.provide([Hosts.groundInMemory, Logger.layer([])]))
  )

  it.effect("gets what is set aside although others change all the time", () =>
    Effect.gen(function* () {
      yield* ready
      const state = receiver(answered(422))
      yield* workUntil(state, () => false, hour)
      deepStrictEqual(yield* asides, [...bad])
      state.answers = () => answered(200)
      for (let passed = 0; passed < 2 * hour; passed += 30 * second) {
        yield* TestClock.adjust(30 * second)
        yield* Hosts.setStock([{ sku: "SKU-0001", quantity: passed }])
        let sent = 0
        yield* workUntil(state, () => sent++ > 0, second)
      }
      deepStrictEqual(yield* asides, [])
    }).pipe(Effect.provide([Hosts.groundInMemory, Logger.layer([])]))
  )

  it.effect("gets at once what is set aside when it is woken", () =>
    Effect.gen(function* () {
      yield* ready
      const state = receiver(answered(422))
      yield* workUntil(state, () => false, day)
      state.answers = () => answered(200)
      const { wake } = yield* Notifications.Notifications
      yield* wake(EventHosts.caller, "bazaar")
      strictEqual(yield* workUntil(state, () => state.known.size === skus.length, second), 0)
    }).pipe(Effect.provide([Hosts.groundInMemory, Logger.layer([])]))
  )

  it.effect(
    "gets a change of what was set aside that came while that was being sent, also when its progress is read meanwhile",
    () =>
      Effect.gen(function* () {
        yield* ready
        const state = receiver(answered(422))
        yield* workUntil(state, () => false, hour)
        const [{ begin, progress, settle }, store] = [yield* Notifications.Notifications, yield* NotificationStore]
        const [first] = (yield* store.find(key))?.aside ?? []
        yield* TestClock.setTime(first?.nextAt ?? 0)
        const delivery = yield* begin(key)
        assertTrue(delivery?.aside !== null && delivery !== undefined)
        yield* Hosts.setStock([{ sku: delivery.aside.sku, quantity: 3 }])
        yield* progress(Hosts.marketplace("bazaar", Receiver.webhookOf("https://bazaar.example")))
        strictEqual(yield* settle(delivery, answered(200)), "accepted")
        state.answers = () => answered(200)
        yield* workUntil(state, () => state.known.get(delivery.aside?.sku ?? "")?.quantity === 3, second)
        strictEqual(state.known.get(delivery.aside.sku)?.quantity, 3)
      }).pipe(Effect.provide([Hosts.groundInMemory, Logger.layer([])]))
  )

  it.effect("because it is down gets everything at once when it is up, and nothing is a dead letter", () =>
    Effect.gen(function* () {
      yield* ready
      const state = receiver(silent)
      state.answers = () => silent
      yield* workUntil(state, () => false, 2 * day)
      assertTrue(state.tries < 120, `${state.tries} tries`)
      state.answers = () => answered(200)
      const { deadLetters, wake } = yield* Notifications.Notifications
      yield* wake(EventHosts.caller, "bazaar")
      strictEqual(yield* workUntil(state, () => state.known.size === skus.length, second), 0)
      deepStrictEqual([yield* deadLetters("bazaar"), state.again], [[], 0])
      // Without being woken it is tried within an hour, and what was set aside together with that.
      yield* Hosts.setStock(skus.map((sku) => ({ sku, quantity: 9 })))
      state.answers = () => silent
      yield* workUntil(state, () => false, day)
      state.answers = () => answered(200)
      const isNew = () => [...state.known.values()].every(({ quantity }) => quantity === 9)
      assertTrue((yield* workUntil(state, isNew, 2 * hour)) <= hour)
    }).pipe(Effect.provide([Hosts.groundInMemory, Logger.layer([])]))
  )
})

describe("An endpoint that finds some events invalid", () => {
  /** Answers what is due until the time is over; the numbers of what was accepted, in their order. */
  const workFor = (millis: number, answers: (numbers: ReadonlyArray<number>) => WebhookAnswer) =>
    Effect.gen(function* () {
      const { begin, settle } = yield* EventDeliveries.EventDeliveries
      const accepted: Array<number> = []
      const ids = new Map<string, string>()
      const until = (yield* Clock.currentTimeMillis) + millis
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        if (now > until) return accepted
        const delivery = yield* begin(EventHosts.key)
        if (delivery === undefined) {
          const nextAt = (yield* EventHosts.statusOf())?.nextAt ?? until + 1
          yield* TestClock.setTime(Math.max(now + 1, Math.min(nextAt, until + 1)))
          continue
        }
        strictEqual(ids.get(delivery.webhookId) ?? delivery.body, delivery.body, "another body under the same id")
        ids.set(delivery.webhookId, delivery.body)
        const numbers = EventHosts.numbersOf(delivery)
        const answer = answers(numbers)
        if ((yield* settle(delivery, answer)) === "accepted") accepted.push(...numbers)
      }
    })

  const onEvents = <A, E, R>(count: number, use: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* Hosts.fill([])
      yield* EventHosts.register("https://erp.example/events")
      yield* EventHosts.appendEvents(EventHosts.upTo(count).map(() => 10))
      return yield* use
    }).pipe(Effect.provide([EventHosts.groundInMemory, Logger.layer([])]))

  const letters = Effect.flatMap(EventEndpoints.EventEndpoints, ({ deadLetters }) => deadLetters(EventHosts.key))
  const dead = Effect.map(letters, (all) => all.flatMap(({ events }) => events.map(({ number }) => number)))

  for (const status of [400, 422]) {
    it.effect(
      `with ${status} gets all others in their order within a minute, and the invalid ones are dead letters`,
      () =>
        onEvents(
          300,
          Effect.gen(function* () {
            const bad = [41, 42, 255]
            const isBad = (numbers: ReadonlyArray<number>) => numbers.some((number) => bad.includes(number))
            const accepted = yield* workFor(60 * second, (numbers) => answered(isBad(numbers) ? status : 200))
            deepStrictEqual(
              accepted,
              EventHosts.upTo(300).filter((number) => !bad.includes(number))
            )
            deepStrictEqual(yield* dead, bad)
          })
        )
    )
  }

  it.effect("that finds everything invalid loses ever fewer of them to dead letters, and gets all the rest", () =>
    onEvents(
      300,
      Effect.gen(function* () {
        deepStrictEqual(yield* workFor(6 * hour, () => answered(422)), [])
        const lost = yield* dead
        assertTrue(lost.length > 1 && lost.length < 16, `${lost.length} dead letters in 6 hours`)
        const accepted = yield* workFor(2 * hour, () => answered(200))
        deepStrictEqual([...lost, ...accepted], EventHosts.upTo(300))
      })
    )
  )

  it.effect("with an answer that says nothing of them is tried again with the same body", () =>
    onEvents(
      300,
      Effect.gen(function* () {
        const bodies = new Set<string>()
        yield* workFor(2 * day, (numbers) => {
          bodies.add(numbers.join())
          return answered(500)
        })
        deepStrictEqual([bodies.size, yield* dead], [1, []])
      })
    )
  )
})
