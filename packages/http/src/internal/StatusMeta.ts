/**
 * The `meta` of a reported status, from sellers and marketplaces alike. Source: docs/reference/shipments.md#meta.
 */
import { noMeta } from "@crossdock/shipments"
import * as Schema from "effect/Schema"
import { Limits } from "../Limits.ts"
import * as Fields from "./Fields.ts"
import { described } from "./Fields.ts"

export const StatusMeta = Schema.Struct({
  remark: described(Fields.optional(Fields.text()), "A note, shown among the tracking events"),
  reasonCode: described(
    Fields.optional(Fields.integer(-Limits.reasonCode, Limits.reasonCode)),
    "The caller's code of the reason"
  ),
  dpLocation: described(Fields.optional(Fields.text()), "Where the parcel is"),
  promised_delivery_date: described(
    Fields.optional(Fields.statedDate),
    "A day (2026-01-31 or 31-01-2026) or an ISO 8601 date and time, kept as text"
  ),
  estimated_delivery_date: described(Fields.optional(Fields.statedDate), "The same, as now estimated")
})

export const metaOf = (meta: typeof StatusMeta.Type | null | undefined) =>
  meta === null || meta === undefined
    ? noMeta
    : {
        remark: meta.remark ?? null,
        reasonCode: meta.reasonCode ?? null,
        dpLocation: meta.dpLocation ?? null,
        promisedDeliveryDate: meta.promised_delivery_date ?? null,
        estimatedDeliveryDate: meta.estimated_delivery_date ?? null
      }
