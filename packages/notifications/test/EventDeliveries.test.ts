import { AuditStore, Events } from "@crossdock/audit"
import {
  EventDeliveries,
  EventEndpointStore,
  EventEndpoints,
  Limits,
  type WebhookAnswer
} from "@crossdock/notifications"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Clock, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as FastCheck from "fast-check"
import {
  appendEvents,
  caller,
  changeStock,
  groundInMemory,
  key,
  numbersOf,
  register,
  statusOf,
  stored,
  upTo
} from "./EventHosts.ts"
import * as Hosts from "./Hosts.ts"
import { onSamples } from "./Samples.ts"

const at = 1_790_000_000_000
const day = 86_400_000
const url = "https://erp.example/events"

const accepted: WebhookAnswer = { _tag: "Answered", status: 200 }
const failed: WebhookAnswer = { _tag: "Answered", status: 503 }

const onCompany = <A, E, R>(use: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    yield* Hosts.fill([])
    return yield* use
  }).pipe(Effect.provide([groundInMemory, Logger.layer([])]))

/** One try that is answered so; what was sent and what it came to, undefined when nothing was due. */
const attempt = (answer: WebhookAnswer) =>
  Effect.gen(function* () {
    const { begin, settle } = yield* EventDeliveries.EventDeliveries
    const delivery = yield* begin(key)
    return delivery && { delivery, numbers: numbersOf(delivery), settled: yield* settle(delivery, answer) }
  })

/** All that is due now. */
const drain = Effect.gen(function* () {
  const numbers: Array<ReadonlyArray<number>> = []
  for (let one = yield* attempt(accepted); one !== undefined; one = yield* attempt(accepted)) numbers.push(one.numbers)
  return numbers
})

const endpoints = EventEndpoints.EventEndpoints

