import { StoredBody } from "@crossdock/kernel"
import { type EventEndpoint, EventEndpointStore, Limits } from "@crossdock/notifications"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Dialect from "../Dialect.ts"
import { type BodyRow, bodyOf, each, expectRows, first, orStale, rows } from "../Dialect.ts"
import * as Distribution from "../Distribution.ts"
import { deleteOld } from "../ExpiredRows.ts"
import { webhook } from "../marketplaces/MarketplaceStoreSql.ts"
import type * as SchemaDialect from "../SchemaDialect.ts"
import { allOrNothing, named, unbounded } from "../TransactionSql.ts"

export const statements = ({ text }: ReturnType<typeof SchemaDialect.schemaWords>): ReadonlyArray<string> => [
  `CREATE TABLE crossdock_event_endpoints (
    company_id BIGINT NOT NULL, id ${text} NOT NULL, reached BIGINT NOT NULL, is_paused BIGINT NOT NULL,
    resends BIGINT NOT NULL, version BIGINT NOT NULL, body ${text} NOT NULL, PRIMARY KEY (company_id, id)
  )`,
  `CREATE TABLE crossdock_event_dead_letters (
    company_id BIGINT NOT NULL, endpoint ${text} NOT NULL, id ${text} NOT NULL, at BIGINT NOT NULL,
    body ${text} NOT NULL, PRIMARY KEY (company_id, endpoint, id)
  )`,
  `CREATE INDEX crossdock_event_dead_letters_at ON crossdock_event_dead_letters (at)`
]

/** Adds the time at which an endpoint's next try is due. It is null if no events are pending. */
export const nextTries: ReadonlyArray<string> = [
  `ALTER TABLE crossdock_event_endpoints ADD COLUMN next_at BIGINT`,
  `UPDATE crossdock_event_endpoints SET next_at = 0 WHERE is_paused = 0 AND (resends > 0 OR reached <> (
    SELECT c.last_event FROM crossdock_companies c WHERE c.id = crossdock_event_endpoints.company_id))`,
  `CREATE INDEX crossdock_event_endpoints_next ON crossdock_event_endpoints (next_at) WHERE next_at IS NOT NULL`
]

export const eventEndpoints = StoredBody.make<EventEndpoint.EventEndpoint>({
  name: "endpoint",
  fields: {
    ...StoredBody.present("companyId id types cursor resending maxBytes invalid version"),
    webhook,
    paused: { reason: true },
    outstanding: { webhookId: true, upTo: true, failures: true, since: true, nextAt: true, failure: true },
    lease: { owner: true, until: true }
  },
  upcasters: [(older) => ({ ...older, maxBytes: Limits.eventBatchBytes }), (older) => ({ ...older, invalid: 0 })]
})

export const eventDeadLetters = StoredBody.make<EventEndpoint.EventDeadLetter>({
  name: "dead letter of events",
  fields: {
    ...StoredBody.present("companyId endpoint id failures since at failure"),
    events: [{ companyId: true, number: true, change: true, at: true, type: true, version: true }]
  }
})

interface Row {
  readonly company_id: number
  readonly id: string
  readonly version: number
  readonly body: string
}

const endpointOf = ({ body, company_id, id, version }: Row): EventEndpoint.EventEndpoint => ({
  ...eventEndpoints.read(body, `${id} of company ${company_id}`),
  version
})

const letterOf = bodyOf(eventDeadLetters)

