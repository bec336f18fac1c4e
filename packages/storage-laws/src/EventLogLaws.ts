/** The laws of `EventLog` and of `Events`. `AuditStore` fills the `EventLog`, and `Events` reads it. */
import type { LockedHead } from "@crossdock/audit"
import { AuditStore, CompanyEvent, EventConsumer, EventLog, Events, FeedRestored } from "@crossdock/audit"
import { BackgroundLoop, type CompanyId, Ids, type Transaction } from "@crossdock/kernel"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import { record } from "./AuditStoreLaws.ts"
import { exactlyOneSucceeded, retrying, times } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import { about, badEnds, column, endsBadly, inTransaction, inUnit, type Laws, outcome, sortedBy } from "./Laws.ts"
import { freshCompany, type Seed } from "./Seed.ts"

const at = 1_790_000_000_000

const drafts = (count: number, name = "event"): ReadonlyArray<CompanyEvent.EventDraft> =>
  Array.from({ length: count }, (_, i) => ({
    type: "test.happened",
    version: 1,
    data: { name, i, text: 'कुर्ता "😀"\n' }
  }))

const batch = (head: LockedHead, drafts: ReadonlyArray<CompanyEvent.EventDraft>): CompanyEvent.EventBatch => ({
  companyId: head.companyId,
  first: head.events + 1,
  change: head.sequence + 1,
  at: at + head.sequence + 1,
  drafts
})

const append = (companies: ReadonlyArray<CompanyId>, drafts: ReadonlyArray<CompanyEvent.EventDraft>) =>
  Effect.gen(function* () {
    const log = yield* AuditStore
    const heads = yield* log.lock(companies)
    yield* log.append(
      heads.map(({ companyId, sequence }) => record(companyId, sequence + 1)),
      drafts.length === 0 ? [] : heads.map((head) => batch(head, drafts))
    )
  })

const change = (companies: ReadonlyArray<CompanyId>, count: number, name?: string) =>
  append(companies, drafts(count, name))

const numbers = (events: ReadonlyArray<{ readonly number: number }>) => events.map(({ number }) => number)

const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, i) => from + i)

const events = Effect.provide(Events.make, Ids.layer)

const outOfRange = (company: CompanyId, cursor: number) =>
  Effect.flatMap(Effect.flip(read(company, cursor)), (error) =>
    error._tag === "CursorOutOfRange" ? Effect.succeed(error) : Effect.die(error)
  )

/** Deletes all events from before a time. In a shared database, it also deletes events of other companies. */
const dropAll = (before: number) =>
  Effect.flatMap(EventLog, (log) => Effect.repeat(log.drop(before, 100), { until: (dropped) => dropped === 0 }))

const read = (company: CompanyId, cursor: number, limit = 500) =>
  Effect.flatMap(events, (service) => service.read(company, cursor, limit))

/** Runs `consumption` until the effect `until` ends. On a shared database, it may also receive events of other tests. */
const consuming = <E, R, A, E2, R2>(consumption: Events.Consumption<E, R>, until: Effect.Effect<A, E2, R2>) =>
  Effect.gen(function* () {
    const { consume } = yield* events
    return yield* Effect.raceFirst(consume(consumption), until)
  }).pipe(Effect.provide(BackgroundLoop.registry))

const silent = Effect.provideService(References.MinimumLogLevel, "None")

/** A consumption that does `work` and collects event numbers in `handled`. `done` is completed after `count` events. */
const consumptionOf = Effect.fnUntraced(function* (company: CompanyId, count: number, work: Effect.Effect<void>) {
  const handled: Array<number> = []
  const done = yield* Deferred.make<void>()
  const handler = Effect.fnUntraced(function* (some: ReadonlyArray<CompanyEvent.CompanyEvent>) {
    yield* work
    handled.push(...numbers(some))
    if (handled.length >= count) yield* Deferred.succeed(done, undefined)
  })
  return { handled, done, consumption: { group: `group ${company}`, companies: [company], handler } }
})

