/** Delivers webhooks in the background. Each receiver has a fiber, so that no receiver delays another. */
import { BackgroundLoop, type StaleWrite, type Stored, Transaction } from "@crossdock/kernel"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type { Attempts } from "./DeliveryAttempts.ts"
import { isAccepted, reasonOf, type StoredMessage, sendStored, type WebhookAnswer } from "./WebhookSender.ts"

/** The deliveries of a loop. A `Key` identifies a receiver, and `entryOf` returns the key as text. */
export interface Work<Key, Delivery extends StoredMessage> {
  readonly name: string
  readonly what: string
  readonly entryOf: (key: Key) => string
  readonly annotations: (key: Key) => Readonly<Record<string, unknown>>
  readonly due: Stored<ReadonlyArray<Key>>
  readonly begin: (key: Key) => Stored<Delivery | undefined>
  readonly settle: (delivery: Delivery, answer: WebhookAnswer) => Stored<string>
  readonly release: (delivery: Delivery) => Stored<void>
}

const deliver = <Key, Delivery extends StoredMessage>(
  { annotations, begin, release, settle, what }: Work<Key, Delivery>,
  send: (delivery: Delivery) => Effect.Effect<WebhookAnswer>,
  key: Key
) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const delivery = yield* begin(key)
      if (delivery === undefined) return false
      const answer = yield* restore(send(delivery)).pipe(
        Effect.onError(() => Effect.ignore(release(delivery), { log: "Debug" }))
      )
      const settled = yield* settle(delivery, answer)
      const why = isAccepted(answer) ? "" : `: ${reasonOf(answer)}`
      if (settled !== "accepted") yield* Effect.logWarning(`${what} was ${settled}${why}`)
      return settled === "accepted" || settled === "halved"
    })
  ).pipe(Effect.repeat({ while: (more) => more }), Effect.annotateLogs(annotations(key)))

const isolated = <Key, Delivery extends StoredMessage>(work: Work<Key, Delivery>) =>
  Effect.map(sendStored, (send) => (key: Key) => BackgroundLoop.isolated(work.entryOf(key), deliver(work, send, key)))

/** Delivers messages until its scope ends. It looks for pending messages after each `every` and whenever `wakeBy` ends. */
export const run = <Key, Delivery extends StoredMessage>(
  work: Work<Key, Delivery>,
  when: { readonly every: Duration.Input; readonly wakeBy?: Effect.Effect<void> }
) =>
  Effect.gen(function* () {
    const workOn = yield* isolated(work)
    const running = yield* FiberMap.make<string>()
    const pass = Effect.gen(function* () {
      for (const key of yield* work.due)
        yield* FiberMap.run(running, work.entryOf(key), workOn(key), { onlyIfMissing: true })
      return false
    })
    return yield* BackgroundLoop.run({ ...when, name: work.name, pass })
  })

/** Delivers the pending messages and waits for the answers. Returns the failures, as `BackgroundLoop.once` does. */
export const once = <Key, Delivery extends StoredMessage>(work: Work<Key, Delivery>) =>
  Effect.gen(function* () {
    const workOn = yield* isolated(work)
    const deliverAll = Effect.flatMap(work.due, (keys) => Effect.forEach(keys, workOn, { concurrency: "unbounded" }))
    return yield* BackgroundLoop.once({ name: work.name, pass: Effect.as(deliverAll, false) })
  })

/** Changes a delivery's state if its `owner` still has the claim, and otherwise returns `lost`. */
export const whileClaimed =
  <Key, State extends Attempts>(
    transaction: typeof Transaction.Transaction.Service,
    find: (key: Key) => Stored<State | undefined>
  ) =>
  <A>(
    delivery: Key & { readonly owner: string },
    change: (state: State) => Stored<A, StaleWrite>
  ): Stored<A | "lost"> =>
    Transaction.retrying(transaction)(
      Effect.flatMap(find(delivery), (state) =>
        state?.lease?.owner === delivery.owner ? change(state) : Effect.succeed<A | "lost">("lost")
      )
    )
