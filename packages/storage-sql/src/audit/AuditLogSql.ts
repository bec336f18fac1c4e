/**
 * Adapter: the audit trail.
 */

import { AuditLog, type AuditRecord } from "@crossdock/audit"
import { CompanyId, StaleWrite } from "@crossdock/kernel"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { named, rows } from "../Database.ts"
import * as Dialect from "../Dialect.ts"
import { allOrNothing } from "../TransactionSql.ts"

const headColumns = { company_id: "integer", sequence: "integer", hash: "text" } as const

interface Row {
  readonly company_id: number
  readonly sequence: number
  readonly id: string
  readonly at: number
  readonly entity_type: string
  readonly entity_id: string
  readonly action: string
  readonly hash: string
  readonly body: string
}

const recordOf = (row: Row): AuditRecord => ({
  companyId: CompanyId.make(row.company_id),
  sequence: row.sequence,
  id: row.id,
  at: row.at,
  entityType: row.entity_type,
  entityId: row.entity_id,
  action: row.action,
  hash: row.hash,
  body: row.body
})

const rowOf = (record: AuditRecord) => ({
  company_id: record.companyId,
  sequence: record.sequence,
  id: record.id,
  at: record.at,
  entity_type: record.entityType,
  entity_id: record.entityId,
  action: record.action,
  hash: record.hash,
  body: record.body
})

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const whole = allOrNothing(sql)

  return AuditLog.of({
    hold: (companies) =>
      sql<{ id: number; audit_sequence: number; audit_hash: string }>`
        SELECT id, audit_sequence, audit_hash FROM crossdock_companies c
        WHERE ${sql.in("id", companies)} ORDER BY id ${Dialect.held(sql, "c")}`.pipe(
        Effect.map((found) =>
          found.map((row) => ({
            companyId: CompanyId.make(row.id),
            sequence: row.audit_sequence,
            hash: row.audit_hash
          }))
        ),
        named("AuditLog.hold")
      ),
    append: (records) =>
      Effect.gen(function* () {
        const moved = yield* sql`
          UPDATE crossdock_companies SET audit_sequence = r.sequence, audit_hash = r.hash
          FROM ${rows(
            sql,
            headColumns,
            records.map((_) => [_.companyId, _.sequence, _.hash])
          )} r
          WHERE ${sql.in(
            "crossdock_companies.id",
            records.map((_) => _.companyId)
          )} AND crossdock_companies.id = r.company_id AND crossdock_companies.audit_sequence = r.sequence - 1
          RETURNING id`
        if (moved.length !== records.length) return yield* new StaleWrite({ operation: "AuditLog.append" })
        // One record for a company: its long body goes in as it is, not inside a JSON text.
        yield* sql`INSERT INTO crossdock_audit_records ${sql.insert(records.map(rowOf))}`
      }).pipe(named("AuditLog.append"), whole),
    read: (company, after, limit) =>
      sql<Row>`
        SELECT company_id, sequence, id, at, entity_type, entity_id, action, hash, body FROM crossdock_audit_records
        WHERE company_id = ${company} AND sequence > ${after} ORDER BY sequence LIMIT ${limit}`.pipe(
        Effect.map((found) => found.map(recordOf)),
        named("AuditLog.read")
      )
  })
})

export const layer: Layer.Layer<AuditLog, never, SqlClient.SqlClient> = Layer.effect(AuditLog, make)
