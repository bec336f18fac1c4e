import { Events } from "@crossdock/audit"
import { StockFeed } from "@crossdock/inventory"
import { BackgroundLoop } from "@crossdock/kernel"
import { EventEndpoints, Limits, WebhookSender } from "@crossdock/notifications"
import { EventReceiver, WebhookSenderNode } from "@crossdock/notifications/node"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Clock, Deferred, Duration, Effect, Exit, Layer, Logger, Redacted, Result, Scope } from "effect"
import { Webhook } from "standardwebhooks"
import { inject } from "vitest"
import {
  appendEvents,
  caller,
  changeStock,
  eventsOf,
  ground,
  groundInMemory,
  key,
  numbersOf,
  register,
  statusOf,
  stored,
  upTo,
  worker
} from "./EventHosts.ts"
import * as Hosts from "./Hosts.ts"
import { accepting, idOf, receiver } from "./Received.ts"
import * as Receiver from "./Receiver.ts"

const newer = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"

const headersOf = ({ headers }: Receiver.Received) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

/** The clock of a host for which time is further on. */
const ahead =
  (millis: number) =>
  (clock: Clock.Clock): Clock.Clock =>
    Object.assign(Object.create(clock), {
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + millis,
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + millis)
    })

/** Without a poll, so that only the feed's wake makes the worker look. */
const unpolled = Layer.succeed(Events.Poll, Duration.hours(1))
const often = Layer.succeed(Events.Poll, Duration.millis(20))

const silent = Logger.layer([])

const sqlite = Effect.map(Hosts.databaseFile, (file) => BetterSqlite3.layer(file))

/** A running host on a database of its own, with the company. */
const onHost = <A, E, R>(use: Effect.Effect<A, E, R>, poll: Layer.Layer<never> = often) =>
  Effect.gen(function* () {
    const host = worker().pipe(Layer.provideMerge(ground(yield* sqlite)), Layer.provide(poll))
    return yield* Effect.andThen(Hosts.fill([]), use).pipe(Effect.provide(Layer.merge(host, silent)))
  })

const settled = (cursor: number, id = key.id) =>
  Hosts.eventually(
    `${id} has received ${cursor} events`,
    Effect.map(statusOf(id), (status) => status?.cursor === cursor)
  )

