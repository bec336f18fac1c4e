/**
 * Port: the outcomes of writes of products.
 */
import type { CompanyId, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CatalogWrite } from "./CatalogWrite.ts"

/**
 * Laws: a write is read back equal; no method returns another company's writes.
 */
export class CatalogWriteStore extends Context.Service<
  CatalogWriteStore,
  {
    readonly insert: (write: CatalogWrite) => Effect.Effect<void, StorageError>
    readonly find: (company: CompanyId, traceId: string) => Effect.Effect<CatalogWrite | undefined, StorageError>
    /** Deletes at most `limit` writes of any company from before a time, the oldest first, and returns how many. */
    readonly deleteBefore: (before: number, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@crossdock/catalog/CatalogWriteStore") {}
