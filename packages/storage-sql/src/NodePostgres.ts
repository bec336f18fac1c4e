/** PostgreSQL through the application's pg (8.17 or later), whose writes can share a transaction with Crossdock's. */
import { connect } from "node:net"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { memoize } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import * as SqlError from "effect/sql/SqlError"
import * as Dialect from "./Dialect.ts"
import { compilerOf, driverConnection, type JoinableClient, savepoint } from "./TransactionSql.ts"

type Parse = (text: string) => unknown

interface Query {
  readonly text: string
  readonly values?: Array<unknown>
  readonly rowMode?: "array"
  readonly queryMode?: "extended"
  readonly types?: { readonly getTypeParser: (type: number, format?: string) => Parse }
}

interface Answer {
  readonly rows: ReadonlyArray<object>
  readonly rowCount: number | null
  readonly command: string
}

/** A connected `Client` of pg. */
export interface PgClient {
  readonly query: (query: never) => Promise<unknown>
  readonly getTypeParser: (type: never, format: never) => unknown
  readonly getTransactionStatus: () => string | null
  readonly on: (event: "error", listener: (error: Error) => void) => unknown
  readonly removeListener: (event: "error", listener: (error: Error) => void) => unknown
}

/** A client that a pool lends. */
export interface PgPoolClient extends PgClient {
  readonly release: (destroy?: boolean) => void
}

/** A `Pool` of pg. */
export interface PgPool {
  readonly connect: () => Promise<PgPoolClient>
}

const asText: Parse = (text) => text
const asNumbers: Parse = (text) =>
  text
    .slice(1, -1)
    .split(",")
    .filter((one) => one !== "")
    .map((one) => (one === "NULL" ? null : Number(one)))

/** Our parsers by type number. Other types are parsed by the application's parsers. */
const parsers = new Map<number, Parse>([
  [16, (text) => text === "t"],
  ...[20, 21, 23, 700, 701, 1700].map((type) => [type, Number] as const),
  ...[19, 25, 1043].map((type) => [type, asText] as const),
  ...[1016, 1231].map((type) => [type, asNumbers] as const)
])

const reasons: Readonly<Record<string, (props: Props) => SqlError.SqlErrorReason>> = {
  "40001": (props) => new SqlError.SerializationError(props),
  "40P01": (props) => new SqlError.DeadlockError(props),
  "55P03": (props) => new SqlError.LockTimeoutError(props),
  "57014": (props) => new SqlError.StatementTimeoutError(props)
}

interface Props {
  readonly cause: unknown
  readonly message: string
  readonly operation: string
}

const textOf = (cause: object, name: string): string => {
  const value: unknown = Reflect.get(cause, name)
  return typeof value === "string" ? value : ""
}

const sqlError = (cause: unknown): SqlError.SqlError => {
  const props = { cause, message: "The statement failed", operation: "execute" }
  const error = typeof cause === "object" && cause !== null ? cause : {}
  const code = textOf(error, "code")
  const named = reasons[code]
  if (named !== undefined) return new SqlError.SqlError({ reason: named(props) })
  if (code === "23505") {
    const constraint = textOf(error, "constraint") || "unknown"
    return new SqlError.SqlError({ reason: new SqlError.UniqueViolation({ ...props, constraint }) })
  }
  const reason = code.startsWith("23") ? new SqlError.ConstraintError(props) : new SqlError.UnknownError(props)
  return new SqlError.SqlError({ reason })
}

const lost = () => sqlError(new Error("The connection was given back, or lost in an earlier statement"))

interface Lease extends Connection {
  readonly client: PgClient
  readonly isPart: boolean
  /** Whether the application uses the client too. Then the client must not be destroyed. */
  readonly isShared: boolean
  /** Whether nothing more may be sent, because a statement was interrupted, or the connection or the lease has ended. */
  isLost: boolean
  isStuck: boolean
  /** Sends a query. A query that is only a text may contain several statements, and the answer is then a list. */
  readonly send: (query: Query | string) => Effect.Effect<Answer, SqlError.SqlError>
}

