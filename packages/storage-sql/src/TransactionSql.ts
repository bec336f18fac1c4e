/** Connections and transactions of a SQL database, their time limit, and failures of statements. */
import { Metrics, StorageError, type Stored, Transaction } from "@crossdock/kernel"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as SqlStatement from "effect/sql/Statement"

const pgLockTimeout = "55P03"

const codeOf = ({ reason: { cause } }: SqlError) => (Predicate.hasProperty(cause, "code") ? String(cause.code) : "")

const isContended = (error: SqlError): boolean =>
  error.reason._tag === "DeadlockError" ||
  error.reason._tag === "SerializationError" ||
  (error.reason._tag === "LockTimeoutError" && codeOf(error) === pgLockTimeout)

/** How drivers report that a value is too long: the codes of PostgreSQL and SQLite, and the number of node:sqlite. */
const tooLong = { code: /^(54000|SQLITE_TOOBIG)$/, errcode: 18 } as const

/** Whether a value exceeds the database's limit. The limit is 1 GB, or 2 MB in a Durable Object. */
const isTooLarge = (error: SqlError): boolean =>
  tooLong.code.test(codeOf(error)) ||
  (Predicate.hasProperty(error.reason.cause, "errcode") && error.reason.cause.errcode === tooLong.errcode)

/** The time limit of a unit of work or of a single read. Work on a whole database needs `Duration.infinity`. */
export const UnitTimeout = Context.Reference<Duration.Duration>("@crossdock/storage-sql/UnitTimeout", {
  defaultValue: () => Duration.seconds(9)
})

const InUnit = Context.Reference<boolean>("@crossdock/storage-sql/InUnit", { defaultValue: () => false })

const bounded = <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>): Stored<A, E, R> =>
  Effect.withFiber((fiber) => {
    const limit = fiber.getRef(UnitTimeout)
    if (fiber.getRef(InUnit) || !Duration.isFinite(limit)) return effect
    const orElse = () => new StorageError({ operation, cause: new Error(`No answer within ${Duration.format(limit)}`) })
    return Transaction.abandonAfter(Effect.provideService(effect, InUnit, true), { limit, orElse })
  })

/** Removes the time limit. Use it for work on whole tables if no caller waits for the work. */
export const unbounded: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideService(
  UnitTimeout,
  Duration.infinity
)

/** Turns the failure of a statement into a `StorageError` with the name of the operation. */
export const asStorageError =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StorageError, R> =>
    Effect.mapError(effect, (error) =>
      isSqlError(error)
        ? new StorageError({ operation, cause: error, isContended: isContended(error), isTooLarge: isTooLarge(error) })
        : (error as Exclude<E, SqlError>)
    )

/** Like `asStorageError`. Outside a unit, the statement also fails if it takes longer than `UnitTimeout`. */
export const named =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StorageError, R> =>
    bounded(operation, asStorageError(operation)(effect))

type Statement<A> = (text: string, params: ReadonlyArray<unknown>) => Effect.Effect<A, SqlError>

/** Makes Effect's connection from a driver. `values` are arrays in the order of columns, and `raw` is the driver's answer. */
export const driverConnection = (driver: {
  readonly rows: Statement<ReadonlyArray<object>>
  readonly values: Statement<ReadonlyArray<ReadonlyArray<unknown>>>
  readonly raw: Statement<unknown>
}): Connection => {
  const { raw, rows, values } = driver
  const execute: Connection["execute"] = (text, params, transform) =>
    transform === undefined ? rows(text, params) : Effect.map(rows(text, params), transform)
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: raw,
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: (text, params, transform) => Stream.fromIterableEffect(execute(text, params, transform))
  }
}

/** The compiler of a dialect, for a driver's client. `placeholder` is the text for a parameter. */
export const compilerOf = (dialect: "sqlite" | "pg", placeholder: (index: number, value: unknown) => string) =>
  SqlStatement.makeCompiler({
    dialect,
    placeholder,
    onIdentifier: SqlStatement.defaultEscape('"'),
    onCustom: () => ["", []],
    onRecordUpdate: () => ["", []]
  })

/** A client whose units can join the application's transaction. `within` dies if `connection` has no open transaction. */
export interface JoinableClient extends SqlClient.SqlClient {
  readonly within: (connection: unknown) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly ownClient: Effect.Effect<object>
}

