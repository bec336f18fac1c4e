/** Port: stock levels and their movements. */
import type { CompanyWrite } from "@crossdock/audit"
import type { CompanyId, StaleWrite, StockKey, StockRows, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Level, LevelChange } from "./Level.ts"

/** A level whose stock differs from the sum of its movements; `sku` is null if the SKU was deleted without it. */
export interface Discrepancy {
  readonly sku: string | null
  readonly location: string
  readonly level: { readonly onHand: number; readonly reserved: number; readonly unsellable: number }
  readonly movements: { readonly onHand: number; readonly reserved: number; readonly unsellable: number }
}

/** A location of a company, by its code. */
export interface CompanyLocation {
  readonly companyId: CompanyId
  readonly location: string
}

/** A change to save. `marked` is true if the sellable quantity changed: marketplaces must be notified. */
export interface MarkedChange extends Pick<LevelChange, "before" | "after" | "movements"> {
  readonly marked: boolean
}

/**
 * Laws: a level equals the sum of its movements. `save` writes all changes or none, and fails with `StaleWrite` if a
 * level's version has changed since it was read, or it is another company's. No method returns another company's stock.
 * Text is ordered by code point. SKUs and location codes are any text of 1 to 2,000 code points.
 */
export class StockLevels extends Context.Service<
  StockLevels,
  {
    /**
     * One answer per key, in the order of the keys. A level that isn't stored yet has version 0 and no stock. Inside a
     * transaction, locks the stored levels in key order until it ends.
     */
    readonly load: (
      company: CompanyId,
      keys: ReadonlyArray<StockKey>
    ) => Effect.Effect<ReadonlyArray<Level | "UNKNOWN_SKU" | "UNKNOWN_LOCATION">, StorageError>
    /** Marked levels get `changeNumber` and, as `changedAt`, its time `at`. */
    readonly save: (
      company: CompanyId,
      changeNumber: CompanyWrite.ChangeNumber,
      at: number,
      changes: ReadonlyArray<MarkedChange>
    ) => Effect.Effect<void, StaleWrite | StorageError>
    /**
     * Levels at these locations with change numbers above `after`, ascending: at most `limit`, but always all levels of the
     * last change among them. Levels deleted with their product are included, without stock, until their SKU is marked
     * again, and so are levels marked as missing for this marketplace.
     */
    readonly marked: (
      company: CompanyId,
      locations: ReadonlyArray<string>,
      after: number,
      limit: number,
      marketplace: string
    ) => Effect.Effect<ReadonlyArray<Level>, StorageError>
    /**
     * The levels among these keys that were deleted with their product or are marked as missing for this marketplace. They
     * have no stock, and the number of the change that last deleted or marked them.
     */
    readonly deleted: (
      company: CompanyId,
      keys: ReadonlyArray<StockKey>,
      marketplace: string
    ) => Effect.Effect<ReadonlyArray<Level>, StorageError>
    /**
     * Marks SKUs as missing at `to`, for one marketplace only, under `changeNumber` at time `at` (epoch milliseconds): every
     * SKU that the marketplace may know from `from` and that isn't marked at `to`. A marketplace that received stock of
     * `from` under a code that now means `to` is then notified of 0. Other marketplaces don't see these marks, since the
     * SKUs may be another company's.
     */
    readonly markMissing: (
      marketplace: string,
      from: CompanyLocation,
      to: CompanyLocation,
      changeNumber: number,
      at: number
    ) => Effect.Effect<void, StorageError>
    readonly list: StockRows<Pick<Level, "onHand" | "reserved" | "unsellable">>
    /**
     * Deletes the levels of these SKUs, before their sizes are deleted. Levels that were ever marked are marked as deleted
     * under the change's number and time. Call it inside a transaction that has locked the company. It never waits: if
     * another writer has locked a row, it fails as contended.
     */
    readonly remove: (
      company: CompanyId,
      skus: ReadonlyArray<string>,
      mark: { readonly changeNumber: number; readonly at: number }
    ) => Effect.Effect<void, StorageError>
    /**
     * Folds one company's movements from before a time into one sum per level: those of about `limit` of the oldest
     * changes. Returns the number of changes; 0 when none is left. A storage without a history has nothing to fold.
     */
    readonly foldMovements: (before: number, limit: number) => Effect.Effect<number, StorageError>
    /** Every level that breaks the first law or has no SKU; empty if the stock is consistent. */
    readonly discrepancies: (company: CompanyId) => Effect.Effect<ReadonlyArray<Discrepancy>, StorageError>
  }
>()("@crossdock/inventory/StockLevels") {}
