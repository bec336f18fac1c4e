import type { CompanyWrite } from "@crossdock/audit"
import type { CompanyId, StaleWrite, StockKey, StockRows, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Level, LevelChange } from "./Level.ts"

/** A level that differs from the sum of its movements; `sku` is null if the SKU was deleted without it. */
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

/** A change to save. `marked`: the sellable quantity changed, so marketplaces must be notified. */
export interface MarkedChange extends Pick<LevelChange, "before" | "after" | "movements"> {
  readonly marked: boolean
}

/**
 * Laws: a level equals the sum of its movements. `save` writes all or nothing, and fails with `StaleWrite` for a level of
 * another company, or whose version has changed since its read. No method returns another company's stock. Text is ordered by
 * code point. SKUs and location codes are any text of 1 to 2,000 code points.
 */
export class StockLevels extends Context.Service<
  StockLevels,
  {
    /** One answer per key, in order; version 0 without a stored level. A transaction locks the stored levels in key order. */
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
     * Levels at these locations with change numbers above `after`, ascending: at most `limit`, plus the rest of the last
     * change. They include levels marked as missing for this marketplace, and deleted ones, without stock, until marked again.
     */
    readonly marked: (
      company: CompanyId,
      locations: ReadonlyArray<string>,
      after: number,
      limit: number,
      marketplace: string
    ) => Effect.Effect<ReadonlyArray<Level>, StorageError>
    /**
     * Of these keys' levels, those deleted with their product or marked as missing for this marketplace, without stock, and
     * with the number of the change that last did so.
     */
    readonly deleted: (
      company: CompanyId,
      keys: ReadonlyArray<StockKey>,
      marketplace: string
    ) => Effect.Effect<ReadonlyArray<Level>, StorageError>
    /**
     * Marks SKUs as missing at `to`, for one marketplace, under `changeNumber` at `at` (epoch milliseconds): every SKU that it
     * may know from `from` and that isn't marked at `to`. A marketplace that received stock of `from` under a code that now
     * means `to` is then notified of 0. Others don't see these marks, since the SKUs may be another company's.
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
     * Deletes the levels of these SKUs before their sizes. A level that was ever marked gets a mark as deleted, with the
     * change's number and time. Call it in a transaction that has locked the company. It never waits: a locked row fails it as contended.
     */
    readonly remove: (
      company: CompanyId,
      skus: ReadonlyArray<string>,
      mark: { readonly changeNumber: number; readonly at: number }
    ) => Effect.Effect<void, StorageError>
    /**
     * Folds a company's movements from before a time into one sum per level: those of about `limit` of the oldest changes.
     * Returns the number of changes; 0 when none is left, or without a history.
     */
    readonly foldMovements: (before: number, limit: number) => Effect.Effect<number, StorageError>
    /** Every level that breaks the first law or has no SKU. */
    readonly discrepancies: (company: CompanyId) => Effect.Effect<ReadonlyArray<Discrepancy>, StorageError>
  }
>()("@crossdock/inventory/StockLevels") {}
