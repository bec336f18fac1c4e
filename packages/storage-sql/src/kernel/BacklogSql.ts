/** The pending work of a host. Each part of the query reads a bounded number of index entries. */
import { Backlog } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Dialect from "../Dialect.ts"
import { named } from "../TransactionSql.ts"

interface Row {
  readonly name: string
  readonly entries: number
  readonly oldest: number | null
}

const backup = "backup"

/** Stores the time at which a backup began, in epoch milliseconds. */
export const recordBackup = (began: number) =>
  Effect.flatMap(
    SqlClient,
    (sql) => sql`
      INSERT INTO crossdock_versions (name, version) VALUES (${backup}, ${began})
      ON CONFLICT (name) DO UPDATE SET version = excluded.version`
  ).pipe(Effect.asVoid, named("Backlog.recordBackup"))

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const most = Backlog.maxCounted

  // On PostgreSQL the number is cut out of the text, because PostgreSQL can't parse JSON with an escaped NUL.
  const since = Dialect.words(sql, "body ->> '$.outstanding.since'", `substring(body FROM '"since":([0-9]+)')::bigint`)

  const pages = "(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)"
  const onSqlite = sql.driver === Dialect.durableObject ? "NULL" : pages
  const size = Dialect.words(sql, onSqlite, "pg_database_size(current_database())")

  // A subquery with LIMIT uses the index of pending work instead of the table's key.
  const waiting = (now: number) => sql`
    SELECT 'notifications' AS name, COUNT(c.since) AS entries, MIN(c.since) AS oldest FROM (
      SELECT ${since} AS since FROM crossdock_channels) c
    UNION ALL
    SELECT 'billing', COUNT(*), MIN(a.due_at) FROM (
      SELECT due_at FROM crossdock_agreements WHERE due_at <= ${now} ORDER BY due_at LIMIT ${most}) a
    UNION ALL
    SELECT 'payments', COUNT(*), MIN(i.next_at) FROM (
      SELECT next_at FROM crossdock_invoices WHERE next_at <= ${now} AND status = 'open'
      ORDER BY next_at LIMIT ${most}) i
    UNION ALL
    SELECT 'backup', 1, MAX(b.version) FROM crossdock_versions b WHERE b.name = ${backup}`

  const unread = sql`
    SELECT 'events' AS name, COUNT(*) AS entries, MIN(g.at) AS oldest FROM (
      SELECT (SELECT e.at FROM crossdock_events e WHERE e.company_id = k.company_id AND e.last > k.reached
        ORDER BY e.last LIMIT 1) AS at
      FROM crossdock_event_consumers k JOIN crossdock_companies o ON o.id = k.company_id
      WHERE o.last_event > k.reached) g
    UNION ALL
    SELECT 'endpoints', COUNT(*), MIN(p.at) FROM (
      SELECT (SELECT v.at FROM crossdock_events v WHERE v.company_id = e.company_id AND v.last > e.reached
        ORDER BY v.last LIMIT 1) AS at
      FROM crossdock_event_endpoints e WHERE e.next_at IS NOT NULL LIMIT ${most}) p
    UNION ALL
    SELECT 'dead letters', COUNT(*), NULL FROM (
      SELECT at FROM crossdock_dead_letters ORDER BY at LIMIT ${most}) d
    UNION ALL
    SELECT 'dead letters of events', COUNT(*), NULL FROM (
      SELECT at FROM crossdock_event_dead_letters ORDER BY at LIMIT ${most}) d
    UNION ALL
    SELECT 'bytes', ${size}, NULL`

  // A Durable Object accepts at most five SELECTs in one UNION.
  const read = (now: number) => sql<Row>`
    SELECT w.name, w.entries, w.oldest FROM (${waiting(now)}) w
    UNION ALL
    SELECT u.name, u.entries, u.oldest FROM (${unread}) u`

  return {
    read: (now: number) =>
      read(now).pipe(
        Effect.map((found): Backlog.Figures => {
          const byName = new Map(found.map(({ name, ...pending }) => [name, pending]))
          const none = { entries: 0, oldest: null }
          const count = (name: string) => byName.get(name)?.entries
          return {
            queues: {
              notifications: byName.get("notifications") ?? none,
              billing: byName.get("billing") ?? none,
              payments: byName.get("payments") ?? none,
              events: byName.get("events") ?? none,
              endpoints: byName.get("endpoints") ?? none
            },
            deadLetters: { stock: count("dead letters") ?? 0, events: count("dead letters of events") ?? 0 },
            databaseBytes: count("bytes") ?? null,
            lastBackup: byName.get(backup)?.oldest ?? null
          }
        }),
        named("Backlog.read")
      )
  }
})

export const layer = Layer.effect(Backlog.Backlog, make)