const isJoinable = (sql: SqlClient.SqlClient): sql is JoinableClient => Predicate.hasProperty(sql, "within")

/** Statements that join an open transaction instead of beginning one. */
export const savepoint = {
  begin: "SAVEPOINT crossdock",
  commit: "RELEASE SAVEPOINT crossdock",
  rollback: "ROLLBACK TO SAVEPOINT crossdock"
} as const

/** Applies the time limit to an attempt, from the wait for its turn to its last statement. The limit excludes the commit. */
export type Within<E2> = <A, R>(attempt: Effect.Effect<A, SqlError, R>) => Effect.Effect<A, E2, R>

/** A client whose units may share a transaction. */
export interface SharingClient extends SqlClient.SqlClient {
  readonly unit: <A, E, R, E2>(
    effect: Effect.Effect<A, E, R>,
    within: Within<E2>
  ) => Effect.Effect<A, E | E2 | SqlError, R>
  /** Waits until all commits of other connections that a read has seen are on the disk. */
  readonly othersSynced: Effect.Effect<void, SqlError>
}

const isSharing = (sql: SqlClient.SqlClient): sql is SharingClient => "unit" in sql

type Run = Transaction.Run

/** Turns a defect into a failure. Effect's client dies if a rollback fails, which happens only on a lost connection. */
const failOnLostConnection = <E>(cause: Cause.Cause<E>): Effect.Effect<never, E | SqlError> => {
  for (const reason of cause.reasons) {
    if (Cause.isDieReason(reason) && isSqlError(reason.defect)) return Effect.fail(reason.defect)
  }
  return Effect.failCause(cause)
}

/** The statement that begins a transaction. SQLite begins as a writer, because a reader may be unable to become one. */
export const beginning = (sql: SqlClient.SqlClient): string | undefined =>
  sql.onDialectOrElse({ orElse: () => "BEGIN IMMEDIATE", pg: () => undefined })

const waited = Metrics.transactionWait.at({})

const isInside = (sql: SqlClient.SqlClient, context: Context.Context<never>): boolean =>
  Option.isSome(Context.getOption(context, sql.transactionService))

/** Measures how long a transaction waits for a pooled connection, or for its turn as the only writer of SQLite. */
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

/** Runs one unit on this client. If `effect` succeeds, all its writes are kept. If it fails, none are. */
export const run = (sql: SqlClient.SqlClient): Run => {
  const begin = beginning(sql)
  const isPipelined = Predicate.hasProperty(sql, "pipelines")
  const transaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    sql
      .withTransaction(effect)
      .pipe(Effect.provideService(SqlClient.BeginTransaction, begin), Effect.catchCause(failOnLostConnection))
  const unit: Run = isSharing(sql)
    ? <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        asStorageError("transaction")(sql.unit<A, E, R, StorageError>(effect, named("transaction"))) as Stored<A, E, R>
    : (effect) => named("transaction")(transaction(effect))
  const outermost: Run = isPipelined
    ? (effect) => named("transaction")(Transaction.pipelined(effect, transaction))
    : unit
  const nested: Run = isPipelined ? (effect) => unit(Transaction.nested(effect)) : unit
  return (effect) => measured(sql, effect, { nested, outermost })
}

/**
 * Runs a read whose answer leaves the host. PostgreSQL, and SQLite if several hosts use a file, show a commit before it is on
 * the disk. The answer waits for the disk.
 */
export const durableRead = (sql: SqlClient.SqlClient): (<A, E, R>(read: Effect.Effect<A, E, R>) => Stored<A, E, R>) => {
  if (Predicate.hasProperty(sql, "pipelines")) return allOrNothing(sql)
  if (!isSharing(sql)) return (read) => read
  const synced = asStorageError("durableRead")(sql.othersSynced)
  return (read) => Effect.tap(read, synced)
}

/** Keeps all writes of the effect or none. Inside a transaction it makes no savepoint, which would copy pages on SQLite. */
export const allOrNothing = (sql: SqlClient.SqlClient) => {
  const unit = run(sql)
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Stored<A, E, R> =>
    Effect.withFiber((fiber) => (isInside(sql, fiber.context) ? effect : unit(effect)))
}

