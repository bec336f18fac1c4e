/** Adapter: transactions of a SQL database. */
import { Metrics, Pipeline, type StorageError, Transaction } from "@crossdock/kernel"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { asStorageError, isJoinable, named } from "./Database.ts"
import * as FullDisk from "./FullDisk.ts"
import { isSqliteClient } from "./SqliteClient.ts"

type Run = Transaction.Run

/**
 * Effect's client dies when a rollback fails. A rollback fails on a lost connection, where the database rolls back on
 * its own.
 */
const failOnLostConnection = <E>(cause: Cause.Cause<E>): Effect.Effect<never, E | SqlError> => {
  for (const reason of cause.reasons) {
    if (Cause.isDieReason(reason) && isSqlError(reason.defect)) return Effect.fail(reason.defect)
  }
  return Effect.failCause(cause)
}

/**
 * The statement that begins a transaction. SQLite's begins as a writer: a reader can't become a writer once another
 * process has written.
 */
export const beginning = (sql: SqlClient.SqlClient): string | undefined =>
  sql.onDialectOrElse({ orElse: () => "BEGIN IMMEDIATE", pg: () => undefined })

const waited = Metrics.transactionWait.at({})

/** Whether this runs inside a transaction of the client. */
const isInside = (sql: SqlClient.SqlClient, context: Context.Context<never>): boolean =>
  Option.isSome(Context.getOption(context, sql.transactionService))

/** Measures the outermost transaction's wait for a connection of the pool, or for SQLite's one writer. */
const measured = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>,
  { nested, outermost }: { readonly nested: Run; readonly outermost: Run }
) =>
  Effect.withFiber<A, E | StorageError, R>((fiber) => {
    if (isInside(sql, fiber.context)) return nested(effect)
    const clock = fiber.getRef(Clock.Clock)
    const asked = clock.monotonicTimeNanosUnsafe()
    const begun = Effect.suspend(() => {
      waited.updateUnsafe(Number(clock.monotonicTimeNanosUnsafe() - asked) / 1e9, fiber.context)
      return effect
    })
    return outermost(begun)
  })

/** Runs one unit on this client: all writes of `effect` are kept if it succeeds, or none. */
export const run = (sql: SqlClient.SqlClient): Run => {
  const begin = beginning(sql)
  const isPipelined = Predicate.hasProperty(sql, "pipelines")
  const transaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    sql
      .withTransaction(effect)
      .pipe(Effect.provideService(SqlClient.BeginTransaction, begin), Effect.catchCause(failOnLostConnection))
  const unit: Run = isSqliteClient(sql)
    ? <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        asStorageError("transaction")(sql.unit<A, E, R, StorageError>(effect, named("transaction"))) as Effect.Effect<
          A,
          E | StorageError,
          R
        >
    : (effect) => named("transaction")(transaction(effect))
  const outermost: Run = isPipelined ? (effect) => named("transaction")(Pipeline.unit(effect, transaction)) : unit
  const nested: Run = isPipelined ? (effect) => unit(Pipeline.nested(effect)) : unit
  return (effect) => measured(sql, effect, { nested, outermost })
}

/**
 * A read whose answer leaves the host. It waits until everything it found is on the disk: PostgreSQL shows commits a
 * moment earlier.
 */
export const durableRead = (
  sql: SqlClient.SqlClient
): (<A, E, R>(read: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageError, R>) =>
  Predicate.hasProperty(sql, "pipelines") ? allOrNothing(sql) : (read) => read

/**
 * Keeps all of the writes or none. Inside a transaction it makes no savepoint, for which SQLite would copy every page.
 */
export const allOrNothing = (sql: SqlClient.SqlClient) => {
  const unit = run(sql)
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
    Effect.withFiber((fiber) => (isInside(sql, fiber.context) ? effect : unit(effect)))
}

/** Runs PostgreSQL's deferred triggers of these names for the writes so far, then the read. */
export const afterTriggers =
  (sql: SqlClient.SqlClient, triggers: ReadonlyArray<string>) =>
  <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> => {
    const set = (mode: string) => sql.unsafe(`SET CONSTRAINTS ${triggers.join(", ")} ${mode}`)
    const passed = Effect.map(Pipeline.together(set("IMMEDIATE"), read, set("DEFERRED")), ([, answer]) => answer)
    const onServer = Effect.withFiber<A, E | SqlError, R>((fiber) => (isInside(sql, fiber.context) ? passed : read))
    return sql.onDialectOrElse({ orElse: () => read, pg: () => onServer })
  }

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const unit = run(sql)
  const probe = yield* FullDisk.shared(sql)
  return Transaction.Transaction.of({
    run: unit,
    ...sql.onDialectOrElse({ orElse: () => ({}), pg: () => ({ probe }) }),
    statement: (text, values) => named("statement")(sql.unsafe<object>(text, values)),
    ...(isJoinable(sql)
      ? {
          within:
            (connection: unknown): Run =>
            (effect) =>
              sql.within(connection)(unit(effect))
        }
      : {})
  })
})

export const layer = Layer.effect(Transaction.Transaction, make)
