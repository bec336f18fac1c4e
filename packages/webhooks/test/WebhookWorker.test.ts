import { Directory } from "@crossdock/access"
import { Transaction } from "@crossdock/kernel"
import { NotificationStore, Notifications, type RetrySchedule } from "@crossdock/marketplace"
import { Signature, WebhookSender } from "@crossdock/webhooks"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Clock, Effect, Layer, Logger, Random, Ref, TestClock } from "effect"
import * as Hosts from "./Hosts.ts"
import * as Receiver from "./Receiver.ts"

interface Told {
  readonly event_id: string
  readonly type: string
  readonly sku: string
  readonly location_id: string
  readonly quantity: number
  readonly sequence: number
  readonly occurred_at: string
}

const eventsOf = (one: Pick<Receiver.Received, "body">): ReadonlyArray<Told> => JSON.parse(one.body)
const idOf = ({ headers }: Receiver.Received): string => String(headers["webhook-id"])
const [a = "", b = "", c = ""] = Hosts.skus
const key = { marketplace: "bazaar", companyId: Hosts.company }

/**
 * A server that keeps everything that came, and answers as `reply` says with the number of the request, from 0 on.
 */
const receiver = (reply: (n: number, one: Receiver.Received) => number | "hang") =>
  Effect.gen(function* () {
    const all: Array<Receiver.Received> = []
    const server = yield* Receiver.make((one) => {
      all.push(one)
      const status = reply(all.length - 1, one)
      if (status !== "hang") one.answer.writeHead(status).end()
    })
    return { ...server, all }
  })

const accepting = receiver(() => 200)

const channel = Effect.flatMap(NotificationStore, (store) => store.find(key))

