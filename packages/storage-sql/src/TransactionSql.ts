/**
 * Adapter: transactions of a SQL database.
 *
 * The client's own `withTransaction` turns a failed COMMIT into a defect and begins SQLite's as a reader, which another
 * process's write can then make impossible to finish; so this begins as a writer and lets a failed commit be a failure.
 */

import { type StorageError, Transaction } from "@crossdock/kernel"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { named } from "./Database.ts"
import { isSqliteClient } from "./SqliteClient.ts"

type Run = typeof Transaction.Transaction.Service.run

type Lend = <A, E, R>(use: (connection: Connection) => Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError, R>

/**
 * A connection that nobody else has meanwhile. Whoever is interrupted while waiting for one of PostgreSQL's goes at once,
 * and the connection is given back when it comes; the pool would otherwise count it as lent for ever.
 */
const lending = (sql: SqlClient.SqlClient): Lend => {
  if (isSqliteClient(sql)) return sql.alone
  const connection = sql.onDialectOrElse({
    orElse: () => sql.reserve,
    pg: () => Effect.disconnect(Effect.uninterruptible(sql.reserve))
  })
  return (use) => Effect.scoped(Effect.flatMap(connection, use))
}

/**
 * What a host that died held is free again when the server sees its connection end, and after this time when it can't.
 */
const pgBegin = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '8s'"

/**
 * One unit on this client: `effect` succeeds and stays, or nothing of it does.
 */
export const run = (sql: SqlClient.SqlClient): Run => {
  const begin = sql.onDialectOrElse({ orElse: () => "BEGIN IMMEDIATE", pg: () => pgBegin })
  const lend = lending(sql)

  const wordsOf = (depth: number) =>
    depth === 0
      ? { begin, commit: "COMMIT", rollback: "ROLLBACK" }
      : {
          begin: `SAVEPOINT crossdock_${depth}`,
          commit: `RELEASE SAVEPOINT crossdock_${depth}`,
          rollback: `ROLLBACK TO SAVEPOINT crossdock_${depth}`
        }

  const within = <A, E, R>(connection: Connection, depth: number, effect: Effect.Effect<A, E, R>) => {
    const words = wordsOf(depth)
    const execute = (statement: string) => connection.execute(statement, [], undefined)
    const rollback = execute(words.rollback)
    return Effect.uninterruptibleMask((restore) =>
      Effect.zipRight(
        named("begin")(execute(words.begin)),
        Effect.matchCauseEffect(
          restore(Effect.provideService(effect, SqlClient.TransactionConnection, [connection, depth])),
          {
            // A connection that was lost has rolled back by itself.
            onFailure: (cause) =>
              Effect.zipRight(
                Effect.catchAll(rollback, (error) => Effect.logWarning("rollback failed", error)),
                Effect.failCause(cause)
              ),
            onSuccess: (value) =>
              named("commit")(
                Effect.as(
                  Effect.tapError(execute(words.commit), () => Effect.either(rollback)),
                  value
                )
              )
          }
        )
      )
    )
  }

  const unit = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.withFiberRuntime<A, E | StorageError | SqlError, R>((fiber) =>
      Option.match(Context.getOption(fiber.currentContext, SqlClient.TransactionConnection), {
        onNone: () => lend((connection) => within(connection, 0, effect)),
        onSome: ([connection, depth]) => within(connection, depth + 1, effect)
      })
    ).pipe(named("transaction"))
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
