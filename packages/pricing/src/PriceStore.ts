/**
 * Port: prices.
 */

import type { CompanyId, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Price, PriceChange } from "./Price.ts"

/**
 * Laws: `save` writes all or nothing and fails with `StaleWrite` when one of the prices has another version than it was
 * read with; nothing of another company is ever seen.
 */
export class PriceStore extends Context.Service<
  PriceStore,
  {
    /**
     * One answer for each key, in the order of the keys; version 0 where there is no price yet. Inside a transaction the
     * stored prices are held, in key order, until it ends.
     */
    readonly load: (
      company: CompanyId,
      keys: ReadonlyArray<{ readonly sku: string; readonly location: string }>
    ) => Effect.Effect<ReadonlyArray<Price | "UNKNOWN_SKU" | "UNKNOWN_LOCATION">, StorageError>
    /** `at` in epoch milliseconds. */
    readonly save: (
      company: CompanyId,
      at: number,
      changes: ReadonlyArray<PriceChange>
    ) => Effect.Effect<void, StaleWrite | StorageError>
  }
>()("@crossdock/pricing/PriceStore") {}
