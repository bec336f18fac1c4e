/**
 * The tables of endpoints. What decides whether an endpoint has something to receive is in columns beside its body, so that
 * one statement finds those of all companies. `next_at` is null while it has nothing; a change of its company sets it.
 */
import type * as Dialect from "../Dialect.ts"

export const statements = ({ text }: ReturnType<typeof Dialect.schemaWords>): ReadonlyArray<string> => [
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

/** When an endpoint has something to receive, so that nobody reads those that have nothing. */
export const nextTries: ReadonlyArray<string> = [
  `ALTER TABLE crossdock_event_endpoints ADD COLUMN next_at BIGINT`,
  `UPDATE crossdock_event_endpoints SET next_at = 0 WHERE is_paused = 0 AND (resends > 0 OR reached <> (
    SELECT c.last_event FROM crossdock_companies c WHERE c.id = crossdock_event_endpoints.company_id))`,
  `CREATE INDEX crossdock_event_endpoints_next ON crossdock_event_endpoints (next_at) WHERE next_at IS NOT NULL`
]