const renewedColumns = Dialect.columns("company_id integer, id text, known integer, body text")

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const whole = allOrNothing(sql)
  const lock = yield* Distribution.locking(sql, Dialect.locked(sql, "e"))
  const is = ({ companyId, id }: EventEndpoint.EndpointKey) => sql`company_id = ${companyId} AND id = ${id}`
  const belongsTo = ({ companyId, id }: EventEndpoint.EndpointKey) =>
    sql`company_id = ${companyId} AND endpoint = ${id}`
  /** The next try: 0 if the feed has events after the cursor, otherwise null. The query waits for the company's lock. */
  const ofFeed = ({ companyId, cursor }: EventEndpoint.EventEndpoint) => sql`
    (SELECT CASE WHEN c.last_event <> ${cursor} THEN 0 END FROM crossdock_companies c WHERE c.id = ${companyId}
    ${Dialect.sharedLock(sql, "c")})`

  const nextTry = (endpoint: EventEndpoint.EventEndpoint) => {
    if (endpoint.paused !== null) return null
    if (endpoint.outstanding !== null) return endpoint.outstanding.nextAt
    return endpoint.resending.length > 0 ? 0 : ofFeed(endpoint)
  }

  const after = (key: EventEndpoint.EndpointKey | null, limit: number, locking: Fragment) =>
    Effect.map(
      sql<Row>`
        SELECT e.company_id, e.id, e.version, e.body FROM crossdock_event_endpoints e
        WHERE ${key === null ? sql`true` : sql`(e.company_id, e.id) > (${key.companyId}, ${key.id})`}
        ORDER BY e.company_id, e.id LIMIT ${limit} ${locking}`,
      (found) => found.map(endpointOf)
    )

  return EventEndpointStore.of({
    pending: (now) =>
      sql<Row>`
        SELECT company_id, id, version, body FROM crossdock_event_endpoints
        WHERE next_at <= ${now} OR next_at > ${now + Limits.longestDelayMillis}`.pipe(
        each(endpointOf),
        named("EventEndpointStore.pending")
      ),
    find: (key) =>
      sql<Row>`
        SELECT company_id, id, version, body FROM crossdock_event_endpoints
        WHERE ${is(key)}`.pipe(first(endpointOf), named("EventEndpointStore.find")),
    list: (company) =>
      sql<Row & { readonly last_event: number; readonly letters: number }>`
        SELECT e.company_id, e.id, e.version, e.body, COALESCE(c.last_event, 0) AS last_event, (
          SELECT COUNT(*) FROM crossdock_event_dead_letters d WHERE d.company_id = e.company_id AND d.endpoint = e.id
        ) AS letters
        FROM crossdock_event_endpoints e LEFT JOIN crossdock_companies c ON c.id = e.company_id
        ${company === null ? sql`` : sql`WHERE e.company_id = ${company}`} ORDER BY e.company_id, e.id`.pipe(
        each((row) => ({ endpoint: endpointOf(row), lastEvent: row.last_event, deadLetters: row.letters })),
        named("EventEndpointStore.list")
      ),
    save: (endpoint) => {
      const { companyId, cursor, id, paused, resending, version } = endpoint
      const is_paused = paused === null ? 0 : 1
      const body = eventEndpoints.write(endpoint)
      const next = nextTry(endpoint)
      const statement =
        version === 0
          ? // The row is selected, because Citus can't insert a subquery with VALUES.
            sql`INSERT INTO crossdock_event_endpoints (company_id, id, reached, is_paused, resends, version, body, next_at)
                SELECT ${companyId}, ${id}, ${cursor}, ${is_paused}, ${resending.length}, 1, ${body}, ${next} WHERE true
                ON CONFLICT DO NOTHING`
          : sql`UPDATE crossdock_event_endpoints SET reached = ${cursor}, is_paused = ${is_paused},
                resends = ${resending.length}, version = ${version + 1}, body = ${body}, next_at = ${next}
                WHERE ${is(endpoint)} AND version = ${version}`
      return expectRows(sql, "EventEndpointStore.save", 1, statement).pipe(named("EventEndpointStore.save"))
    },
    after: (key, limit) => after(key, limit, sql``).pipe(named("EventEndpointStore.after")),
    lockAfter: (key, limit) => after(key, limit, lock).pipe(named("EventEndpointStore.lockAfter")),
    saveAll: (some) => {
      const values = some.map((one) => [one.companyId, one.id, one.version, eventEndpoints.write(one)])
      const renewed = sql`
        UPDATE crossdock_event_endpoints SET version = r.known + 1, body = r.body
        FROM ${rows(sql, renewedColumns, values)} r
        WHERE crossdock_event_endpoints.company_id = r.company_id AND crossdock_event_endpoints.id = r.id
          AND crossdock_event_endpoints.version = r.known`
      const operation = "EventEndpointStore.saveAll"
      return orStale(renewed, operation, some.length).pipe(named(operation), whole)
    },
    remove: (endpoint) =>
      orStale(
        sql`DELETE FROM crossdock_event_endpoints WHERE ${is(endpoint)} AND version = ${endpoint.version}`,
        "EventEndpointStore.remove"
      ).pipe(
        Effect.andThen(sql`DELETE FROM crossdock_event_dead_letters WHERE ${belongsTo(endpoint)}`),
        Effect.asVoid,
        named("EventEndpointStore.remove"),
        whole
      ),
    putDeadLetter: (letter) =>
      sql`INSERT INTO crossdock_event_dead_letters ${sql.insert({
        company_id: letter.companyId,
        endpoint: letter.endpoint,
        id: letter.id,
        at: letter.at,
        body: eventDeadLetters.write(letter)
      })} ON CONFLICT (company_id, endpoint, id) DO UPDATE
      SET at = excluded.at, body = excluded.body`.pipe(Effect.asVoid, named("EventEndpointStore.putDeadLetter")),
    deadLetters: (key) =>
      sql<BodyRow>`
        SELECT id, body FROM crossdock_event_dead_letters WHERE ${belongsTo(key)}
        ORDER BY at, id`.pipe(each(letterOf), named("EventEndpointStore.deadLetters")),
    deadLetter: (key, id) =>
      sql<BodyRow>`
        SELECT id, body FROM crossdock_event_dead_letters
        WHERE ${belongsTo(key)} AND id = ${id}`.pipe(first(letterOf), named("EventEndpointStore.deadLetter")),
    removeDeadLetter: (key, id) =>
      sql`
        DELETE FROM crossdock_event_dead_letters
        WHERE ${belongsTo(key)} AND id = ${id}`.pipe(Effect.asVoid, named("EventEndpointStore.removeDeadLetter")),
    deleteDeadLetters: yield* deleteOld(
      sql,
      "EventEndpointStore.deleteDeadLetters",
      "crossdock_event_dead_letters",
      "company_id, endpoint, id",
      "at"
    ),
    purge: Dialect.purge(sql, "crossdock_event_endpoints").pipe(named("EventEndpointStore.purge"), unbounded)
  })
})

export const layer = Layer.effect(EventEndpointStore, make)
