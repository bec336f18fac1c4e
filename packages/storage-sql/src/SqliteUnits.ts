/**
 * Runs units of work on one SQLite connection, one after the other. Small units share a transaction of at most 10 ms.
 * If a unit fails after a write, the transaction is rolled back, and each of its units runs again in a separate transaction.
 */
import { Transaction as Port } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { memoize } from "effect/Function"
import { PreventSchedulerYield } from "effect/Scheduler"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { SqliteConnection, SqliteDatabase } from "./SqliteConnection.ts"
import { logOf, OpenDatabases, othersTransaction, patience, sqlError } from "./SqliteConnection.ts"
import { savepoint, type Within } from "./TransactionSql.ts"

/** How long units can join a transaction. The first value is in milliseconds, the second in nanoseconds. */
const longestWait = 10
const longestTurn = 10_000_000n

/** How a transaction ended without a failure. UNDONE means that it was rolled back, so its units run again. */
type End = "COMMITTED" | "UNDONE"

const committed = (): End => "COMMITTED"

interface Controls {
  readonly begin: string
  readonly commit: string
  readonly rollback: string
}

/** Begins as a writer. A transaction that begins as a reader can't write after another process has written. */
const own: Controls = { begin: "BEGIN IMMEDIATE", commit: "COMMIT", rollback: "ROLLBACK" }

const partOfApplication: Controls = { ...savepoint, rollback: `${savepoint.rollback}; ${savepoint.commit}` }

const ended = sqlError(new Error("The database was closed while a unit ran"))

const immediately = (task: () => void) => task()

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const ignored = <R>(effect: Effect.Effect<void, never, R>): Effect.Effect<void, never, R> =>
  Effect.ignoreCause(effect, { log: "Error", message: "What follows a commit failed" })

interface Transaction {
  readonly controls: Controls
  readonly begun: bigint
  readonly end: Deferred.Deferred<End, SqlError>
  units: number
  isWritten: boolean
  isDue: boolean
  /** Schedules a task for a moment when no unit is running, so units that it resumes can't start others inside a unit. */
  readonly later: (task: () => void) => void
}

type Level = SqlClient.TransactionConnection.Service

