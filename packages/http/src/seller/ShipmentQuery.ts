/**
 * What may be asked of the order read, and which shipments it means (document 2, rules 1 and 2; contract, section 6).
 */
import type { Caller, Integration } from "@crossdock/access"
import { dayMillis, Limits, orderStatusValues, type Shipments } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { validationFailed } from "../Failure.ts"
import * as Fields from "../Fields.ts"

export const ShipmentQuery = Schema.Struct({
  orderId: Schema.optionalKey(Fields.name),
  orderingChannel: Schema.optionalKey(Fields.text()),
  orderStatus: Schema.optionalKey(Fields.oneOf(...orderStatusValues)),
  pageNumber: Fields.withDefault(Fields.queryInteger(1, 1_000_000_000), 1),
  pageSize: Fields.withDefault(Fields.queryInteger(1, Limits.pageSize.most), Limits.pageSize.default),
  locationCode: Schema.optionalKey(Fields.text()),
  orderDateFrom: Schema.optionalKey(Fields.day),
  orderDateTo: Schema.optionalKey(Fields.day)
})

/**
 * The info read asks for less, and looks at all locations that the token sees.
 */
export const InfoQuery = ShipmentQuery.mapFields(Struct.pick(["orderId", "orderStatus", "pageNumber", "pageSize"]))

type Query = typeof ShipmentQuery.Type

const missing = (field: string, message: string) => validationFailed([{ path: `/${field}`, code: "REQUIRED", message }])

/**
 * The shipments that a query means. A list needs an order status, and a location from a company-level token.
 */
export const queryOf = (caller: Caller<Integration>, asked: Query) => {
  const { locationCode, orderDateFrom, orderDateTo, orderId, orderStatus, orderingChannel } = asked
  if (orderId === undefined && orderStatus === undefined) {
    return missing("orderStatus", "is required when there is no orderId")
  }
  if (orderId === undefined && locationCode === undefined && caller.principal.locations === null) {
    return missing("locationCode", "is required with company-level authorization")
  }
  const query: Shipments.ShipmentQuery = {
    ...(locationCode === undefined ? {} : { location: locationCode }),
    ...(orderId === undefined ? {} : { id: orderId }),
    ...(orderStatus === undefined ? {} : { orderStatus }),
    ...(orderingChannel === undefined ? {} : { marketplace: orderingChannel }),
    ...(orderDateFrom === undefined ? {} : { from: orderDateFrom / dayMillis }),
    ...(orderDateTo === undefined ? {} : { to: orderDateTo / dayMillis })
  }
  return Effect.succeed(query)
}

/**
 * The shipments that an info read means: one by its id, or all of a status.
 */
export const infoQueryOf = ({ orderId, orderStatus }: typeof InfoQuery.Type) => {
  const query: Shipments.ShipmentQuery = {
    ...(orderId === undefined ? {} : { id: orderId }),
    ...(orderStatus === undefined ? {} : { orderStatus })
  }
  return orderId === undefined && orderStatus === undefined
    ? missing("orderStatus", "is required when there is no orderId")
    : Effect.succeed(query)
}
