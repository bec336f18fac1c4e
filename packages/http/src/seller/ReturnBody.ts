/**
 * The body of the return operation: an array of records, or an object with such an array and a `badQc` for all of them.
 * An item's own `badQc` wins over its record's, that over the body's, and that over the query's. Source: docs/reference/returns.md#bad-qc.
 */
import { jsonKind } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { type Failure, validationFailed } from "../Failure.ts"
import type * as Body from "../internal/Body.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import * as Records from "../internal/Records.ts"
import { Limits } from "../Limits.ts"
import { type Moves, qualityCheck, ReturnRecord } from "./ShipmentRecords.ts"

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
export const read = (body: Body.Body | undefined, query: typeof ReturnQuery.Type): Effect.Effect<Moves, Failure> =>
  Effect.gen(function* () {
    const byDefault = query.badQc === "true"
    if (!Predicate.isObject(body?.json)) {
      const records = yield* Records.envelope(body, Limits.shipmentRecords)
      return { records, moves: Records.decodeEach(records, qualityCheck(byDefault)) }
    }
    const { badQc = null, shipments } = body.json
    if (badQc !== null && typeof badQc !== "boolean") {
      const message = `must be true or false; this is ${jsonKind(badQc)}`
      return yield* validationFailed([{ path: "/badQc", code: "INVALID_TYPE", message }])
    }
    const records = yield* Records.envelope({ json: shipments }, Limits.shipmentRecords, "/shipments")
    return { records, moves: Records.decodeEach(records, qualityCheck(badQc ?? byDefault), ["shipments"]) }
  })
