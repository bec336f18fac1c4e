/**
 * The result of a bulk price or stock update. Source: docs/reference/bulk.md#bulk-result.
 */

import type { Caller, Integration } from "@crossdock/access"
import type { Bulk, Ids } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Seller } from "../Authentication.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import { iso } from "../internal/IsoTime.ts"
import * as Records from "../internal/Records.ts"
import { Limits } from "../Limits.ts"
import type { Reply } from "../Reply.ts"

export const Meta = Schema.Struct({
  ack_id: described(Schema.String, "Id of this answer, 24 hex characters"),
  integrationId: described(Schema.String, "Id of the integration that called"),
  time: described(Fields.time, "Time of the answer, ISO 8601 in UTC"),
  status: described(Records.BulkStatus, "Outcome of the whole request")
}).annotate({ identifier: "Meta", description: "About an answer" })

export const BulkResult = Schema.Struct({
  data: described(Records.counts(Records.FailedRecord, Limits.bulkRecords), "The outcome of the records"),
  meta: described(Meta, "About this answer")
}).annotate({
  identifier: "BulkResult",
  description:
    "Look at data.failed_count first: 200 is also the answer when some records were rejected, or all. The outcome of the records of a price or stock update"
})

export const meta = (ids: typeof Ids.Ids.Service, caller: Caller<Integration>, status: Bulk.Status) =>
  Effect.zipWith(ids.hex, Clock.currentTimeMillis, (ack_id, now) => ({
    ack_id,
    integrationId: caller.principal.integrationId,
    time: iso(now),
    status
  }))

/**
 * The handler of a bulk update.
 */
export const bulkUpdate = (reply: typeof Reply.Service, ids: typeof Ids.Ids.Service) => {
  const answer = Records.bulk(reply, Seller, ["sku", "location_id"])
  return <A>(decode: Records.Decoder<A>, update: Parameters<typeof answer<A, object>>[1]) => {
    const handled = answer(Records.listed(decode, Limits.bulkRecords), update, (summary, errors, caller) =>
      Effect.map(meta(ids, caller, summary.status), (meta) => ({ data: Records.countsOf(summary, errors), meta }))
    )
    return () => handled
  }
}
