/**
 * Handlers: bulk stock updates.
 */

import { Inventory } from "@crossdock/inventory"
import { Ids } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Decode from "../internal/Decode.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import { Reply } from "../Reply.ts"
import { bulkUpdate } from "./BulkResult.ts"
import { SellerApi } from "./SellerApi.ts"
import { StockRecord } from "./StockApi.ts"

const decode = Decode.record(StockRecord)

const stockRecord = (value: unknown, root: ReadonlyArray<PropertyKey>) =>
  Result.map(decode(value, root), ({ expected_quantity, location_id, quantity, sku }) => ({
    location: location_id,
    sku,
    quantity,
    expected: expected_quantity ?? null
  }))

export const layer = Endpoints.group(SellerApi, "stock", (handlers) =>
  Effect.gen(function* () {
    const inventory = yield* Inventory.Inventory
    const bulk = bulkUpdate(yield* Reply, yield* Ids.Ids)
    return handlers({
      update: bulk(stockRecord, inventory.setStock)
    })
  })
)
