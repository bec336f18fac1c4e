/**
 * The body of the return operation: an array of records, or an object with such an array and a `badQc` for all of them.
 * An item's own `badQc` wins over its record's, that over the body's, and that over the query's. Source: docs/reference/returns.md#bad-qc.
 */
import { Text } from "@crossdock/kernel"
import type { MoveBatch } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { type Failure, validationFailed } from "../Failure.ts"
import type * as Body from "../internal/Body.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import * as Records from "../internal/Records.ts"
import { Limits } from "../Limits.ts"
import { qualityCheck, ReturnRecord } from "./ShipmentRecords.ts"

const list = Schema.Array(ReturnRecord).pipe(Schema.check(Schema.isMaxLength(Limits.shipmentRecords)))

/**
 * Both forms, for the OpenAPI document. The records are decoded one by one.
 */
export const ReturnBody = Schema.Union([
  list,
  Schema.Struct({
    badQc: described(Fields.optional(Fields.flag), "The result of records and items that don't say it themselves"),
    shipments: described(list, "The records")
  })
])

export const ReturnQuery = Schema.Struct({
  badQc: described(
    Schema.optionalKey(Fields.oneOf("true", "false")),
    "The result of what does not say it itself; false when absent"
  )
})

/**
 * The records and their quality checks.
 */
export const reader =
  (query: typeof ReturnQuery.Type) =>
  (body: Body.Body | undefined): Effect.Effect<Records.Listed<MoveBatch.MoveRequest>, Failure> => {
    const byDefault = query.badQc === "true"
    if (!Predicate.isObject(body?.json)) return Records.listed(qualityCheck(byDefault), Limits.shipmentRecords)(body)
    const { badQc = null, shipments } = body.json
    if (badQc === null || typeof badQc === "boolean") {
      const decode = qualityCheck(badQc ?? byDefault)
      return Records.listed(decode, Limits.shipmentRecords, ["shipments"])({ json: shipments })
    }
    const message = `must be true or false; this is ${Text.jsonKind(badQc)}`
    return Effect.fail(validationFailed([{ path: "/badQc", code: "INVALID_TYPE", message }]))
  }
