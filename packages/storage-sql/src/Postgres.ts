/**
 * A PostgreSQL client that reads whole numbers as numbers and needs few round trips. Units send BEGIN, savepoints and statements
 * for which the code allows it (kernel's `Transaction`) without waiting for answers. COMMIT doesn't wait for the disk, to
 * release locks early. The unit then waits until all that it committed and read is on the disk.
 */
import { Metrics } from "@crossdock/kernel"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
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
import * as PostgresUrl from "./PostgresUrl.ts"
import { UnitTimeout } from "./TransactionSql.ts"

/** Our bigint columns stay within a double's exact range. The client's default is a BigInt. */
const int8: PgTypes.Codec<number> = {
  encode: (value) => {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setBigInt64(0, BigInt(value))
    return Result.succeed(bytes)
  },
  decode: (bytes) => Result.succeed(Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigInt64(0)))
}

const binary = 1

/** Sums of bigint columns are numeric, by default returned as text. */
const numeric: PgTypes.Codec<number> = {
  encode: (value) => PgTypes.encode(String(value), PgTypes.OID.numeric),
  decode: (bytes) => Result.map(PgTypes.decode(bytes, PgTypes.OID.numeric, binary), Number)
}

const types = PgTypes.makeRegistry()
types.register(PgTypes.OID.int8, int8, { arrayOid: PgTypes.OID.int8Array })
types.register(PgTypes.OID.numeric, numeric, { arrayOid: PgTypes.OID.numericArray })

/** A dead host's locks end when the server sees the connection close, or after 8 s. */
const idleTimeout = "8s"
const startupParameters = { idle_in_transaction_session_timeout: idleTimeout }

/** A pooler's sessions lack our settings. Without a check of the connection each second, waits for locks would have no limit. */
const beginningOfPooled = [
  `SET LOCAL idle_in_transaction_session_timeout = '${idleTimeout}'`,
  "SET LOCAL client_connection_check_interval = '1s'"
] as const

/** PostgreSQL's limit for one value. With the client's default of 16 MiB, longer rows could be written but not read. */
const maxMessageSize = 2 ** 30

const lost = (message: string) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation: "query" })
  })

/** The address with its encryption; a `SqlError` caused by an `UnusableUrl` if the address's parameters can't be met. */
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

/** If BEGIN fails, these end the session. On Citus, commits wait for the disk: they decide about other servers' work. */
const beginning = [
  "SELECT set_config('synchronous_commit', CASE WHEN current_setting('citus.version', true) IS NULL THEN 'off' ELSE 'on' END, true)",
  "SET LOCAL crossdock.unit = 'begun'",
  "SELECT pg_terminate_backend(pg_backend_pid()) WHERE current_setting('crossdock.unit', true) IS DISTINCT FROM 'begun'"
] as const

/** Waits until earlier commits are on the disk and the standbys: an empty log record, whose own commit waits. */
const flush = "SELECT pg_logical_emit_message(true, 'crossdock', '') IS NULL AS nothing"

interface Ends {
  /** After an interrupted statement, which may wait for a lock; a rollback would wait behind it. */
  readonly abandon: Effect.Effect<void>
  /** After a failed commit: the transaction may still be open. */
  readonly discard: Effect.Effect<void>
}

class Session implements Connection {
  private readonly connection: PgConnection.PgConnection
  private readonly ends: Ends
  private isLost = false
  private savepoints = 0
  private readonly names = new Map<number, string>()

  constructor(connection: PgConnection.PgConnection, ends: Ends) {
    this.connection = connection
    this.ends = ends
  }

  /** Later statements are rejected: they would run in the connection's next unit. */
  readonly end: Effect.Effect<void> = Effect.sync(() => {
    this.isLost = true
  })

  private sent<A>(statement: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> {
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

  /** Never prepared: a server that lost a prepared BEGIN would go on without one. */
  private readonly control = (text: string) => this.run(text, [], false)

  /** Doesn't wait for the answer. After a failure, all later statements of the transaction fail, COMMIT included. */
  private readonly queue = (statement: Effect.Effect<unknown, SqlError.SqlError>): Effect.Effect<void> =>
    Effect.asVoid(Effect.forkDetach(Effect.ignore(statement), { startImmediately: true }))

  /** Settings may be prepared statements: if one fails, the transaction fails. */
  begin(statement: string, settings: ReadonlyArray<string>): Effect.Effect<void> {
    const all = [this.control(statement), ...settings.map((text) => this.run(text))]
    return Effect.forEach(all, this.queue, { discard: true })
  }

  /** Each savepoint has its own name: a rollback to a shared name could go back to an earlier one. */
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

  private readonly committed = Effect.suspend(() =>
    Effect.all([Effect.exit(this.control("COMMIT")), Effect.exit(this.run(flush))], { concurrency: "unbounded" })
  )

  /** The server answers a failed transaction's COMMIT with success. A COMMIT not answered in time ends its session. */
  readonly commit: Effect.Effect<void, SqlError.SqlError> = Effect.flatMap(UnitTimeout, (longest) =>
    Duration.isFinite(longest)
      ? Effect.timeoutOrElse(Effect.interruptible(this.committed), {
          duration: longest,
          orElse: () => Effect.fail(lost(`COMMIT had no answer within ${Duration.format(longest)}`))
        })
      : this.committed
  ).pipe(
    // A failure of the commit comes before one of the disk.
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

/** Ends a session over a separate connection. A server at its connection limit may be slow to accept it. */
const terminate = (config: PgConnection.Config, process: number) =>
  PgConnection.make(config).pipe(
    Effect.flatMap((connection) => connection.query("SELECT pg_terminate_backend($1)", [process])),
    Effect.scoped,
    Effect.timeout("5 seconds"),
    Effect.retry({ schedule: Schedule.exponential("200 millis"), times: 5 }),
    Effect.ignore({ log: "Warn" })
  )

let lent = 0

/** `direct` is the server itself if `config` is a pooler. */
const make = Effect.fnUntraced(function* (config: PgPool.Config, direct?: PgConnection.Config) {
  const begins = direct === undefined ? beginning : ([...beginning, ...beginningOfPooled] as const)
  // A connection, used by one unit at a time, takes statements before it has answered earlier ones.
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
    // A pooler makes up the process number.
    const ended = direct === undefined ? Effect.forkDetach(terminate(config, connection.processId)) : Effect.void
    const session = new Session(connection, { discard, abandon: Effect.andThen(ended, discard) })
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
    // Its value is what `acquireConnection` returned.
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

export interface Options {
  /** 10 by default. */
  readonly maxConnections?: number
  /** A pooler's address, for everything but LISTEN. Statements are then unnamed and planned each time. */
  readonly pooler?: Redacted.Redacted
}

/**
 * A client with at most `maxConnections` connections to `url` or its pooler, encrypted by the address's `sslmode`,
 * `sslrootcert`, `sslcert` and `sslkey`. Also affects the host's own columns: a numeric or a bigint beyond 2^53 loses digits.
 */
export const layer = (
  url: Redacted.Redacted,
  { maxConnections = 10, pooler }: Options = {}
): Layer.Layer<SqlClient.SqlClient, SqlError.SqlError> => {
  const client = Effect.gen(function* () {
    const direct = { ...(yield* encrypted(url)), types, startupParameters, maxMessageSize }
    if (pooler === undefined) return yield* make({ ...direct, maxConnections })
    return yield* make({ ...(yield* encrypted(pooler)), types, maxMessageSize, maxConnections, prepare: false }, direct)
  })
  return Layer.effect(SqlClient.SqlClient, client).pipe(Layer.provide(Reactivity.layer))
}
