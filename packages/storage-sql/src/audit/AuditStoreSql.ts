/** The audit trail. It also appends events to the change feed. */
import type { AuditRecord, AuditSearch, LockedHead, NextRecord } from "@crossdock/audit"
import { AuditStore, CompanyEvent } from "@crossdock/audit"
import { type CompanyId, StoredBody, Transaction } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Dialect from "../Dialect.ts"
import { each, expectRows, given, inserted, plain, rows, rowsOf } from "../Dialect.ts"
import { allOrNothing, durableRead, named, unbounded } from "../TransactionSql.ts"
import { EventAnnouncements } from "./EventAnnouncements.ts"

const headColumns = Dialect.columns(`
  company_id integer, sequence integer, hash text, first_event integer, last_event integer`)

type Head = readonly [number, number, string, number | null, number | null]

const rowOf = (_: AuditRecord) =>
  [_.companyId, _.sequence, _.id, _.at, _.entityType, _.entityId, _.action, _.hash, _.body, _.personal] as const

const recordColumns = Dialect.columns(`
  company_id integer, sequence integer, id text, at integer, entity_type text, entity_id text, action text,
  hash text, body text, personal text`)

const nextColumns = Dialect.columns(`
  company_id integer, random text, at integer, entity_type text, entity_id text, action text, content text,
  personal text, count integer, events text`)

const eventColumns = Dialect.columns("company_id integer, last integer, change_number integer, at integer, body text")

/** The events of one change, as they are stored. Each payload has its own version. */
export const eventDrafts = StoredBody.makeList<CompanyEvent.EventDraft>({
  name: "events of change",
  fields: { type: true, version: true }
})

const eventRowOf = (batch: CompanyEvent.EventBatch) => [
  batch.companyId,
  CompanyEvent.lastOf(batch),
  batch.change,
  batch.at,
  eventDrafts.write(batch.drafts)
]

const columnOf = { "entity.type": "entity_type", "entity.id": "entity_id", "entity.action": "action" } as const

