/**
 * Port: pending writes of products, and the outcomes of processed ones.
 */
import type { CompanyId, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Accepted, CatalogWrite, WriteKey } from "./CatalogWrite.ts"

/**
 * The accepted products are stored separately from the write, which is read often and is much smaller.
 *
 * Laws: a running write is locked by one transaction at a time and is free as soon as that ends, in success or failure; the
 * writes of a company are due one after the other, in the order of their insertion; no method returns another company's
 * writes.
 */
export class CatalogWriteStore extends Context.Service<
  CatalogWriteStore,
  {
    readonly insert: (write: CatalogWrite, accepted: Accepted) => Effect.Effect<void, StorageError>
    readonly find: (company: CompanyId, traceId: string) => Effect.Effect<CatalogWrite | undefined, StorageError>
    /** The products that a running write still has to process; none of a completed one. */
    readonly accepted: (key: WriteKey) => Effect.Effect<Accepted, StorageError>
    /** The oldest running write of each company. */
    readonly due: Effect.Effect<ReadonlyArray<WriteKey>, StorageError>
    /**
     * Inside a transaction: the write, locked until the transaction ends; undefined when it is completed or locked by another
     * transaction.
     */
    readonly lock: (key: WriteKey) => Effect.Effect<CatalogWrite | undefined, StorageError>
    /** Stores the completed write, if it was still running, and deletes its accepted products. */
    readonly finish: (write: CatalogWrite) => Effect.Effect<void, StaleWrite | StorageError>
    /**
     * Deletes at most `limit` writes of any company that were completed before a time, the oldest first, and returns how many.
     */
    readonly deleteCompleted: (before: number, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@crossdock/catalog/CatalogWriteStore") {}