export interface Units {
  /** Runs a unit. If `isLong`, it yields to the event loop and shares its transaction with no other unit. */
  readonly run: <A, E, R, E2>(
    effect: Effect.Effect<A, E, R>,
    isLong: boolean,
    within: Within<E2>
  ) => Effect.Effect<A, E | E2 | SqlError, R>
  /** Runs a nested part of the running unit. The part can fail while the unit continues. */
  readonly part: <A, E, R>(level: Level, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError, R>
  /** Runs a statement outside units. A read joins the open transaction. Any other statement commits it first. */
  readonly outside: <A, E, R>(statement: Effect.Effect<A, E, R>, isRead?: boolean) => Effect.Effect<A, E | SqlError, R>
  readonly lease: Effect.Effect<SqliteConnection, SqlError, Scope.Scope>
  readonly afterCommit: SqlClient.SqlClient["afterCommit"]
  /** Waits for the disk if another connection has committed since the last call. Its commit may not be on the disk yet. */
  readonly othersSynced: Effect.Effect<void, SqlError>
  /** Prepares for closing. It commits the open transaction, or rolls it back if a unit is running. */
  readonly end: Effect.Effect<void>
}

/** Makes units on `connection`. If `isShared`, they join the application's transaction, or wait with `OwnTransactionOnly`. */
export const make = (
  database: SqliteDatabase,
  connection: SqliteConnection,
  service: SqlClient.SqlClient["transactionService"],
  isShared: boolean
): Units => {
  const turn = Semaphore.makeUnsafe(1)
  const log = logOf(database)
  let open: Transaction | undefined
  let isRunning = false
  let callbacks: Array<Effect.Effect<void>> = []
  const turnOfParts = memoize((_: Level) => Semaphore.makeUnsafe(1))

  const control = (text: string) => Effect.asVoid(connection.executeUnprepared(text, [], undefined))

  const rollBack = ({ rollback }: Controls) => {
    if (database.inTransaction()) database.exec(rollback)
  }

  const undo = (controls: Controls) => {
    try {
      rollBack(controls)
    } catch {}
  }

  const cleaned = isShared ? Effect.void : Effect.try({ try: () => rollBack(own), catch: sqlError })

  const mustWait = (fiber: Fiber.Fiber<unknown, unknown>) =>
    isShared && fiber.getRef(Port.OwnTransactionOnly) && database.inTransaction()

  /** Retries while the application's transaction is open. Other work has the turn between attempts. */
  const patiently = <A, E, R>(attempt: Effect.Effect<A, E | SqlError, R>) =>
    isShared ? Effect.retry(attempt, { while: (error) => error === othersTransaction, schedule: patience }) : attempt

  /** Runs an effect in its turn. With `take` instead of `withPermit`, an interrupted fiber would keep the turn. */
  const inTurn = <A, E, R>(
    of: (fiber: Fiber.Fiber<unknown, unknown>, restore: Restore) => Effect.Effect<A, E | SqlError, R>
  ) =>
    patiently(turn.withPermit(Effect.uninterruptibleMask((restore) => Effect.withFiber((fiber) => of(fiber, restore)))))

  const settle = (transaction: Transaction, end: Exit.Exit<End, SqlError>, later = transaction.later) =>
    later(() => Deferred.doneUnsafe(transaction.end, end))

  // With a rollback journal, COMMIT fails while another process reads. A retry would also commit later writes.
  const commit = (transaction: Transaction, later = transaction.later) => {
    open = undefined
    try {
      database.exec(transaction.controls.commit)
    } catch (cause) {
      undo(transaction.controls)
      settle(transaction, Exit.fail(sqlError(cause)), later)
      return
    }
    log.onSynced(transaction.isWritten, (synced) => settle(transaction, Exit.map(synced, committed), later))
  }

  /** Returns the open transaction. If SQLite has rolled it back, as on a full disk, its units run again in others. */
  const current = (): Transaction | undefined => {
    if (open !== undefined && !database.inTransaction()) {
      settle(open, Exit.succeed("UNDONE"))
      open = undefined
    }
    return open
  }

  const flush = () => {
    const last = current()
    if (last !== undefined) commit(last)
  }

  const begin = (
    fiber: Fiber.Fiber<unknown, unknown>,
    alone: boolean,
    restore: Restore
  ): Effect.Effect<Transaction, SqlError> =>
    Effect.suspend(() => {
      if (alone) flush()
      const joined = current()
      if (joined !== undefined) return Effect.succeed(joined)
      const lost = log.failure()
      if (lost !== undefined) return lost
      if (mustWait(fiber)) return Effect.fail(othersTransaction)
      return Effect.andThen(cleaned, begun(fiber, alone, restore))
    })

  const begun = (
    fiber: Fiber.Fiber<unknown, unknown>,
    alone: boolean,
    restore: Restore
  ): Effect.Effect<Transaction, SqlError> =>
    Effect.suspend(() => {
      const controls = database.inTransaction() ? partOfApplication : own
      const started = control(controls.begin)
      // An interrupted unit gives its turn back, even if another process has the lock.
      const starting = isShared
        ? started
        : Effect.onInterrupt(restore(started), () => Effect.sync(() => undo(controls)))
      return Effect.map(starting, () => {
        const transaction: Transaction = {
          controls,
          begun: fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe(),
          end: Deferred.makeUnsafe(),
          units: 0,
          isWritten: false,
          isDue: false,
          later: (task) => fiber.currentDispatcher.scheduleTask(task, 0)
        }
        open = transaction
        if (alone) return transaction
        let seen = 0
        const close = () => {
          if (open !== transaction) return
          if (isRunning) transaction.isDue = true
          else commit(transaction, immediately)
        }
        const look = () => {
          if (open !== transaction) return
          if (isRunning || connection.isAwaited()) close()
          else if (transaction.units > seen) {
            seen = transaction.units
            transaction.later(look)
          } else if (log.isBusy()) {
            log.onSynced(false, close)
            setTimeout(close, longestWait)
          } else close()
        }
        transaction.later(look)
        return transaction
      })
    })

  const inside = <A, E, R>(effect: Effect.Effect<A, E, R>, level: Level): Effect.Effect<A, E, R> =>
    Effect.updateContext(effect, (context: Context.Context<R>) =>
      context.pipe(
        Context.add(service, level),
        Context.add(OpenDatabases, [...Context.get(context, OpenDatabases), database])
      )
    )

  const isOver = ({ begun }: Transaction, fiber: Fiber.Fiber<unknown, unknown>) =>
    fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe() - begun > longestTurn

  const run: Units["run"] = (effect, isLong, within) =>
    Effect.suspend(() => attempted(effect, isLong, within, isShared || isLong || connection.isAwaited()))

  const attempted = <A, E, R, E2>(
    effect: Effect.Effect<A, E, R>,
    isLong: boolean,
    within: Within<E2>,
    alone: boolean
  ): Effect.Effect<A, E | E2 | SqlError, R> => {
    const again = Effect.suspend(() => attempted(effect, isLong, within, true))

    const finish = (
      fiber: Fiber.Fiber<unknown, unknown>,
      transaction: Transaction,
      exit: Exit.Exit<A, E>,
      isWritten: boolean
    ): Effect.Effect<A, E | E2 | SqlError, R> => {
      const left = Exit.isSuccess(exit) ? callbacks : []
      isRunning = false
      connection.inUnit(false)
      transaction.units++
      transaction.isWritten ||= isWritten
      const isSoleUnit = transaction.units === 1
      // On some errors, such as a full disk, SQLite rolls back the whole transaction.
      const isLost = !isSoleUnit && !database.inTransaction()
      if (isLost || (Exit.isFailure(exit) && (isWritten || isSoleUnit))) {
        open = undefined
        undo(transaction.controls)
        settle(transaction, Exit.succeed("UNDONE"))
        // If other units shared the transaction, this unit runs again, because their writes may have caused its failure.
        if (isSoleUnit) return Effect.andThen(log.synced(false), exit)
      } else if (alone) commit(transaction, immediately)
      else if (transaction.isDue || isOver(transaction, fiber)) commit(transaction)
      return Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Deferred.await(transaction.end), (end) => {
          if (end === "UNDONE") return restore(again)
          return left.length === 0 ? exit : Effect.andThen(Effect.forEach(left, ignored, { discard: true }), exit)
        })
      )
    }

