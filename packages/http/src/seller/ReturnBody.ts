/**
 * Contract: the return operation, which records the quality check of returns. Its body is an array of records, or an
 * object with such an array and a `badQc` for all of them. The most specific `badQc` wins: the item's, the record's,
 * the body's, the query's. Source: docs/reference/returns.md#bad-qc.
 */
import { Text } from "@crossdock/kernel"
import { qcReasons } from "@crossdock/returns"
import type { MoveBatch } from "@crossdock/shipments"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { validationFailed } from "../Failure.ts"
import type * as Body from "../internal/Body.ts"
import { bulkCodes, type Listed, movesResult } from "../internal/BulkOperation.ts"
import * as Fields from "../internal/Fields.ts"
import { field, nullableField, optionalField } from "../internal/Fields.ts"
import { Limits } from "../Limits.ts"
import { moves, Portion } from "./ShipmentMoves.ts"

/** A number, or digits as text. Any other value is treated as absent. Source: docs/reference/returns.md#reason-codes. */
const ReasonCode = Schema.Unknown.check(
  Fields.rule((value) => (typeof value === "string" ? Fields.textFault(value, Limits.textLength) : undefined))
)

const reasons = `Why units are bad, as a number or as digits in text: ${qcReasons.map(({ code, reason }) => `${code} ${reason}`).join(", ")}. Other codes are stored but not shown`

export const ReturnRecord = Schema.Struct({
  orderId: Fields.shipmentId,
  orderItems: Fields.optional(
    Fields.list(
      Schema.Struct({
        ...Portion.fields,
        reasonCode: optionalField(ReasonCode, reasons),
        badQc: nullableField(Fields.flag, "true: these units are bad; false: good")
      })
    )
  ),
  badQc: nullableField(Fields.flag, "Applies to items without badQc; if absent, the badQc of the body or query applies")
}).annotate({ identifier: "ReturnRecord", description: "The quality check of a return" })

const reasonCodeOf = (value: unknown): number | string | null =>
  typeof value === "number" || typeof value === "string" ? value : null

/** The records. `badQc` is the value for records that don't have their own. */
const checks = moves("return", movesResult, {
  record: ReturnRecord,
  command: ({ badQc: own, orderItems }, _, badQc = false) => ({
    _tag: "CheckQuality",
    bad: own ?? badQc,
    items:
      orderItems?.map(({ badQc: itemOwn, orderItemId, quantity, reasonCode }) => ({
        itemId: orderItemId,
        quantity,
        reasonCode: reasonCodeOf(reasonCode),
        bad: itemOwn ?? own ?? badQc
      })) ?? null
  })
})

const ReturnQuery = Schema.Struct({ badQc: Schema.optionalKey(Fields.oneOf("true", "false")) })

export const ReturnBody = Schema.Union([
  checks.contract.payload,
  Schema.Struct({
    badQc: nullableField(
      Fields.flag,
      "Applies to records and items without badQc; if absent, the badQc of the query applies"
    ),
    shipments: field(checks.contract.payload, "The records")
  })
])

const payload =
  (query: typeof ReturnQuery.Type): Body.Payload<Listed<MoveBatch.MoveRequest>> =>
  (body) => {
    const byDefault = query.badQc === "true"
    if (!Predicate.isObject(body?.json)) return checks.read(body, byDefault)
    const { badQc = null, shipments } = body.json
    if (badQc === null || typeof badQc === "boolean")
      return checks.read({ json: shipments }, badQc ?? byDefault, ["shipments"])
    const message = `must be true or false; this is ${Text.jsonKind(badQc)}`
    return validationFailed([{ path: "/badQc", code: "INVALID_TYPE", message }])
  }

export const qualityChecks = {
  ...checks,
  payload,
  endpoint: HttpApiEndpoint.post("return", "/oms/v3/shipment/return", {
    ...checks.contract,
    query: ReturnQuery,
    payload: ReturnBody
  }).annotateMerge(bulkCodes)
}