export const eventLogLaws = (laws: Laws<EventLog | AuditStore | Seed | Transaction.Transaction>): void => {
  const { concurrent, law } = about(EventLog, laws, Effect.all([freshCompany, freshCompany]))
  law("events are numbered from 1, and read back with number and time of their change", function* (_, [company]) {
    yield* change([company], 2, "first")
    yield* change([company], 0)
    yield* change([company], 1, "third")
    const of = { companyId: company, type: "test.happened", version: 1 }
    const text = 'कुर्ता "😀"\n'
    deepStrictEqual(yield* read(company, 0), [
      { ...of, number: 1, change: 1, at: at + 1, data: { name: "first", i: 0, text } },
      { ...of, number: 2, change: 1, at: at + 1, data: { name: "first", i: 1, text } },
      { ...of, number: 3, change: 3, at: at + 3, data: { name: "third", i: 0, text } }
    ])
  })

  law("after a cursor are the events above it, also from within a change, as many as asked", function* (_, [company]) {
    for (const count of [3, 1, 500, 4]) yield* change([company], count)
    for (const cursor of [0, 1, 2, 3, 4, 5, 250, 503, 504, 507, 508])
      deepStrictEqual(numbers(yield* read(company, cursor, 1_000)), upTo(508 - cursor, cursor + 1))
    deepStrictEqual(numbers(yield* read(company, 2, 4)), [3, 4, 5, 6])
    deepStrictEqual(yield* read(yield* freshCompany, 0), [])
    deepStrictEqual(yield* read(yield* Fresh.companyId, 0), [])
  })

  law("only the batches of requested events are read, or the oldest if those are dropped", function* (_, [company]) {
    for (const count of [3, 1, 500, 4]) yield* change([company], count)
    const log = yield* EventLog
    const firsts = (after: number, limit: number) =>
      Effect.map(log.read(company, after, limit), ({ batches }) => batches.map(({ first }) => first))
    deepStrictEqual(yield* firsts(0, 3), [1])
    deepStrictEqual(yield* firsts(0, 4), [1, 4])
    deepStrictEqual(yield* firsts(2, 3), [1, 4, 5])
    deepStrictEqual(yield* firsts(3, 1), [4])
    deepStrictEqual(yield* firsts(4, 500), [5])
    deepStrictEqual(yield* firsts(4, 501), [5, 505])
    deepStrictEqual(yield* firsts(4, 10_000), [5, 505])
    deepStrictEqual(yield* firsts(508, 10), [])
    yield* dropAll(at + 4)
    deepStrictEqual(yield* firsts(0, 1), [505])
  })

  law("companies are numbered independently, and one change writes events of each", function* (_, [one, other]) {
    yield* change([one], 3)
    yield* inTransaction(change([one, other], 2, "both"))
    deepStrictEqual(numbers(yield* read(one, 3)), [4, 5])
    deepStrictEqual(numbers(yield* read(other, 0)), [1, 2])
    const heads = yield* Effect.flatMap(AuditStore, (log) => log.lock([one, other]))
    deepStrictEqual(column(heads, "events"), [5, 2])
  })

  law("one change writes records and events of forty companies", function* () {
    const [log, companies] = [yield* AuditStore, yield* Effect.replicateEffect(freshCompany, 40)]
    yield* change(companies, 2)
    for (const company of companies) {
      deepStrictEqual(numbers(yield* read(company, 0)), [1, 2])
      deepStrictEqual(yield* log.read(company, 0, 10), [record(company, 1)])
    }
  })

  law("a transaction that fails leaves no event, and its numbers are given again", function* (_, [company]) {
    yield* change([company], 1)
    for (const [, end] of badEnds) yield* endsBadly(inTransaction(Effect.andThen(change([company], 2), end)))
    deepStrictEqual(numbers(yield* read(company, 0)), [1])
    yield* change([company], 1, "next")
    deepStrictEqual(numbers(yield* read(company, 0)), [1, 2])
  })

  law("events whose numbers are taken, or leave a gap, are a stale write and change nothing", function* () {
    const log = yield* AuditStore
    const company = yield* freshCompany
    yield* change([company], 2)
    const [head] = yield* log.lock([company])
    for (const events of [0, 1, 3]) {
      const wrong = batch({ companyId: company, hash: "", sequence: 1, events }, drafts(1))
      strictEqual(yield* outcome(log.append([record(company, 2)], [wrong])), "StaleWrite")
    }
    deepStrictEqual((yield* log.lock([company]))[0], head)
    deepStrictEqual(numbers(yield* read(company, 0)), [1, 2])
  })

  concurrent("writers at once leave numbers without gaps in the order of changes", function* (_, [one, other]) {
    const write = (nth: number) => retrying(change(nth % 3 === 0 ? [one, other] : [one], (nth % 4) + 1, `write ${nth}`))
    yield* Effect.forEach(upTo(60), write, { concurrency: 6 })
    const found = yield* read(one, 0, 1_000)
    deepStrictEqual(numbers(found), upTo(60 * 2.5))
    deepStrictEqual(column(found, "change"), column(sortedBy(found, "change"), "change"))
    const names = found.map(({ data }) => (data as { readonly name: string }).name)
    strictEqual(new Set(names).size, 60)
    deepStrictEqual(numbers(yield* read(other, 0, 1_000)), upTo((yield* read(other, 0, 1_000)).length))
  })

  concurrent("a reader that follows meanwhile gets every event once, in order", function* () {
    const { after } = yield* events
    const company = yield* freshCompany
    const following = yield* Effect.forkChild(Stream.runCollect(Stream.take(after(company, 0), 80)), {
      startImmediately: true
    })
    yield* Effect.forEach(upTo(40), () => retrying(change([company], 2)), { concurrency: 4 })
    deepStrictEqual(numbers(yield* Fiber.join(following)), upTo(80))
  })

  law("a reader waits for an event and is woken by it, when it is committed and not before", function* () {
    const log = yield* EventLog
    const [company, other] = [yield* freshCompany, yield* freshCompany]
    const [more, anything] = [yield* log.watch(company), yield* log.watch(null)]
    const isWoken = yield* Ref.make(false)
    const waiting = yield* Effect.forkChild(Effect.andThen(more, Ref.set(isWoken, true)), { startImmediately: true })
    yield* change([other], 1)
    yield* anything
    yield* inUnit(function* () {
      yield* inTransaction(change([company], 1))
      yield* Effect.yieldNow
      strictEqual(yield* Ref.get(isWoken), false)
    })
    yield* Fiber.join(waiting)
    yield* anything
    deepStrictEqual(numbers(yield* read(company, 0)), [1])
  })

  law("the oldest changes are dropped; an earlier cursor fails and says where to go on", function* (_, [company]) {
    for (const count of [2, 2, 2, 2]) yield* change([company], count)
    yield* dropAll(at + 3)
    deepStrictEqual(numbers(yield* read(company, 4)), [5, 6, 7, 8])
    for (const cursor of [0, 3]) {
      const { message, resumeAfter } = yield* outOfRange(company, cursor)
      strictEqual(resumeAfter, 4)
      assertTrue(message.includes("go on after number 4"))
    }
    yield* dropAll(at + 100)
    deepStrictEqual(yield* read(company, 8), [])
    strictEqual((yield* outOfRange(company, 7)).resumeAfter, 8)
    yield* change([company], 1)
    deepStrictEqual(numbers(yield* read(company, 8)), [9])
  })

  law("a cursor beyond the last event, as after a restored backup, fails instead of waiting", function* (_, [company]) {
    yield* change([company], 2)
    strictEqual((yield* outOfRange(company, 3)).resumeAfter, 2)
  })

  law("after a restore the numbers jump: lost events leave a gap, and none is skipped", function* (log, [company]) {
    yield* change([company], 3)
    const jump = (from: number, to: number) =>
      inUnit(function* () {
        yield* log.jump(company, from, to)
        yield* append([company], [CompanyEvent.draft(FeedRestored.restored, { after: from })])
      })
    strictEqual(yield* outcome(jump(2, 99)), "StaleWrite")
    deepStrictEqual(numbers(yield* read(company, 0)), [1, 2, 3])
    yield* jump(3, 99)
    yield* change([company], 2)
    const all = [1, 2, 3, 100, 101, 102]
    for (const cursor of [0, 2, 3, 99, 100, 102]) {
      const found = all.filter((number) => number > cursor)
      deepStrictEqual(numbers(yield* read(company, cursor)), found)
      const page = numbers(yield* read(company, cursor, 4))
      deepStrictEqual(page, found.slice(0, page.length))
      strictEqual(page.length === 0, found.length === 0)
    }
    for (const cursor of [4, 50, 98]) {
      strictEqual((yield* outOfRange(company, cursor)).resumeAfter, 99)
    }
    yield* dropAll(at + 2)
    deepStrictEqual(numbers(yield* read(company, 3)), [100, 101, 102])
    strictEqual((yield* outOfRange(company, 2)).resumeAfter, 3)
  })

  law("of hosts that save the consumer that they read, one succeeds", function* (log, [company]) {
    const group = `group ${company}`
    strictEqual(yield* log.consumer(group, company), undefined)
    const first = EventConsumer.claimed(EventConsumer.fresh(group, company), "host-1", at)
    for (const consumer of [first, { ...first, version: 1, cursor: 7, claim: null }]) {
      exactlyOneSucceeded(yield* times(3, () => outcome(log.saveConsumer(consumer))))
      deepStrictEqual(yield* log.consumer(group, company), { ...consumer, version: consumer.version + 1 })
    }
    strictEqual(yield* log.consumer(`other ${group}`, company), undefined)
  })

  law("pending are the companies with events after the group's cursor, or fewer than it says", function* (log) {
    const [one, other, quiet] = [yield* freshCompany, yield* freshCompany, yield* freshCompany]
    const group = `group ${one}`
    yield* change([one, other], 2)
    yield* log.saveConsumer({ ...EventConsumer.fresh(group, one), cursor: 2 })
    const mine = Effect.map(log.pending(group), (found) => found.filter((id) => [one, other, quiet].includes(id)))
    deepStrictEqual(yield* mine, [other])
    yield* change([one], 1)
    deepStrictEqual(yield* mine, [one, other])
    yield* log.saveConsumer({ ...EventConsumer.fresh(group, other), cursor: 2 })
    deepStrictEqual(yield* mine, [one])
    yield* log.saveConsumer({ ...EventConsumer.fresh(group, one), cursor: 9, version: 1 })
    deepStrictEqual(yield* mine, [one])
  })

  law("a group handles each event, and goes on after the last one when it runs again", function* (_, [company]) {
    const { consumption, handled } = yield* consumptionOf(company, 3, Effect.void)
    yield* change([company], 2)
    const saved = Effect.flatMap(events, ({ cursor }) => cursor(consumption.group, company))
    yield* consuming(
      consumption,
      Effect.andThen(change([company], 1), Effect.repeat(saved, { until: (number) => number === 3 }))
    )
    deepStrictEqual(handled, [1, 2, 3])
    yield* change([company], 1)
    deepStrictEqual(yield* Effect.flatMap(events, ({ consumeOnce }) => consumeOnce(consumption)), [])
    deepStrictEqual(handled, [1, 2, 3, 4])
  })

  law("events that a consumer handled before it died are handled again, and none is missed", function* (_, [company]) {
    const { consumeOnce, setCursor } = yield* events
    const { consumption, handled } = yield* consumptionOf(company, 9, Effect.void)
    const dying = (some: ReadonlyArray<CompanyEvent.CompanyEvent>) =>
      Effect.andThen(consumption.handler(some), Effect.die("killed before its cursor was saved"))
    yield* change([company], 2)
    deepStrictEqual(yield* silent(consumeOnce({ ...consumption, handler: dying })), [`company ${company}`])
    yield* consumeOnce(consumption)
    deepStrictEqual(handled, [1, 2, 1, 2])
    yield* setCursor(consumption.group, company, 1)
    yield* consumeOnce(consumption)
    deepStrictEqual(handled, [1, 2, 1, 2, 2])
  })

  law("what a handler writes in the cursor's transaction is undone when the cursor isn't moved", function* () {
    yield* Effect.gen(function* () {
      const [company, copies] = [yield* freshCompany, yield* freshCompany]
      const { consumeOnce } = yield* events
      const requirements = yield* Effect.context<AuditStore>()
      yield* change([company], 2)
      const consumption = (end: Effect.Effect<void>) => ({
        group: `group ${company}`,
        companies: [company],
        inTransaction: true,
        handler: (some: ReadonlyArray<CompanyEvent.CompanyEvent>) =>
          Effect.andThen(change([copies], some.length, "copy"), end).pipe(Effect.provideContext(requirements))
      })
      yield* consumeOnce(consumption(Effect.die("killed")))
      deepStrictEqual(yield* read(copies, 0), [])
      yield* consumeOnce(consumption(Effect.void))
      yield* consumeOnce(consumption(Effect.void))
      deepStrictEqual(numbers(yield* read(copies, 0)), [1, 2])
    }).pipe(silent)
  })

  concurrent("one host of a group works on a company, and handles its events in order", function* (_, [company]) {
    const { consumption, done, handled } = yield* consumptionOf(company, 60, Effect.sleep("1 millis"))
    const writes = Effect.forEach(upTo(30), () => retrying(change([company], 2)), { concurrency: 3 })
    const third = consuming(consumption, Effect.andThen(writes, Deferred.await(done)))
    yield* consuming(consumption, consuming(consumption, third))
    deepStrictEqual(handled, upTo(60))
  })
}
