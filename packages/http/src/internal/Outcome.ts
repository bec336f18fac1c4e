/**
 * Results of bulk shipment operations, in their two shapes.
 */

import type { Bulk, Ids } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Limits } from "../Limits.ts"
import * as Fields from "./Fields.ts"
import { described } from "./Fields.ts"
import { iso } from "./IsoTime.ts"
import * as Records from "./Records.ts"

/**
 * The result of cancel, confirm, invoiceUpdate, pack, dispatch and return. Source: docs/reference/bulk.md#moves.
 */
export const MovesResult = Schema.Struct({
  payloadCount: described(Fields.count(Limits.shipmentRecords), "Records in the request"),
  successCount: described(Fields.count(Limits.shipmentRecords), "Records that were applied"),
  failedCount: described(Fields.count(Limits.shipmentRecords), "Records that were rejected; errors has each of them"),
  status: described(Records.BulkStatus, "Outcome of the whole request"),
  errors: described(Schema.Array(Records.FailedMove), "The rejected records, in the order of the request")
}).annotate({
  identifier: "MovesResult",
  description:
    "Look at failedCount first: 200 is also the answer when some records were rejected, or all. The outcome of the records of a shipment operation"
})

/**
 * The result of awb and status. Source: docs/reference/bulk.md#envelope-result.
 */
export const EnvelopeResult = Schema.Struct({
  data: described(Records.counts(Records.FailedMove, Limits.shipmentRecords), "The outcome of the records"),
  meta: described(
    Schema.Struct({
      trace_id: described(Schema.String, "Id of this answer: 16 hex characters, a hyphen, epoch milliseconds"),
      time: described(Fields.time, "Time of the answer, ISO 8601 in UTC"),
      status: described(Records.BulkStatus, "Outcome of the whole request")
    }),
    "About this answer"
  )
}).annotate({
  identifier: "EnvelopeResult",
  description:
    "Look at data.failed_count first: 200 is also the answer when some records were rejected, or all. The outcome of the records of an awb or status operation"
})

export const moves = (summary: Bulk.Summary, errors: ReadonlyArray<typeof Records.FailedMove.Type>) =>
  Effect.succeed({
    payloadCount: summary.total,
    successCount: summary.succeeded,
    failedCount: summary.failures.length,
    status: summary.status,
    errors
  })

export const envelope =
  (ids: typeof Ids.Ids.Service) => (summary: Bulk.Summary, errors: ReadonlyArray<typeof Records.FailedMove.Type>) =>
    Effect.zipWith(Clock.currentTimeMillis, ids.hex, (now, hex) => ({
      data: Records.countsOf(summary, errors),
      meta: { trace_id: `${hex.slice(8)}-${now}`, time: iso(now), status: summary.status }
    }))
