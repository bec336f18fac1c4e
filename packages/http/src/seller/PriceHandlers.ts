/**
 * Handlers: bulk price updates.
 */

import { Ids } from "@crossdock/kernel"
import { Pricing } from "@crossdock/pricing"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { Seller } from "../Authentication.ts"
import * as Decode from "../Decode.ts"
import { answering } from "../Failure.ts"
import * as Records from "../Records.ts"
import { Reply } from "../Reply.ts"
import { bulkResult } from "./BulkResult.ts"
import { PriceRecord, recordLimit } from "./PriceApi.ts"
import { SellerApi } from "./SellerApi.ts"

const decode = Decode.record(PriceRecord)

const priceRecord = (value: unknown, root: ReadonlyArray<PropertyKey>) =>
  Either.map(decode(value, root), ({ location_id, ...record }) => ({ ...record, location: location_id }))

export const layer = HttpApiBuilder.group(SellerApi, "price", (handlers) =>
  Effect.gen(function* () {
    const pricing = yield* Pricing.Pricing
    const reply = yield* Reply
    const ids = yield* Ids.Ids
    return handlers.handleRaw("update", () =>
      Effect.gen(function* () {
        const caller = yield* Seller
        return yield* reply.write({ caller }, (body) =>
          Effect.gen(function* () {
            const records = yield* Records.envelope(body, recordLimit)
            const summary = yield* answering(pricing.setPrices(caller, Records.decodeEach(records, priceRecord)))
            return yield* bulkResult(ids, caller, summary, records)
          })
        )
      })
    )
  })
)
