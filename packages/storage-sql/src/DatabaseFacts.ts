/** Facts about a database, for its operator. */
import type { StorageError } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { named, probe } from "./TransactionSql.ts"

/** The database's name and version, and its clock in epoch milliseconds; null without a clock of its own. */
export const server: Effect.Effect<
  { readonly version: string; readonly now: number | null },
  StorageError,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.onDialectOrElse({
    orElse: () =>
      sql<{ version: string; now: number | null }>`SELECT 'SQLite ' || sqlite_version() AS version, NULL AS now`,
    pg: () => sql<{ version: string; now: number | null }>`
      SELECT 'PostgreSQL ' || current_setting('server_version') AS version,
        CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint) AS now`
  })
  return row ?? { version: "unknown", now: null }
}).pipe(named("DatabaseFacts.server"))

/** How many stored answers expired before a time and weren't deleted. A running host's worker leaves none. */
export const expiredAnswers = (before: number): Effect.Effect<number, StorageError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ count: number }>`
      SELECT COUNT(*) AS count FROM crossdock_idempotency WHERE expires_at < ${before}`
    return row?.count ?? 0
  }).pipe(named("DatabaseFacts.expiredAnswers"))

/** The time of the newest change of any company, in epoch milliseconds; null before the first change. */
export const newestChange: Effect.Effect<number | null, StorageError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ at: number | null }>`
    SELECT MAX((
      SELECT a.at FROM crossdock_audit_records a WHERE a.company_id = c.id AND a.sequence = c.audit_sequence)) AS at
    FROM crossdock_companies c`
  return row?.at ?? null
}).pipe(named("DatabaseFacts.newestChange"))

/** The protocol that encrypts this session, such as TLSv1.3; null when it isn't encrypted. Only on PostgreSQL. */
export const encryption: Effect.Effect<string | null, StorageError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ version: string | null }>`
    SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl`
  return row?.version ?? null
}).pipe(named("DatabaseFacts.encryption"))

/** A PostgreSQL server's durability settings and connection limit, as this session sees them. */
export interface ServerSettings {
  readonly fsync: string
  readonly fullPageWrites: string
  readonly synchronousCommit: string
  /** How many sessions an ordinary role may have at once. */
  readonly maxConnections: number
}

export const serverSettings: Effect.Effect<ServerSettings, StorageError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<ServerSettings>`
    SELECT current_setting('fsync') AS "fsync", current_setting('full_page_writes') AS "fullPageWrites",
      current_setting('synchronous_commit') AS "synchronousCommit",
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS "maxConnections"`
    return row ?? { fsync: "unknown", fullPageWrites: "unknown", synchronousCommit: "unknown", maxConnections: 0 }
  }
).pipe(named("DatabaseFacts.serverSettings"))

/** Whether PostgreSQL's disk is full. */
export const isDiskFull: Effect.Effect<boolean, never, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.isFailure(probe(sql))
)

/** A session that blocks others. */
export interface Blocker {
  readonly process: number
  readonly program: string
  readonly state: string
  /** The age of its transaction. */
  readonly seconds: number
  readonly waiting: number
}

/**
 * PostgreSQL sessions that have blocked other sessions of this database for more than two seconds and aren't blocked
 * themselves.
 */
export const blockers: Effect.Effect<ReadonlyArray<Blocker>, StorageError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<Blocker>`
    SELECT b.pid AS process, b.application_name AS program, COALESCE(b.state, 'unknown') AS state,
      COALESCE(EXTRACT(EPOCH FROM clock_timestamp() - b.xact_start), 0)::int AS seconds, COUNT(*)::int AS waiting
    FROM pg_stat_activity w
    CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS blocking (pid)
    JOIN pg_stat_activity b ON b.pid = blocking.pid
    WHERE w.datname = current_database() AND w.wait_event_type = 'Lock'
      AND clock_timestamp() - w.query_start > interval '2 seconds' AND cardinality(pg_blocking_pids(b.pid)) = 0
    GROUP BY b.pid, b.application_name, b.state, b.xact_start
    ORDER BY waiting DESC, process LIMIT 5`
  }
).pipe(named("DatabaseFacts.blockers"))
