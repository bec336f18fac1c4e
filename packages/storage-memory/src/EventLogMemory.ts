/** The change feed. `AuditStoreMemory` appends events to it. */
import { CompanyEvent, type EventConsumer, EventLog } from "@crossdock/audit"
import type { CompanyId } from "@crossdock/kernel"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

interface Last {
  readonly companyId: CompanyId
  readonly last: number
}

const batches = Table.ofCompanies<CompanyEvent.EventBatch>("eventBatches", CompanyEvent.lastOf)
const lasts = Table.keyed<Last>("lastEvents", ({ companyId }) => companyId)
const consumers = Table.ofCompanies<EventConsumer.Consumer>("eventConsumers", ({ group }) => group)

export const lastEvent = (tables: Table.Tables, company: number): number => lasts.get(tables, company)?.last ?? 0

export const append = (tables: Table.Tables, batch: CompanyEvent.EventBatch): Table.Tables =>
  lasts.save(batches.save(tables, [batch]), [{ companyId: batch.companyId, last: CompanyEvent.lastOf(batch) }])

const batchesOf = (tables: Table.Tables, company: number) =>
  batches.rows(tables, company).sort((a, b) => a.first - b.first)

export const layer = adapter(EventLog, (database) => ({
  read: (company, after, limit) =>
    database.read((tables) => ({
      last: lastEvent(tables, company),
      batches: batchesOf(tables, company)
        .filter((batch) => CompanyEvent.lastOf(batch) > after)
        .filter(({ first }, at) => at === 0 || first <= after + limit)
    })),
  pending: (group) =>
    database.read((tables) =>
      lasts
        .rows(tables)
        .filter(({ companyId, last }) => last !== (consumers.get(tables, group, companyId)?.cursor ?? 0))
        .map(({ companyId }) => companyId)
        .sort(Order.Number)
    ),
  consumer: (group, company) => database.read((tables) => consumers.get(tables, group, company)),
  saveConsumer: (consumer) => database.decide(Table.saveNext(consumers, "EventLog.saveConsumer", consumer)),
  drop: (before, limit) =>
    database.update((tables) => {
      const company = batches.companies(tables).find((one) => (batchesOf(tables, one)[0]?.at ?? before) < before)
      if (company === undefined) return [0, tables]
      const found = batchesOf(tables, company).slice(0, limit)
      const kept = found.findIndex(({ at }) => at >= before)
      const dropped = kept === -1 ? found : found.slice(0, kept)
      return [dropped.length, batches.discard(tables, dropped)]
    }),
  jump: (companyId, from, to) =>
    database.decide((tables) =>
      lastEvent(tables, companyId) === from
        ? Result.succeed([undefined, lasts.save(tables, [{ companyId, last: to }])])
        : Table.stale("EventLog.jump")
    ),
  watch: database.watch
}))
