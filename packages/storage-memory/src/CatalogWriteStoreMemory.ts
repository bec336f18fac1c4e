/**
 * Adapter: the outcomes of writes of products.
 */
import { type CatalogWrite, CatalogWriteStore } from "@crossdock/catalog"
import * as Result from "effect/Result"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

/** By trace id. */
const writes = Table.make<CatalogWrite>("catalogWrites")

export const layer = adapter(CatalogWriteStore, (database) => ({
  insert: (write) => database.write((tables) => writes.put(tables, write.companyId, [[write.traceId, write]])),
  find: (company, traceId) => database.read((tables) => writes.get(tables, company, traceId)),
  deleteBefore: (before, limit) =>
    database.decide((tables) => {
      const old = writes
        .all(tables)
        .filter(({ at }) => at < before)
        .sort((a, b) => a.at - b.at)
        .slice(0, limit)
      const left = old.reduce((rest, { companyId, traceId }) => writes.remove(rest, companyId, [traceId]), tables)
      return Result.succeed([old.length, left])
    })
}))
