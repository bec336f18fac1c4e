/**
 * Port: where writes of products wait for their processing, and their outcomes stay.
 */
import type { CompanyId, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Accepted, CatalogWrite, WriteKey } from "./CatalogWrite.ts"

/**
 * What was accepted is kept beside the write, which is read often: it may be a thousand times as large.
 *
 * Laws: a running write is held by one transaction at a time, and is free as soon as that ended, well or badly; the writes
 * of a company are due one after the other, in the order of their insertion; nothing of another company is ever seen.
 */
export class CatalogWriteStore extends Context.Service<
  CatalogWriteStore,
  {
    readonly insert: (write: CatalogWrite, accepted: Accepted) => Effect.Effect<void, StorageError>
    readonly find: (company: CompanyId, traceId: string) => Effect.Effect<CatalogWrite | undefined, StorageError>
    /** What a running write is to process; nothing of one that is completed. */
    readonly accepted: (key: WriteKey) => Effect.Effect<Accepted, StorageError>
    /** The oldest running write of each company. */
    readonly due: Effect.Effect<ReadonlyArray<WriteKey>, StorageError>
    /**
     * Inside a transaction: the write, nobody else's until the transaction ends; undefined when it is completed or another
     * transaction has it.
     */
    readonly lock: (key: WriteKey) => Effect.Effect<CatalogWrite | undefined, StorageError>
    /** Puts the completed write in place, if it was still running, and forgets what it had accepted. */
    readonly finish: (write: CatalogWrite) => Effect.Effect<void, StaleWrite | StorageError>
  }
>()("@crossdock/catalog/CatalogWriteStore") {}