const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text) && !/["\\]/.test(text)

/** SQL conditions that select all matching records, and perhaps others. The search rule then checks the texts. */
const mayMatch = (sql: SqlClient, { before, from, pairs, words }: AuditSearch.AuditFilter) => {
  const contains = (column: string, word: string) =>
    sql`(${Dialect.position(sql, word, column)} > 0 OR ${Dialect.isBeyondAscii(sql, column)})`
  const pair = (field: keyof typeof columnOf, value: string) => {
    const column = columnOf[field]
    const equals = sql`lower(${sql.literal(column)}) = ${value} OR ${Dialect.isBeyondAscii(sql, column)}`
    return field === "entity.id" ? sql`(${equals} OR ${contains("body", value)})` : sql`(${equals})`
  }
  return [
    ...(from === null ? [] : [sql`at >= ${from}`]),
    ...(before === null ? [] : [sql`at < ${before}`]),
    ...pairs
      .filter(({ value }) => isPlain(value))
      .map(({ field, value }) => (field === "modifier.user_id" ? sql`personal IS NOT NULL` : pair(field, value))),
    ...words
      .filter(isPlain)
      .map((word) => sql`(${contains("body", word)} OR (personal IS NOT NULL AND ${contains("personal", word)}))`)
  ]
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const whole = allOrNothing(sql)
  const settled = durableRead(sql)
  const { announce } = yield* EventAnnouncements
  const columns = sql.literal(`
    company_id AS "companyId", sequence, id, at, entity_type AS "entityType", entity_id AS "entityId", action, hash, body,
    personal`)

  const headsOf = (companies: ReadonlyArray<CompanyId>, lock: Fragment = sql``) => sql<LockedHead>`
    SELECT id AS "companyId", audit_sequence AS sequence, audit_hash AS hash, last_event AS events
    FROM crossdock_companies c WHERE ${Dialect.isOneOf(sql, "id", companies)} ORDER BY id ${lock}`

  const lockedHeads = (companies: ReadonlyArray<CompanyId>) =>
    companies.length === 0
      ? headsOf([])
      : sql.onDialectOrElse({
          orElse: () => headsOf(companies),
          pg: () =>
            sql<LockedHead>`${Dialect.ofEach(sql, companies, (company) => headsOf([company], Dialect.locked(sql, "c")))}`
        })

  const type = Dialect.indexed(sql, "entity_type")
  /** The next entity type in the index. It reads one index entry per type instead of one per record. */
  const nextType = (company: CompanyId, after: Fragment) => sql`
    SELECT a.${type} FROM crossdock_audit_records a
    WHERE a.company_id = ${company} ${after} ORDER BY a.${type} LIMIT 1`

  /** Makes the idle endpoints of these locked companies due. It locks rows in key order to avoid deadlocks. */
  const hasMore = (companies: ReadonlyArray<CompanyId>) => {
    const idle = sql`e.next_at IS NULL AND e.is_paused = 0`
    const lockedOf = (company: CompanyId) => sql`
      SELECT e.company_id, e.id FROM crossdock_event_endpoints e WHERE e.company_id = ${company} AND ${idle}
      ORDER BY e.id ${Dialect.locked(sql, "e")}`
    const due = sql.onDialectOrElse({
      // A subquery would make SQLite create a table for each statement.
      orElse: () => idle,
      pg: () => sql`(e.company_id, e.id) IN (${Dialect.ofEach(sql, companies, lockedOf)})`
    })
    const isTheirs = Dialect.isOneOf(sql, "e.company_id", companies)
    return sql`UPDATE crossdock_event_endpoints AS e SET next_at = 0 WHERE ${isTheirs} AND ${due}`
  }

  /** Saves the last numbers of trail and feed. For one company, the usual case, SQLite creates no table. */
  const advanced = (heads: ReadonlyArray<Head>) => {
    const [head] = heads
    if (head === undefined || heads.length > 1)
      return sql`
        UPDATE crossdock_companies AS c SET audit_sequence = r.sequence, audit_hash = r.hash, last_event = COALESCE(r.last_event, c.last_event)
        FROM ${rows(sql, headColumns, heads)} r
        WHERE ${ofServer(heads)} AND c.id = r.company_id AND c.audit_sequence = r.sequence - 1
          AND (r.first_event IS NULL OR c.last_event = r.first_event - 1)`
    const [companyId, sequence, hash, first, last] = head
    const events =
      first === null
        ? { saved: sql``, follow: sql`` }
        : { saved: sql`, last_event = ${last}`, follow: sql`AND last_event = ${first - 1}` }
    return sql`
      UPDATE crossdock_companies SET audit_sequence = ${sequence}, audit_hash = ${hash}${events.saved}
      WHERE id = ${companyId} AND audit_sequence = ${sequence - 1} ${events.follow}`
  }

  /** A condition with the company ids, which Citus needs. SQLite gets none, because it would scan all rows for each id. */
  const ofServer = (heads: ReadonlyArray<Head>) => {
    const ids = heads.map(([companyId]) => companyId)
    return sql.onDialectOrElse({ orElse: () => sql`1 = 1`, pg: () => Dialect.isOneOf(sql, "c.id", ids) })
  }

  /** Computes `AuditChain.sealed` inside PostgreSQL, so that companies aren't locked during a round trip. */
  const appendNext = (records: ReadonlyArray<NextRecord>) =>
    Effect.gen(function* () {
      const fed = records.flatMap(({ companyId, events }) => (events.length === 0 ? [] : [companyId]))
      if (fed.length > 0) yield* sql.afterCommit(announce(fed))
      const companies = records.map(({ companyId }) => companyId)
      const ofNext = Dialect.isOneOf(sql, "c.id", companies)
      const next = records.map(({ action, at, companyId, content, entityId, entityType, events, personal, random }) => {
        const drafts = events.length === 0 ? null : eventDrafts.write(events)
        return [companyId, random, at, entityType, entityId, action, content, personal, events.length, drafts]
      })
      yield* expectRows(
        sql,
        "AuditStore.append",
        records.length,
        sql`
          UPDATE crossdock_companies c SET audit_sequence = s.sequence, audit_hash = s.hash, last_event = s.last_event
          FROM sealed s WHERE c.id = s.company_id AND ${ofNext} AND c.audit_sequence = s.sequence - 1`,
        {
          tables: sql`
          next (company_id, random, at, entity_type, entity_id, action, content, personal, count, events) AS (
            ${given(sql, nextColumns, next)}),
          numbered AS (
            SELECT n.*, c.audit_sequence + 1 AS sequence, c.audit_hash, c.last_event + n.count AS last_event,
              lpad(to_hex(c.audit_sequence + 1), 12, '0') || substr(n.random, 13) AS id
            FROM next n JOIN crossdock_companies c ON c.id = n.company_id WHERE ${ofNext}),
          composed AS (
            SELECT *, '{"_id":"' || id || '","company":' || company_id || ',"sequence":' || sequence || ',' || content AS body
            FROM numbered),
          sealed AS MATERIALIZED (
            SELECT *, encode(sha256(convert_to(audit_hash || body, 'UTF8')), 'hex') AS hash FROM composed),
          recorded AS (
            INSERT INTO crossdock_audit_records (company_id, sequence, id, at, entity_type, entity_id, action, hash, body, personal)
            SELECT company_id, sequence, id, at, entity_type, entity_id, action, hash, body, personal FROM sealed),
          fed AS (
            INSERT INTO crossdock_events (company_id, last, change_number, at, body)
            SELECT company_id, last_event, sequence, at, events FROM sealed WHERE count > 0)`,
          besides: fed.length === 0 ? [] : [hasMore(fed)]
        }
      )
    }).pipe(named("AuditStore.append"), whole, Transaction.write)

  return AuditStore.of({
    heads: (companies) => headsOf(companies).pipe(each(plain), named("AuditStore.heads"), settled),
    lock: (companies) => lockedHeads(companies).pipe(each(plain), named("AuditStore.lock")),
    append: (records, batches) => {
      if (records.length === 0) return Effect.void
      const batchOf = new Map(batches.map((batch) => [batch.companyId, batch]))
      const fed = batches.map(({ companyId }) => companyId)
      const heads = records.map(({ companyId, hash, sequence }): Head => {
        const batch = batchOf.get(companyId)
        const events =
          batch === undefined ? ([null, null] as const) : ([batch.first, CompanyEvent.lastOf(batch)] as const)
        return [companyId, sequence, hash, ...events]
      })
      const written = expectRows(sql, "AuditStore.append", records.length, advanced(heads), {
        besides: [
          inserted(sql, "crossdock_audit_records", recordColumns, records.map(rowOf)),
          ...(fed.length === 0
            ? []
            : [inserted(sql, "crossdock_events", eventColumns, batches.map(eventRowOf)), hasMore(fed)])
        ]
      })
      // The announcement is registered first, because the commit may be answered before this statement.
      const announced = fed.length === 0 ? written : Effect.andThen(sql.afterCommit(announce(fed)), written)
      return announced.pipe(named("AuditStore.append"), whole, Transaction.write)
    },
    ...sql.onDialectOrElse({ orElse: () => ({}), pg: () => ({ appendNext }) }),
    read: (company, after, limit) =>
      sql<AuditRecord>`
        SELECT ${columns} FROM crossdock_audit_records
        WHERE company_id = ${company} AND sequence > ${after} ORDER BY sequence
        LIMIT ${limit}`.pipe(each(plain), named("AuditStore.read"), settled),
    candidates: (company, filter, { after, descending, limit, through }) =>
      sql<AuditRecord>`
        SELECT ${columns} FROM crossdock_audit_records
        WHERE ${sql.and([
          sql`company_id = ${company}`,
          ...(after === null ? [] : [descending ? sql`sequence < ${after}` : sql`sequence > ${after}`]),
          ...(through === null ? [] : [descending ? sql`sequence >= ${through}` : sql`sequence <= ${through}`]),
          ...mayMatch(sql, filter)
        ])}
        ORDER BY sequence ${sql.literal(descending ? "DESC" : "ASC")}
        LIMIT ${limit}`.pipe(each(plain), named("AuditStore.candidates")),
    entityTypes: (company) =>
      sql<{ entity_type: string }>`
        WITH RECURSIVE types (at) AS (
          SELECT (${nextType(company, sql``)})
          UNION ALL
          SELECT (${nextType(company, sql`AND a.${type} > t.at`)}) FROM types t WHERE t.at IS NOT NULL)
        SELECT (SELECT a.entity_type FROM crossdock_audit_records a
          WHERE a.company_id = ${company} AND a.${type} = t.at ORDER BY a.sequence LIMIT 1) AS entity_type
        FROM types t WHERE t.at IS NOT NULL ORDER BY 1`.pipe(
        each((row) => row.entity_type),
        named("AuditStore.entityTypes")
      ),
    erase: (company, sequences) =>
      sql`UPDATE crossdock_audit_records SET personal = NULL
          WHERE company_id = ${company} AND sequence IN (SELECT r.sequence FROM ${rowsOf(sql, { sequence: "integer" }, sequences, (sequence) => [sequence])} r)`.pipe(
        Effect.asVoid,
        named("AuditStore.erase")
      ),
    purge: Dialect.purge(sql, "crossdock_audit_records").pipe(named("AuditStore.purge"), unbounded),
    anchor: (companyId) =>
      sql<{ sequence: number; hash: string }>`
        SELECT sequence, hash FROM crossdock_audit_anchors WHERE company_id = ${companyId}`.pipe(
        Effect.map(([row]) => ({ companyId, sequence: row?.sequence ?? 0, hash: row?.hash ?? "" })),
        named("AuditStore.anchor")
      ),
    drop: ({ companyId, hash, sequence }) =>
      Effect.gen(function* () {
        yield* sql`DELETE FROM crossdock_audit_records WHERE company_id = ${companyId} AND sequence <= ${sequence}`
        yield* sql`INSERT INTO crossdock_audit_anchors ${sql.insert({ company_id: companyId, sequence, hash })}
          ON CONFLICT (company_id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash`
      }).pipe(named("AuditStore.drop"), whole)
  })
})

export const layer = Layer.effect(AuditStore, make)
