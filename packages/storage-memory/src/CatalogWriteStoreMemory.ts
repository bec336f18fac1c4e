/**
 * Adapter: writes of products.
 */
import { type CatalogWrite, CatalogWriteStore } from "@crossdock/catalog"
import { CompanyId, StaleWrite } from "@crossdock/kernel"
import * as Result from "effect/Result"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

/** By trace id. */
const writes = Table.make<CatalogWrite.CatalogWrite>("catalogWrites")

/** By trace id. */
const accepted = Table.make<CatalogWrite.Accepted>("catalogAccepted")

/** The trace ids of a company's running writes, oldest first, by company. */
const running = Table.make<ReadonlyArray<string>>("runningCatalogWrites")

const runningOf = (tables: Table.Tables, company: CompanyId): ReadonlyArray<string> =>
  running.get(tables, Table.everybody, String(company)) ?? []

const putRunning = (tables: Table.Tables, company: CompanyId, traceIds: ReadonlyArray<string>): Table.Tables =>
  traceIds.length === 0
    ? running.remove(tables, Table.everybody, [String(company)])
    : running.put(tables, Table.everybody, [[String(company), traceIds]])

export const layer = adapter(CatalogWriteStore, (database) => ({
  insert: (write, inputs) =>
    database.write((tables) => {
      const { companyId, stage, traceId } = write
      const kept = accepted.put(tables, companyId, [[traceId, inputs]])
      const placed = writes.put(kept, companyId, [[traceId, write]])
      return stage === "RUNNING" ? putRunning(placed, companyId, [...runningOf(placed, companyId), traceId]) : placed
    }),
  find: (company, traceId) => database.read((tables) => writes.get(tables, company, traceId)),
  accepted: ({ companyId, traceId }) => database.read((tables) => accepted.get(tables, companyId, traceId) ?? []),
  due: database.read((tables) =>
    running
      .entries(tables, Table.everybody)
      .flatMap(([company, [traceId]]) =>
        traceId === undefined ? [] : [{ companyId: CompanyId.make(Number(company)), traceId }]
      )
  ),
  // Transactions run one after the other here.
  lock: ({ companyId, traceId }) =>
    database.read((tables) => {
      const write = writes.get(tables, companyId, traceId)
      return write?.stage === "RUNNING" ? write : undefined
    }),
  finish: (write) =>
    database.decide((tables) => {
      const { companyId, traceId } = write
      if (writes.get(tables, companyId, traceId)?.stage !== "RUNNING") {
        return Result.fail(new StaleWrite({ operation: "CatalogWriteStore.finish" }))
      }
      const forgotten = accepted.remove(tables, companyId, [traceId])
      const done = writes.put(forgotten, companyId, [[traceId, write]])
      const left = runningOf(done, companyId).filter((one) => one !== traceId)
      return Result.succeed([undefined, putRunning(done, companyId, left)])
    }),
  deleteCompleted: (before, limit) =>
    database.decide((tables) => {
      const old = writes
        .all(tables)
        .filter(({ modifiedAt, stage }) => stage === "COMPLETED" && modifiedAt < before)
        .sort((a, b) => a.modifiedAt - b.modifiedAt)
        .slice(0, limit)
      const left = old.reduce((rest, { companyId, traceId }) => writes.remove(rest, companyId, [traceId]), tables)
      return Result.succeed([old.length, left])
    })
}))
