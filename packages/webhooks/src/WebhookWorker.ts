/**
 * Background work: tells every marketplace of stock, each in a fiber of its own.
 */
import { type NotificationChannel, Notifications } from "@crossdock/marketplace"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { WebhookSender } from "./WebhookSender.ts"

export interface Options {
  /** How often it looks for news. A change is on its way within this and the time that a look takes. */
  readonly poll?: Duration.Input
}

const keyText = ({ companyId, marketplace }: NotificationChannel.ChannelKey): string => `${companyId} ${marketplace}`

/**
 * Says what went wrong and rests, so that what fails is not asked, and told to the log, at every poll. Something inside that
 * was interrupted has failed like anything else: the end of the worker itself never comes here.
 */
const surviving = <E, R>(effect: Effect.Effect<void, E, R>): Effect.Effect<void, never, R> =>
  Effect.catchCause(effect, (cause) =>
    Effect.andThen(Effect.logError("Stock notifications failed", cause), Effect.sleep(Duration.seconds(1)))
  )

/**
 * Runs until its scope ends; what was being sent then is given back and sent again by whoever comes next, and an answer
 * that has come is written down first. Whatever else ends badly is logged and tried again; in one channel, it is that one's
 * own matter.
 */
export const run = ({ poll = Duration.millis(200) }: Options = {}) =>
  Effect.gen(function* () {
    const notifications = yield* Notifications.Notifications
    const sender = yield* WebhookSender
    const running = yield* FiberMap.make<string>()

    /**
     * Everything that is waiting, one notification after the other; a refused one ends it until its time comes.
     */
    const tell = (key: NotificationChannel.ChannelKey): Effect.Effect<void> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const delivery = yield* notifications.begin(key)
          if (delivery === undefined) return false
          const answer = yield* restore(sender.send(delivery)).pipe(
            Effect.onError(() => Effect.ignore(notifications.release(delivery), { log: "Debug" }))
          )
          const settled = yield* notifications.settle(delivery, answer)
          if (settled !== "accepted") yield* Effect.logWarning(`A stock notification was ${settled}`)
          return settled === "accepted"
        })
      ).pipe(
        Effect.repeat({ while: (more) => more }),
        Effect.asVoid,
        surviving,
        Effect.annotateLogs({ marketplace: key.marketplace, company: key.companyId })
      )

    const look = Effect.gen(function* () {
      const due = yield* notifications.due
      yield* Effect.forEach(due, (key) => FiberMap.run(running, keyText(key), tell(key), { onlyIfMissing: true }), {
        discard: true
      })
    })

    yield* Effect.repeat(surviving(look), Schedule.spaced(poll))
  })

export const layer = (options?: Options): Layer.Layer<never, never, Notifications.Notifications | WebhookSender> =>
  Layer.effectDiscard(Effect.forkScoped(Effect.scoped(run(options))))