describe("Webhooks of events", () => {
  it.live("are signed, name their endpoint, and are an array of the events as the feed has them", () =>
    Effect.gen(function* () {
      const erp = yield* accepting
      yield* onHost(
        Effect.gen(function* () {
          yield* register(erp.webhook.url)
          yield* changeStock([5])
          const one = yield* erp.received
          deepStrictEqual(new Webhook(Receiver.secret).verify(one.body, headersOf(one)), JSON.parse(one.body))
          strictEqual(one.headers[EventReceiver.endpointHeader], "erp")
          const feed = yield* Effect.flatMap(Events.Events, ({ read }) => read(Hosts.company, 0, 10))
          deepStrictEqual(eventsOf(one), [...feed])
          const receive = EventReceiver.make(StockFeed.types)
          const { endpoint, events, known, webhookId } = Result.getOrThrow(
            receive({ headers: one.headers, body: one.body }, { secrets: [Receiver.secret], now: Date.now() })
          )
          deepStrictEqual([endpoint, webhookId], ["erp", idOf(one)])
          deepStrictEqual(
            events.map((event) => known(event)?.data.sellable),
            [5]
          )
        })
      )
    })
  )

  it.live("have at most 500 events, in the order of their numbers", () =>
    Effect.gen(function* () {
      const erp = yield* accepting
      yield* onHost(
        Effect.gen(function* () {
          yield* changeStock(upTo(130))
          const skus = Hosts.skus.slice(0, 20)
          const bulk = (quantity: number) => Hosts.setStock(skus.map((sku) => ({ sku, quantity })))
          yield* Effect.forEach(upTo(20, 700), bulk)
          yield* changeStock(upTo(70))
          yield* register(erp.webhook.url)
          yield* settled(600)
          deepStrictEqual(erp.all.map(numbersOf), [upTo(500), upTo(100, 501)])
        })
      )
    })
  )

  it.live("have the types that the endpoint asks for alone, and several endpoints each have their own", () =>
    Effect.gen(function* () {
      const [erp, search] = [yield* accepting, yield* accepting]
      yield* onHost(
        Effect.gen(function* () {
          yield* register(erp.webhook.url, { types: ["shipment.moved"] })
          yield* register(search.webhook.url, { id: "search", types: ["stock.changed", "stock.changed"] })
          yield* changeStock(upTo(3))
          yield* settled(3)
          yield* settled(3, "search")
          deepStrictEqual([erp.all.length, search.all.flatMap(numbersOf)], [0, upTo(3)])
        })
      )
    })
  )

  it.live("are on their way when the change is committed, without waiting for a poll", () =>
    Effect.gen(function* () {
      const erp = yield* accepting
      yield* onHost(
        Effect.gen(function* () {
          yield* register(erp.webhook.url)
          for (const quantity of upTo(5)) {
            yield* changeStock([quantity])
            deepStrictEqual(numbersOf(yield* erp.received), [quantity])
          }
        }),
        unpolled
      )
    })
  )

  it.live("that are rejected are tried again under their id, with the same events, before newer ones", () =>
    Effect.gen(function* () {
      const erp = yield* receiver((n) => [500, 302, 200][n] ?? 200)
      yield* onHost(
        Effect.gen(function* () {
          yield* register(erp.webhook.url)
          yield* changeStock([1])
          const first = yield* erp.received
          yield* changeStock([2, 3])
          yield* settled(3)
          const [, second, third] = erp.all
          deepStrictEqual([second?.body, third?.body], [first.body, first.body])
          strictEqual(new Set(erp.all.slice(0, 3).map(idOf)).size, 1)
          deepStrictEqual(erp.all.slice(2).flatMap(numbersOf), upTo(3))
        })
      )
    })
  )

  it.live("of a receiver that takes small bodies alone all arrive, in order, but for an event that is too large", () =>
    Effect.gen(function* () {
      const erp = yield* receiver((_, { body }) => (body.length > 30_000 ? 413 : 200))
      yield* onHost(
        Effect.gen(function* () {
          yield* register(erp.webhook.url)
          yield* appendEvents(upTo(60).map((n) => (n === 42 ? 80_000 : 4000)))
          yield* settled(60)
          const numbers = erp.all.filter(({ body }) => body.length <= 30_000).flatMap(numbersOf)
          deepStrictEqual(
            numbers,
            upTo(60).filter((n) => n !== 42)
          )
          strictEqual((yield* statusOf())?.deadLetters, 1)
        })
      )
    })
  )

  it.live("of a receiver that hangs or fails don't delay those of another", () =>
    Effect.gen(function* () {
      const [hanging, failing] = [yield* receiver(() => "hang"), yield* receiver(() => 503)]
      const erp = yield* accepting
      yield* onHost(
        Effect.gen(function* () {
          yield* register(hanging.webhook.url, { id: "hanging" })
          yield* register(failing.webhook.url, { id: "failing" })
          yield* register(erp.webhook.url)
          yield* changeStock([9])
          yield* hanging.received
          yield* failing.received
          yield* changeStock(upTo(5))
          yield* settled(6)
          deepStrictEqual([hanging.all.length, (yield* statusOf("hanging"))?.cursor], [1, 0])
        })
      )
    })
  )

  it.live("end at a receiver that answers 410, whose endpoint is paused and says so, until it is enabled", () =>
    Effect.gen(function* () {
      let answer = 410
      const [erp, search] = [yield* receiver(() => answer), yield* accepting]
      yield* onHost(
        Effect.gen(function* () {
          yield* register(erp.webhook.url)
          yield* register(search.webhook.url, { id: "search" })
          yield* changeStock([1])
          yield* Hosts.eventually(
            "the endpoint is paused",
            Effect.map(statusOf(), (status) => status?.paused?.reason === "unsubscribed")
          )
          yield* changeStock([2])
          yield* settled(2, "search")
          strictEqual(erp.all.length, 1)
          answer = 200
          yield* Effect.flatMap(EventEndpoints.EventEndpoints, ({ enable }) => enable(caller, key))
          yield* settled(2)
          deepStrictEqual(erp.all.slice(1).map(numbersOf), [[1], [2]])
          const [first, again] = erp.all
          strictEqual(first && idOf(first), again && idOf(again))
        })
      )
    })
  )

  it.live("are signed under the old and the new secret for a day after a secret was replaced", () =>
    Effect.gen(function* () {
      const erp = yield* accepting
      yield* onHost(
        Effect.gen(function* () {
          yield* register(erp.webhook.url)
          yield* register(erp.webhook.url, { secret: newer, cursor: null })
          yield* changeStock([1])
          const one = yield* erp.received
          for (const secret of [Receiver.secret, newer]) new Webhook(secret).verify(one.body, headersOf(one))
          strictEqual(String(one.headers["webhook-signature"]).split(" ").length, 2)
          const { until = 0 } = Hosts.inPlain((yield* stored)?.webhook).retiring ?? {}
          const left = until - Date.now()
          assertTrue(left > 86_390_000 && left <= 86_400_000, `${left} ms`)
        })
      )
    })
  )

  it.live("to addresses that aren't public are not sent, and say so in their status", () =>
    Effect.gen(function* () {
      const erp = yield* accepting
      const guarded = WebhookSenderNode.layer({ allowPrivate: false })
      yield* Effect.gen(function* () {
        yield* Hosts.fill([])
        yield* register(erp.webhook.url)
        yield* changeStock([1])
        yield* Hosts.eventually(
          "the address is rejected",
          Effect.map(statusOf(), (status) => status?.failure === "the address is not public")
        )
        strictEqual(erp.all.length, 0)
      }).pipe(
        Effect.provide(
          worker(guarded).pipe(Layer.provideMerge(groundInMemory), Layer.provide(often), Layer.provideMerge(silent))
        )
      )
    })
  )

  it.live("are released by a host that stops, and sent again by another under their id", () =>
    Effect.gen(function* () {
      const erp = yield* receiver((n) => (n === 0 ? "hang" : 200))
      const database = yield* sqlite
      yield* Effect.gen(function* () {
        yield* Hosts.fill([])
        yield* register(erp.webhook.url)
        const scope = yield* Scope.make()
        yield* Layer.build(worker()).pipe(Scope.provide(scope))
        yield* changeStock([1])
        const first = yield* erp.received
        yield* Scope.close(scope, Exit.void)
        strictEqual((yield* stored)?.lease, null)
        yield* Layer.build(worker())
        const second = yield* erp.received
        deepStrictEqual([second.body, idOf(second)], [first.body, idOf(first)])
      }).pipe(Effect.provide(Layer.provide(Layer.merge(ground(database), silent), often)))
    })
  )
})

