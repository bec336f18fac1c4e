/** Writes whose caller aborts them at a random moment, and sends them again. An aborted write happens wholly or not at all. */
import { AuditStore } from "@crossdock/audit"
import { Idempotency } from "@crossdock/kernel"
import { Effect, Fiber, References } from "effect"
import * as Choice from "./Choice.ts"
import * as World from "./World.ts"

/** Sometimes begins the write, and aborts it while it runs or after it has ended. Returns whether it did so. */
export const sometimes = <A, E, R>({ aborts }: World.World, write: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    if (!Choice.isChance(aborts.draw, 0.2)) return false
    const between = (from: number, to: number) => Choice.between(aborts.draw, from, to)
    // Without such a limit, a write in memory would end before it can be interrupted.
    const begun = Effect.provideService(Effect.exit(write), References.MaxOpsBeforeYield, between(10, 110))
    const fiber = yield* Effect.forkDetach(begun, { startImmediately: true })
    for (let turns = between(0, 15); turns > 0; turns--) yield* Effect.yieldNow
    if (Choice.isChance(aborts.draw, 0.5)) yield* Effect.sleep(between(0, 8))
    yield* Fiber.interrupt(fiber)
    aborts.count++
    return true
  })

/** The number of records since the laws were last checked. */
const records = (world: World.World) =>
  Effect.gen(function* () {
    const log = yield* AuditStore
    const all = yield* Effect.forEach(World.companies, (company) =>
      log.read(company, world.heads.get(company)?.sequence ?? 0, 1000)
    )
    return all.flat().length
  })

/** Runs a write. If it is aborted, it is sent again with the same Idempotency-Key, and happens exactly once. */
export const withKey = <A extends object, E, R>(world: World.World, write: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { once } = yield* Idempotency.Idempotent
    const key = { principal: "history", method: "POST", path: "/", key: `${world.aborts.count}` }
    const answer = Effect.map(write, (value) => ({ status: 200, contentType: "", body: JSON.stringify(value) }))
    const keyed = once(key, "", answer, () => undefined)
    const before = yield* records(world)
    if (!(yield* sometimes(world, keyed))) return yield* write
    const between = yield* records(world)
    const again = yield* keyed
    const recorded = again.isReplayed ? (yield* records(world)) - between : between - before
    return recorded === 0
      ? (JSON.parse(again.answer.body) as A)
      : yield* Effect.die(new Error(`An aborted write left ${recorded} records, replayed: ${again.isReplayed}`))
  })
