/**
 * Port: stock levels and their movements.
 */

import type { CompanyId, Page, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Level, LevelChange } from "./Level.ts"
import type { StockKey } from "./StockKey.ts"

/**
 * A level whose stock differs from the sum of its movements.
 */
export interface Discrepancy extends StockKey {
  readonly level: { readonly onHand: number; readonly reserved: number; readonly unsellable: number }
  readonly movements: { readonly onHand: number; readonly reserved: number; readonly unsellable: number }
}

/**
 * A location of a company, by its code.
 */
export interface Place {
  readonly companyId: CompanyId
  readonly location: string
}

/**
 * Laws: a level equals the sum of its movements; `save` writes all or nothing, and fails with `StaleWrite` when one of the
 * levels has another version than it was read with, or is another company's; nothing of another company is ever seen. Text
 * is ordered by code point. SKUs and location codes are any text of 1 to 2,000 code points, as access and catalog take them.
 */
export class StockLevels extends Context.Service<
  StockLevels,
  {
    /**
     * One answer for each key, in the order of the keys. A level that is not stored yet has version 0 and no stock.
     * Inside a transaction the stored levels are held, in key order, until it ends.
     */
    readonly load: (
      company: CompanyId,
      keys: ReadonlyArray<StockKey>
    ) => Effect.Effect<ReadonlyArray<Level | "UNKNOWN_SKU" | "UNKNOWN_LOCATION">, StorageError>
    /** `number` is the company’s change number and `at` its time: the sequence and `changedAt` of levels that are marked. */
    readonly save: (
      company: CompanyId,
      number: number,
      at: number,
      changes: ReadonlyArray<MarkedChange>
    ) => Effect.Effect<void, StaleWrite | StorageError>
    /**
     * Levels marked after `after` at any of these locations, by rising sequence: at most `limit`, and the rest of the last
     * change that is among them. What went with its product is among them, without stock, until it is marked again, and so
     * is what was marked as missing for this marketplace.
     */
    readonly marked: (
      company: CompanyId,
      locations: ReadonlyArray<string>,
      after: number,
      limit: number,
      marketplace: string
    ) => Effect.Effect<ReadonlyArray<Level>, StorageError>
    /**
     * What is left of those of these keys that went with their product once, or are marked as missing for this marketplace: no stock, and
     * the change that took it last.
     */
    readonly gone: (
      company: CompanyId,
      keys: ReadonlyArray<StockKey>,
      marketplace: string
    ) => Effect.Effect<ReadonlyArray<Level>, StorageError>
    /**
     * For one marketplace alone, marks as missing at `to`, under `number` at `at` (epoch ms), every SKU that it may know of
     * `from` and that is not marked at `to`: a marketplace that was told of stock at `from` under a code that now means `to`
     * is then told 0. Nobody else sees it, since the SKUs may be another company's.
     */
    readonly markMissing: (
      marketplace: string,
      from: Place,
      to: Place,
      number: number,
      at: number
    ) => Effect.Effect<void, StorageError>
    /** Every level that breaks the first law; empty when all is well. */
    readonly discrepancies: (company: CompanyId) => Effect.Effect<ReadonlyArray<Discrepancy>, StorageError>
  }
>()("@crossdock/inventory/StockLevels") {}

/**
 * `marked` when the sellable quantity changed, so that marketplaces must hear of it.
 */
export interface MarkedChange extends Pick<LevelChange, "before" | "after" | "movements"> {
  readonly marked: boolean
}

/**
 * One row of the listings: a SKU at a location that has a price or stock. Money in minor units; null where there is no
 * price.
 */
export interface Listing extends StockKey {
  readonly itemCode: string
  readonly name: string
  readonly brand: string
  readonly size: string
  readonly mrp: number | null
  readonly esp: number | null
  readonly currency: string
  readonly onHand: number
  readonly reserved: number
  readonly unsellable: number
  readonly batch: boolean
  readonly modifiedAt: number
}

/**
 * `locations` null means all of the company; `skus` empty means all.
 */
export interface ListingFilter {
  readonly locations: ReadonlyArray<string> | null
  readonly skus: ReadonlyArray<string>
}

/**
 * Port: the joined view of stock and prices. Ordered by SKU, then location, by code point.
 */
export class Listings extends Context.Service<
  Listings,
  {
    readonly page: (
      company: CompanyId,
      filter: ListingFilter,
      page: Page.Page
    ) => Effect.Effect<ReadonlyArray<Listing>, StorageError>
    readonly count: (
      company: CompanyId,
      filter: ListingFilter & { readonly withBatches: boolean }
    ) => Effect.Effect<number, StorageError>
  }
>()("@crossdock/inventory/Listings") {}
