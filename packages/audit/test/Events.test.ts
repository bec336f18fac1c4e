import { Directory } from "@crossdock/access"
import { type CompanyEvent, CompanyWrite, EventConsumer, EventLog, Events, FeedRestored } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { BackgroundLoop, CompanyId, Ids } from "@crossdock/kernel"
import { StorageMemory } from "@crossdock/storage-memory"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Logger, Stream } from "effect"
import { TestClock } from "effect/testing"

const [one, other] = [CompanyId.make(1), CompanyId.make(2)]
const caller = { principal: { kind: "system", id: "test" }, requestId: null } as const
const at = 1_790_000_000_000

const services = Layer.mergeAll(Events.layer, CompanyWrite.layer, BackgroundLoop.registry).pipe(
  Layer.provideMerge(StorageMemory.layer),
  Layer.provideMerge(Layer.mergeAll(DigestNode.layer, Ids.layer))
)

/** A change of the company with `count` events. */
const change = (companyId: CompanyId, count = 1) =>
  Effect.flatMap(CompanyWrite.CompanyWrite, ({ run }) => {
    const events = Array.from({ length: count }, (_, i) => ({ type: "test.happened", version: 1, data: { i } }))
    const entity = { type: "test", id: "1", action: "set" }
    const save = () => Effect.succeed({ logs: null, events })
    return run(caller, {
      load: Effect.void,
      decide: () => Effect.succeed({ answer: undefined, changes: [{ companyId, entity, save }] })
    })
  })

const errors: Array<string> = []

const onFeed = <A, E, R>(use: Effect.Effect<A, E, R>) => {
  errors.length = 0
  const logger = Logger.make(({ cause, logLevel, message }) => {
    if (logLevel === "Error") errors.push(`${message} ${cause}`)
  })
  return Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const directory = yield* Directory
    yield* directory.putCompanies([one, other].map((id) => ({ id, name: "Shop", legalName: "Shop Ltd" })))
    return yield* use
  }).pipe(Effect.provide(services), Effect.provide(Logger.layer([logger])))
}

/** Consumes until the test ends, and keeps the handled events, with their times since the start. */
const consuming = (
  handler: (events: ReadonlyArray<CompanyEvent.CompanyEvent>) => Effect.Effect<void, string> = () => Effect.void
) =>
  Effect.gen(function* () {
    const { consume } = yield* Events.Events
    const handled: Array<{
      readonly company: number
      readonly numbers: ReadonlyArray<number>
      readonly after: number
    }> = []
    yield* Effect.forkScoped(
      consume({
        group: "search",
        companies: null,
        handler: (events) =>
          Effect.gen(function* () {
            const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
            const company = events[0]?.companyId ?? 0
            handled.push({ company, numbers: events.map(({ number }) => number), after: now - at })
            yield* handler(events)
          })
      })
    )
    return handled
  })

