import { type AuditRecord, AuditSearch, AuditStore, type CompanyEvent, type Head, viewOf } from "@crossdock/audit"
import { type CompanyId, StaleWrite, Text } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import { companies } from "./DirectoryMemory.ts"
import * as EventLogMemory from "./EventLogMemory.ts"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const records = Table.make<AuditRecord>("auditRecords")
const heads = Table.make<Head>("auditHeads")
const anchors = Table.make<Head>("auditAnchors")

const headOf = (tables: Table.Tables, companyId: CompanyId): Head =>
  heads.get(tables, companyId, "") ?? { companyId, sequence: 0, hash: "" }

const appendOne = (
  tables: Table.Tables,
  record: AuditRecord,
  batch: CompanyEvent.EventBatch | undefined
): Result.Result<Table.Tables, StaleWrite> => {
  const { companyId, hash, sequence } = record
  if (
    headOf(tables, companyId).sequence + 1 !== sequence ||
    companies.get(tables, companyId, "") === undefined ||
    (batch !== undefined && EventLogMemory.lastEvent(tables, companyId) + 1 !== batch.first)
  ) {
    return Result.fail(new StaleWrite({ operation: "AuditStore.append" }))
  }
  const fed = batch === undefined ? tables : EventLogMemory.append(tables, batch)
  const written = records.put(fed, companyId, [[String(sequence), record]])
  return Result.succeed(heads.put(written, companyId, [["", { companyId, sequence, hash }]]))
}

const all = (tables: Table.Tables, company: CompanyId): ReadonlyArray<AuditRecord> => records.rows(tables, company)

const anchorOf = (tables: Table.Tables, companyId: CompanyId): Head =>
  anchors.get(tables, companyId, "") ?? { companyId, sequence: 0, hash: "" }

export const layer = adapter(AuditStore, (database) => {
  const headsOf = (wanted: ReadonlyArray<CompanyId>) =>
    database.read((tables) =>
      [...new Set(wanted)]
        .sort(Order.Number)
        .filter((company) => companies.get(tables, company, "") !== undefined)
        .map((company) => ({ ...headOf(tables, company), events: EventLogMemory.lastEvent(tables, company) }))
    )

  return {
    heads: headsOf,
    // One writer at a time: nothing to lock.
    lock: headsOf,
    append: (many, batches) =>
      database
        .decide((tables) =>
          Table.writeEach(tables, many, (written, record) => {
            const batch = batches.find(({ companyId }) => companyId === record.companyId)
            return appendOne(written, record, batch)
          })
        )
        .pipe(Effect.tap(() => database.announce(batches.map(({ companyId }) => companyId)))),
    read: (company, after, limit) =>
      database.read((tables) => {
        const last = Math.min(headOf(tables, company).sequence, after + limit)
        const numbers = Array.from({ length: Math.max(0, last - after) }, (_, i) => after + 1 + i)
        return numbers.flatMap((number) => records.get(tables, company, String(number)) ?? [])
      }),
    candidates: (company, filter, { after, descending, limit, through }) =>
      database.read((tables) => {
        const way = descending ? -1 : 1
        return all(tables, company)
          .filter((record) => after === null || (record.sequence - after) * way > 0)
          .filter((record) => through === null || (record.sequence - through) * way <= 0)
          .sort((a, b) => (a.sequence - b.sequence) * way)
          .filter((record) => AuditSearch.matches(filter, viewOf(record)))
          .slice(0, limit)
      }),
    entityTypes: (company) =>
      database.read((tables) => [...new Set(all(tables, company).map((record) => record.entityType))].sort(Text.order)),
    erase: (company, sequences) =>
      database.write((tables) =>
        records.put(
          tables,
          company,
          sequences.flatMap((sequence) => {
            const record = records.get(tables, company, String(sequence))
            return record === undefined ? [] : [[String(sequence), { ...record, personal: null }] as const]
          })
        )
      ),
    purge: Effect.void,
    anchor: (company) => database.read((tables) => anchorOf(tables, company)),
    drop: (upTo) =>
      database.write((tables) => {
        const old = all(tables, upTo.companyId).filter((record) => record.sequence <= upTo.sequence)
        const keys = old.map((record) => String(record.sequence))
        const left = records.remove(tables, upTo.companyId, keys)
        return anchors.put(left, upTo.companyId, [["", upTo]])
      })
  }
})