describe("Webhooks of events from several hosts on PostgreSQL", () => {
  const postgres = Effect.map(PostgresDatabase.make(inject("postgres")), (url) =>
    Layer.orDie(Postgres.layer(Redacted.make(Redacted.value(url))))
  )

  it.live("are sent once each and in order while no host dies", () =>
    Effect.gen(function* () {
      const [erp, search] = [yield* accepting, yield* accepting]
      const database = yield* postgres
      const host = Layer.fresh(worker().pipe(Layer.provideMerge(ground(database)), Layer.provide(often)))
      yield* Effect.gen(function* () {
        yield* Hosts.fill([])
        yield* register(erp.webhook.url)
        yield* register(search.webhook.url, { id: "search" })
        yield* Layer.build(host)
        yield* Layer.build(host)
        yield* Layer.build(host)
        yield* changeStock(upTo(200))
        yield* settled(200)
        yield* settled(200, "search")
        deepStrictEqual(erp.all.flatMap(numbersOf), upTo(200))
        deepStrictEqual(search.all.flatMap(numbersOf), upTo(200))
      }).pipe(Effect.provide(Layer.merge(ground(database), silent)))
    })
  )

  it.live("that a host sent before it was killed are sent again under their id when its claim has ended", () =>
    Effect.gen(function* () {
      const erp = yield* accepting
      const database = yield* postgres
      yield* Effect.gen(function* () {
        yield* Hosts.fill([])
        yield* register(erp.webhook.url)
        yield* changeStock([1])
        // A host that dies in the moment between the answer and its storage: it never settles and never releases.
        const sent = yield* Deferred.make<void>()
        const dying = Layer.effect(
          WebhookSender,
          Effect.map(WebhookSender, ({ send }) => ({
            send: (message) =>
              send(message).pipe(
                Effect.andThen(Deferred.succeed(sent, undefined)),
                Effect.andThen(Effect.uninterruptible(Effect.never))
              )
          }))
        ).pipe(Layer.provide(Hosts.sender))
        yield* Effect.forkDetach(
          Layer.launch(worker(dying).pipe(Layer.provide(ground(database)), Layer.provide(often), Layer.fresh))
        )
        yield* Deferred.await(sent)
        yield* changeStock([2])
        const other = Layer.build(Layer.fresh(worker().pipe(Layer.provide(ground(database)), Layer.provide(often))))
        yield* other.pipe(Effect.updateService(Clock.Clock, ahead(Limits.claimMillis)))
        yield* settled(2)
        const [first, second, third] = erp.all
        deepStrictEqual([second?.body, second && idOf(second)], [first?.body, first && idOf(first)])
        deepStrictEqual([third && numbersOf(third), erp.all.length], [[2], 3])
      }).pipe(Effect.provide(Layer.merge(ground(database), silent)))
    })
  )
})

describe("A worker of webhooks of events", () => {
  it.live("that can't deliver to one endpoint goes on with the others, and is shown as failing", () =>
    Effect.gen(function* () {
      const sent: Array<string> = []
      const ill = Layer.succeed(WebhookSender, {
        send: ({ headers }) =>
          Effect.suspend(() => {
            const endpoint = headers[EventReceiver.endpointHeader] ?? ""
            if (endpoint === "erp") return Effect.die(new Error("a defect"))
            sent.push(endpoint)
            return Effect.succeed({ _tag: "Answered", status: 200 } as const)
          })
      })
      yield* Effect.gen(function* () {
        yield* Hosts.fill([])
        yield* register("http://127.0.0.1:1")
        yield* register("http://127.0.0.1:1", { id: "search" })
        yield* changeStock([1])
        yield* settled(1, "search")
        deepStrictEqual(sent, ["search"])
        const { states } = yield* BackgroundLoop.BackgroundLoops
        yield* Hosts.eventually(
          "the loop is failing",
          Effect.map(states, (all) => all.some(({ name, state }) => name === "event webhooks" && state === "failing"))
        )
      }).pipe(
        Effect.provide(
          worker(ill).pipe(Layer.provideMerge(groundInMemory), Layer.provide(often), Layer.provideMerge(silent))
        )
      )
    })
  )
})
