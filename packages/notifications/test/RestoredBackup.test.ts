import { copyFileSync } from "node:fs"
import { Notifications } from "@crossdock/notifications"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as FastCheck from "fast-check"
import * as Hosts from "./Hosts.ts"
import { eventsOf, key, type StockEvent } from "./Received.ts"
import * as Receiver from "./Receiver.ts"
import { onSamples } from "./Samples.ts"

const caller = { principal: { kind: "system", id: "test" }, requestId: null } as const
const skus = ["a", "b", "c"]
const marketplace = Hosts.marketplace("bazaar", Receiver.webhookOf("http://127.0.0.1:1"))

const step = FastCheck.oneof(
  FastCheck.record({
    sku: FastCheck.constantFrom(...skus),
    location: FastCheck.constantFrom("BLR1", "BOM1"),
    quantity: FastCheck.integer({ min: 0, max: 9 })
  }),
  FastCheck.constantFrom("notified" as const, "reconciled" as const)
)
const steps = FastCheck.array(step, { maxLength: 8 })

/**
 * The life of a host, and of one that goes on from an older copy of its database.
 */
const scenario = FastCheck.record({ first: steps, lost: steps, restored: steps })

/**
 * A receiver that drops events that are not newer than the ones it kept.
 */
const keeping = () => {
  const kept = new Map<string, StockEvent>()
  const take = (event: StockEvent) => {
    const name = `${event.sku} ${event.location_id}`
    if (event.sequence > (kept.get(name)?.sequence ?? 0)) kept.set(name, event)
  }
  return { kept, take }
}

const notify = (take: (event: StockEvent) => void) =>
  Effect.gen(function* () {
    const notifications = yield* Notifications.Notifications
    for (let delivery = yield* notifications.begin(key); delivery !== undefined; ) {
      eventsOf(delivery).forEach(take)
      yield* notifications.settle(delivery, { _tag: "Answered", status: 200 })
      delivery = yield* notifications.begin(key)
    }
  })

const live = (life: ReadonlyArray<Hosts.Stock | "notified" | "reconciled">, take: (event: StockEvent) => void) =>
  Effect.gen(function* () {
    const notifications = yield* Notifications.Notifications
    for (const one of life) {
      yield* TestClock.adjust(1000)
      if (one === "notified") yield* notify(take)
      else if (one === "reconciled") yield* notifications.reconcile(caller, "bazaar", [Hosts.company])
      else yield* Hosts.setStock([one])
    }
  })

const hasPending = Effect.gen(function* () {
  const [line] = yield* (yield* Notifications.Notifications).progress(marketplace)
  return line?.hasPending
})

describe("A host that goes on from an older copy of its database", () => {
  it.effect("makes a receiver equal to its stock by a reconcile, whatever was sent in the time that was lost", () =>
    onSamples(scenario, 25, ({ first, lost, restored }) =>
      Effect.gen(function* () {
        const { kept, take } = keeping()
        const [file, backup] = [yield* Hosts.databaseFile, yield* Hosts.databaseFile]
        yield* TestClock.setTime(1_790_000_000_000)
        yield* Effect.andThen(Hosts.fill([marketplace], skus), live(first, take)).pipe(
          Effect.provide(Hosts.ground(file))
        )
        copyFileSync(file, backup)
        yield* live(lost, take).pipe(Effect.provide(Hosts.ground(file)))
        yield* Effect.gen(function* () {
          const notifications = yield* Notifications.Notifications
          yield* live(restored, take)
          yield* TestClock.adjust(1000)
          yield* notifications.reconcile(caller, "bazaar", [Hosts.company])
          const stock = yield* Hosts.sellable(skus)
          deepStrictEqual(yield* hasPending, stock.size > 0)
          yield* notify(take)
          deepStrictEqual(yield* hasPending, false)
          // Stock first added in the lost time is unknown to the copy, and so counts as not in stock.
          const [channel] = yield* notifications.progress(marketplace)
          const believed = [...kept].filter(([, { sequence }]) => sequence >= (channel?.sequencesFrom ?? 0))
          deepStrictEqual(new Map(believed.map(([name, { quantity }]) => [name, quantity])), stock)
          assertTrue([...kept.values()].every(({ sequence }) => Number.isSafeInteger(sequence)))
        }).pipe(Effect.provide(Hosts.ground(backup)))
      }).pipe(Effect.scoped)
    )
  )
})
