import { type AuditRecord, AuditSearch, AuditStore, type CompanyEvent, type Head, viewOf } from "@crossdock/audit"
import { type CompanyId, Text } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import { companies } from "./DirectoryMemory.ts"
import * as EventLogMemory from "./EventLogMemory.ts"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const records = Table.ofCompanies<AuditRecord>("auditRecords", ({ sequence }) => sequence)
const heads = Table.keyed<Head>("auditHeads", ({ companyId }) => companyId)
const anchors = Table.keyed<Head>("auditAnchors", ({ companyId }) => companyId)

const headIn = (table: Table.Table<Head>, tables: Table.Tables, companyId: CompanyId): Head =>
  table.get(tables, companyId) ?? { companyId, sequence: 0, hash: "" }

const appendOne = (batches: ReadonlyArray<CompanyEvent.EventBatch>) => (tables: Table.Tables, record: AuditRecord) => {
  const { companyId, hash, sequence } = record
  const batch = batches.find((one) => one.companyId === companyId)
  const isNext =
    headIn(heads, tables, companyId).sequence + 1 === sequence &&
    companies.get(tables, companyId) !== undefined &&
    (batch === undefined || EventLogMemory.lastEvent(tables, companyId) + 1 === batch.first)
  if (!isNext) return Table.stale("AuditStore.append")
  const fed = batch === undefined ? tables : EventLogMemory.append(tables, batch)
  return Result.succeed(heads.save(records.save(fed, [record]), [{ companyId, sequence, hash }]))
}

export const layer = adapter(AuditStore, (database) => {
  const headsOf = (wanted: ReadonlyArray<CompanyId>) =>
    database.read((tables) =>
      [...new Set(wanted)]
        .sort(Order.Number)
        .filter((company) => companies.get(tables, company) !== undefined)
        .map((company) => ({ ...headIn(heads, tables, company), events: EventLogMemory.lastEvent(tables, company) }))
    )

  return {
    heads: headsOf,
    lock: headsOf,
    append: (many, batches) =>
      database
        .decide((tables) => Table.writeEach(tables, many, appendOne(batches)))
        .pipe(Effect.tap(() => database.announce(batches.map(({ companyId }) => companyId)))),
    read: (company, after, limit) =>
      database.read((tables) => {
        const last = Math.min(headIn(heads, tables, company).sequence, after + limit)
        const numbers = Array.from({ length: Math.max(0, last - after) }, (_, i) => after + 1 + i)
        return numbers.flatMap((number) => records.get(tables, number, company) ?? [])
      }),
    candidates: (company, filter, { after, descending, limit, through }) =>
      database.read((tables) => {
        const way = descending ? -1 : 1
        return records
          .rows(tables, company)
          .filter((record) => after === null || (record.sequence - after) * way > 0)
          .filter((record) => through === null || (record.sequence - through) * way <= 0)
          .sort((a, b) => (a.sequence - b.sequence) * way)
          .filter((record) => AuditSearch.matches(filter, viewOf(record)))
          .slice(0, limit)
      }),
    entityTypes: (company) =>
      database.read((tables) =>
        [...new Set(records.rows(tables, company).map(({ entityType }) => entityType))].sort(Text.order)
      ),
    erase: (company, sequences) =>
      database.write((tables) => {
        const found = sequences.flatMap((sequence) => records.get(tables, sequence, company) ?? [])
        const erased = found.map((record) => ({ ...record, personal: null }))
        return records.save(tables, erased)
      }),
    purge: Effect.void,
    anchor: (company) => database.read((tables) => headIn(anchors, tables, company)),
    drop: (upTo) =>
      database.write((tables) => {
        const old = records.rows(tables, upTo.companyId).filter(({ sequence }) => sequence <= upTo.sequence)
        return anchors.save(records.discard(tables, old), [upTo])
      })
  }
})
