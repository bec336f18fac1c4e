/** Use cases: read a company's events, wait for more, and run consumer groups. Source: docs/reference/events.md. */
import type { StorageError, Stored } from "@crossdock/kernel"
import { BackgroundLoop, CompanyId, Ids, required, Transaction, taggedError } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type CompanyEvent, EventLog, eventsAfter } from "./CompanyEvent.ts"
import * as EventConsumer from "./EventConsumer.ts"
import * as FeedRestored from "./FeedRestored.ts"

/** Events after the cursor are missing. Read the current data, and then continue after the number `resumeAfter`. */
export class CursorOutOfRange extends taggedError<CursorOutOfRange>()(
  "@crossdock/audit/CursorOutOfRange",
  { companyId: CompanyId, cursor: Schema.Int, resumeAfter: Schema.Int },
  ({ companyId, cursor, resumeAfter }) =>
    cursor < resumeAfter
      ? `Company ${companyId} has events after number ${resumeAfter} only, so none can be read after number ${cursor}: earlier ones are no longer kept, or its database was restored from an older copy. Read the present data, then go on after number ${resumeAfter}.`
      : `Company ${companyId} has events up to number ${resumeAfter} only, so none can be read after number ${cursor}. Its database may be an older copy. Read the present data, then go on after number ${resumeAfter}.`
) {}

/** The interval at which readers poll. Announcements can be lost, and SQLite announces nothing to other processes. */
export const Poll = Context.Reference<Duration.Duration>("@crossdock/audit/Events/Poll", {
  defaultValue: () => Duration.seconds(1)
})

/** The work of a group. The handler receives events in order, at most 500 at once, and has 10 seconds for them. */
export interface Consumption<E, R> {
  /** The name under which the group's cursors are stored. All hosts with the same purpose use the same name. */
  readonly group: string
  /** The companies to work on. Null means all companies, including those that register later. */
  readonly companies: ReadonlyArray<CompanyId> | null
  readonly handler: (events: ReadonlyArray<CompanyEvent>) => Effect.Effect<void, E, R>
  /**
   * Runs the handler in the transaction that moves the cursor, so that its writes to that database happen exactly once.
   * The handler must be quick and do nothing else, since other writers wait for it.
   */
  readonly inTransaction?: boolean
}

/** Reads and handles events. */
export class Events extends Context.Service<
  Events,
  {
    /** At most `limit` events after number `cursor`, in order. With `cursor` 0, they begin with the first event. */
    readonly read: (
      company: CompanyId,
      cursor: number,
      limit: number
    ) => Stored<ReadonlyArray<CompanyEvent>, CursorOutOfRange>
    /** All events after the number `cursor`, as an endless stream that waits for further events. */
    readonly after: (company: CompanyId, cursor: number) => Stream.Stream<CompanyEvent, CursorOutOfRange | StorageError>
    /**
     * Handles events until it is interrupted. Each event is handled at least once, and a company's events in order, on one
     * host at a time. After a failure, the company is paused for 1 s; each further failure doubles the pause, up to 10 s.
     */
    readonly consume: <E, R>(
      consumption: Consumption<E, R>
    ) => Effect.Effect<never, never, R | BackgroundLoop.BackgroundLoops>
    /** Handles all pending events once, for a host without loops. Returns the failures, as `BackgroundLoop.once` does. */
    readonly consumeOnce: <E, R>(consumption: Consumption<E, R>) => Effect.Effect<ReadonlyArray<string>, never, R>
    /** The number of the last event that the group has handled, or 0 before the first. */
    readonly cursor: (group: string, company: CompanyId) => Stored<number>
    /** Sets a group's cursor. The group then continues after the number `cursor`. */
    readonly setCursor: (group: string, company: CompanyId, cursor: number) => Stored<void>
  }
>()("@crossdock/audit/Events") {}

const eventsPerHandler = 500

/** A host keeps its claim of an idle company for this long. */
const claimLinger = Duration.seconds(1)

/** The delay before the search for companies with new events, so that one search finds several. */
const wakeDelay = Duration.millis(10)

