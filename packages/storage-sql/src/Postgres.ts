/** A PostgreSQL client with few round trips. After COMMIT, a unit waits until all it wrote or read is on the disk. */
import { Metrics, Transaction } from "@crossdock/kernel"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import * as SqlError from "effect/sql/SqlError"
import * as Dialect from "./Dialect.ts"
import * as PostgresUrl from "./PostgresUrl.ts"
import { UnitTimeout } from "./TransactionSql.ts"

/** Reads bigint as a number instead of a BigInt. Our columns never exceed a double's exact range. */
const int8: PgTypes.Codec<number> = {
  encode: (value) => {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setBigInt64(0, BigInt(value))
    return Result.succeed(bytes)
  },
  decode: (bytes) => Result.succeed(Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigInt64(0)))
}

const binary = 1

/** Reads numeric, the type of sums of bigint columns, as a number instead of a text. */
const numeric: PgTypes.Codec<number> = {
  encode: (value) => PgTypes.encode(String(value), PgTypes.OID.numeric),
  decode: (bytes) => Result.map(PgTypes.decode(bytes, PgTypes.OID.numeric, binary), Number)
}

const types = PgTypes.makeRegistry()
types.register(PgTypes.OID.int8, int8, { arrayOid: PgTypes.OID.int8Array })
types.register(PgTypes.OID.numeric, numeric, { arrayOid: PgTypes.OID.numericArray })

/** Settings for units on a pooler, whose sessions lack our startup parameters. */
const beginningOfPooled = [
  `SET LOCAL idle_in_transaction_session_timeout = '${Dialect.limitsOfLocks.idle_in_transaction_session_timeout}'`,
  "SET LOCAL client_connection_check_interval = '1s'"
] as const

/** PostgreSQL's limit for one value. With the client's default of 16 MiB, longer rows could be written but not read. */
const maxMessageSize = 2 ** 30

const lost = (message: string) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation: "query" })
  })

/** The address with its encryption. For unusable parameters, it fails with a `SqlError` whose cause is an `UnusableUrl`. */
const encrypted = (url: Redacted.Redacted) =>
  Effect.fromResult(PostgresUrl.encryption(Redacted.value(url))).pipe(
    Effect.mapBoth({
      onSuccess: (ssl) => ({ url, ssl }),
      onFailure: (cause) =>
        new SqlError.SqlError({
          reason: new SqlError.ConnectionError({ cause, message: cause.message, operation: "connect" })
        })
    })
  )

/**
 * Settings at the beginning of a unit. If BEGIN failed, they end the session. On Citus, commits wait for the disk: if a
 * crash lost the coordinator's commit, some workers could keep their part of a unit, and others roll back.
 */
const beginning = [
  `SELECT set_config('crossdock.unit', 'begun', true),
    set_config('synchronous_commit', CASE WHEN current_setting('citus.version', true) IS NULL THEN 'off' ELSE 'on' END, true)`,
  "SELECT pg_terminate_backend(pg_backend_pid()) WHERE current_setting('crossdock.unit', true) IS DISTINCT FROM 'begun'"
] as const

/** Waits until earlier commits are on the disk and on the standbys, by committing an empty log record. */
const flush = "SELECT pg_logical_emit_message(true, 'crossdock', '') IS NULL AS nothing"

interface Ends {
  /** Runs after an interrupted statement. That statement may wait for a lock, and a rollback would wait for the statement. */
  readonly abandon: Effect.Effect<void>
  readonly discard: Effect.Effect<void>
}

type Statements = Pick<PgConnection.PgConnection, "query" | "queryValues">

