import type { CompanyWrite } from "@crossdock/audit"
import type { CompanyId, StaleWrite, StockKey, StockRows, Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type { Level, LevelChange } from "./Level.ts"

/** A level that differs from the sum of its movements. `sku` is null if the SKU was deleted but the level wasn't. */
export interface Discrepancy {
  readonly sku: string | null
  readonly location: string
  readonly level: { readonly onHand: number; readonly reserved: number; readonly unsellable: number }
  readonly movements: { readonly onHand: number; readonly reserved: number; readonly unsellable: number }
}

/** A location of a company. `location` is its code. */
export interface CompanyLocation {
  readonly companyId: CompanyId
  readonly location: string
}

/** A change to save. `marked` is true if the sellable quantity changed, so that marketplaces must be notified. */
export interface MarkedChange extends Pick<LevelChange, "before" | "after" | "movements"> {
  readonly marked: boolean
}

/**
 * Port: stores stock levels. Laws:
 * - A level equals the sum of its movements.
 * - `save` writes all changes or none. It fails with `StaleWrite` if a level belongs to another company, or if its version has
 *   changed since it was read.
 * - No method returns another company's stock.
 * - Text is sorted by code point. SKUs and location codes are any text of 1 to 2,000 code points.
 */
export class StockLevels extends Context.Service<
  StockLevels,
  {
    /** Returns a level per key, in order. Unstored levels have version 0. A transaction locks in the order of keys. */
    readonly load: (
      company: CompanyId,
      keys: ReadonlyArray<StockKey>
    ) => Stored<ReadonlyArray<Level | "UNKNOWN_SKU" | "UNKNOWN_LOCATION">>
    /** Saves changes of levels. A marked level gets `changeNumber`, and `at` as its `changedAt`. */
    readonly save: (
      company: CompanyId,
      changeNumber: CompanyWrite.ChangeNumber,
      at: number,
      changes: ReadonlyArray<MarkedChange>
    ) => Stored<void, StaleWrite>
    /**
     * At most `limit` levels at these locations with a change number above `after`, sorted by it, plus the remaining levels
     * of the last change. Levels that are deleted, or missing for this marketplace, are included with stock 0.
     */
    readonly marked: (
      company: CompanyId,
      locations: ReadonlyArray<string>,
      after: number,
      limit: number,
      marketplace: string
    ) => Stored<ReadonlyArray<Level>>
    /** Returns the levels of these keys that were deleted or marked as missing, with stock 0 and that change's number. */
    readonly deleted: (
      company: CompanyId,
      keys: ReadonlyArray<StockKey>,
      marketplace: string
    ) => Stored<ReadonlyArray<Level>>
    /**
     * Marks SKUs as missing at `to` for one marketplace: those that are marked at `from`, so that it may know their stock,
     * and aren't marked at `to`. The marks get `changeNumber` and the time `at` (epoch milliseconds).
     *
     * Call it when a marketplace's code changes its meaning from `from` to `to`. If the marketplace received stock under this
     * code, it is then notified of 0. Other marketplaces don't see these marks, since the SKUs may belong to another company.
     */
    readonly markMissing: (
      marketplace: string,
      from: CompanyLocation,
      to: CompanyLocation,
      changeNumber: number,
      at: number
    ) => Stored<void>
    readonly list: StockRows<Pick<Level, "onHand" | "reserved" | "unsellable">>
    /**
     * Deletes the levels of these SKUs. Call it before their sizes are deleted, in a transaction that has locked the company.
     * A level that was ever marked is marked as deleted. The call fails as contended if a row is locked.
     */
    readonly remove: (
      company: CompanyId,
      skus: ReadonlyArray<string>,
      mark: { readonly changeNumber: number; readonly at: number }
    ) => Stored<void>
    /**
     * Replaces movements older than `before` by one sum per level, for about `limit` of a company's oldest changes. Returns 0
     * if no such movements are left or if the storage has no history, else the number of changes.
     */
    readonly foldMovements: (before: number, limit: number) => Stored<number>
    /** Every level that differs from the sum of its movements or has no SKU. */
    readonly discrepancies: (company: CompanyId) => Stored<ReadonlyArray<Discrepancy>>
  }
>()("@crossdock/inventory/StockLevels") {}
