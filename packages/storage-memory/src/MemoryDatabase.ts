/**
 * The state that all adapters here share, and transactions over it.
 */

import { Transaction } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as Table from "./Table.ts"

/**
 * The tables of the running transaction, and the database whose they are.
 */
const Unit = Context.Reference<{ readonly database: object; readonly tables: Ref.Ref<Table.Tables> } | undefined>(
  "@crossdock/storage-memory/Unit",
  { defaultValue: () => undefined }
)

/**
 * Reads see the running transaction's tables, outside of one the last committed ones, and never wait. Writes outside a
 * transaction are one of their own.
 */
export class MemoryDatabase extends Context.Service<
  MemoryDatabase,
  {
    readonly read: <A>(question: (tables: Table.Tables) => A) => Effect.Effect<A>
    readonly write: (change: (tables: Table.Tables) => Table.Tables) => Effect.Effect<void>
    /** Writes and answers, or rejects and writes nothing. */
    readonly decide: <A, E = never>(
      change: (tables: Table.Tables) => Result.Result<readonly [answer: A, tables: Table.Tables], E>
    ) => Effect.Effect<A, E>
    readonly run: typeof Transaction.Transaction.Service.run
  }
>()("@crossdock/storage-memory/MemoryDatabase") {}

export const make = Effect.gen(function* () {
  const committed = yield* Ref.make(Table.nothing)
  const oneWriter = yield* Semaphore.make(1)

  const current = Effect.map(Unit, (unit) => (unit?.database === committed ? unit.tables : committed))

  /**
   * A transaction works on its own copy, which takes the place of what it was copied from only when it succeeds.
   */
  const run = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(current, (outer) => {
      const unit = Effect.gen(function* () {
        const tables = yield* Ref.make(yield* Ref.get(outer))
        const answer = yield* Effect.provideService(effect, Unit, { database: committed, tables })
        yield* Ref.set(outer, yield* Ref.get(tables))
        return answer
      })
      return outer === committed ? oneWriter.withPermits(1)(unit) : unit
    })

  const read = <A>(question: (tables: Table.Tables) => A) => Effect.map(Effect.flatMap(current, Ref.get), question)

  const decide = <A, E = never>(
    change: (tables: Table.Tables) => Result.Result<readonly [answer: A, tables: Table.Tables], E>
  ) =>
    Effect.flatMap(current, (tables) => {
      const attempt = Ref.modify(tables, (before) => {
        const outcome = change(before)
        return [Result.map(outcome, ([answer]) => answer), Result.isSuccess(outcome) ? outcome.success[1] : before]
      }).pipe(Effect.flatMap(Effect.fromResult))
      return tables === committed ? oneWriter.withPermits(1)(attempt) : attempt
    })

  const write = (change: (tables: Table.Tables) => Table.Tables) =>
    decide((tables) => Result.succeed([undefined, change(tables)]))

  return MemoryDatabase.of({ read, write, decide, run })
})

/**
 * Empty; it ends with the layer.
 */
export const layer: Layer.Layer<MemoryDatabase> = Layer.effect(MemoryDatabase, make)

/**
 * Adapter: transactions.
 */
export const transactionLayer: Layer.Layer<Transaction.Transaction, never, MemoryDatabase> = Layer.effect(
  Transaction.Transaction,
  Effect.map(MemoryDatabase, ({ run }) => Transaction.Transaction.of({ run }))
)
