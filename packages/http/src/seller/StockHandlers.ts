/**
 * Handlers: bulk stock updates.
 */

import { Inventory } from "@crossdock/inventory"
import { Ids } from "@crossdock/kernel"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Seller } from "../Authentication.ts"
import * as Decode from "../Decode.ts"
import { answering } from "../Failure.ts"
import * as Records from "../Records.ts"
import { Reply } from "../Reply.ts"
import { bulkResult } from "./BulkResult.ts"
import { SellerApi } from "./SellerApi.ts"
import { recordLimit, StockRecord } from "./StockApi.ts"

const decode = Decode.record(StockRecord)

const stockRecord = (value: unknown, root: ReadonlyArray<PropertyKey>) =>
  Either.map(decode(value, root), ({ expected_quantity, location_id, quantity, sku }) => ({
    location: location_id,
    sku,
    quantity,
    expected: expected_quantity ?? null
  }))

export const layer = HttpApiBuilder.group(SellerApi, "stock", (handlers) =>
  Effect.gen(function* () {
    const inventory = yield* Inventory.Inventory
    const reply = yield* Reply
    const ids = yield* Ids.Ids
    return handlers.handleRaw("update", () =>
      Effect.gen(function* () {
        const caller = yield* Seller
        return yield* reply.write({ caller }, (body) =>
          Effect.gen(function* () {
            const records = yield* Records.envelope(body, recordLimit)
            const summary = yield* answering(inventory.setStock(caller, Records.decodeEach(records, stockRecord)))
            return yield* bulkResult(ids, caller, summary, records)
          })
        )
      })
    )
  })
)
