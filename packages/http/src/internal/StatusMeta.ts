/**
 * The `meta` of a reported status, from sellers and marketplaces alike. Source: docs/reference/shipments.md#meta.
 */
import { noMeta } from "@crossdock/shipments"
import * as Schema from "effect/Schema"
import { Limits } from "../Limits.ts"
import * as Fields from "./Fields.ts"

export const StatusMeta = Schema.Struct({
  remark: Fields.optional(Fields.text()),
  reasonCode: Fields.optional(Fields.integer(-Limits.reasonCode, Limits.reasonCode)),
  dpLocation: Fields.optional(Fields.text()),
  promised_delivery_date: Fields.optional(Fields.statedDate),
  estimated_delivery_date: Fields.optional(Fields.statedDate)
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