    const attempt = inTurn((fiber, restore) =>
      Effect.flatMap(begin(fiber, alone, restore), (transaction) => {
        const before = connection.writes()
        isRunning = true
        connection.inUnit(true)
        callbacks = []
        return Effect.map(Effect.exit(restore(inside(effect, [connection, 0]))), (exit) =>
          finish(fiber, transaction, exit, connection.writes() > before)
        )
      })
    )
    // Short units don't yield, because the application's work on this handle would join the unit.
    return Effect.flatten(within(isLong ? attempt : Effect.provideService(attempt, PreventSchedulerYield, true)))
  }

  const outside: Units["outside"] = (statement, isRead = false) =>
    Effect.suspend(() => {
      let joined: Transaction | undefined
      const run = inTurn((fiber, restore) => {
        const last = isRead ? current() : undefined
        joined = last !== undefined && !isOver(last, fiber) ? last : undefined
        if (joined !== undefined) {
          joined.units++
          return restore(statement)
        }
        flush()
        const before = connection.writes()
        if (mustWait(fiber)) return Effect.fail(othersTransaction)
        // The sync is registered in this turn. Otherwise, a read could see the write and be answered before it.
        const registered = Effect.onExit(restore(statement), (exit) =>
          Effect.sync(() => log.onSynced(Exit.isSuccess(exit) && connection.writes() > before, () => {}))
        )
        return Effect.andThen(cleaned, registered)
      })
      return Effect.flatMap(Effect.exit(run), (exit) => {
        if (joined === undefined) return Effect.andThen(log.synced(false), exit)
        return Effect.flatMap(Effect.exit(Deferred.await(joined.end)), (end) =>
          Exit.isSuccess(end) && end.value === "COMMITTED" ? exit : outside(statement)
        )
      })
    })

  const leased = Effect.andThen(
    turn.takeScoped(1),
    Effect.withFiber<SqliteConnection, SqlError, Scope.Scope>((fiber) => {
      flush()
      if (mustWait(fiber)) return Effect.fail(othersTransaction)
      const before = connection.writes()
      const kept = Effect.suspend(() => Effect.orDie(log.synced(connection.writes() > before)))
      return cleaned.pipe(Effect.andThen(Effect.addFinalizer(() => kept)), Effect.as(connection))
    })
  )

  const lease: Units["lease"] = Effect.flatMap(Effect.scope, (scope) =>
    patiently(
      Effect.flatMap(Scope.fork(scope), (attempt) =>
        Scope.provide(leased, attempt).pipe(Effect.onError((cause) => Scope.close(attempt, Exit.failCause(cause))))
      )
    )
  )

  const part: Units["part"] = (level, effect) => {
    const depth = level[1] + 1
    const name = `crossdock_${depth}`
    const attempt = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(control(`SAVEPOINT ${name}`), () => {
        const from = callbacks.length
        return Effect.flatMap(Effect.exit(restore(inside(effect, [level[0], depth]))), (exit) => {
          if (Exit.isSuccess(exit)) return Effect.as(control(`RELEASE SAVEPOINT ${name}`), exit.value)
          callbacks.length = from
          if (!database.inTransaction()) return exit
          return control(`ROLLBACK TO SAVEPOINT ${name}`).pipe(
            Effect.andThen(control(`RELEASE SAVEPOINT ${name}`)),
            Effect.andThen(exit)
          )
        })
      })
    )
    return turnOfParts(level).withPermit(attempt)
  }

  const afterCommit: Units["afterCommit"] = (effect) =>
    Effect.withFiber((fiber) => {
      if (Context.getOrUndefined(fiber.context, service) === undefined) return ignored(effect)
      callbacks.push(effect as Effect.Effect<void>)
      return Effect.void
    })

  const versionOfOthers = () => database.prepare("PRAGMA data_version").values([])[0]?.[0]
  let seen: unknown
  let isSeenSynced = true
  const othersSynced = Effect.suspend(() => {
    if (database.openLog === undefined) return Effect.void
    const version = versionOfOthers()
    if (version !== seen) {
      seen = version
      isSeenSynced = false
      log.onSynced(true, () => {
        isSeenSynced ||= seen === version
      })
    }
    return isSeenSynced ? Effect.void : log.synced(false)
  })

  const end = Effect.suspend(() => {
    const last = open
    if (last !== undefined && isRunning) {
      open = undefined
      undo(last.controls)
      settle(last, Exit.fail(ended))
    } else flush()
    return log.end
  })

  return { run, part, outside, lease, afterCommit, othersSynced, end }
}
