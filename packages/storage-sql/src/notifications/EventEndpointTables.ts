/**
 * The tables of endpoints. What decides whether an endpoint has something to receive is in columns beside its body, so that
 * one statement finds those of all companies.
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