export const make = Effect.gen(function* () {
  const log = yield* EventLog
  const transaction = yield* Transaction.Transaction
  const ids = yield* Ids.Ids
  const poll = yield* Poll

  const read: typeof Events.Service.read = Effect.fnUntraced(function* (companyId, cursor, limit) {
    const { batches, last } = yield* log.read(companyId, cursor, limit)
    const [oldest] = batches
    // The event before the oldest batch. After a restore, its number is lower than `first` − 1, but no event is missing.
    const before = oldest === undefined ? last : FeedRestored.numberBefore(oldest)
    const outOfRange = (resumeAfter: number) => new CursorOutOfRange({ companyId, cursor, resumeAfter })
    if (cursor > last || cursor < before) return yield* outOfRange(before)
    if (oldest !== undefined && before < cursor && cursor < oldest.first - 1) return yield* outOfRange(oldest.first - 1)
    return batches.flatMap((batch) => eventsAfter(batch, cursor)).slice(0, limit)
  })

  const after: typeof Events.Service.after = (company, cursor) =>
    Stream.unwrap(
      Effect.map(log.watch(company), (more) =>
        Stream.paginate(cursor, (reached) =>
          Effect.gen(function* () {
            const events = yield* read(company, reached, eventsPerHandler)
            if (events.length === 0) yield* Effect.timeoutOption(more, poll)
            return [events, Option.some(events.at(-1)?.number ?? reached)] as const
          })
        )
      )
    )

  const stored = (group: string, company: CompanyId) =>
    Effect.map(log.consumer(group, company), (found) => found ?? EventConsumer.fresh(group, company))

  /** Claims the company for this host. Returns undefined if another host works on it. */
  const claim = Effect.fnUntraced(function* (group: string, company: CompanyId) {
    const consumer = yield* stored(group, company)
    const now = yield* Clock.currentTimeMillis
    return EventConsumer.isFree(consumer, now)
      ? yield* transaction.run(save(EventConsumer.claimed(consumer, yield* ids.hex, now)))
      : undefined
  })

  const save = (one: EventConsumer.Consumer) => Effect.as(log.saveConsumer(one), EventConsumer.saved(one))

  const handle = <E, R>(
    { handler, inTransaction = false }: Consumption<E, R>,
    consumer: EventConsumer.Consumer,
    events: ReadonlyArray<CompanyEvent>
  ) => {
    const bounded = Effect.timeout(handler(events), Duration.millis(EventConsumer.handlerMillis))
    const { owner } = required(consumer.claim, "the claim of a consumer that works")
    const moved = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      save(EventConsumer.claimed({ ...consumer, cursor: events.at(-1)?.number ?? consumer.cursor }, owner, now))
    )
    return inTransaction
      ? transaction.run(Effect.andThen(bounded, moved))
      : Effect.andThen(bounded, transaction.run(moved))
  }

  /** Releases the claim. Reads the consumer again, since the work may have been interrupted after it was saved. */
  const release = ({ claim: own, companyId, group }: EventConsumer.Consumer) =>
    Effect.flatMap(stored(group, companyId), (last) =>
      last.claim?.owner === own?.owner ? log.saveConsumer({ ...last, claim: null }) : Effect.void
    ).pipe(Effect.ignore)

  /** Works on one company until it has had no events for `linger`. */
  const work = <E, R>(consumption: Consumption<E, R>, company: CompanyId, linger: Duration.Duration) =>
    Effect.gen(function* () {
      const more = yield* log.watch(company)
      const all = Effect.fnUntraced(function* (claimed: EventConsumer.Consumer) {
        for (let consumer = claimed; ; ) {
          const events = yield* read(company, consumer.cursor, eventsPerHandler)
          if (events.length > 0) consumer = yield* handle(consumption, consumer, events)
          else if (Option.isNone(yield* Effect.timeoutOption(more, linger))) return
        }
      })
      yield* Effect.acquireUseRelease(
        claim(consumption.group, company),
        (claimed) => (claimed === undefined ? Effect.void : all(claimed)),
        (claimed) => (claimed === undefined ? Effect.void : release(claimed))
      )
    }).pipe(
      Effect.scoped,
      // This host was so slow that another host claimed the company. The other host handles the same events.
      Effect.catchTag("StaleWrite", () => Effect.void),
      Effect.annotateLogs({ group: consumption.group, company })
    )

  const pendingCompanies = <E, R>({ companies, group }: Consumption<E, R>) =>
    Effect.map(log.pending(group), (pending) =>
      companies === null ? pending : pending.filter((company) => companies.includes(company))
    )

  const nameOf = (group: string) => `events ${group}`

  const isolatedWork = <E, R>(consumption: Consumption<E, R>, company: CompanyId, linger: Duration.Duration) =>
    BackgroundLoop.isolated(`company ${company}`, work(consumption, company, linger))

  const consume: typeof Events.Service.consume = (consumption) =>
    Effect.gen(function* () {
      const running = yield* FiberMap.make<number>()
      const more = yield* log.watch(null)
      const pass = Effect.gen(function* () {
        for (const company of yield* pendingCompanies(consumption))
          yield* FiberMap.run(running, company, isolatedWork(consumption, company, claimLinger), {
            onlyIfMissing: true
          })
        return false
      })
      const wakeBy = Effect.andThen(more, Effect.sleep(wakeDelay))
      return yield* BackgroundLoop.run({ name: nameOf(consumption.group), every: poll, wakeBy, pass })
    }).pipe(Effect.scoped)

  const consumeOnce: typeof Events.Service.consumeOnce = (consumption) =>
    BackgroundLoop.once({
      name: nameOf(consumption.group),
      pass: Effect.flatMap(pendingCompanies(consumption), (due) =>
        Effect.as(
          Effect.forEach(due, (company) => isolatedWork(consumption, company, Duration.zero), {
            concurrency: "unbounded"
          }),
          false
        )
      )
    })

  const setCursor: typeof Events.Service.setCursor = (group, company, cursor) =>
    Transaction.retrying(transaction)(
      Effect.flatMap(stored(group, company), (consumer) => log.saveConsumer({ ...consumer, cursor, claim: null }))
    )

  return Events.of({
    read,
    after,
    consume,
    consumeOnce,
    cursor: (group, company) => Effect.map(stored(group, company), ({ cursor }) => cursor),
    setCursor
  })
})

export const layer = Layer.effect(Events, make)
