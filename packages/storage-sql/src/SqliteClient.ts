/**
 * Effect's SQL client on one connection of any SQLite driver.
 */

import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { Borrower } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as SqlStatement from "effect/sql/Statement"
import { UnitTimeout } from "./Database.ts"
import type { JoinableClient } from "./JoinableClient.ts"
import * as SqliteConnection from "./SqliteConnection.ts"
import type { SqliteDatabase } from "./SqliteDatabase.ts"
import * as SqliteText from "./SqliteText.ts"
import * as SqliteUnits from "./SqliteUnits.ts"

/**
 * SQLite 3.54 looks at the value of a parameter that a column of a join is compared with, and so prepares the statement
 * again for each execution, which costs a join of four tables 0.15 ms. A unary plus hides the value from it.
 */
const placeholder = "+?"

const quoted = SqlStatement.defaultEscape('"')

const compiler = SqlStatement.makeCompiler({
  dialect: "sqlite",
  placeholder: () => placeholder,
  onIdentifier: quoted,
  onCustom: () => ["", []],
  onRecordUpdate: () => ["", []]
})

const spanAttributes = [["db.system.name", "sqlite"]] as const

/** A client whose units may share a transaction (`SqliteUnits`). */
export interface SqliteClient extends SqlClient.SqlClient {
  readonly unit: <A, E, R, E2>(
    effect: Effect.Effect<A, E, R>,
    within: SqliteUnits.Within<E2>
  ) => Effect.Effect<A, E | E2 | SqlError, R>
}

export const isSqliteClient = (sql: SqlClient.SqlClient): sql is SqliteClient => "unit" in sql

const make = (driver: string, acquire: Effect.Effect<SqliteDatabase, never, Scope.Scope>, isShared: boolean) =>
  Effect.gen(function* () {
    const database = yield* acquire
    const connection = SqliteConnection.make(database)
    const borrower: Borrower = (use) => units.outside(use(connection))
    const acquirer = Effect.suspend(() => units.lease)
    const client = yield* SqlClient.make({ acquirer, borrower, driver, compiler, spanAttributes })
    const service = client.transactionService
    const units = SqliteUnits.make(database, connection, service, isShared)
    yield* Effect.addFinalizer(() => units.end)
    const unit: SqliteClient["unit"] = (effect, within) =>
      Effect.withFiber((fiber) => {
        const level = Context.getOrUndefined(fiber.context, service)
        if (level !== undefined) return units.part(level, effect)
        // One that reads or writes a whole database takes long.
        return units.run(effect, !isShared && !Duration.isFinite(fiber.getRef(UnitTimeout)), within)
      })
    const traced = Effect.withSpan("sql.transaction", { attributes: Object.fromEntries(spanAttributes) })
    const withTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.withFiber<A, E | SqlError, R>((fiber) => {
        const whole = unit<A, E, R, SqlError>(effect, identity)
        return fiber.getRef(References.TracerEnabled) ? traced(whole) : whole
      })
    return Object.assign(SqliteText.withTexts(client, borrower, placeholder, quoted), {
      withTransaction,
      unit,
      afterCommit: units.afterCommit
    })
  })

/**
 * Alone it promises no durability: put it into `Sqlite.durable`. `driver` is the name that spans show. What `open` throws
 * is a defect.
 */
export const layer = (driver: string, open: () => SqliteDatabase): Layer.Layer<SqlClient.SqlClient> => {
  const opened = Effect.acquireRelease(Effect.sync(open), (database) => Effect.sync(database.close))
  return Layer.provide(Layer.effect(SqlClient.SqlClient, make(driver, opened, false)), Reactivity.layer)
}

/**
 * On a database that the program has open and goes on to use. A unit inside a transaction that the program has begun on it
 * is a savepoint of that one, unless it `OwnTransactionOnly`; the program's commit or rollback decides on both. The program closes it.
 */
export const shared = (
  driver: string,
  database: SqliteDatabase,
  isHandle: (connection: unknown) => boolean
): Layer.Layer<SqlClient.SqlClient> => {
  const within: JoinableClient["within"] = (connection) => (effect) =>
    Effect.suspend(() => {
      if (!isHandle(connection))
        return Effect.die(new Error("This is not the database handle that the storage runs on"))
      return database.inTransaction()
        ? effect
        : Effect.die(new Error("The database handle has no transaction open: begin it first"))
    })
  const client = Effect.map(make(driver, Effect.succeed(database), true), (sql) => Object.assign(sql, { within }))
  return Layer.provide(Layer.effect(SqlClient.SqlClient, client), Reactivity.layer)
}