describe("A group of consumers", () => {
  it.effect("begins with the first kept event", () =>
    onFeed(
      Effect.gen(function* () {
        yield* change(one, 2)
        const handled = yield* consuming()
        yield* TestClock.adjust("2 seconds")
        deepStrictEqual(
          handled.map(({ numbers }) => numbers),
          [[1, 2]]
        )
      })
    )
  )

  it.effect("begins after the number that its cursor was set to", () =>
    onFeed(
      Effect.gen(function* () {
        yield* change(one, 3)
        yield* Effect.flatMap(Events.Events, ({ setCursor }) => setCursor("search", one, 2))
        const handled = yield* consuming()
        yield* TestClock.adjust("2 seconds")
        deepStrictEqual(
          handled.map(({ numbers }) => numbers),
          [[3]]
        )
      })
    )
  )

  it.effect("goes on after a restore with an event that says what is lost, under numbers that were never used", () =>
    onFeed(
      Effect.gen(function* () {
        yield* change(one, 2)
        const { cursor, read } = yield* Events.Events
        const handled = yield* consuming()
        yield* TestClock.adjust("2 seconds")
        yield* FeedRestored.restart(caller, one)
        yield* change(one)
        yield* TestClock.adjust("2 seconds")
        const first = (at + 2_000) * 1_000
        deepStrictEqual(
          handled.flatMap(({ numbers }) => numbers),
          [1, 2, first, first + 1]
        )
        strictEqual(yield* cursor("search", one), first + 1)
        const [restored] = yield* read(one, 2, 1)
        deepStrictEqual([restored?.type, restored?.data], ["feed.restored", { after: 2 }])
        // It has handled events that were lost with the database.
        const { message } = yield* Effect.flip(read(one, 3, 1))
        assertTrue(message.includes("restored from an older copy"), message)
        yield* FeedRestored.restart(caller, one)
        const numbers = (yield* read(one, first + 1, 10)).map(({ number }) => number)
        deepStrictEqual(numbers, [first + 2_000_000])
      })
    )
  )

  it.effect("handles at most 500 events at a time, of one company in order", () =>
    onFeed(
      Effect.gen(function* () {
        for (let changes = 0; changes < 4; changes++) yield* change(one, 200)
        yield* change(other, 1)
        const handled = yield* consuming()
        yield* TestClock.adjust("2 seconds")
        const ofOne = handled.filter(({ company }) => company === one).map(({ numbers }) => numbers)
        deepStrictEqual(
          ofOne.map(({ length }) => length),
          [500, 300]
        )
        deepStrictEqual(
          ofOne.flat(),
          Array.from({ length: 800 }, (_, i) => i + 1)
        )
        strictEqual(handled.length, 3)
      })
    )
  )

  it.effect("whose handler fails for a company pauses that for a second, doubling to 10, while others go on", () =>
    onFeed(
      Effect.gen(function* () {
        yield* change(one)
        const handled = yield* consuming((events) => (events[0]?.companyId === one ? Effect.fail("away") : Effect.void))
        for (let second = 0; second < 60; second++) {
          yield* change(other)
          yield* TestClock.adjust("1 second")
        }
        const tries = handled.filter(({ company }) => company === one).map(({ after }) => Math.round(after / 1000))
        const pauses = tries.slice(1).map((after, i) => after - (tries[i] ?? 0))
        assertTrue(
          pauses.slice(0, 3).every((pause, i) => pause >= 2 ** i && pause <= 2 ** i + 1),
          pauses.join()
        )
        assertTrue(
          pauses.slice(4).every((pause) => pause >= 10 && pause <= 11),
          pauses.join()
        )
        deepStrictEqual(
          handled.filter(({ company }) => company === other).flatMap(({ numbers }) => numbers),
          Array.from({ length: 60 }, (_, i) => i + 1)
        )
      })
    )
  )

  it.effect("gives a handler 10 seconds", () =>
    onFeed(
      Effect.gen(function* () {
        yield* change(one)
        let isSlow = true
        const handled = yield* consuming(() => (isSlow ? Effect.never : Effect.void))
        yield* TestClock.adjust("9999 millis")
        strictEqual(handled.length, 1)
        isSlow = false
        yield* TestClock.adjust("3 seconds")
        deepStrictEqual(
          handled.map(({ numbers }) => numbers),
          [[1], [1]]
        )
      })
    )
  )

  it.effect("takes over a company 15 seconds after the host that worked on it has died", () =>
    onFeed(
      Effect.gen(function* () {
        const log = yield* EventLog
        yield* change(one)
        yield* log.saveConsumer(EventConsumer.claimed(EventConsumer.fresh("search", one), "dead", at))
        const handled = yield* consuming()
        yield* TestClock.adjust("14 seconds")
        deepStrictEqual(handled, [])
        yield* TestClock.adjust("2 seconds")
        deepStrictEqual(
          handled.map(({ numbers }) => numbers),
          [[1]]
        )
      })
    )
  )

  it.effect("whose cursor is out of range stays paused with an error in the log, until it is set", () =>
    onFeed(
      Effect.gen(function* () {
        const log = yield* EventLog
        yield* change(one, 2)
        yield* Effect.repeat(log.drop(at + 1, 100), { until: (dropped) => dropped === 0 })
        const handled = yield* consuming()
        yield* TestClock.adjust("1 minute")
        deepStrictEqual(handled, [])
        assertTrue(errors.length > 0 && errors.every((error) => error.includes("go on after number 2")), errors.join())
        yield* Effect.flatMap(Events.Events, ({ setCursor }) => setCursor("search", one, 2))
        yield* change(one)
        yield* TestClock.adjust("20 seconds")
        deepStrictEqual(
          handled.map(({ numbers }) => numbers),
          [[3]]
        )
        // As after a restore of a backup with fewer events.
        yield* Effect.flatMap(Events.Events, ({ setCursor }) => setCursor("search", one, 9))
        yield* TestClock.adjust("20 seconds")
        assertTrue(errors.at(-1)?.includes("has events up to number 3 only"), errors.at(-1))
        strictEqual(handled.length, 1)
      })
    )
  )
})

describe("A reader of events", () => {
  it.effect("looks every second, also when no announcement reaches it", () =>
    onFeed(
      Effect.gen(function* () {
        const log = yield* EventLog
        // A storage that receives nothing of other processes' commits.
        const deaf = Layer.succeed(EventLog, { ...log, watch: () => Effect.succeed(Effect.never) })
        const { after } = yield* Effect.provide(Events.make, deaf)
        const seen: Array<number> = []
        yield* Effect.forkScoped(Stream.runForEach(after(one, 0), ({ number }) => Effect.sync(() => seen.push(number))))
        yield* TestClock.adjust("100 millis")
        yield* change(one)
        yield* TestClock.adjust("899 millis")
        deepStrictEqual(seen, [])
        yield* TestClock.adjust("1 millis")
        deepStrictEqual(seen, [1])
      })
    )
  )

  it.effect("finds every event as long as the host doesn't say for how many days they are kept", () =>
    onFeed(
      Effect.gen(function* () {
        const { read } = yield* Events.Events
        yield* change(one)
        yield* TestClock.adjust("3650 days")
        yield* change(one)
        deepStrictEqual(
          (yield* read(one, 0, 10)).map(({ number }) => number),
          [1, 2]
        )
      })
    )
  )
})
