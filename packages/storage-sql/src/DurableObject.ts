/** SQLite in a Durable Object. You pass the object's storage, and install nothing. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import { MixedScheduler, Scheduler } from "effect/Scheduler"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import { durableObject } from "./Dialect.ts"
import { compilerOf, driverConnection } from "./TransactionSql.ts"

interface Cursor {
  readonly columnNames: ReadonlyArray<string>
  readonly toArray: () => ReadonlyArray<Record<string, unknown>>
  readonly raw: () => { readonly toArray: () => ReadonlyArray<ReadonlyArray<unknown>> }
}

/** `ctx.storage` of a Durable Object. The object's class must be listed in `new_sqlite_classes`. */
export interface DurableObjectStorage {
  // `exec` is declared as a method, so that the platform's narrower parameter types fit.
  readonly sql: { exec(query: string, ...bindings: ReadonlyArray<unknown>): Cursor }
  transaction<A>(closure: () => Promise<A>): Promise<A>
}

const failure = /^(.*?)(?: at offset \d+)?: (SQLITE_[A-Z_]+)(?: \(extended: (SQLITE_[A-Z_]+)\))?$/s

/** Moves SQLite's code from the message to the property `code`, as in other drivers. */
const coded = (cause: unknown): unknown => {
  const [, text, code, extended] = (cause instanceof Error && failure.exec(cause.message)) || []
  return text === undefined ? cause : Object.assign(new Error(text, { cause }), { code: extended ?? code })
}

const sqlError = (cause: unknown, operation: string) =>
  new SqlError({ reason: classifySqliteError(coded(cause), { message: "The statement failed", operation }) })

const connectionOf = ({ sql }: DurableObjectStorage): Connection => {
  const using = <A>(text: string, params: ReadonlyArray<unknown>, use: (cursor: Cursor) => A) =>
    Effect.try({ try: () => use(sql.exec(text, ...params)), catch: (cause) => sqlError(cause, "execute") })
  // The cursor's `rowsWritten` would also count index entries.
  const changes = () => ({ changes: Number(sql.exec("SELECT changes() AS n").toArray()[0]?.n ?? 0) })
  return driverConnection({
    rows: (text, params) => using(text, params, (cursor) => cursor.toArray()),
    values: (text, params) => using(text, params, (cursor) => cursor.raw().toArray()),
    raw: (text, params) =>
      using(text, params, (cursor) => (cursor.columnNames.length > 0 ? cursor.toArray() : changes()))
  })
}

/** Casts whole numbers to INTEGER. The platform binds every number as a real, so 2 would become 2.0 in text or JSON. */
const compiler = compilerOf("sqlite", (_, value) => (Number.isInteger(value) ? "CAST(? AS INTEGER)" : "+?"))

type End = (keeps: boolean) => Promise<void>

class RolledBack extends Error {}

/** Opens a transaction, which may be nested. The platform's transaction lasts until the end of its callback. */
const open = (storage: DurableObjectStorage): Promise<End> =>
  new Promise((resolve, reject) => {
    const decided = Promise.withResolvers<boolean>()
    const done = storage.transaction(async () => {
      resolve((keeps) => {
        decided.resolve(keeps)
        return ended
      })
      if (!(await decided.promise)) throw new RolledBack()
    })
    const ended = done.catch((cause) => {
      if (!(cause instanceof RolledBack)) throw cause
    })
    ended.catch(reject)
  })

const levels = (storage: DurableObjectStorage) => {
  const ends: Array<End> = []
  const attempt = <A>(operation: string, work: () => Promise<A>) =>
    Effect.tryPromise({ try: work, catch: (cause) => sqlError(cause, operation) })
  return {
    begin: Effect.map(
      attempt("begin", () => open(storage)),
      (end) => {
        ends.push(end)
      }
    ),
    /** Ends the transaction of this depth, where 0 is the outermost one, unless it has already ended. */
    end: (depth: number, keeps: boolean) =>
      Effect.suspend(() => {
        const end = ends[depth]
        ends.length = Math.min(ends.length, depth)
        return end === undefined ? Effect.void : attempt(keeps ? "commit" : "rollback", () => end(keeps))
      })
  }
}

/** Schedules by microtasks. A timer would deadlock, because the platform delays timers until the transaction ends. */
const ownTurns = new MixedScheduler("sync")

const spanAttributes = [["db.system.name", "sqlite"]] as const

const make = Effect.fnUntraced(function* (storage: DurableObjectStorage) {
  const connection = connectionOf(storage)
  const acquirers = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(connection),
    semaphore: yield* Semaphore.make(1)
  })
  const client = yield* SqlClient.make({ ...acquirers, driver: durableObject, compiler, spanAttributes })
  const { begin, end } = levels(storage)
  const withTransaction = SqlClient.makeWithTransaction({
    transactionService: client.transactionService,
    spanAttributes,
    acquireConnection: (restore) => restore(acquirers.transactionAcquirer),
    begin: () => begin,
    commit: () => end(0, true),
    rollback: () => end(0, false),
    savepoint: () => begin,
    releaseSavepoint: (_, depth) => end(depth, true),
    rollbackSavepoint: (_, depth) => end(depth, false)
  })
  const inTurn: typeof withTransaction = (effect) => withTransaction(Effect.provideService(effect, Scheduler, ownTurns))
  return Object.assign(client, { withTransaction: inTurn })
})

/**
 * A client on a Durable Object's `ctx.storage`. The runtime answers after writes are durable, and accepts no request during a
 * transaction. A value above 2 MB fails with a `StorageError` whose `isTooLarge` is true.
 */
export const layer = (storage: DurableObjectStorage): Layer.Layer<SqlClient.SqlClient> =>
  Layer.provide(Layer.effect(SqlClient.SqlClient, make(storage)), Reactivity.layer)