describe("Deliveries of events", () => {
  it.effect(
    "are tried from every second to every hour for 3 days, then are a dead letter, and the endpoint goes on",
    () =>
      onCompany(
        Effect.gen(function* () {
          yield* register(url)
          yield* changeStock([1, 2])
          const ids = new Set<string>()
          const pauses: Array<number> = []
          let settled = ""
          while (settled !== "dead") {
            const one = yield* attempt(failed)
            if (one === undefined) break
            settled = one.settled
            ids.add(one.delivery.webhookId)
            deepStrictEqual(one.numbers, [1, 2])
            const status = yield* statusOf()
            if (settled === "dead") break
            deepStrictEqual([status?.failure, status?.failures], ["answered with status 503", pauses.length + 1])
            const now = yield* Clock.currentTimeMillis
            const nextAt = status?.nextAt ?? 0
            pauses.push(nextAt - now)
            yield* changeStock([10 + pauses.length])
            yield* TestClock.setTime(nextAt - 1)
            strictEqual(yield* attempt(accepted), undefined)
            yield* TestClock.setTime(nextAt)
          }
          strictEqual(ids.size, 1)
          assertTrue(pauses.every((pause) => pause >= 1000 && pause <= Limits.longestDelayMillis))
          assertTrue(pauses.slice(0, 11).every((pause, i) => pause >= 1000 * 2 ** i * 0.9))
          const now = yield* Clock.currentTimeMillis
          assertTrue(now - at >= 3 * day && now - at < 3 * day + Limits.longestDelayMillis)
          strictEqual((yield* statusOf())?.deadLetters, 1)
          deepStrictEqual((yield* drain).flat(), upTo(pauses.length, 3))
        })
      )
  )

  it.effect("of a dead letter that is sent again are the same body under the same id, before newer events", () =>
    onCompany(
      Effect.gen(function* () {
        const { deadLetters, resend } = yield* endpoints
        yield* register(url)
        yield* changeStock([1, 2])
        const first = yield* attempt(failed)
        yield* TestClock.adjust(3 * day)
        strictEqual((yield* attempt(failed))?.settled, "dead")
        const [letter] = yield* deadLetters(key)
        deepStrictEqual(
          [letter?.id, letter?.failures, letter?.failure, letter?.events.map(({ number }) => number)],
          [first?.delivery.webhookId, 2, "answered with status 503", [1, 2]]
        )
        yield* changeStock([3])
        strictEqual(yield* resend(caller, key, "msg_unknown"), false)
        strictEqual(yield* resend(caller, { ...key, id: "search" }, letter?.id ?? ""), false)
        strictEqual(yield* resend(caller, key, letter?.id ?? ""), true)
        strictEqual(yield* resend(caller, key, letter?.id ?? ""), true)
        const again = yield* attempt(accepted)
        deepStrictEqual(
          [again?.delivery.webhookId, again?.delivery.body, again?.settled],
          [letter?.id, first?.delivery.body, "accepted"]
        )
        deepStrictEqual(yield* drain, [[3]])
        deepStrictEqual([yield* deadLetters(key), (yield* stored)?.resending], [[], []])
      })
    )
  )

  it.effect("of a dead letter that is rejected again are tried for 3 days, and it stays one", () =>
    onCompany(
      Effect.gen(function* () {
        const { deadLetters, resend, setCursor } = yield* endpoints
        yield* register(url)
        yield* changeStock([1])
        yield* attempt(failed)
        yield* TestClock.adjust(3 * day)
        yield* attempt(failed)
        const [letter] = yield* deadLetters(key)
        yield* resend(caller, key, letter?.id ?? "")
        strictEqual((yield* attempt(failed))?.settled, "rejected")
        yield* changeStock([2])
        yield* TestClock.adjust(3 * day)
        strictEqual((yield* attempt(failed))?.settled, "dead")
        deepStrictEqual(
          (yield* deadLetters(key)).map(({ at, id }) => [id, at]),
          [[letter?.id, at + 6 * day]]
        )
        deepStrictEqual(yield* drain, [[2]])
        // One that is being tried is given up for now when the cursor is set.
        yield* resend(caller, key, letter?.id ?? "")
        yield* attempt(failed)
        yield* setCursor(caller, key, 1)
        deepStrictEqual([yield* drain, (yield* deadLetters(key)).length], [[[2]], 1])
      })
    )
  )

  it.effect("go on when a dead letter that is to be sent again was deleted by its retention", () =>
    onCompany(
      Effect.gen(function* () {
        const { deadLetters, resend } = yield* endpoints
        yield* register(url)
        yield* changeStock([1])
        yield* attempt(failed)
        yield* TestClock.adjust(3 * day)
        yield* attempt(failed)
        const [letter] = yield* deadLetters(key)
        yield* resend(caller, key, letter?.id ?? "")
        yield* changeStock([2])
        const { removeDeadLetter } = yield* EventEndpointStore
        yield* removeDeadLetter(key, letter?.id ?? "")
        deepStrictEqual([yield* drain, (yield* stored)?.resending], [[[2]], []])
      })
    )
  )

  it.effect("that were rejected are tried at once when their endpoint is registered or enabled again", () =>
    onCompany(
      Effect.gen(function* () {
        const { disable, enable } = yield* endpoints
        yield* register(url)
        yield* changeStock([1])
        const first = yield* attempt(failed)
        for (const change of [
          register(url, { cursor: null }),
          Effect.andThen(disable(caller, key), enable(caller, key))
        ]) {
          strictEqual(yield* attempt(failed), undefined)
          yield* change
          strictEqual((yield* attempt(failed))?.delivery.webhookId, first?.delivery.webhookId)
        }
        // Events that were chosen by other types are chosen again.
        yield* register(url, { cursor: null, types: ["stock.changed"] })
        const again = yield* attempt(accepted)
        assertTrue(again !== undefined && again.delivery.webhookId !== first?.delivery.webhookId)
      })
    )
  )

  it.effect("come again under other ids after the cursor was set to an earlier number", () =>
    onCompany(
      Effect.gen(function* () {
        const { setCursor } = yield* endpoints
        yield* register(url)
        yield* changeStock([1, 2])
        const first = yield* attempt(accepted)
        yield* setCursor(caller, key, 0)
        const again = yield* attempt(accepted)
        deepStrictEqual(again?.numbers, [1, 2])
        assertTrue(again !== undefined && again.delivery.webhookId !== first?.delivery.webhookId)
      })
    )
  )

  it.effect("have at most 1 MiB of body, or one event that is longer", () =>
    onCompany(
      Effect.gen(function* () {
        yield* register(url)
        yield* appendEvents([700_000, 300_000, 48_576, 2_000_000, 10, 10])
        const bodies: Array<readonly [ReadonlyArray<number>, boolean]> = []
        for (let one = yield* attempt(accepted); one !== undefined; one = yield* attempt(accepted)) {
          bodies.push([one.numbers, new TextEncoder().encode(one.delivery.body).length <= 2 ** 20])
        }
        deepStrictEqual(bodies, [
          [[1, 2], true],
          [[3], true],
          [[4], false],
          [[5, 6], true]
        ])
      })
    )
  )

  it.effect(
    "that a receiver answers with 413 come at once in bodies of half the bytes, until it is registered again",
    () =>
      onCompany(
        Effect.gen(function* () {
          yield* register(url)
          yield* appendEvents(upTo(8).map(() => 1000))
          const tooLarge: WebhookAnswer = { _tag: "Answered", status: 413 }
          const first = yield* attempt(tooLarge)
          deepStrictEqual([first?.numbers, first?.settled], [upTo(8), "halved"])
          const second = yield* attempt(tooLarge)
          deepStrictEqual([second?.numbers, second?.settled], [upTo(4), "halved"])
          assertTrue(first?.delivery.webhookId !== second?.delivery.webhookId)
          deepStrictEqual(yield* drain, [
            [1, 2],
            [3, 4],
            [5, 6],
            [7, 8]
          ])
          yield* appendEvents(upTo(8).map(() => 900))
          strictEqual((yield* attempt(accepted))?.numbers.length, 2)
          strictEqual(
            (yield* statusOf())?.maxBytes,
            Math.ceil((new TextEncoder().encode(second?.delivery.body).length + 1) / 2)
          )
          yield* register(url, { secret: null, cursor: null })
          deepStrictEqual(yield* drain, [upTo(6, 11)])
        })
      )
  )

  it.effect(
    "of one event that a receiver answers with 413 are a dead letter with the reason, and the others go on",
    () =>
      onCompany(
        Effect.gen(function* () {
          const { deadLetters, resend } = yield* endpoints
          yield* register(url)
          yield* appendEvents([2_000_000, 10])
          strictEqual((yield* attempt({ _tag: "Answered", status: 413 }))?.settled, "dead")
          const [letter] = yield* deadLetters(key)
          deepStrictEqual(
            [letter?.events.map(({ number }) => number), letter?.failure],
            [[1], "answered with status 413"]
          )
          deepStrictEqual(yield* drain, [[2]])
          yield* resend(caller, key, letter?.id ?? "")
          strictEqual((yield* attempt({ _tag: "Answered", status: 413 }))?.settled, "dead")
          deepStrictEqual([yield* drain, (yield* deadLetters(key)).length], [[], 1])
        })
      )
  )

  it.effect("that a receiver answers with 410 end, and the audit trail says so", () =>
    onCompany(
      Effect.gen(function* () {
        yield* register(url)
        yield* changeStock([1])
        strictEqual((yield* attempt({ _tag: "Answered", status: 410 }))?.settled, "unsubscribed")
        strictEqual(yield* attempt(accepted), undefined)
        deepStrictEqual((yield* statusOf())?.paused, { reason: "unsubscribed" })
        const records = yield* Effect.flatMap(AuditStore, (log) => log.read(Hosts.company, 0, 100))
        const { entity, recorded_by } = JSON.parse(records.at(-1)?.body ?? "")
        deepStrictEqual([entity.action, recorded_by], ["unsubscribe", { kind: "system", id: "event-webhooks" }])
      })
    )
  )

  it.effect("are one host's at a time: an answer that comes after another host's claim doesn't count", () =>
    onCompany(
      Effect.gen(function* () {
        const { begin, settle } = yield* EventDeliveries.EventDeliveries
        yield* register(url)
        yield* changeStock([1])
        const slow = yield* begin(key)
        assertTrue(slow !== undefined)
        strictEqual(yield* begin(key), undefined)
        yield* TestClock.adjust(Limits.claimMillis)
        const other = yield* begin(key)
        assertTrue(other !== undefined)
        strictEqual(other.webhookId, slow.webhookId)
        for (const answer of [accepted, failed, { _tag: "Answered", status: 410 } as const]) {
          strictEqual(yield* settle(slow, answer), "lost")
        }
        strictEqual(yield* settle(other, accepted), "accepted")
        strictEqual(yield* begin(key), undefined)
      })
    )
  )

  it.effect("in flight when the endpoint is changed, disabled or deleted don't count", () =>
    onCompany(
      Effect.gen(function* () {
        const { begin, settle } = yield* EventDeliveries.EventDeliveries
        const { disable, enable, remove } = yield* endpoints
        yield* register(url)
        yield* changeStock([1])
        for (const change of [register(url), disable(caller, key), remove(caller, key)]) {
          const delivery = yield* begin(key)
          assertTrue(delivery !== undefined)
          yield* change
          strictEqual(yield* settle(delivery, accepted), "lost")
          if ((yield* stored) !== undefined) yield* enable(caller, key)
        }
      })
    )
  )

  it.effect("whatever is answered, and whichever hosts die: a receiver has each event in order", () => {
    const step = FastCheck.oneof(
      { weight: 4, arbitrary: FastCheck.constant("accept" as const) },
      { weight: 3, arbitrary: FastCheck.constantFrom("reject" as const, "lose" as const, "unsubscribed" as const) },
      { weight: 4, arbitrary: FastCheck.constantFrom("change" as const, "changes" as const) },
      { weight: 1, arbitrary: FastCheck.constantFrom("register" as const, "disable" as const, "wait" as const) },
      { weight: 1, arbitrary: FastCheck.constantFrom("longWait" as const, "resend" as const) }
    )
    return onSamples(FastCheck.array(step, { minLength: 20, maxLength: 60 }), 40, (steps) =>
      onCompany(
        Effect.gen(function* () {
          const { begin, release } = yield* EventDeliveries.EventDeliveries
          const { deadLetters, disable, enable, resend } = yield* endpoints
          const received = new Map<string, string>()
          const order: Array<number> = []
          const dead = new Set<number>()
          let quantity = 0
          const receive = (delivery: EventDeliveries.EventDelivery) => {
            const body = received.get(delivery.webhookId) ?? delivery.body
            strictEqual(delivery.body, body)
            if (!received.has(delivery.webhookId)) order.push(...numbersOf(delivery))
            received.set(delivery.webhookId, body)
          }
          const answered = (answer: WebhookAnswer) =>
            Effect.gen(function* () {
              const one = yield* attempt(answer)
              if (one === undefined) return
              if (one.settled === "accepted") {
                receive(one.delivery)
                for (const number of one.numbers) dead.delete(number)
              }
              if (one.settled === "dead") for (const number of one.numbers) dead.add(number)
            })
          const letter = Effect.map(deadLetters(key), ([first]) => first)
          yield* register(url)
          const does = {
            accept: answered(accepted),
            reject: answered(failed),
            unsubscribed: Effect.andThen(answered({ _tag: "Answered", status: 410 }), enable(caller, key)),
            // It was received, but the host died, or was stopped, before it knew.
            lose: Effect.gen(function* () {
              const delivery = yield* begin(key)
              if (delivery === undefined) return
              receive(delivery)
              if (quantity % 2 === 0) yield* release(delivery)
            }),
            change: Effect.suspend(() => changeStock([++quantity])),
            changes: Effect.suspend(() => {
              quantity += 7
              return changeStock(upTo(7, quantity))
            }),
            register: register(url, { cursor: null }),
            disable: Effect.andThen(disable(caller, key), enable(caller, key)),
            wait: TestClock.adjust(Limits.claimMillis),
            longWait: TestClock.adjust(3 * day),
            resend: Effect.flatMap(letter, (one) => (one === undefined ? Effect.void : resend(caller, key, one.id)))
          }
          for (const one of steps) yield* does[one]
          yield* TestClock.adjust(day)
          for (let one = yield* begin(key); one !== undefined; one = yield* begin(key)) {
            yield* release(one)
            yield* does.accept
          }
          // A reading may have fewer than there are.
          const { read } = yield* Events.Events
          let last = 0
          for (let more = yield* read(Hosts.company, 0, 1000); more.length > 0; ) {
            last += more.length
            more = yield* read(Hosts.company, last, 1000)
          }
          // Each event was received once by its webhook's id, but for those that are dead letters still.
          const missing = upTo(last).filter((number) => !order.includes(number))
          deepStrictEqual(
            missing.filter((number) => !dead.has(number)),
            []
          )
          strictEqual(new Set(order).size, order.length)
          // Only a dead letter is overtaken.
          const wasDead = steps.includes("longWait")
          if (!wasDead) deepStrictEqual(order, upTo(last))
        })
      )
    )
  })
})