describe("WebhookWorker", () => {
  it.scopedLive("a change is told at once, signed, with the marketplace's code and the latest quantity", () =>
    Effect.gen(function* () {
      const bazaar = yield* accepting
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        const before = performance.now()
        yield* Hosts.setStock([
          { sku: a, quantity: 5 },
          { sku: b, quantity: 7, location: "BOM1" }
        ])
        const { body, headers } = yield* bazaar.received
        assertTrue(performance.now() - before < 1000, "it is on its way within a second")
        assertTrue(Signature.matches(Receiver.secret, headers, body, Math.floor(Date.now() / 1000)))
        const events = eventsOf({ body })
        deepStrictEqual(
          events.map(({ location_id, quantity, sku, type }) => [sku, location_id, quantity, type]),
          [
            [a, "B-BLR", 5, "inventory.updated"],
            [b, "B-BOM", 7, "inventory.updated"]
          ]
        )
        assertTrue(events.every(({ occurred_at }) => Math.abs(Date.now() - Date.parse(occurred_at)) < 10_000))
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.scopedLive(
    "batches hold at most 500 events, in sequence order, each level once, also of one change of 1,300",
    () =>
      Effect.gen(function* () {
        const bazaar = yield* accepting
        const file = yield* Hosts.databaseFile
        yield* Effect.gen(function* () {
          yield* Hosts.fill([Hosts.marketplace("bazaar", null)], Hosts.skus)
          yield* Hosts.setStock([{ sku: c, quantity: 1, location: "BOM1" }])
          yield* Hosts.setStock(Hosts.skus.map((sku, i) => ({ sku, quantity: i + 1 })))
          yield* Hosts.setStock([{ sku: b, quantity: 9, location: "BOM1" }])
          const directory = yield* Directory
          yield* directory.putMarketplace(Hosts.marketplace("bazaar", bazaar.webhook))
          yield* bazaar.received
          yield* Hosts.told("bazaar")
          const sizes = bazaar.all.map((one) => eventsOf(one).length)
          assertTrue(Math.max(...sizes) === 500 && sizes.length <= 4, `batches of ${sizes}`)
          const events = bazaar.all.flatMap(eventsOf)
          const sequences = events.map(({ sequence }) => sequence)
          deepStrictEqual(
            sequences,
            sequences.toSorted((x, y) => x - y)
          )
          strictEqual(new Set(events.map(({ event_id }) => event_id)).size, 1302)
          deepStrictEqual(
            new Map(events.map((one) => [`${one.sku} ${one.location_id}`, one.quantity]).toSorted() as never),
            new Map([...(yield* Hosts.sellable(Hosts.skus))].toSorted() as never)
          )
        }).pipe(Effect.provide(Hosts.host(file)))
      })
  )

  it.scopedLive("a refused body is sent again under its webhook id, and a changed one under a new id", () =>
    Effect.gen(function* () {
      const bazaar = yield* receiver((n) => (n < 2 ? 500 : 200))
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        const first = yield* bazaar.received
        const second = yield* bazaar.received
        strictEqual(second.body, first.body)
        strictEqual(idOf(second), idOf(first))
        yield* Hosts.setStock([{ sku: a, quantity: 4 }])
        const third = yield* bazaar.received
        assertTrue(idOf(third) !== idOf(first))
        deepStrictEqual(
          eventsOf(third).map(({ quantity }) => quantity),
          [4]
        )
        yield* Hosts.told("bazaar")
        strictEqual(bazaar.all.length, 3)
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.scopedLive("1,000 changes of one SKU while the receiver is down are one event with the latest quantity", () =>
    Effect.gen(function* () {
      let down = true
      const bazaar = yield* receiver(() => (down ? 503 : 200))
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Hosts.setStock([{ sku: a, quantity: 5000 }])
        yield* bazaar.received
        const transaction = yield* Transaction.Transaction
        // One commit for 50 changes: a thousand waits for the disk would show nothing more.
        for (let first = 1; first <= 1000; first += 50) {
          const quantities = Array.from({ length: 50 }, (_, i) => first + i)
          yield* transaction.run(Effect.forEach(quantities, (quantity) => Hosts.setStock([{ sku: a, quantity }])))
        }
        down = false
        yield* Hosts.told("bazaar")
        const accepted = eventsOf(bazaar.all.at(-1) ?? { body: "[]" })
        deepStrictEqual(
          accepted.map(({ quantity, sku }) => [sku, quantity]),
          [[a, 1000]]
        )
        assertTrue(bazaar.all.every((one) => eventsOf(one).length === 1))
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.scopedLive("a receiver that hangs delays neither another marketplace nor its own end", () =>
    Effect.gen(function* () {
      const bazaar = yield* receiver(() => "hang")
      const souk = yield* accepting
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook), Hosts.marketplace("souk", souk.webhook)])
        yield* Hosts.setStock([{ sku: a, quantity: 1 }])
        yield* bazaar.received
        for (let quantity = 2; quantity <= 6; quantity++) {
          const before = performance.now()
          yield* Hosts.setStock([{ sku: b, quantity }])
          yield* Effect.repeat(souk.received, {
            until: (one) => eventsOf(one).some((event) => event.quantity === quantity)
          })
          assertTrue(performance.now() - before < 1000)
        }
        strictEqual(bazaar.all.length, 1)
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.scopedLive("a write that changes no sellable quantity sends nothing", () =>
    Effect.gen(function* () {
      const bazaar = yield* accepting
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        yield* bazaar.received
        yield* Hosts.told("bazaar")
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        yield* Hosts.setStock([{ sku: b, quantity: 0 }])
        yield* Hosts.told("bazaar")
        // What is told next shows that nothing was before it.
        yield* Hosts.setStock([{ sku: c, quantity: 1 }])
        deepStrictEqual(
          eventsOf(yield* bazaar.received).map(({ sku }) => sku),
          [c]
        )
        strictEqual(bazaar.all.length, 2)
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.scopedLive("a location that the marketplace doesn't sell from is never told", () =>
    Effect.gen(function* () {
      const bazaar = yield* accepting
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([
          Hosts.marketplace(
            "bazaar",
            bazaar.webhook,
            Hosts.mapped.filter(({ location }) => location === "BOM1")
          )
        ])
        yield* Hosts.setStock([{ sku: a, quantity: 5, location: "HIDDEN" }])
        yield* Hosts.setStock([{ sku: a, quantity: 6, location: "BLR1" }])
        yield* Hosts.told("bazaar")
        yield* Hosts.setStock(["HIDDEN", "BOM1", "BLR1"].map((location) => ({ sku: b, quantity: 7, location })))
        yield* bazaar.received
        yield* Hosts.told("bazaar")
        deepStrictEqual(
          bazaar.all.flatMap(eventsOf).map(({ location_id, quantity, sku }) => [sku, location_id, quantity]),
          [[b, "B-BOM", 7]]
        )
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.scopedLive("what a host had not got an answer to when it stopped, the next one sends under the same id", () =>
    Effect.gen(function* () {
      const bazaar = yield* receiver((n) => (n === 0 ? "hang" : 200))
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        yield* bazaar.received
      }).pipe(Effect.provide(Hosts.host(file)))
      const before = performance.now()
      yield* Effect.gen(function* () {
        yield* bazaar.received
        yield* Hosts.told("bazaar")
      }).pipe(Effect.provide(Hosts.host(file)))
      assertTrue(performance.now() - before < 5000, "the claim was given back")
      const [first, second, ...more] = bazaar.all
      assertTrue(first !== undefined && second !== undefined)
      strictEqual(second.body, first.body)
      strictEqual(idOf(second), idOf(first))
      deepStrictEqual(more, [])
    })
  )

  it.scopedLive("what changed while no host ran is told by the next, and what was accepted is not told again", () =>
    Effect.gen(function* () {
      const bazaar = yield* accepting
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        yield* bazaar.received
        yield* Hosts.told("bazaar")
      }).pipe(Effect.provide(Hosts.host(file)))
      yield* Hosts.setStock([{ sku: b, quantity: 6 }]).pipe(Effect.provide(Hosts.ground(file)))
      yield* Effect.gen(function* () {
        yield* bazaar.received
        yield* Hosts.told("bazaar")
      }).pipe(Effect.provide(Hosts.host(file)))
      deepStrictEqual(
        bazaar.all.map((one) => eventsOf(one).map(({ sku }) => sku)),
        [[a], [b]]
      )
    })
  )

  it.scopedLive("two hosts on one database send every body once", () =>
    Effect.gen(function* () {
      const bazaar = yield* accepting
      const file = yield* Hosts.databaseFile
      yield* Effect.gen(function* () {
        yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)])
        yield* Layer.build(Hosts.host(file))
        for (let quantity = 1; quantity <= 20; quantity++) {
          yield* Hosts.setStock([{ sku: a, quantity }])
          yield* Hosts.told("bazaar")
        }
        const events = bazaar.all.flatMap(eventsOf)
        strictEqual(new Set(events.map(({ event_id }) => event_id)).size, events.length)
        strictEqual(events.at(-1)?.quantity, 20)
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.scopedLive("the receiver that keeps the highest sequence ends equal to stock, whatever fails on the way", () =>
    Effect.gen(function* () {
      const seed = Math.floor(Math.random() * 2 ** 31)
      const random = Random.make(seed)
      const chances = Array.from({ length: 10_000 }, (_, i) => (i * 7919 + seed) % 100)
      let failing = true
      const kept = new Map<string, Told>()
      const bazaar = yield* receiver((n, one) => {
        const chance = failing ? (chances[n] ?? 100) : 100
        // Some are kept and refused nevertheless, some are cut off with and without being kept.
        if (chance >= 30) {
          for (const event of eventsOf(one)) {
            const name = `${event.sku} ${event.location_id}`
            if ((kept.get(name)?.sequence ?? 0) < event.sequence) kept.set(name, event)
          }
        }
        if (chance < 20 || (chance >= 30 && chance < 40)) return 500
        if (chance < 30 || (chance >= 40 && chance < 50)) {
          one.answer.destroy()
          return "hang"
        }
        return 200
      })
      const file = yield* Hosts.databaseFile
      const sold = Hosts.skus.slice(0, 15)
      const change = Effect.gen(function* () {
        const count = yield* random.nextIntBetween(1, 8)
        const records = yield* Effect.replicateEffect(
          Effect.gen(function* () {
            const sku = sold[yield* random.nextIntBetween(0, sold.length)] ?? a
            const location = ["BLR1", "BOM1", "HIDDEN"][yield* random.nextIntBetween(0, 3)] ?? "BLR1"
            return { sku, location, quantity: yield* random.nextIntBetween(0, 50) }
          }),
          count
        )
        yield* Hosts.setStock([...new Map(records.map((one) => [`${one.sku} ${one.location}`, one])).values()])
      })
      yield* Hosts.fill([Hosts.marketplace("bazaar", bazaar.webhook)], sold).pipe(Effect.provide(Hosts.ground(file)))
      for (let run = 0; run < 4; run++) {
        // Stopped wherever it is.
        yield* Effect.replicateEffect(change, 40, { discard: true }).pipe(Effect.provide(Hosts.host(file)))
      }
      failing = false
      yield* Effect.gen(function* () {
        yield* Hosts.told("bazaar")
        const stock = yield* Hosts.sellable(sold)
        deepStrictEqual(
          [...kept].map(([name, { quantity }]) => `${name} ${quantity}`).sort(),
          [...stock].map(([name, quantity]) => `${name} ${quantity}`).sort(),
          `seed ${seed}`
        )
      }).pipe(Effect.provide(Hosts.host(file)))
    })
  )

  it.scopedLive("secrets, addresses and bodies never stand in logs", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make((entry) => {
        lines.push(Logger.jsonLogger.log(entry) + Logger.logfmtLogger.log(entry))
      })
      const bazaar = yield* receiver((n) => (n === 0 ? 500 : 200))
      const file = yield* Hosts.databaseFile
      const webhook = (token: string, path = "") => ({
        ...bazaar.webhook,
        url: `${bazaar.webhook.url}${path}`,
        authentication: { type: "bearer", token } as const
      })
      const dead = { ...webhook("bad\ntoken-secret"), url: "http://127.0.0.1:1/path-secret?key=query-secret" }
      yield* Effect.gen(function* () {
        yield* Hosts.fill([
          Hosts.marketplace("bazaar", webhook("token-secret", "&key=query-secret")),
          Hosts.marketplace("broken", dead),
          Hosts.marketplace("refusing", { ...dead, authentication: { type: "none" } })
        ])
        yield* Hosts.setStock([{ sku: a, quantity: 5 }])
        yield* bazaar.received
        yield* bazaar.received
        yield* Hosts.told("bazaar")
        yield* Hosts.eventually(
          "three marketplaces refused",
          Effect.sync(() => ["bazaar", "broken", "refusing"].every((name) => lines.some((line) => line.includes(name))))
        )
      }).pipe(Effect.provide(Hosts.host(file)), Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
      assertTrue(lines.length >= 3)
      const text = lines.join("\n")
      for (const secret of [Receiver.secret.slice(6), "token-secret", "path-secret", "query-secret", a]) {
        assertTrue(!text.includes(secret), `${secret} in ${text}`)
      }
    })
  )

  describe("on a test clock", () => {
    /**
     * A sender that answers as it is told, and keeps what it was given.
     */
    const fake = Effect.gen(function* () {
      const answer = yield* Ref.make<RetrySchedule.Answer>({ _tag: "Answered", status: 500 })
      const sent = yield* Ref.make<ReadonlyArray<WebhookSender.Message>>([])
      const layer = Layer.succeed(WebhookSender.WebhookSender, {
        send: (message) =>
          Effect.zipRight(
            Ref.update(sent, (all) => [...all, message]),
            Ref.get(answer)
          )
      })
      return { answer, sent, layer }
    })

    /**
     * As the worker does it, without its own fibers: the clock stands still between two looks.
     */
    const work = (sends: Layer.Layer<WebhookSender.WebhookSender>) =>
      Effect.gen(function* () {
        const [notifications, sender] = [yield* Notifications.Notifications, yield* WebhookSender.WebhookSender]
        const due = yield* notifications.due
        return yield* Effect.forEach(due, (one) =>
          Effect.gen(function* () {
            const delivery = yield* notifications.begin(one)
            if (delivery === undefined) return "nothing" as const
            return yield* notifications.settle(delivery, yield* sender.send(delivery))
          })
        )
      }).pipe(Effect.provide(sends))

    /**
     * Works until nothing is due at this time.
     */
    const drain = (sends: Layer.Layer<WebhookSender.WebhookSender>) =>
      Effect.repeat(work(sends), { until: (settled) => settled.length === 0 })

    const day = 86_400_000

    it.scoped("after 3 days what is three days old is a dead letter, which can be sent again", () =>
      Effect.gen(function* () {
        const { answer, layer, sent } = yield* fake
        const file = yield* Hosts.databaseFile
        yield* Effect.gen(function* () {
          const notifications = yield* Notifications.Notifications
          yield* TestClock.setTime(1_790_000_000_000)
          yield* Hosts.fill([Hosts.marketplace("bazaar", Receiver.webhookOf("http://127.0.0.1:1"))])
          yield* Hosts.setStock([{ sku: a, quantity: 5 }])
          deepStrictEqual(yield* work(layer), ["refused"])
          deepStrictEqual(yield* work(layer), [])
          yield* TestClock.adjust(day)
          yield* Hosts.setStock([{ sku: b, quantity: 6 }])
          deepStrictEqual(yield* work(layer), ["refused"])
          yield* TestClock.adjust(2 * day - 1)
          deepStrictEqual(yield* work(layer), ["refused"])
          deepStrictEqual(yield* notifications.deadLetters("bazaar"), [])
          yield* TestClock.adjust(3_600_000)
          deepStrictEqual(yield* work(layer), ["dead"])
          const last = (yield* Ref.get(sent)).at(-1)
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

          // What is younger goes on, and is accepted.
          yield* Ref.set(answer, { _tag: "Answered", status: 200 })
          yield* drain(layer)
          deepStrictEqual(
            eventsOf((yield* Ref.get(sent)).at(-1) ?? { body: "" }).map(({ sku }) => sku),
            [b]
          )
          deepStrictEqual(yield* work(layer), [])

          // Sent again it tells the quantity of now.
          strictEqual(yield* notifications.resend(key, "msg_unknown"), false)
          strictEqual(yield* notifications.resend({ ...key, marketplace: "souk" }, letter.id), false)
          strictEqual(yield* notifications.resend(key, letter.id), true)
          strictEqual(yield* notifications.resend(key, letter.id), false)
          deepStrictEqual(yield* notifications.deadLetters("bazaar"), [])
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

    it.scoped("a dead letter that is sent again tells the latest quantity, and only once when it changed anyway", () =>
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
          strictEqual(yield* notifications.resend(key, letter?.id ?? ""), true)
          yield* Ref.set(sent, [])
          yield* drain(layer)
          deepStrictEqual(
            (yield* Ref.get(sent)).map((one) => eventsOf(one).map(({ quantity, sku }) => [sku, quantity])),
            [[[a, 3]]]
          )
        }).pipe(Effect.provide(Hosts.ground(file)))
      })
    )

    it.scoped("a receiver that is down for 72 h is tried from every second to every hour, and not more", () =>
      Effect.gen(function* () {
        const { layer, sent } = yield* fake
        const file = yield* Hosts.databaseFile
        yield* Effect.gen(function* () {
          yield* Hosts.fill([Hosts.marketplace("bazaar", Receiver.webhookOf("http://127.0.0.1:1"))])
          yield* Hosts.setStock([{ sku: a, quantity: 5 }])
          const waits: Array<number> = []
          for (let settled = yield* work(layer); settled[0] === "refused"; settled = yield* work(layer)) {
            const { nextAt = 0 } = (yield* channel)?.outstanding ?? {}
            const now = yield* Clock.currentTimeMillis
            waits.push(nextAt - now)
            yield* TestClock.setTime(nextAt - 1)
            deepStrictEqual(yield* work(layer), [])
            yield* TestClock.setTime(nextAt)
          }
          assertTrue(waits.every((wait) => wait >= 1000 && wait <= 3_600_000))
          assertTrue(waits.slice(0, 12).every((wait, i) => wait >= 1000 * 2 ** i * 0.9))
          assertTrue(waits.length > 72 && waits.length < 170, `${waits.length} tries`)
          const messages = yield* Ref.get(sent)
          strictEqual(new Set(messages.map(({ webhookId }) => webhookId)).size, 1)
          strictEqual(new Set(messages.map(({ body }) => body)).size, 1)
          strictEqual(yield* Clock.currentTimeMillis.pipe(Effect.map((now) => now >= 3 * day)), true)
        }).pipe(Effect.provide(Hosts.ground(file)))
      })
    )

    it.scoped("an answer after the claim has gone to another host doesn't count", () =>
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
})
