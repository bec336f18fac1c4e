import { AuditStore, EventLog } from "@crossdock/audit"
import { CompanyId } from "@crossdock/kernel"
import { EventDeliveries, EventEndpointStore, EventEndpoints, Limits } from "@crossdock/notifications"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import {
  caller,
  changeStock,
  groundInMemory,
  key,
  register,
  registration,
  statusOf,
  stored,
  upTo
} from "./EventHosts.ts"
import * as Hosts from "./Hosts.ts"
import * as Receiver from "./Receiver.ts"

const newer = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"
const url = "https://erp.example/hook/token-in-the-path"
const at = 1_790_000_000_000

const endpoints = EventEndpoints.EventEndpoints
const due = Effect.flatMap(EventDeliveries.EventDeliveries, (deliveries) => deliveries.due)

const onCompany = <A, E, R>(use: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    yield* Hosts.fill([])
    return yield* use
  }).pipe(Effect.provide([groundInMemory, Logger.layer([])]))

const violationsOf = (more: Parameters<typeof register>[1]) =>
  Effect.map(Effect.flip(register(url, more)), (error) =>
    error._tag === "EndpointRejected" ? error.violations.map(({ message, path }) => `${path} ${message}`) : [error._tag]
  )

/** The company's audit records, newest last. */
const trail = Effect.flatMap(AuditStore, (log) => log.read(Hosts.company, 0, 100))

