import { BackgroundLoop, StorageError } from "@crossdock/kernel"
import { type NotificationChannel, Notifications, WebhookSender, WebhookWorker } from "@crossdock/notifications"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Deferred, Effect, Exit, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Hosts from "./Hosts.ts"
import { a, channel, eventsOf } from "./Received.ts"
import * as Receiver from "./Receiver.ts"

const badEnds = [
  ["fails", Effect.fail(new StorageError({ operation: "test", cause: "broken" }))],
  ["dies", Effect.die(new Error("a defect"))],
  ["is interrupted", Effect.interrupt]
] as const

const webhook = Receiver.webhookOf("http://127.0.0.1:1")
const slugs = ["aisle", "bazaar", "souk"]

describe("A worker", () => {
  it.effect("that is stopped while it sends gives the claim back and logs nothing", () =>
    Effect.gen(function* () {
      const errors: Array<unknown> = []
      const logger = Logger.make(({ logLevel, message }) => {
        if (logLevel === "Error") errors.push(message)
      })
      yield* Effect.gen(function* () {
        const sending = yield* Deferred.make<void>()
        const sender = Layer.succeed(WebhookSender, {
          send: () => Effect.andThen(Deferred.succeed(sending, undefined), Effect.never)
        })
        yield* Hosts.fill([Hosts.marketplace("bazaar", webhook)])
        const scope = yield* Scope.make()
        yield* Layer.build(WebhookWorker.layer().pipe(Layer.provide(sender))).pipe(Scope.provide(scope))
        yield* Hosts.setStock([{ sku: a, quantity: 1 }])
        yield* TestClock.adjust("1 second")
        yield* Deferred.await(sending)
        assertTrue((yield* channel)?.lease !== null)
        yield* Scope.close(scope, Exit.void)
        strictEqual((yield* channel)?.lease, null)
      }).pipe(Effect.provide(Hosts.groundInMemory), Effect.provide(Logger.layer([logger])))
      deepStrictEqual(errors, [])
    })
  )

  for (const step of ["due", "begin", "send", "settle", "release"] as const) {
    for (const [ends, badEnd] of badEnds) {
      if (step === "send" && ends === "fails") continue
      const where = step === "due" ? step : `${step} of one marketplace`
      it.effect(`whose ${where} ${ends} logs it once a try, notifies the others, and goes on when it works again`, () =>
        Effect.gen(function* () {
          let isBroken = true
          let tries = 0
          const errors: Array<unknown> = []
          const sent: Array<string> = []
          /** `effect`, or a bad end in its place where the storage is broken. */
          const at = <A, E>(one: string, concerned: boolean, effect: Effect.Effect<A, E>) =>
            Effect.suspend((): Effect.Effect<A, E | StorageError> => {
              if (!isBroken || step !== one || !concerned) return effect
              // A release is counted by the send before it.
              if (step !== "release") tries++
              return badEnd
            })
          const isIll = ({ marketplace }: Pick<NotificationChannel.ChannelKey, "marketplace">) =>
            marketplace === "bazaar"
          const notifications = Layer.effect(
            Notifications.Notifications,
            Effect.map(Notifications.Notifications, (real) => ({
              ...real,
              due: at("due", true, real.due),
              begin: (key) => at("begin", isIll(key), real.begin(key)),
              settle: (delivery, answer) => at("settle", isIll(delivery), real.settle(delivery, answer)),
              release: (delivery) => at("release", isIll(delivery), real.release(delivery))
            }))
          )
          const sender = Layer.succeed(WebhookSender, {
            send: (message) =>
              Effect.suspend(() => {
                const { marketplace } = message as unknown as NotificationChannel.ChannelKey
                const isBad = isBroken && isIll({ marketplace })
                if (isBad && (step === "send" || step === "release")) {
                  tries++
                  return step === "send" ? (badEnd as Effect.Effect<never>) : Effect.die(new Error("a defect"))
                }
                sent.push(`${marketplace} ${eventsOf(message)[0]?.quantity}`)
                return Effect.succeed({ _tag: "Answered", status: 200 } as const)
              })
          })
          const logger = Logger.make(({ logLevel, message }) => {
            if (logLevel === "Error") errors.push(message)
          })
          yield* Effect.gen(function* () {
            yield* TestClock.setTime(1_790_000_000_000)
            yield* Hosts.fill(slugs.map((slug) => Hosts.marketplace(slug, webhook)))
            yield* Layer.build(WebhookWorker.layer().pipe(Layer.provide(Layer.merge(notifications, sender))))
            yield* Hosts.setStock([{ sku: a, quantity: 1 }])
            yield* TestClock.adjust("1 minute")
            const well = step === "due" ? [] : slugs.filter((slug) => slug !== "bazaar")
            const notified = step === "settle" ? slugs : well
            deepStrictEqual([...new Set(sent)].toSorted(), notified.map((slug) => `${slug} 1`).toSorted())
            // After 1, 2, 4 and 8 seconds, then every ten; a claim that was not released ends on its own.
            assertTrue(tries >= 3 && tries <= 10, `${tries} tries in a minute`)
            strictEqual(errors.length, tries)
            const loops = yield* BackgroundLoop.BackgroundLoops
            deepStrictEqual(
              (yield* loops.states).map(({ name, state }) => [name, state]),
              [["notifications", "failing"]]
            )
            isBroken = false
            yield* Hosts.setStock([{ sku: a, quantity: 2 }])
            yield* TestClock.adjust("20 seconds")
            deepStrictEqual(
              slugs.filter((slug) => !sent.includes(`${slug} 2`)),
              []
            )
            strictEqual(errors.length, tries)
            strictEqual((yield* loops.states)[0]?.state, "working")
          }).pipe(Effect.provide(Hosts.groundInMemory), Effect.provide(Logger.layer([logger])))
        })
      )
    }
  }
})
