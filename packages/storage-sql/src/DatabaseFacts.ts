/** Facts about a database for its operator. */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Distribution from "./Distribution.ts"
import { named, probe } from "./TransactionSql.ts"

export { recordBackup } from "./kernel/BacklogSql.ts"

const fact = <Row>(name: string, read: (sql: SqlClient) => Effect.Effect<ReadonlyArray<Row>, SqlError>) =>
  Effect.flatMap(SqlClient, read).pipe(named(`DatabaseFacts.${name}`))

interface Server {
  readonly version: string
  readonly now: number | null
}

/** The database's name and version, and its time in epoch milliseconds. The time is null on SQLite. */
export const server = fact("server", (sql) =>
  sql.onDialectOrElse({
    orElse: () => sql<Server>`SELECT 'SQLite ' || sqlite_version() AS version, NULL AS now`,
    pg: () => sql<Server>`
      SELECT 'PostgreSQL ' || current_setting('server_version') AS version,
        CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint) AS now`
  })
).pipe(Effect.map(([row]) => row ?? { version: "unknown", now: null }))

/** Counts the stored answers that expired before a time. The worker of a running host deletes expired answers. */
export const expiredAnswers = (before: number) =>
  Effect.map(
    fact(
      "expiredAnswers",
      (sql) => sql<{ count: number }>`SELECT COUNT(*) AS count FROM crossdock_idempotency WHERE expires_at < ${before}`
    ),
    ([row]) => row?.count ?? 0
  )

/** The time of the newest change of any company, in epoch milliseconds. It is null before the first change. */
export const newestChange = fact(
  "newestChange",
  (sql) => sql<{ at: number | null }>`
    SELECT MAX((
      SELECT a.at FROM crossdock_audit_records a WHERE a.company_id = c.id AND a.sequence = c.audit_sequence)) AS at
    FROM crossdock_companies c`
).pipe(Effect.map(([row]) => row?.at ?? null))

/** The protocol that encrypts this PostgreSQL session, such as TLSv1.3. It is null if the session isn't encrypted. */
export const encryption = fact(
  "encryption",
  (sql) => sql<{ version: string | null }>`
    SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl`
).pipe(Effect.map(([row]) => row?.version ?? null))

/** PostgreSQL's durability settings, and how many sessions ordinary roles may have. Both are as this session sees them. */
export interface ServerSettings {
  readonly fsync: string
  readonly fullPageWrites: string
  readonly synchronousCommit: string
  readonly maxConnections: number
}

const unknownSettings = { fsync: "unknown", fullPageWrites: "unknown", synchronousCommit: "unknown", maxConnections: 0 }

/** The settings of the PostgreSQL server. Call it on PostgreSQL only. */
export const serverSettings = fact(
  "serverSettings",
  (sql) => sql<ServerSettings>`
    SELECT current_setting('fsync') AS "fsync", current_setting('full_page_writes') AS "fullPageWrites",
      current_setting('synchronous_commit') AS "synchronousCommit",
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS "maxConnections"`
).pipe(Effect.map(([row]) => row ?? unknownSettings))

/** Whether PostgreSQL's disk is full. */
export const isDiskFull = Effect.flatMap(SqlClient, (sql) => Effect.isFailure(probe(sql)))

/** A session that blocks `waiting` other sessions. Its transaction began `seconds` ago. */
export interface Blocker {
  readonly process: number
  readonly program: string
  readonly state: string
  readonly seconds: number
  readonly waiting: number
}

/** At most five PostgreSQL sessions that have blocked others for over two seconds, and aren't blocked themselves. */
export const blockers = fact(
  "blockers",
  (sql) => sql<Blocker>`
    SELECT b.pid AS process, b.application_name AS program, COALESCE(b.state, 'unknown') AS state,
      COALESCE(EXTRACT(EPOCH FROM clock_timestamp() - b.xact_start), 0)::int AS seconds, COUNT(*)::int AS waiting
    FROM pg_stat_activity w
    CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS blocking (pid)
    JOIN pg_stat_activity b ON b.pid = blocking.pid
    WHERE w.datname = current_database() AND w.wait_event_type = 'Lock'
      AND clock_timestamp() - w.query_start > interval '2 seconds' AND cardinality(pg_blocking_pids(b.pid)) = 0
    GROUP BY b.pid, b.application_name, b.state, b.xact_start
    ORDER BY waiting DESC, process LIMIT 5`
)

const citusServers = (sql: SqlClient) => sql<{ server: string; shards: number; fault: string | null }>`
  SELECT n.nodename || ':' || n.nodeport AS server,
    COUNT(*) FILTER (WHERE s.logicalrelid = 'crossdock_companies'::regclass)::int AS shards,
    CASE WHEN NOT citus_check_connection_to_node(n.nodename, n.nodeport) THEN 'does not answer'
      WHEN bool_or(p.shardstate <> 1) THEN 'has shards that are not active' END AS fault
  FROM pg_dist_node n LEFT JOIN pg_dist_placement p USING (groupid) LEFT JOIN pg_dist_shard s USING (shardid)
  GROUP BY n.nodename, n.nodeport ORDER BY n.nodename, n.nodeport`

/** The servers of Citus, and the tables that aren't distributed over them. The result is null if no table is distributed. */
export const distribution = Effect.flatMap(SqlClient, (sql) =>
  Effect.flatMap(Distribution.isDistributed(sql), (is) =>
    is ? Effect.all({ servers: citusServers(sql), unplaced: Distribution.unplaced(sql) }) : Effect.succeed(null)
  )
).pipe(named("DatabaseFacts.distribution"))