const leaseOf = (client: PgClient, isPart: boolean, isShared: boolean): Lease => {
  const types = {
    getTypeParser: (type: number, format?: string): Parse =>
      parsers.get(type) ?? (client.getTypeParser(type as never, (format ?? "text") as never) as Parse)
  }
  const send: Lease["send"] = (query) => {
    const answer = Effect.callback<Answer, SqlError.SqlError>((resume) => {
      if (lease.isLost) return resume(Effect.fail(lost()))
      client.query(query as never).then(
        (done) => resume(Effect.succeed(done as Answer)),
        (cause: unknown) => resume(Effect.fail(sqlError(cause)))
      )
      return Effect.sync(() => {
        lease.isLost = true
        lease.isStuck = true
      })
    })
    return isShared ? Effect.uninterruptible(answer) : answer
  }
  const run = (text: string, params: ReadonlyArray<unknown>) =>
    send({ text, values: [...params], types, queryMode: "extended" })
  const connection = driverConnection({
    rows: (text, params) => Effect.map(run(text, params), ({ rows }) => rows),
    values: (text, params) =>
      Effect.map(
        send({ text, values: [...params], types, rowMode: "array" }),
        ({ rows }) => rows as ReadonlyArray<ReadonlyArray<unknown>>
      ),
    raw: run
  })
  const lease: Lease = { ...connection, client, isPart, isShared, isLost: false, isStuck: false, send }
  return lease
}

const cancelRequest = 80877102

const isIdle = (client: PgClient): boolean => client.getTransactionStatus() === "I"

/** Cancels the statement of a destroyed client, which could still wait for a lock. Cancel requests work through poolers. */
const cancel = (client: PgClient): void => {
  const [host, port, process, secret] = ["host", "port", "processID", "secretKey"].map((name) =>
    Reflect.get(client, name)
  )
  if (typeof host !== "string" || ![port, process, secret].every(Number.isInteger)) return
  const request = Buffer.alloc(16)
  for (const [index, value] of [16, cancelRequest, process, secret].entries()) request.writeInt32BE(value, index * 4)
  const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.on("error", () => {}).end(request)
}

/** Lends a client of the pool. A client that is disconnected or in a transaction is destroyed instead of returned. */
const lend = (pool: PgPool): Effect.Effect<Lease, SqlError.SqlError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.map(Effect.tryPromise({ try: () => pool.connect(), catch: sqlError }), (client) => {
        const lease = leaseOf(client, false, false)
        const onError = () => {
          lease.isLost = true
        }
        // Without a listener, a closed connection would end the process.
        client.on("error", onError)
        const end = () => {
          client.release(lease.isLost || !isIdle(client))
          // A cancelled client keeps its listener, because its session emits an error when it ends.
          if (lease.isStuck) cancel(client)
          else client.removeListener("error", onError)
          // Statements that remain from this transaction must not run when another caller has the connection.
          lease.isLost = true
        }
        return { lease, end }
      }),
      ({ end }) => Effect.sync(end)
    ),
    ({ lease }) => lease
  )

/** Sends COMMIT. PostgreSQL answers a rollback with success too, so this checks the command in the answer. */
const committed = (lease: Lease): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(lease.send("COMMIT"), ({ command }) =>
    command === "ROLLBACK" ? Effect.fail(sqlError(new Error("COMMIT rolled back a failed transaction"))) : Effect.void
  )

const compiler = compilerOf("pg", (index) => `$${index}`)

const limits = Object.entries(Dialect.limitsOfLocks).map(([name, value]) => `; SET LOCAL ${name} = '${value}'`)

/** Begins a transaction whose locks the server releases if the host dies. The application's transactions have its own limits. */
const begin = (statement = "BEGIN") => `${statement}${limits.join("")}`

