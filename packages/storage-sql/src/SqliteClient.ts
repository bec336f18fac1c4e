/**
 * A client of @effect/sql on better-sqlite3, with one connection that transactions take in turn.
 *
 * The published client finds each prepared statement through an effectful cache, which costs more than most of our
 * statements do by themselves; the driver answers at once, so nothing here waits but for the connection.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/**
 * Statements whose lists differ in length differ in their text, so they could be without number.
 */
const mostPrepared = 500

const preparing = (database: Database.Database) => {
  const known = new Map<string, Database.Statement>()
  return (text: string): Database.Statement => {
    const found = known.get(text)
    if (found !== undefined) return found
    const statement = database.prepare(text)
    const [oldest] = known.keys()
    if (oldest !== undefined && known.size >= mostPrepared) known.delete(oldest)
    known.set(text, statement)
    return statement
  }
}

const rowsOf = (statement: Database.Statement, params: ReadonlyArray<unknown>): ReadonlyArray<object> => {
  if (statement.reader) return statement.all(...params) as ReadonlyArray<object>
  statement.run(...params)
  return []
}

const valuesOf = (statement: Database.Statement, params: ReadonlyArray<unknown>): ReadonlyArray<object> => {
  if (!statement.reader) return rowsOf(statement, params)
  try {
    return rowsOf(statement.raw(true), params)
  } finally {
    statement.raw(false)
  }
}

const connectionOf = (database: Database.Database): Connection => {
  const prepared = preparing(database)
  const attempt = <A>(work: () => A): Effect.Effect<A, SqlError> =>
    Effect.suspend(() => {
      try {
        return Effect.succeed(work())
      } catch (cause) {
        return Effect.fail(new SqlError({ cause, message: "The statement failed" }))
      }
    })
  const execute: Connection["execute"] = (text, params, transform) => {
    const rows = attempt(() => rowsOf(prepared(text), params))
    return transform === undefined ? rows : Effect.map(rows, transform)
  }
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (text, params) =>
      attempt(() => {
        const statement = prepared(text)
        return statement.reader ? statement.all(...params) : statement.run(...params)
      }),
    executeValues: (text, params) =>
      attempt(() => valuesOf(prepared(text), params) as ReadonlyArray<ReadonlyArray<never>>),
    executeStream: (text, params, transform) => Stream.fromIterableEffect(execute(text, params, transform))
  }
}

export interface SqliteClient extends SqlClient.SqlClient {
  /** Nobody else has the connection until `use` has ended. Where it is free that costs less than to lend it to a scope. */
  readonly alone: <A, E, R>(use: (connection: Connection) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const isSqliteClient = (client: SqlClient.SqlClient): client is SqliteClient => "alone" in client

/**
 * `filename` may be ":memory:". WAL, so that a second process reads while this one writes.
 */
const make = (filename: string) =>
  Effect.gen(function* () {
    const database = yield* Effect.acquireRelease(
      Effect.sync(() => new Database(filename)),
      (opened) => Effect.sync(() => opened.close())
    )
    database.pragma("journal_mode = WAL")
    const connection = connectionOf(database)
    const turn = yield* Effect.makeSemaphore(1)
    const alone: SqliteClient["alone"] = (use) => {
      const work = Effect.suspend(() => use(connection))
      return Effect.flatMap(
        turn.withPermitsIfAvailable(1)(work),
        Option.match({ onNone: () => turn.withPermits(1)(work), onSome: Effect.succeed })
      )
    }
    // Kept until the scope ends, also for one statement: none may come into the midst of another's transaction.
    const lent = Effect.uninterruptibleMask((restore) =>
      restore(turn.take(1)).pipe(
        Effect.zipRight(Effect.flatMap(Effect.scope, (scope) => Scope.addFinalizer(scope, turn.release(1)))),
        Effect.as(connection)
      )
    )
    const client = yield* SqlClient.make({
      acquirer: lent,
      compiler: Statement.makeCompilerSqlite(),
      spanAttributes: [["db.system.name", "sqlite"]]
    })
    return Object.assign(client, { alone })
  })

export const layer = (filename: string): Layer.Layer<SqlClient.SqlClient> =>
  Layer.scoped(SqlClient.SqlClient, make(filename)).pipe(Layer.provide(Reactivity.layer))
