import { MarketplaceStore } from "@crossdock/marketplaces"
import { NotificationChannel, NotificationStore, Notifications } from "@crossdock/notifications"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as FastCheck from "fast-check"
import * as Hosts from "./Hosts.ts"
import { eventsOf, key } from "./Received.ts"
import * as Receiver from "./Receiver.ts"
import { onSamples } from "./Samples.ts"

const webhook = Receiver.webhookOf("http://127.0.0.1:1")

const skus = ["a", "b", "c", "d"]
const sku = FastCheck.constantFrom(...skus)
const location = FastCheck.constantFrom("BLR1", "BOM1", "HIDDEN")
const places = { sku, location }
const textOf = (one: { readonly sku: string; readonly location: string }) => `${one.sku}@${one.location}`

const scenario = FastCheck.record({
  writes: FastCheck.array(FastCheck.record({ ...places, quantity: FastCheck.integer({ min: 0, max: 3 }) }), {
    maxLength: 8
  }),
  passed: FastCheck.boolean(),
  deleted: FastCheck.subarray(skus),
  again: FastCheck.uniqueArray(
    FastCheck.record({ sku: FastCheck.oneof(sku, FastCheck.constant("unknown")), location }),
    { selector: textOf, maxLength: 6 }
  ),
  sold: FastCheck.option(FastCheck.subarray(skus)),
  mapped: FastCheck.subarray([...Hosts.mapped], { minLength: 1 })
})

/**
 * The steps of a channel, one a second: a write, a try that is rejected or accepted, or a drop of the trail.
 */
const life = FastCheck.array(
  FastCheck.oneof(
    FastCheck.record({ ...places, quantity: FastCheck.integer({ min: 0, max: 3 }) }),
    FastCheck.constantFrom("rejected", "accepted", "forgotten", "deleted" as const)
  ),
  { maxLength: 15 }
)

/**
 * Works like the worker, with a receiver that accepts everything, until the channel is not due. Returns the events sent.
 */
const drain = Effect.gen(function* () {
  const [notifications, store] = [yield* Notifications.Notifications, yield* NotificationStore]
  const sent: Array<ReturnType<typeof eventsOf>> = []
  for (let pass = 0; pass < 50; pass++) {
    const due = yield* notifications.due
    if (!due.some(({ marketplace }) => marketplace === key.marketplace)) return sent
    const before = yield* store.find(key)
    const delivery = yield* notifications.begin(key)
    if (delivery !== undefined) {
      yield* notifications.settle(delivery, { _tag: "Answered", status: 200 })
      sent.push(eventsOf(delivery))
      continue
    }
    const isDue = (yield* notifications.due).length > 0
    const isElsewhere = (yield* store.find(key))?.version !== before?.version
    assertTrue(isElsewhere || !isDue, "a pass did nothing, and the channel is due all the same")
  }
  return yield* Effect.die(new Error("it has no end"))
})

describe("A change", () => {
  it.effect("has one time and one sequence, however often it is sent and whatever the trail dropped", () =>
    onSamples(life, 150, (steps) =>
      Effect.gen(function* () {
        const notifications = yield* Notifications.Notifications
        yield* Hosts.fill([Hosts.marketplace("bazaar", webhook)], skus)
        const known = new Map<string, string>()
        for (const step of steps) {
          yield* TestClock.adjust(3_600_000)
          if (step === "forgotten") yield* Hosts.forgetTrail
          else if (step === "deleted") yield* Hosts.deleteSkus(["a"], skus)
          else if (typeof step === "object") yield* Hosts.setStock([step])
          else {
            const delivery = yield* notifications.begin(key)
            if (delivery === undefined) continue
            yield* notifications.settle(delivery, { _tag: "Answered", status: step === "rejected" ? 500 : 200 })
            for (const { event_id, occurred_at, sequence } of eventsOf(delivery)) {
              const said = `${sequence} ${occurred_at}`
              strictEqual(known.get(event_id) ?? said, said)
              known.set(event_id, said)
            }
          }
        }
      }).pipe(Effect.provide(Hosts.groundInMemory))
    )
  )
})

describe("A pass over a channel", () => {
  it.effect("sends something, advances, or leaves the channel not due, whatever is pending and whatever is sold", () =>
    onSamples(scenario, 150, ({ again, deleted, mapped, passed, sold, writes }) =>
      Effect.gen(function* () {
        const store = yield* NotificationStore
        yield* Hosts.fill([{ ...Hosts.marketplace("bazaar", webhook, mapped), skus: sold }], skus)
        for (const write of writes) yield* Hosts.setStock([write])
        if (deleted.length > 0) {
          yield* Hosts.deleteSkus(
            deleted,
            skus.filter((one) => !deleted.includes(one))
          )
        }
        if (passed) yield* drain
        const channel = (yield* store.find(key)) ?? NotificationChannel.fresh(key)
        yield* store.save({ ...channel, again })
        const sent = (yield* drain).flat()
        deepStrictEqual((yield* store.find(key))?.again, [])
        const codes = new Map(mapped.map(({ code, location }) => [location, code]))
        const wanted = again.filter(
          (one) =>
            codes.has(one.location) &&
            (sold === null || sold.includes(one.sku)) &&
            writes.some((write) => textOf(write) === textOf(one) && write.quantity > 0)
        )
        const isSent = (one: (typeof again)[number]) =>
          sent.some((event) => event.sku === one.sku && event.location_id === codes.get(one.location))
        deepStrictEqual(
          wanted.filter((one) => !isSent(one)),
          []
        )
      }).pipe(Effect.provide(Hosts.groundInMemory))
    )
  )
})

describe("A registration that comes while a notification is composed", () => {
  it.effect("keeps the old mapping's stock from being sent under the new sequences", () =>
    Effect.gen(function* () {
      const codeOf = (location: string) => [{ companyId: Hosts.company, location, code: "CODE" }]
      const real = yield* MarketplaceStore
      const notifications = yield* Notifications.Notifications
      const registered = Effect.andThen(
        real.put(Hosts.marketplace("bazaar", webhook, codeOf("BOM1"))),
        notifications.reconcile({ principal: { kind: "system", id: "test" }, requestId: null }, "bazaar", [
          Hosts.company
        ])
      )
      let isBetween = false
      const meanwhile = Layer.succeed(MarketplaceStore, {
        ...real,
        find: (slug) =>
          Effect.tap(real.find(slug), () => {
            if (!isBetween) return Effect.void
            isBetween = false
            return Effect.orDie(registered)
          })
      })
      yield* Hosts.fill([Hosts.marketplace("bazaar", webhook, codeOf("BLR1"))], skus)
      yield* Hosts.setStock([{ sku: "a", quantity: 21 }])
      yield* Hosts.setStock([{ sku: "a", quantity: 5, location: "BOM1" }])
      isBetween = true
      const first = yield* Effect.flatMap(Notifications.Notifications, ({ begin }) => begin(key)).pipe(
        Effect.provide(Layer.fresh(Notifications.layer).pipe(Layer.provide(meanwhile)))
      )
      strictEqual(first, undefined)
      deepStrictEqual(
        (yield* drain).flat().map(({ quantity }) => quantity),
        [5]
      )
    }).pipe(Effect.provide(Hosts.groundInMemory))
  )
})
