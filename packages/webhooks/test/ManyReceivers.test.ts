/**
 * Many receivers at once, of which some are ill. `npm run webhook-load` runs it with 50.
 */
import { WebhookWorker } from "@crossdock/webhooks"
import { describe, it } from "@effect/vitest"
import { assertTrue, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Logger } from "effect"
import * as Hosts from "./Hosts.ts"
import * as Receiver from "./Receiver.ts"
import { a, eventsOf } from "./Told.ts"

const full = process.env.LOAD === "1"
const scale = full ? { healthy: 20, ofEachIllness: 10, changes: 120 } : { healthy: 6, ofEachIllness: 3, changes: 24 }

/** Never answers; answers and pours or drips without end; breaks the connection. */
const illnesses: ReadonlyArray<(one: Receiver.Received, n: number) => void> = [
  () => {},
  ({ answer }, n) => {
    answer.writeHead(200)
    const pour = () => {
      while (!answer.destroyed && answer.write("x".repeat(16_384)));
      if (!answer.destroyed) answer.once("drain", pour)
    }
    if (n % 2 === 0) pour()
    else answer.write(".")
  },
  ({ answer }) => answer.destroy()
]

const quantile = (sorted: ReadonlyArray<number>, q: number): number => sorted[Math.floor(sorted.length * q)] ?? 0

/**
 * Milliseconds from a change's commit to its arrival, at the healthy receivers.
 */
const latencies = (ill: number) =>
  Effect.gen(function* () {
    const committed = new Map<number, number>()
    const found: Array<number> = []
    const arrived: Array<number> = []
    const healthy = yield* Effect.forEach(Array.from({ length: scale.healthy }), (_, at) => {
      arrived.push(0)
      return Receiver.make((one) => {
        const now = performance.now()
        for (const { quantity } of eventsOf(one)) {
          found.push(now - (committed.get(quantity) ?? now))
          arrived[at] = quantity
        }
        one.answer.writeHead(204).end()
      })
    })
    const sick = yield* Effect.forEach(
      illnesses.flatMap((illness) => Array.from({ length: ill }, () => illness)),
      (illness) => {
        let n = 0
        return Receiver.make((one) => illness(one, n++))
      }
    )
    const file = yield* Hosts.databaseFile
    const worker = WebhookWorker.layer().pipe(Layer.provide(Hosts.sender))
    yield* Effect.gen(function* () {
      yield* Hosts.fill([...sick, ...healthy].map(({ webhook }, at) => Hosts.marketplace(`market-${at}`, webhook)))
      for (let quantity = 1; quantity <= scale.changes; quantity++) {
        yield* Hosts.setStock([{ sku: a, quantity }])
        committed.set(quantity, performance.now())
        // No multiple of the worker's own rhythm.
        yield* Effect.sleep(170 + (quantity % 7) * 10)
      }
      yield* Hosts.eventually(
        "all healthy receivers have the last quantity",
        Effect.sync(() => arrived.every((quantity) => quantity === scale.changes))
      )
    }).pipe(
      Effect.provide(Layer.provideMerge(worker, Hosts.ground(file))),
      Effect.provide(Logger.remove(Logger.defaultLogger))
    )
    const sorted = found.toSorted((x, y) => x - y)
    return { count: sorted.length, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) }
  }).pipe(Effect.scoped)

describe("Receivers that hang, answer without end or break the connection", () => {
  it.live(
    "leave the healthy ones' p99 at most twice what it is without them",
    () =>
      Effect.gen(function* () {
        const alone = yield* latencies(0)
        const among = yield* latencies(scale.ofEachIllness)
        const shown = JSON.stringify({ alone, among })
        // Two changes may reach a receiver as one.
        assertTrue(among.count >= (scale.healthy * scale.changes) / 2, shown)
        assertTrue(among.p99 <= 2 * alone.p99, shown)
        strictEqual(illnesses.length * scale.ofEachIllness + scale.healthy, full ? 50 : 15)
        if (full) yield* Effect.logInfo(shown)
      }),
    { timeout: 300_000 }
  )
})
