/**
 * The statements that something takes, each with its parameters and the unit of work that it was part of. The words of
 * transactions (BEGIN, SAVEPOINT, COMMIT …) are not among them.
 */
import { Context, Duration, Effect, type Fiber, Layer, Option } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import { MigrationCheck } from "../src/UnusableDatabase.ts"

export interface Logged {
  readonly text: string
  readonly values: ReadonlyArray<unknown>
  /** The connection that a unit of work has until its end; undefined outside of one. */
  readonly unit: object | undefined
}

export class StatementLog extends Context.Service<
  StatementLog,
  {
    /** All that was sent since the last call, in order. */
    readonly taken: Effect.Effect<ReadonlyArray<Logged>>
  }
>()("@crossdock/storage-sql/test/StatementLog") {}

/**
 * Logs what runs on a client of `database` and on the runtime which this layer is part of.
 */
export const layer = <E>(database: Layer.Layer<SqlClient.SqlClient, E>) =>
  Layer.unwrap(
    Effect.map(SqlClient.SqlClient, (sql) => {
      let log: Array<Logged> = []
      const unitOf = (fiber: Fiber.Fiber<unknown, unknown>) =>
        Option.getOrUndefined(Context.getOption(fiber.context, sql.transactionService))?.[0]
      const noted = Layer.succeed(Statement.CurrentTransformer, (statement, _, fiber) => {
        const [text, values] = statement.compile()
        log.push({ text, values, unit: unitOf(fiber) })
        return Effect.succeed(statement)
      })
      const taken = Effect.sync(() => {
        const before = log
        log = []
        return before
      })
      // What comes once a second would be logged at random.
      const unasked = Layer.succeed(MigrationCheck, Duration.infinity)
      return Layer.mergeAll(noted, unasked, Layer.succeed(StatementLog, StatementLog.of({ taken })))
    })
  ).pipe(Layer.provideMerge(database))