const make = Effect.fnUntraced(function* (acquirer: Effect.Effect<Lease, SqlError.SqlError, Scope.Scope>) {
  const client = yield* SqlClient.make({
    acquirer,
    compiler,
    driver: "pg",
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const transactionService = client.transactionService as unknown as Context.Key<unknown, readonly [Lease, number]>
  const withTransaction = SqlClient.makeWithTransaction<unknown, Lease>({
    transactionService,
    spanAttributes: [],
    acquireConnection: (restore) => restore(acquirer),
    begin: (of, statement) => Effect.asVoid(of.send(of.isPart ? savepoint.begin : begin(statement))),
    commit: (of) => (of.isPart ? Effect.asVoid(of.send(savepoint.commit)) : committed(of)),
    onCommitFailure: (of) => (of.isPart ? undo(of, "crossdock") : Effect.void),
    rollback: (of) => (of.isPart ? undo(of, "crossdock") : Effect.asVoid(of.send("ROLLBACK"))),
    savepoint: (of, id) => Effect.asVoid(of.send(`SAVEPOINT effect_sql_${id}`)),
    releaseSavepoint: (of, id) => Effect.asVoid(of.send(`RELEASE SAVEPOINT effect_sql_${id}`)),
    rollbackSavepoint: (of, id) => Effect.asVoid(of.send(`ROLLBACK TO SAVEPOINT effect_sql_${id}`))
  })
  const current = Effect.contextWith((context: Context.Context<never>) =>
    Effect.succeed(Context.getUnsafe(context, transactionService)[0])
  )
  const joinable: typeof withTransaction = (effect) =>
    withTransaction(
      Effect.flatMap(current, (lease) => (lease.isShared ? Effect.provideService(effect, Turn, lease.client) : effect))
    )
  const ownClient = Effect.map(current, (lease): object => lease.client)
  return Object.assign(client, { withTransaction: joinable, ownClient })
})

/** Runs units of work on one client one after the other, because concurrent units would use the same savepoint. */
const turnsOf = memoize((_: PgClient) => Semaphore.makeUnsafe(1))

/** The client of the running unit. Other storages on this client join the unit. */
const Turn = Context.Reference<PgClient | undefined>("@crossdock/storage-sql/NodePostgres/Turn", {
  defaultValue: () => undefined
})

/** Lends the application's client to one unit at a time. If `isPart` returns true, the unit joins an open transaction. */
const share = (client: PgClient, isPart: () => boolean): Effect.Effect<Lease, never, Scope.Scope> =>
  Effect.flatMap(Turn, (turn) => {
    const isInside = turn === client
    return Effect.map(isInside ? Effect.void : turnsOf(client).takeScoped(1), () =>
      leaseOf(client, isInside || isPart(), true)
    )
  })

const undo = (of: Lease, name: string) =>
  Effect.asVoid(of.send(`ROLLBACK TO SAVEPOINT ${name}; RELEASE SAVEPOINT ${name}`))

const Within = Context.Reference<PgClient | undefined>("@crossdock/storage-sql/NodePostgres/Within", {
  defaultValue: () => undefined
})

const isClient = (value: unknown): value is PgClient =>
  Predicate.hasProperty(value, "getTransactionStatus") && Predicate.isFunction(value.getTransactionStatus)

/** The pg client of a connection: the connection itself, or the client that a drizzle transaction uses. */
const clientOf = (connection: unknown): PgClient | undefined => {
  const session = Predicate.hasProperty(connection, "session") ? connection.session : undefined
  return [connection, Predicate.hasProperty(session, "client") ? session.client : undefined].find(isClient)
}

const within: JoinableClient["within"] = (connection) => (effect) =>
  Effect.suspend(() => {
    const client = clientOf(connection)
    if (client === undefined)
      return Effect.die(new Error("This is no client of pg 8.17 or later, and no transaction of drizzle on one"))
    return isIdle(client)
      ? Effect.die(new Error("The client has no transaction open: begin it first"))
      : Effect.provideService(effect, Within, client)
  })

const layer = (client: Effect.Effect<SqlClient.SqlClient, never, Scope.Scope | Reactivity.Reactivity>) =>
  Layer.provide(Layer.effect(SqlClient.SqlClient, client), Reactivity.layer)

/** A client on the application's pool. It uses the pool's settings and parsers. End the pool after the host has stopped. */
export const fromPool = (pool: PgPool): Layer.Layer<SqlClient.SqlClient> => {
  const lent = lend(pool)
  const acquirer = Effect.flatMap(Within, (client) => (client === undefined ? lent : share(client, () => true)))
  return layer(Effect.map(make(acquirer), (sql) => Object.assign(sql, { within })))
}

/** A client on one pg `Client`. It runs one unit at a time, in the open transaction if there is one. Hosts need a pool. */
export const fromClient = (client: PgClient): Layer.Layer<SqlClient.SqlClient> =>
  layer(make(share(client, () => !isIdle(client))))
