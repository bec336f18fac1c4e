/**
 * Results of bulk shipment operations, in their two shapes.
 */

import type { Bulk, Ids } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { iso } from "./IsoTime.ts"
import * as Records from "./Records.ts"

/**
 * The result of cancel, confirm, invoiceUpdate, pack, dispatch and return. Source: docs/reference/bulk.md#moves.
 */
export const MovesResult = Schema.Struct({
  payloadCount: Schema.Int,
  successCount: Schema.Int,
  failedCount: Schema.Int,
  status: Schema.String,
  errors: Schema.Array(Records.FailedRecord)
}).annotate({ identifier: "MovesResult" })

/**
 * The result of awb and status. Source: docs/reference/bulk.md#envelope-result.
 */
export const EnvelopeResult = Schema.Struct({
  data: Schema.Struct({
    payload_count: Schema.Int,
    success_count: Schema.Int,
    failed_count: Schema.Int,
    errors: Schema.Array(Records.FailedRecord)
  }),
  meta: Schema.Struct({ trace_id: Schema.String, time: Schema.String, status: Schema.String })
}).annotate({ identifier: "EnvelopeResult" })

export const moves = (summary: Bulk.Summary, records: ReadonlyArray<unknown>, keys: ReadonlyArray<string>) =>
  Effect.succeed({
    payloadCount: summary.total,
    successCount: summary.succeeded,
    failedCount: summary.failures.length,
    status: summary.status,
    errors: Records.failures(summary, records, keys)
  })

export const envelope =
  (ids: typeof Ids.Ids.Service) =>
  (summary: Bulk.Summary, records: ReadonlyArray<unknown>, keys: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const hex = yield* ids.hex
      return {
        data: {
          payload_count: summary.total,
          success_count: summary.succeeded,
          failed_count: summary.failures.length,
          errors: Records.failures(summary, records, keys)
        },
        meta: {
          trace_id: `${hex.slice(8)}-${now}`,
          time: iso(now),
          status: summary.status
        }
      }
    })
