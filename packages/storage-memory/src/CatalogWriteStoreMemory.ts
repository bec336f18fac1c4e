/**
 * Adapter: writes of products.
 */
import { type CatalogWrite, CatalogWriteStore } from "@crossdock/catalog"
import { CompanyId, StaleWrite } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

interface Row {
  readonly write: CatalogWrite.CatalogWrite
  readonly claim: { readonly owner: string; readonly until: number } | null
}

/**
 * By trace id.
 */
const writes = Table.make<Row>("catalogWrites")

/**
 * The trace ids of a company's running writes, oldest first, by company.
 */
const running = Table.make<ReadonlyArray<string>>("runningCatalogWrites")

const runningOf = (tables: Table.Tables, company: CompanyId): ReadonlyArray<string> =>
  running.get(tables, Table.everybody, String(company)) ?? []

const putRunning = (tables: Table.Tables, company: CompanyId, traceIds: ReadonlyArray<string>): Table.Tables =>
  traceIds.length === 0
    ? running.remove(tables, Table.everybody, [String(company)])
    : running.put(tables, Table.everybody, [[String(company), traceIds]])

const isFree = ({ claim }: Row, now: number): boolean => claim === null || claim.until <= now

export const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase

  return CatalogWriteStore.of({
    insert: (write) =>
      database.write((tables) => {
        const { companyId, stage, traceId } = write
        const placed = writes.put(tables, companyId, [[traceId, { write, claim: null }]])
        return stage === "RUNNING" ? putRunning(placed, companyId, [...runningOf(placed, companyId), traceId]) : placed
      }),
    find: (company, traceId) => database.read((tables) => writes.get(tables, company, traceId)?.write),
    due: (now) =>
      database.read((tables) =>
        running.entries(tables, Table.everybody).flatMap(([company, [traceId = ""]]) => {
          const companyId = CompanyId.make(Number(company))
          const row = writes.get(tables, companyId, traceId)
          return row !== undefined && isFree(row, now) ? [{ companyId, traceId }] : []
        })
      ),
    claim: ({ companyId, traceId }, owner, now, until) =>
      database.decide((tables) => {
        const row = writes.get(tables, companyId, traceId)
        if (row === undefined || row.write.stage !== "RUNNING" || !isFree(row, now)) {
          return Either.right([undefined, tables])
        }
        const claimed = writes.put(tables, companyId, [[traceId, { ...row, claim: { owner, until } }]])
        return Either.right([row.write, claimed])
      }),
    finish: (write, owner) =>
      database.decide((tables) => {
        const { companyId, traceId } = write
        const row = writes.get(tables, companyId, traceId)
        if (row?.claim?.owner !== owner || row.write.stage !== "RUNNING") {
          return Either.left(new StaleWrite({ operation: "CatalogWriteStore.finish" }))
        }
        const done = writes.put(tables, companyId, [[traceId, { ...row, write, claim: null }]])
        const left = runningOf(done, companyId).filter((one) => one !== traceId)
        return Either.right([undefined, putRunning(done, companyId, left)])
      }),
    release: ({ companyId, traceId }, owner) =>
      database.write((tables) => {
        const row = writes.get(tables, companyId, traceId)
        return row?.claim?.owner === owner
          ? writes.put(tables, companyId, [[traceId, { ...row, claim: null }]])
          : tables
      })
  })
})

export const layer: Layer.Layer<CatalogWriteStore, never, MemoryDatabase> = Layer.effect(CatalogWriteStore, make)