/** Makes PostgreSQL run these deferred triggers for all writes so far, and then runs the read. */
export const afterTriggers =
  (sql: SqlClient.SqlClient, triggers: ReadonlyArray<string>) =>
  <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> => {
    const set = (mode: string) => sql.unsafe(`SET CONSTRAINTS ${triggers.join(", ")} ${mode}`)
    const passed = Effect.map(Transaction.together(set("IMMEDIATE"), read, set("DEFERRED")), ([, answer]) => answer)
    const onServer = Effect.withFiber<A, E | SqlError, R>((fiber) => (isInside(sql, fiber.context) ? passed : read))
    return sql.onDialectOrElse({ orElse: () => read, pg: () => onServer })
  }

/** The error code of a full disk: https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const diskFull = "53100"

/** Fails if the disk is full, by writing 80 kB to a temporary file. It succeeds if the server limits temporary files. */
export const probe = (sql: SqlClient.SqlClient): Stored<void> =>
  sql`SELECT count(*) FROM (SELECT set_config('work_mem', '64kB', true) AS small) memory,
    LATERAL generate_series(1, 5000 + length(small))`.pipe(
    Effect.asVoid,
    Effect.catch((error) => (codeOf(error) === diskFull ? Effect.fail(error) : Effect.void)),
    named("probe")
  )

/** The least time between two probes. Without it, callers without an account could start any number of probes. */
const every = Duration.toNanosUnsafe(Duration.seconds(1))

/** `probe` with an answer that is cached for a second. It doesn't use the wall clock, which may be set back. */
const sharedProbe = (sql: SqlClient.SqlClient): Effect.Effect<Stored<void>> =>
  Effect.map(Effect.cachedInvalidateWithTTL(probe(sql), Duration.infinity), ([known, forget]) => {
    let triedAt: bigint | undefined
    return Effect.withFiber((fiber) => {
      const now = fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe()
      if (triedAt !== undefined && now - triedAt < every) return known
      triedAt = now
      return Effect.andThen(forget, known)
    })
  })

/** The text of a statement without comments before it. On PostgreSQL, comments nest, and a carriage return ends a line. */
const fromFirstWord = (text: string, isPostgres: boolean): string => {
  const lineEnd = isPostgres ? /[\n\r]|$/g : /\n|$/g
  let [at, depth] = [0, 0]
  for (; at < text.length; at++) {
    const two = text.slice(at, at + 2)
    if (two === "/*" && (depth === 0 || isPostgres)) [at, depth] = [at + 1, depth + 1]
    else if (depth > 0) {
      if (two === "*/") [at, depth] = [at + 1, depth - 1]
    } else if (two === "--") {
      lineEnd.lastIndex = at
      at = lineEnd.exec(text)?.index ?? text.length
    } else if (!/[\s;]/.test(two[0] ?? "")) break
  }
  return text.slice(at)
}

const ending = /^(?:BEGIN|START|COMMIT|END|ROLLBACK|ABORT|SAVEPOINT|RELEASE|PREPARE)\b/i

/** Implements the port. `mayWrite` runs before each unit and probe, and fails if the host must no longer write. */
export const make = Effect.fnUntraced(function* (mayWrite: Stored<void> = Effect.void) {
  const sql = yield* SqlClient.SqlClient
  const unit = run(sql)
  const isPostgres = sql.onDialectOrElse({ orElse: () => false, pg: () => true })
  const onDisk = yield* sharedProbe(sql)
  return Transaction.Transaction.of({
    run: (effect) => Effect.andThen(mayWrite, unit(effect)),
    probe: sql.onDialectOrElse({ orElse: () => mayWrite, pg: () => Effect.andThen(mayWrite, onDisk) }),
    statement: (text, values) =>
      ending.test(fromFirstWord(text, isPostgres))
        ? Effect.die(new Error("sql can't begin, end or divide a transaction: ours commits or rolls back as a whole"))
        : named("statement")(sql.unsafe<object>(text, values)),
    ...(isJoinable(sql)
      ? {
          client: sql.ownClient,
          within:
            (connection: unknown): Run =>
            (effect) =>
              sql.within(connection)(unit(effect))
        }
      : {})
  })
})

/** The port of transactions on a SQL client. */
export const layer = Layer.effect(Transaction.Transaction, make())
