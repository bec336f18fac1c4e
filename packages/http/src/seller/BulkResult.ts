/**
 * The result of a bulk price or stock update. Source: docs/reference/bulk.md#bulk-result.
 */

import type { Caller, Integration } from "@crossdock/access"
import type { Bulk, Ids, StorageError } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
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

export const bulkResult = (
  ids: typeof Ids.Ids.Service,
  caller: Caller<Integration>,
  summary: Bulk.Summary,
  records: ReadonlyArray<unknown>
) =>
  Effect.zipWith(
    Records.failures(summary, records, ["sku", "location_id"]),
    meta(ids, caller, summary.status),
    (errors, meta) => ({
      data: {
        payload_count: summary.total,
        success_count: summary.succeeded,
        failed_count: summary.failures.length,
        errors
      },
      meta
    })
  )

/**
 * The handler of a bulk update. `update` gets the records decoded one by one.
 */
export const bulkUpdate =
  (reply: typeof Reply.Service, ids: typeof Ids.Ids.Service) =>
  <A>(
    decode: (value: unknown, root: ReadonlyArray<PropertyKey>) => Result.Result<A, Bulk.Rejection>,
    update: (
      caller: Caller<Integration>,
      records: ReadonlyArray<Result.Result<A, Bulk.Rejection>>
    ) => Effect.Effect<Bulk.Summary, StorageError>
  ) => {
    const handled = Effect.flatMap(Seller, (caller) =>
      reply.write({ caller }, (body) =>
        Effect.flatMap(Records.envelope(body, Limits.bulkRecords), (records) =>
          Effect.flatMap(update(caller, Records.decodeEach(records, decode)), (summary) =>
            bulkResult(ids, caller, summary, records)
          )
        )
      )
    )
    return () => handled
  }
