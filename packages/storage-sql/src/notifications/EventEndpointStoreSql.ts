/**
 * Adapter: the endpoints that receive events, and their dead letters.
 */
import { StaleWrite } from "@crossdock/kernel"
import { type EventEndpoint, EventEndpointStore } from "@crossdock/notifications"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { affected, named } from "../Database.ts"
import * as Dialect from "../Dialect.ts"
import { allOrNothing } from "../TransactionSql.ts"
import { eventDeadLetters, eventEndpoints } from "./NotificationBodies.ts"

interface Row {
  readonly company_id: number
  readonly id: string
  readonly version: number
  readonly body: string
}

interface LetterRow {
  readonly id: string
  readonly body: string
}

const endpointOf = ({ body, company_id, id, version }: Row): EventEndpoint.EventEndpoint => ({
  ...eventEndpoints.read(body, `${id} of company ${company_id}`),
  version
})

const letterOf = ({ body, id }: LetterRow): EventEndpoint.EventDeadLetter => eventDeadLetters.read(body, id)

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const whole = allOrNothing(sql)
  const is = ({ companyId, id }: EventEndpoint.EndpointKey) => sql`company_id = ${companyId} AND id = ${id}`
  const belongsTo = ({ companyId, id }: EventEndpoint.EndpointKey) =>
    sql`company_id = ${companyId} AND endpoint = ${id}`
  const oneOrStale = (operation: string) =>
    Effect.filterOrFail(
      (answer: unknown) => affected(answer) === 1,
      () => new StaleWrite({ operation })
    )

  return EventEndpointStore.of({
    pending: sql<Row>`
      SELECT e.company_id, e.id, e.version, e.body FROM crossdock_event_endpoints e
      JOIN crossdock_companies c ON c.id = e.company_id
      WHERE e.is_paused = 0 AND (e.resends > 0 OR c.last_event <> e.reached) ORDER BY e.company_id, e.id`.pipe(
      Effect.map((found) => found.map(endpointOf)),
      named("EventEndpointStore.pending")
    ),
    find: (key) =>
      sql<Row>`SELECT company_id, id, version, body FROM crossdock_event_endpoints WHERE ${is(key)}`.pipe(
        Effect.map(([row]) => row && endpointOf(row)),
        named("EventEndpointStore.find")
      ),
    list: (company) =>
      sql<Row & { readonly letters: number }>`
        SELECT e.company_id, e.id, e.version, e.body, (
          SELECT COUNT(*) FROM crossdock_event_dead_letters d WHERE d.company_id = e.company_id AND d.endpoint = e.id
        ) AS letters
        FROM crossdock_event_endpoints e WHERE e.company_id = ${company} ORDER BY e.id`.pipe(
        Effect.map((found) => found.map((row) => ({ endpoint: endpointOf(row), deadLetters: row.letters }))),
        named("EventEndpointStore.list")
      ),
    save: (endpoint) => {
      const columns = {
        reached: endpoint.cursor,
        is_paused: endpoint.paused === null ? 0 : 1,
        resends: endpoint.resending.length,
        version: endpoint.version + 1,
        body: eventEndpoints.write(endpoint)
      }
      const statement =
        endpoint.version === 0
          ? sql`INSERT INTO crossdock_event_endpoints ${sql.insert({
              company_id: endpoint.companyId,
              id: endpoint.id,
              ...columns
            })} ON CONFLICT DO NOTHING`
          : sql`UPDATE crossdock_event_endpoints SET ${sql.update(columns)}
                WHERE ${is(endpoint)} AND version = ${endpoint.version}`
      return statement.raw.pipe(oneOrStale("EventEndpointStore.save"), Effect.asVoid, named("EventEndpointStore.save"))
    },
    remove: (endpoint) =>
      sql`DELETE FROM crossdock_event_endpoints WHERE ${is(endpoint)} AND version = ${endpoint.version}`.raw.pipe(
        oneOrStale("EventEndpointStore.remove"),
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
      })} ON CONFLICT (company_id, endpoint, id) DO UPDATE SET at = excluded.at, body = excluded.body`.pipe(
        Effect.asVoid,
        named("EventEndpointStore.putDeadLetter")
      ),
    deadLetters: (key) =>
      sql<LetterRow>`
        SELECT id, body FROM crossdock_event_dead_letters WHERE ${belongsTo(key)} ORDER BY at, id`.pipe(
        Effect.map((found) => found.map(letterOf)),
        named("EventEndpointStore.deadLetters")
      ),
    deadLetter: (key, id) =>
      sql<LetterRow>`SELECT id, body FROM crossdock_event_dead_letters WHERE ${belongsTo(key)} AND id = ${id}`.pipe(
        Effect.map(([row]) => row && letterOf(row)),
        named("EventEndpointStore.deadLetter")
      ),
    removeDeadLetter: (key, id) =>
      sql`DELETE FROM crossdock_event_dead_letters WHERE ${belongsTo(key)} AND id = ${id}`.pipe(
        Effect.asVoid,
        named("EventEndpointStore.removeDeadLetter")
      ),
    deleteDeadLetters: (before, limit) =>
      sql`
        DELETE FROM crossdock_event_dead_letters WHERE (company_id, endpoint, id) IN (
          SELECT d.company_id, d.endpoint, d.id FROM crossdock_event_dead_letters d
          WHERE d.at < ${before} ORDER BY d.at LIMIT ${limit}
          ${Dialect.lockedSkippingLocked(sql, "d")})`.raw.pipe(
        Effect.map(affected),
        named("EventEndpointStore.deleteDeadLetters")
      )
  })
})

export const layer: Layer.Layer<EventEndpointStore, never, SqlClient.SqlClient> = Layer.effect(EventEndpointStore, make)
