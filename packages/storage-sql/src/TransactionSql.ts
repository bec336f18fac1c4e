/**
 * Adapter: transactions of a SQL database.
 *
 * The client's own `withTransaction` turns a failed COMMIT into a defect and begins SQLite's as a reader, which another
 * process's write can then make impossible to finish; so this begins as a writer and lets a failed commit be a failure.
 */

import { type StorageError, Transaction } from "@crossdock/kernel"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { named } from "./Database.ts"

type Run = typeof Transaction.Transaction.Service.run

/**
 * A connection for the scope. Whoever is interrupted while waiting for one of PostgreSQL's goes at once, and the
 * connection is given back when it comes; the pool would otherwise count it as lent for ever.
 */
const reserve = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({ orElse: () => sql.reserve, pg: () => Effect.disconnect(Effect.uninterruptible(sql.reserve)) })

/**
 * What a host that died held is free again when the server sees its connection end, and after this time when it can't.
 */
const pgBegin = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '8s'"

/**
 * One unit on this client: `effect` succeeds and stays, or nothing of it does.
 */
export const run = (sql: SqlClient.SqlClient): Run => {
  const begin = sql.onDialectOrElse({ orElse: () => "BEGIN IMMEDIATE", pg: () => pgBegin })

  const unit = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const outer = yield* Effect.serviceOption(SqlClient.TransactionConnection)
        const connection = Option.isSome(outer) ? outer.value[0] : yield* restore(reserve(sql))
        const depth = Option.isSome(outer) ? outer.value[1] + 1 : 0
        const words =
          depth === 0
            ? { begin, commit: "COMMIT", rollback: "ROLLBACK" }
            : {
                begin: `SAVEPOINT crossdock_${depth}`,
                commit: `RELEASE SAVEPOINT crossdock_${depth}`,
                rollback: `ROLLBACK TO SAVEPOINT crossdock_${depth}`
              }
        const execute = (statement: string) => connection.execute(statement, [], undefined)
        yield* named("begin")(execute(words.begin))
        const exit = yield* Effect.exit(
          restore(Effect.provideService(effect, SqlClient.TransactionConnection, [connection, depth]))
        )
        if (Exit.isFailure(exit)) {
          // A connection that was lost has rolled back by itself.
          yield* Effect.catchAll(execute(words.rollback), (error) => Effect.logWarning("rollback failed", error))
          return yield* exit
        }
        yield* named("commit")(Effect.tapError(execute(words.commit), () => Effect.either(execute(words.rollback))))
        return exit.value
      }).pipe(Effect.scoped, named("transaction"))
    )
  return unit as Run
}

/**
 * For writes of which some rows may be refused: all or none. Inside a transaction they are part of it, and the refusal is
 * what fails it; a savepoint would make SQLite copy every page before it is written.
 */
export const allOrNothing = (sql: SqlClient.SqlClient) => {
  const unit = run(sql)
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
    Effect.withFiberRuntime((fiber) =>
      Option.isSome(Context.getOption(fiber.currentContext, SqlClient.TransactionConnection)) ? effect : unit(effect)
    )
}

export const make = Effect.map(SqlClient.SqlClient, (sql) => Transaction.Transaction.of({ run: run(sql) }))

export const layer: Layer.Layer<Transaction.Transaction, never, SqlClient.SqlClient> = Layer.effect(
  Transaction.Transaction,
  make
)
