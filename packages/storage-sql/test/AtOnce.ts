/**
 * Writes of one company at once on PostgreSQL, in an order that is certain.
 */
import { AuditStore } from "@crossdock/audit"
import { type CompanyId, Transaction } from "@crossdock/kernel"
import { Deferred, Effect, Fiber } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/** How many sessions wait for a lock. */
const waiting = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    Effect.orDie(
      sql`SELECT 1 AS one FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    ),
    ({ length }) => length
  )
)

/**
 * The outcomes of writes that have all begun, one after the other, before the first of them has its company. Each begins when
 * those before wait for a lock, and they get the company in their order. What decides before it has the company doesn't see
 * what the writes before it wrote.
 */
export const atOnce = <A, E, R>(company: CompanyId, writes: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.gen(function* () {
    const { run } = yield* Transaction.Transaction
    const [locked, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const lock = Effect.flatMap(AuditStore, (log) => log.lock([company]))
    const waits = Effect.andThen(Deferred.succeed(locked, undefined), Deferred.await(end))
    const first = yield* Effect.forkChild(run(Effect.andThen(lock, waits)))
    yield* Deferred.await(locked)
    const running: Array<Fiber.Fiber<A, E>> = []
    for (const write of writes) {
      running.push(yield* Effect.forkChild(write))
      while ((yield* waiting) < running.length) yield* Effect.yieldNow
    }
    yield* Deferred.succeed(end, undefined)
    yield* Fiber.join(first)
    return yield* Effect.forEach(running, Fiber.join)
  })
