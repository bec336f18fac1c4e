/** The change feed; `AuditStoreMemory` appends to it. */
import { CompanyEvent, type EventConsumer, EventLog } from "@crossdock/audit"
import { type CompanyId, StaleWrite } from "@crossdock/kernel"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const batches = Table.make<CompanyEvent.EventBatch>("eventBatches")
const lasts = Table.make<number>("lastEvents")
const consumers = Table.make<EventConsumer.Consumer>("eventConsumers")

export const lastEvent = (tables: Table.Tables, company: number): number => lasts.get(tables, company, "") ?? 0

export const append = (tables: Table.Tables, batch: CompanyEvent.EventBatch): Table.Tables => {
  const last = CompanyEvent.lastOf(batch)
  const written = batches.put(tables, batch.companyId, [[String(last), batch]])
  return lasts.put(written, batch.companyId, [["", last]])
}

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
        .tenants(tables)
        .filter((company) => lastEvent(tables, company) !== (consumers.get(tables, company, group)?.cursor ?? 0))
        .sort(Order.Number)
        .map((company) => company as CompanyId)
    ),
  consumer: (group, company) => database.read((tables) => consumers.get(tables, company, group)),
  saveConsumer: (consumer) =>
    database.decide((tables) => {
      const { companyId, group, version } = consumer
      return (consumers.get(tables, companyId, group)?.version ?? 0) === version
        ? Result.succeed([
            undefined,
            consumers.put(tables, companyId, [[group, { ...consumer, version: version + 1 }]])
          ])
        : Result.fail(new StaleWrite({ operation: "EventLog.saveConsumer" }))
    }),
  drop: (before, limit) =>
    database.decide((tables) => {
      const company = batches.tenants(tables).find((one) => (batchesOf(tables, one)[0]?.at ?? before) < before)
      if (company === undefined) return Result.succeed([0, tables])
      const found = batchesOf(tables, company).slice(0, limit)
      const kept = found.findIndex(({ at }) => at >= before)
      const dropped = (kept === -1 ? found : found.slice(0, kept)).map((batch) => String(CompanyEvent.lastOf(batch)))
      return Result.succeed([dropped.length, batches.remove(tables, company, dropped)])
    }),
  jump: (company, from, to) =>
    database.decide((tables) =>
      lastEvent(tables, company) === from
        ? Result.succeed([undefined, lasts.put(tables, company, [["", to]])])
        : Result.fail(new StaleWrite({ operation: "EventLog.jump" }))
    ),
  watch: database.watch
}))
