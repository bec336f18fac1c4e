/**
 * Many receivers at once, before and after some of them fail. `npm run lab -- webhook-load` runs it with 50, of which 10 hang,
 * 10 answer without end and 10 break the connection.
 */
import { WebhookWorker } from "@crossdock/notifications"
import { describe, it } from "@effect/vitest"
import { assertTrue, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Logger } from "effect"
import * as Hosts from "./Hosts.ts"
import { a, eventsOf } from "./Received.ts"
import * as Receiver from "./Receiver.ts"

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

const well = ({ answer }: Receiver.Received): void => {
  answer.writeHead(204).end()
}

/**
 * Milliseconds from a change's commit to its arrival, at the receivers that stay healthy; the others behave like `ill`,
 * as many of each.
 */
const latencies = (ill: typeof illnesses) =>
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
        well(one)
      })
    })
    const others = yield* Effect.forEach(
      ill.flatMap((illness) => Array.from({ length: scale.ofEachIllness }, () => illness)),
      (illness) => {
        let n = 0
        return Receiver.make((one) => illness(one, n++))
      }
    )
    const file = yield* Hosts.databaseFile
    const worker = WebhookWorker.layer().pipe(Layer.provide(Hosts.sender))
    yield* Effect.gen(function* () {
      yield* Hosts.fill([...others, ...healthy].map(({ webhook }, at) => Hosts.marketplace(`market-${at}`, webhook)))
      for (let quantity = 1; quantity <= scale.changes; quantity++) {
        yield* Hosts.setStock([{ sku: a, quantity }])
        committed.set(quantity, performance.now())
        // Not a multiple of the worker's interval.
        yield* Effect.sleep(170 + (quantity % 7) * 10)
      }
      yield* Hosts.eventually(
        "all healthy receivers have the last quantity",
        Effect.sync(() => arrived.every((quantity) => quantity === scale.changes))
      )
    }).pipe(Effect.provide(Layer.provideMerge(worker, Hosts.ground(file))), Effect.provide(Logger.layer([])))
    const sorted = found.toSorted((x, y) => x - y)
    return { count: sorted.length, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) }
  }).pipe(Effect.scoped)

describe("Receivers that hang, answer without end or break the connection", () => {
  it.live("leave the others' p99 at most twice what it was when all were healthy", () =>
    Effect.gen(function* () {
      const before = yield* latencies(illnesses.map(() => well))
      const among = yield* latencies(illnesses)
      const shown = JSON.stringify({ before, among })
      // Two changes may reach a receiver as one.
      assertTrue(among.count >= (scale.healthy * scale.changes) / 2, shown)
      // A small run has too few changes for its p99 to be more than one unlucky moment.
      assertTrue(among.p99 <= Math.max(2 * before.p99, full ? 0 : 1000), shown)
      strictEqual(illnesses.length * scale.ofEachIllness + scale.healthy, full ? 50 : 15)
      if (full) yield* Effect.logInfo(shown)
    })
  )
})
