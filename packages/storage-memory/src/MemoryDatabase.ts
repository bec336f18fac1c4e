/** The state that all adapters of this package share, with its transactions. */
import { type EventLog, eventWatchers } from "@crossdock/audit"
import { Transaction } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as Table from "./Table.ts"

interface Running {
  readonly database: object
  readonly tables: Ref.Ref<Table.Tables>
  readonly announced: Set<number>
}

const Unit = Context.Reference<Running | undefined>("@crossdock/storage-memory/Unit", { defaultValue: () => undefined })

/** The database. A read sees the running transaction or the last commit, and never waits. */
export class MemoryDatabase extends Context.Service<
  MemoryDatabase,
  {
    readonly read: <A>(question: (tables: Table.Tables) => A) => Effect.Effect<A>
    readonly write: (change: (tables: Table.Tables) => Table.Tables) => Effect.Effect<void>
    /** Runs a change that may be rejected. It either writes and returns an answer, or fails and writes nothing. */
    readonly decide: <A, E>(change: (tables: Table.Tables) => Table.Decided<A, E>) => Effect.Effect<A, E>
    /** Runs a change that always succeeds. It writes and returns an answer. */
    readonly update: <A>(
      change: (tables: Table.Tables) => readonly [answer: A, tables: Table.Tables]
    ) => Effect.Effect<A>
    readonly run: typeof Transaction.Transaction.Service.run
    readonly watch: typeof EventLog.Service.watch
    /** Wakes the watchers of these companies when the outermost transaction commits. Outside one, it wakes them now. */
    readonly announce: (companies: ReadonlyArray<number>) => Effect.Effect<void>
  }
>()("@crossdock/storage-memory/MemoryDatabase") {}

export const make = Effect.gen(function* () {
  const committed = yield* Ref.make(Table.empty)
  const oneWriter = yield* Semaphore.make(1)
  const watchers = yield* eventWatchers

  const running = Effect.map(Unit, (unit) => (unit?.database === committed ? unit : undefined))
  const current = Effect.map(running, (unit) => unit?.tables ?? committed)

  const run = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(running, (outer) => {
      const below = outer?.tables ?? committed
      const announced = outer?.announced ?? new Set()
      const unit = Effect.gen(function* () {
        const tables = yield* Ref.make(yield* Ref.get(below))
        const answer = yield* Effect.provideService(effect, Unit, { database: committed, tables, announced })
        yield* Ref.set(below, yield* Ref.get(tables))
        return answer
      })
      return outer === undefined ? Effect.tap(oneWriter.withPermits(1)(unit), () => watchers.wake(announced)) : unit
    })

  const announce = (companies: ReadonlyArray<number>) =>
    Effect.flatMap(running, (unit) =>
      unit === undefined
        ? watchers.wake(companies)
        : Effect.sync(() => {
            for (const company of companies) unit.announced.add(company)
          })
    )

  const read = <A>(question: (tables: Table.Tables) => A) => Effect.map(Effect.flatMap(current, Ref.get), question)

  const decide: MemoryDatabase["Service"]["decide"] = (change) =>
    Effect.flatMap(current, (tables) => {
      const attempt = Ref.modify(tables, (before) => {
        const outcome = change(before)
        return [Result.map(outcome, ([answer]) => answer), Result.isSuccess(outcome) ? outcome.success[1] : before]
      }).pipe(Effect.flatMap(Effect.fromResult))
      return tables === committed ? oneWriter.withPermits(1)(attempt) : attempt
    })

  const update: MemoryDatabase["Service"]["update"] = (change) => decide((tables) => Result.succeed(change(tables)))

  const write = (change: (tables: Table.Tables) => Table.Tables) => update((tables) => [undefined, change(tables)])

  return MemoryDatabase.of({ read, write, decide, update, run, watch: watchers.watch, announce })
})

export const layer = Layer.effect(MemoryDatabase, make)

export const transactionLayer = Layer.effect(
  Transaction.Transaction,
  Effect.map(MemoryDatabase, ({ run }) => Transaction.Transaction.of({ run }))
)

export const adapter = <Port, Service>(
  port: Context.Key<Port, Service>,
  make: (database: typeof MemoryDatabase.Service) => Service
): Layer.Layer<Port, never, MemoryDatabase> => Layer.effect(port, Effect.map(MemoryDatabase, make))
