/**
 * Port: where writes of products wait for their processing, and their outcomes stay.
 */
import type { CompanyId, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CatalogWrite, WriteKey } from "./CatalogWrite.ts"

/**
 * Laws: a running write is claimed by one owner at a time; a claim that ran out is free; the writes of a company are due
 * one after the other, in the order of their insertion; nothing of another company is ever seen.
 */
export class CatalogWriteStore extends Context.Tag("@crossdock/catalog/CatalogWriteStore")<
  CatalogWriteStore,
  {
    readonly insert: (write: CatalogWrite) => Effect.Effect<void, StorageError>
    readonly find: (company: CompanyId, traceId: string) => Effect.Effect<CatalogWrite | undefined, StorageError>
    /** The oldest running write of each company, if nobody holds it at `now`. */
    readonly due: (now: number) => Effect.Effect<ReadonlyArray<WriteKey>, StorageError>
    /** Takes a running write that nobody holds at `now`; undefined when another was faster. */
    readonly claim: (
      key: WriteKey,
      owner: string,
      now: number,
      until: number
    ) => Effect.Effect<CatalogWrite | undefined, StorageError>
    /** Puts the completed write in place, if `owner` still holds it. */
    readonly finish: (write: CatalogWrite, owner: string) => Effect.Effect<void, StaleWrite | StorageError>
    /** Gives a claim back. */
    readonly release: (key: WriteKey, owner: string) => Effect.Effect<void, StorageError>
  }
>() {}