describe("Endpoints of events", () => {
  it.effect("begin at the present end of the feed, or after the number that was asked for", () =>
    onCompany(
      Effect.gen(function* () {
        yield* changeStock([1, 2])
        yield* register(url, { cursor: null })
        yield* register(url, { id: "search", cursor: 1 })
        deepStrictEqual(yield* statusOf(), {
          ...key,
          url,
          types: null,
          cursor: 2,
          lastEvent: 2,
          paused: null,
          maxBytes: Limits.eventBatchBytes,
          failures: 0,
          failure: null,
          nextAt: null,
          deadLetters: 0
        })
        strictEqual((yield* statusOf("search"))?.cursor, 1)
        deepStrictEqual(
          (yield* due).map(({ id }) => id),
          ["search"]
        )
      })
    )
  )

  it.effect("are registered again to change them: what is null stays, and what isn't said otherwise goes on", () =>
    onCompany(
      Effect.gen(function* () {
        yield* changeStock([1, 2])
        yield* register(url, { cursor: 1 })
        yield* register("https://other.example", { secret: null, types: ["stock.changed"], cursor: null })
        const after = yield* stored
        deepStrictEqual(
          [after?.webhook.url, Hosts.inPlain(after?.webhook).secret, after?.types, after?.cursor],
          ["https://other.example", Receiver.secret, ["stock.changed"], 1]
        )
        yield* register(url, { cursor: 0 })
        strictEqual((yield* stored)?.cursor, 0)
      })
    )
  )

  it.effect("are at most 100 of a company; one more is rejected with what to do, and others can still be changed", () =>
    onCompany(
      Effect.gen(function* () {
        yield* Effect.forEach(upTo(100), (n) => register(url, { id: `e-${n}` }))
        deepStrictEqual(yield* violationsOf({ id: "one-more" }), [
          "/companyId already has 100 endpoints, the most that it can have; remove one first"
        ])
        yield* register("https://other.example", { id: "e-1" })
        const { list, remove } = yield* endpoints
        strictEqual((yield* list(Hosts.company)).length, 100)
        yield* remove(caller, { ...key, id: "e-1" })
        yield* register(url, { id: "one-more" })
      })
    )
  )

  it.effect("that rejected are due at once when they are woken, with the same events", () =>
    onCompany(
      Effect.gen(function* () {
        const { begin, settle } = yield* EventDeliveries.EventDeliveries
        const { wake } = yield* endpoints
        yield* changeStock([1])
        yield* register(url)
        const first = yield* begin(key)
        if (first === undefined) return yield* Effect.die("nothing was due")
        yield* settle(first, { _tag: "Answered", status: 503 })
        deepStrictEqual(yield* due, [])
        yield* wake(caller, key)
        strictEqual((yield* due).length, 1)
        const again = yield* begin(key)
        deepStrictEqual([again?.webhookId, again?.body], [first.webhookId, first.body])
        strictEqual((yield* Effect.flip(wake(caller, { ...key, id: "none" })))._tag, "UnknownEndpoint")
      })
    )
  )

  it.effect("keep a replaced secret for a day", () =>
    onCompany(
      Effect.gen(function* () {
        yield* register(url)
        yield* register(url, { secret: newer })
        const { retiring, secret } = Hosts.inPlain((yield* stored)?.webhook)
        deepStrictEqual([secret, retiring], [newer, { secret: Receiver.secret, until: at + 86_400_000 }])
      })
    )
  )

  it.effect("get a new secret and stay as they are otherwise, and not one that is no secret", () =>
    onCompany(
      Effect.gen(function* () {
        yield* register(url, { types: ["stock.changed"] })
        const before = yield* statusOf()
        const { setSecret } = yield* endpoints
        const [rejected, unknown] = [
          yield* Effect.flip(setSecret(caller, key, "secret")),
          yield* Effect.flip(setSecret(caller, { ...key, id: "nowhere" }, newer))
        ]
        deepStrictEqual([rejected._tag, unknown._tag], ["EndpointRejected", "UnknownEndpoint"])
        yield* setSecret(caller, key, newer)
        const { retiring, secret } = Hosts.inPlain((yield* stored)?.webhook)
        deepStrictEqual([secret, retiring], [newer, { secret: Receiver.secret, until: at + 86_400_000 }])
        deepStrictEqual(yield* statusOf(), before)
      })
    )
  )

  it.effect("are rejected with everything that is wrong, and the type that was probably meant", () =>
    onCompany(
      Effect.gen(function* () {
        deepStrictEqual(
          yield* violationsOf({
            companyId: CompanyId.make(99),
            id: "ERP 1",
            url: "ftp://erp.example",
            secret: null,
            types: ["shipment.move", "refund"],
            cursor: -1
          }),
          [
            "/companyId is not a registered company",
            "/id must be words of a to z and 0 to 9, joined by -, of at most 100 characters",
            "/url must be an http or https address without a user",
            "/secret must be whsec_ and 24 to 64 bytes in base64",
            "/types/0 is not a type of event. Did you mean shipment.moved?",
            "/types/1 is not a type of event: they are stock.changed, shipment.moved, shipment.part_cancelled, shipment.invoiced, shipment.courier_named, shipment.locked, return.opened, return.judged",
            "/cursor must be a whole number from 0"
          ]
        )
        deepStrictEqual(yield* violationsOf({ types: [] }), ["/types must not be empty: null are all types"])
        deepStrictEqual(yield* violationsOf({ cursor: 1 }), ["CursorOutOfRange"])
        deepStrictEqual([yield* statusOf(), (yield* trail).length], [undefined, 0])
      })
    )
  )

  it.effect("receive nothing while they are disabled, and what they missed when they are enabled", () =>
    onCompany(
      Effect.gen(function* () {
        const { disable, enable } = yield* endpoints
        yield* register(url)
        yield* disable(caller, key)
        yield* changeStock([1])
        deepStrictEqual([(yield* statusOf())?.paused, yield* due], [{ reason: "disabled" }, []])
        yield* register(url, { cursor: null })
        strictEqual((yield* statusOf())?.paused?.reason, "disabled")
        yield* enable(caller, key)
        deepStrictEqual([(yield* statusOf())?.paused, (yield* due).length], [null, 1])
      })
    )
  )

  it.effect("are deleted with what they had, and are unknown from then on", () =>
    onCompany(
      Effect.gen(function* () {
        const { disable, enable, remove, resend, setCursor } = yield* endpoints
        yield* register(url)
        yield* remove(caller, key)
        strictEqual(yield* statusOf(), undefined)
        for (const change of [
          disable(caller, key),
          enable(caller, key),
          remove(caller, key),
          setCursor(caller, key, 0)
        ]) {
          strictEqual((yield* Effect.flip(change))._tag, "UnknownEndpoint")
        }
        strictEqual(yield* resend(caller, key, "msg_1"), false)
      })
    )
  )

  it.effect("are moved to a number that the feed has, and to no other", () =>
    onCompany(
      Effect.gen(function* () {
        const { setCursor } = yield* endpoints
        yield* changeStock([1, 2])
        yield* register(url, { cursor: null })
        yield* setCursor(caller, key, 1)
        strictEqual((yield* statusOf())?.cursor, 1)
        deepStrictEqual(
          [
            (yield* Effect.flip(setCursor(caller, key, 3)))._tag,
            (yield* Effect.flip(setCursor(caller, key, 0.5)))._tag,
            (yield* statusOf())?.cursor
          ],
          ["CursorOutOfRange", "EndpointRejected", 1]
        )
      })
    )
  )

  it.effect("whose cursor is out of the kept range are paused and say where to go on, until it is set", () =>
    onCompany(
      Effect.gen(function* () {
        const { begin } = yield* EventDeliveries.EventDeliveries
        const { setCursor } = yield* endpoints
        yield* register(url)
        yield* changeStock([1, 2])
        const log = yield* EventLog
        yield* Effect.repeat(log.drop(at + 1, 100), { until: (dropped) => dropped === 0 })
        yield* changeStock([3])
        strictEqual(yield* begin(key), undefined)
        deepStrictEqual(
          [(yield* statusOf())?.paused, (yield* due).length],
          [{ reason: "out_of_range", resumeAfter: 2 }, 0]
        )
        yield* setCursor(caller, key, 2)
        strictEqual((yield* statusOf())?.paused, null)
        deepStrictEqual(
          (yield* begin(key))?.events.map(({ number }) => number),
          [3]
        )
      })
    )
  )

  it.effect("are in the audit trail with each change, without a secret and without the path of their address", () =>
    onCompany(
      Effect.gen(function* () {
        const { disable, enable, remove, setCursor } = yield* endpoints
        yield* register(url)
        yield* register(url, { secret: newer, types: ["shipment.moved"] })
        yield* disable(caller, key)
        yield* enable(caller, key)
        yield* setCursor(caller, key, 0)
        yield* remove(caller, key)
        const records = yield* trail
        deepStrictEqual(
          records.map(({ action, entityId, entityType }) => [entityType, entityId, action]),
          ["register", "register", "disable", "enable", "setCursor", "remove"].map((action) => [
            "event_endpoint",
            "erp",
            action
          ])
        )
        const text = JSON.stringify([records, yield* statusOf()])
        for (const secret of [Receiver.secret, newer, "token-in-the-path"]) assertTrue(!text.includes(secret))
        const { logs } = JSON.parse(records[1]?.body ?? "")
        deepStrictEqual(logs, {
          request: { host: "erp.example", types: ["shipment.moved"], cursor: 0, paused: null },
          response: null,
          before: { host: "erp.example", types: null, cursor: 0, paused: null }
        })
      })
    )
  )

  it.effect("are in the audit trail when they are woken or a dead letter is sent again, with who did it", () =>
    onCompany(
      Effect.gen(function* () {
        const { begin, settle } = yield* EventDeliveries.EventDeliveries
        const { resend, wake } = yield* endpoints
        yield* changeStock([1])
        yield* register(url)
        yield* wake(caller, key)
        const first = yield* begin(key)
        if (first === undefined) return yield* Effect.die("nothing was due")
        yield* wake(caller, key)
        yield* settle(first, { _tag: "Answered", status: 503 })
        const before = yield* trail
        strictEqual(before.at(-1)?.action, "register")
        for (const _ of ["rejected", "due"]) yield* wake(caller, key)
        const letter = { companyId: key.companyId, endpoint: key.id, id: "msg_1", events: [] }
        yield* (yield* EventEndpointStore).putDeadLetter({ ...letter, failures: 9, since: 0, at: 0, failure: "503" })
        strictEqual(yield* resend(caller, key, "msg_unknown"), false)
        strictEqual(yield* resend(caller, key, "msg_1"), true)
        const view = { host: "erp.example", types: null, cursor: 0, paused: null }
        deepStrictEqual(
          (yield* trail).slice(before.length).map(({ body }) => {
            const { entity, logs, recorded_by } = JSON.parse(body)
            return [entity, recorded_by, logs]
          }),
          [
            ["wake", view],
            ["resend", { ...view, deadLetter: "msg_1" }]
          ].map(([action, request]) => [
            { type: "event_endpoint", id: "erp", action },
            { kind: "system", id: "test" },
            { request, response: null, before: view }
          ])
        )
      })
    )
  )

  it.effect("show no secret in their list, and several hosts that register one at once end with one", () =>
    onCompany(
      Effect.gen(function* () {
        const { list, register: registering } = yield* endpoints
        yield* Effect.all(
          Array.from({ length: 5 }, () => registering(caller, registration(url))),
          { concurrency: "unbounded" }
        )
        const all = yield* list(Hosts.company)
        strictEqual(all.length, 1)
        assertTrue(!JSON.stringify(all).includes("whsec_"))
      })
    )
  )
})
