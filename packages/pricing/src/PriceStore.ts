/**
 * Port: prices.
 */

import type { CompanyId, StaleWrite, StockKey, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Price, PriceChange } from "./Price.ts"

/**
 * Laws: `save` writes all changes or none, and fails with `StaleWrite` when a price has another version than the one that was
 * read; no method ever returns another company's prices.
 */
export class PriceStore extends Context.Service<
  PriceStore,
  {
    /**
     * One answer per key, in the order of the keys; version 0 where there is no price yet. Inside a transaction the stored
     * prices stay locked until it ends; they are locked in key order.
     */
    readonly load: (
      company: CompanyId,
      keys: ReadonlyArray<StockKey>
    ) => Effect.Effect<ReadonlyArray<Price | "UNKNOWN_SKU" | "UNKNOWN_LOCATION">, StorageError>
    /** `at` is the time of the change in epoch milliseconds. */
    readonly save: (
      company: CompanyId,
      at: number,
      changes: ReadonlyArray<PriceChange>
    ) => Effect.Effect<void, StaleWrite | StorageError>
  }
>()("@crossdock/pricing/PriceStore") {}