/** A statement that stays in the queue if its caller is interrupted. Otherwise, a COMMIT after it would commit a part. */
const kept = <A>(statement: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> =>
  Effect.flatMap(Transaction.sentImmediately(statement), Fiber.join)

const keptOn = (connection: Statements): Statements => ({
  query: (...args) => kept(connection.query(...args)),
  queryValues: (...args) => kept(connection.queryValues(...args))
})

class Session implements Connection {
  private readonly connection: Statements
  private readonly ends: Ends
  private isLost = false
  private isCommitting = false
  private savepoints = 0
  private readonly names = new Map<number, string>()

  constructor(connection: Statements, ends: Ends) {
    this.connection = connection
    this.ends = ends
  }

  /** Rejects all later statements, which would otherwise run in the next unit on the connection. */
  readonly end: Effect.Effect<void> = Effect.sync(() => {
    this.isLost = true
  })

  /** Once COMMIT is sent, a statement would run outside the transaction. */
  private sent<A>(statement: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> {
    return Effect.suspend(() =>
      this.isCommitting
        ? Effect.die(new Error("A statement came after COMMIT: a write must send all its statements together"))
        : this.tracked(statement)
    )
  }

  private tracked<A>(statement: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> {
    return Effect.suspend(() =>
      this.isLost
        ? Effect.fail(lost("The connection was lost in an earlier statement, or its unit has ended"))
        : Effect.onInterrupt(statement, () => {
            if (this.isLost) return Effect.void
            this.isLost = true
            return this.ends.abandon
          })
    )
  }

  private readonly run = (text: string, params: ReadonlyArray<unknown> = [], prepare = true) =>
    this.sent(this.connection.query(text, params, prepare))

  readonly executeRaw: Connection["executeRaw"] = (text, params) => this.run(text, params)

  readonly execute: Connection["execute"] = (text, params, transform) =>
    Effect.map(this.run(text, params), ({ rows }) => (transform === undefined ? rows : transform(rows)))

  readonly executeUnprepared: Connection["executeUnprepared"] = (text, params, transform) =>
    Effect.map(this.run(text, params, false), ({ rows }) => (transform === undefined ? rows : transform(rows)))

  readonly executeValues: Connection["executeValues"] = (text, params) =>
    this.sent(this.connection.queryValues(text, params))

  readonly executeValuesUnprepared: Connection["executeValuesUnprepared"] = (text, params) =>
    this.sent(this.connection.queryValues(text, params, false))

  readonly executeStream: Connection["executeStream"] = (text, params, transform) =>
    Stream.fromIterableEffect(this.execute(text, params, transform))

  /** Runs a control statement unprepared. If a server lost a prepared BEGIN, the unit would run without a transaction. */
  private readonly control = (text: string) => this.run(text, [], false)

  /** Sends a statement without waiting for the answer. If it fails, the rest of the transaction fails too, even COMMIT. */
  private readonly queue = (statement: Effect.Effect<unknown, SqlError.SqlError>): Effect.Effect<void> =>
    Effect.asVoid(Transaction.sentImmediately(Effect.ignore(statement)))

  begin(statement: string, settings: ReadonlyArray<string>): Effect.Effect<void> {
    const all = [this.control(statement), ...settings.map((text) => this.run(text))]
    return Effect.forEach(all, this.queue, { discard: true })
  }

  /** Begins a savepoint with a new name. An earlier one may remain if its release failed, and must not be rolled back to. */
  savepoint(level: number): Effect.Effect<void> {
    this.savepoints++
    this.names.set(level, `crossdock_${this.savepoints}`)
    return this.queue(this.control(`SAVEPOINT ${this.names.get(level)}`))
  }

  release(level: number): Effect.Effect<void> {
    return this.queue(this.control(`RELEASE SAVEPOINT ${this.names.get(level)}`))
  }

  rollbackTo(level: number): Effect.Effect<void, SqlError.SqlError> {
    return this.rollback(`ROLLBACK TO SAVEPOINT ${this.names.get(level)}`)
  }

  private readonly committed = Effect.suspend(() => {
    this.isCommitting = true
    const commit = this.tracked(this.connection.query("COMMIT", [], false))
    const flushed = this.tracked(this.connection.query(flush, []))
    return Effect.all([Effect.exit(commit), Effect.exit(flushed)], { concurrency: "unbounded" })
  })

  /** Commits and waits for the disk. Fails if the server rolled back. Discards the connection on an error or late answer. */
  readonly commit: Effect.Effect<void, SqlError.SqlError> = Effect.flatMap(UnitTimeout, (longest) =>
    Duration.isFinite(longest)
      ? Effect.timeoutOrElse(Effect.interruptible(this.committed), {
          duration: longest,
          orElse: () => Effect.fail(lost(`COMMIT had no answer within ${Duration.format(longest)}`))
        })
      : this.committed
  ).pipe(
    Effect.flatMap(([committed, flushed]) => Effect.andThen(Effect.andThen(committed, flushed), committed)),
    Effect.onError(() => this.ends.discard),
    Effect.flatMap(({ command }) =>
      command === "ROLLBACK" ? Effect.fail(lost("COMMIT rolled back a failed transaction")) : Effect.void
    )
  )

  rollback(text: string): Effect.Effect<void, SqlError.SqlError> {
    return Effect.suspend(() => (this.isLost ? Effect.void : Effect.asVoid(this.control(text))))
  }
}

/** Ends a session through a separate connection. It retries, because a server at its connection limit accepts slowly. */
const terminate = (config: PgConnection.Config, process: number) =>
  PgConnection.make(config).pipe(
    Effect.flatMap((connection) => connection.query("SELECT pg_terminate_backend($1)", [process])),
    Effect.scoped,
    Effect.timeout("5 seconds"),
    Effect.retry({ schedule: Schedule.exponential("200 millis"), times: 5 }),
    Effect.ignore({ log: "Warn" })
  )

let lent = 0

/** If `config` is the address of a pooler, `direct` is the address of its server. */
const make = Effect.fnUntraced(function* (config: PgPool.Config, direct?: PgConnection.Config) {
  const begins = direct === undefined ? beginning : ([...beginning, ...beginningOfPooled] as const)
  const pool = yield* PgPool.make({ ...config, multiplex: true, multiplexConcurrency: 1 })
  // Outside a unit, each statement reserves a connection, so that it can be cancelled.
  const acquirer = Effect.map(
    pool.reserve,
    (connection) => new Session(connection, { abandon: Effect.void, discard: Effect.void })
  )
  yield* (yield* Metrics.Gauges).add(Effect.suspend(() => Metric.update(Metrics.poolInUse.at({}), lent)))
  const lend = Effect.gen(function* () {
    const connection = yield* pool.get
    const discard = pool.invalidate(connection)
    // Behind a pooler, nothing is terminated, because the process number isn't the server's.
    const ended = direct === undefined ? Effect.forkDetach(terminate(config, connection.processId)) : Effect.void
    const session = new Session(keptOn(connection), { discard, abandon: Effect.andThen(ended, discard) })
    lent++
    yield* Effect.addFinalizer(() => {
      lent--
      return session.end
    })
    return session
  })
  const client = yield* SqlClient.make({
    acquirer,
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const withTransaction = SqlClient.makeWithTransaction<unknown, Session>({
    transactionService: client.transactionService as unknown as Context.Key<unknown, readonly [Session, number]>,
    spanAttributes: [],
    acquireConnection: (restore) => restore(lend),
    begin: (of, statement = "BEGIN") => of.begin(statement, begins),
    commit: (of) => of.commit,
    rollback: (of) => of.rollback("ROLLBACK"),
    savepoint: (of, id) => of.savepoint(id),
    releaseSavepoint: (of, id) => of.release(id),
    rollbackSavepoint: (of, id) => of.rollbackTo(id)
  })
  const listener = direct === undefined ? pool.reserve : PgConnection.make(direct)
  const listen = (channel: string) => Effect.flatMap(listener, (connection) => connection.listen(channel))
  return Object.assign(client, { withTransaction, listen, pipelines: true as const })
})

/** Options of a PostgreSQL client. */
export interface Options {
  /** The maximum number of connections. The default is 10. */
  readonly maxConnections?: number
  /** The address of a pooler, which is used for everything except LISTEN. Statements are then not prepared. */
  readonly pooler?: Redacted.Redacted
}

/**
 * A client with at most `maxConnections` connections. The address's `sslmode`, `sslrootcert`, `sslcert` and `sslkey` control
 * encryption. Numerics and bigints beyond 2^53 lose digits, also in the host's columns.
 */
export const layer = (
  url: Redacted.Redacted,
  { maxConnections = 10, pooler }: Options = {}
): Layer.Layer<SqlClient.SqlClient, SqlError.SqlError> => {
  const client = Effect.gen(function* () {
    const direct = { ...(yield* encrypted(url)), types, startupParameters: Dialect.limitsOfLocks, maxMessageSize }
    if (pooler === undefined) return yield* make({ ...direct, maxConnections })
    return yield* make({ ...(yield* encrypted(pooler)), types, maxMessageSize, maxConnections, prepare: false }, direct)
  })
  return Layer.effect(SqlClient.SqlClient, client).pipe(Layer.provide(Reactivity.layer))
}
