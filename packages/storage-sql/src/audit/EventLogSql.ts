/** The change feed. `AuditStoreSql` appends events to it. */
import { type CompanyEvent, EventLog } from "@crossdock/audit"
import { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Dialect from "../Dialect.ts"
import { each, orStale, saveNext } from "../Dialect.ts"
import { allOrNothing, durableRead, named } from "../TransactionSql.ts"
import { eventDrafts } from "./AuditStoreSql.ts"
import { EventAnnouncements } from "./EventAnnouncements.ts"

interface Row extends Pick<CompanyEvent.EventBatch, "companyId" | "change" | "at"> {
  readonly last: number
  readonly body: string
}

const batchOf = ({ at, body, change, companyId, last }: Row): CompanyEvent.EventBatch => {
  const drafts = eventDrafts.read(body, `${change} of company ${companyId}`)
  return { companyId, first: last - drafts.length + 1, change, at, drafts }
}

interface ConsumerRow {
  readonly reached: number
  readonly owner: string | null
  readonly claimed_until: number | null
  readonly version: number
}

type Joined = { readonly [K in keyof Row]: Row[K] | null } & { readonly last_event: number }

const isRow = (row: Joined): row is Joined & Row => row.last !== null

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const whole = allOrNothing(sql)
  const settled = durableRead(sql)
  const { watch } = yield* EventAnnouncements

  const oldest = (before: number, limit: number) =>
    sql<{ company_id: number; last: number; at: number }>`
      SELECT company_id, last, at FROM crossdock_events WHERE company_id = (
        SELECT c.id FROM crossdock_companies c WHERE (
          SELECT e.at FROM crossdock_events e WHERE e.company_id = c.id ORDER BY e.last LIMIT 1) < ${before} LIMIT 1)
      ORDER BY last LIMIT ${limit}`

  return EventLog.of({
    read: (company, after, limit) =>
      sql<Joined>`
        SELECT c.last_event, e.company_id AS "companyId", e.last, e.change_number AS change, e.at, e.body
        FROM crossdock_companies c LEFT JOIN crossdock_events e ON e.company_id = c.id AND e.last > ${after}
          AND e.last <= COALESCE((SELECT f.last FROM crossdock_events f WHERE f.company_id = ${company}
            AND f.last >= ${after + limit} ORDER BY f.last LIMIT 1), c.last_event)
        WHERE c.id = ${company} ORDER BY e.last`.pipe(
        Effect.map((found) => ({ last: found[0]?.last_event ?? 0, batches: found.filter(isRow).map(batchOf) })),
        named("EventLog.read"),
        settled
      ),
    pending: (group) =>
      sql<{ id: number }>`
        SELECT c.id FROM crossdock_companies c
        LEFT JOIN crossdock_event_consumers k ON k.consumer_group = ${group} AND k.company_id = c.id
        WHERE c.last_event <> COALESCE(k.reached, 0) ORDER BY c.id`.pipe(
        each(({ id }) => CompanyId.make(id)),
        named("EventLog.pending")
      ),
    consumer: (group, companyId) =>
      sql<ConsumerRow>`
        SELECT reached, owner, claimed_until, version FROM crossdock_event_consumers
        WHERE consumer_group = ${group} AND company_id = ${companyId}`.pipe(
        Effect.map(
          ([row]) =>
            row && {
              group,
              companyId,
              cursor: row.reached,
              claim: row.owner === null ? null : { owner: row.owner, until: row.claimed_until ?? 0 },
              version: row.version
            }
        ),
        named("EventLog.consumer")
      ),
    saveConsumer: ({ claim, companyId, cursor, group, version }) => {
      const [operation, key] = ["EventLog.saveConsumer", { consumer_group: group, company_id: companyId }]
      const claimed = { owner: claim?.owner ?? null, claimed_until: claim?.until ?? null }
      const columns = { version, reached: cursor, ...claimed }
      return saveNext(sql, operation, "crossdock_event_consumers", key, columns).pipe(named(operation))
    },
    drop: (before, limit) =>
      Effect.gen(function* () {
        if (!(yield* Dialect.tryLock(sql, "crossdock_events drop"))) return 0
        const found = yield* oldest(before, limit)
        // Deletes only events before the first one to keep. Otherwise the feed would get a gap if the clock was set back.
        const kept = found.findIndex(({ at }) => at >= before)
        const dropped = kept === -1 ? found : found.slice(0, kept)
        const [last] = dropped.slice(-1)
        if (last === undefined) return 0
        yield* sql`DELETE FROM crossdock_events WHERE company_id = ${last.company_id} AND last <= ${last.last}`
        return dropped.length
      }).pipe(named("EventLog.drop"), whole),
    jump: (company, from, to) =>
      orStale(
        sql`UPDATE crossdock_companies SET last_event = ${to} WHERE id = ${company} AND last_event = ${from}`,
        "EventLog.jump"
      ).pipe(named("EventLog.jump")),
    watch
  })
})

export const layer = Layer.effect(EventLog, make)
