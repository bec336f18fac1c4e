/**
 * Handlers: bulk price updates.
 */

import { Ids } from "@crossdock/kernel"
import { Pricing } from "@crossdock/pricing"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Decode from "../internal/Decode.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import { Reply } from "../Reply.ts"
import { bulkUpdate } from "./BulkResult.ts"
import { PriceRecord } from "./PriceApi.ts"
import { SellerApi } from "./SellerApi.ts"

const decode = Decode.record(PriceRecord)

const priceRecord = (value: unknown, root: ReadonlyArray<PropertyKey>) =>
  Result.map(decode(value, root), ({ location_id, ...record }) => ({ ...record, location: location_id }))

export const layer = Endpoints.group(SellerApi, "price", (handlers) =>
  Effect.gen(function* () {
    const pricing = yield* Pricing.Pricing
    const bulk = bulkUpdate(yield* Reply, yield* Ids.Ids)
    return handlers({
      update: bulk(priceRecord, pricing.setPrices)
    })
  })
)
