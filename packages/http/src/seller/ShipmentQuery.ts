/**
 * The queries of the order reads. Source: docs/reference/shipments.md#read.
 */
import type { Caller, Integration } from "@crossdock/access"
import { dayMillis, orderStatusValues, type Shipments } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { validationFailed } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { Limits } from "../Limits.ts"

export const ShipmentQuery = Schema.Struct({
  orderId: Schema.optionalKey(Fields.name),
  orderingChannel: Schema.optionalKey(Fields.text()),
  orderStatus: Schema.optionalKey(Fields.oneOf(...orderStatusValues)),
  pageNumber: Fields.withDefault(Fields.queryInteger(1, Limits.pageNumber), 1),
  pageSize: Fields.withDefault(Fields.queryInteger(1, Limits.shipmentsPageSize), 20),
  locationCode: Schema.optionalKey(Fields.text()),
  orderDateFrom: Schema.optionalKey(Fields.day),
  orderDateTo: Schema.optionalKey(Fields.day)
})

/**
 * The query of the info read, which covers all locations of the token. Source: docs/reference/shipments.md#info.
 */
export const InfoQuery = ShipmentQuery.mapFields(Struct.pick(["orderId", "orderStatus", "pageNumber", "pageSize"]))

type Query = typeof ShipmentQuery.Type

const missing = (field: string, message: string) => validationFailed([{ path: `/${field}`, code: "REQUIRED", message }])

/**
 * The shipments that a query selects. A list needs an order status; with a company-level token, also a location.
 */
export const queryOf = (caller: Caller<Integration>, sent: Query) => {
  const { locationCode, orderDateFrom, orderDateTo, orderId, orderStatus, orderingChannel } = sent
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
 * The shipments that an info query selects: one by its id, or all with a status.
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
