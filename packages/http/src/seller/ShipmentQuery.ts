/**
 * The queries of the order reads. Source: docs/reference/shipments.md#read.
 */

import type { Caller, Integration } from "@crossdock/access"
import { Instant } from "@crossdock/kernel"
import { orderStatusValues, type Shipments } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { validationFailed } from "../Failure.ts"
import * as Fields from "../internal/Fields.ts"
import { described } from "../internal/Fields.ts"
import { Limits } from "../Limits.ts"

export const ShipmentQuery = Schema.Struct({
  orderId: described(
    Schema.optionalKey(Fields.name),
    "One shipment, by its id; the other filters and the page are then not applied"
  ),
  orderingChannel: described(Schema.optionalKey(Fields.text()), "A marketplace's slug"),
  orderStatus: described(
    Schema.optionalKey(Fields.oneOf(...orderStatusValues)),
    "Only shipments with this status; required unless orderId is given"
  ),
  pageNumber: described(Fields.withDefault(Fields.queryInteger(1, Limits.pageNumber), 1), "Page, from 1"),
  pageSize: described(Fields.withDefault(Fields.queryInteger(1, Limits.shipmentsPageSize), 20), "Shipments on a page"),
  locationCode: described(Schema.optionalKey(Fields.text()), "A location of the company"),
  orderDateFrom: described(Schema.optionalKey(Fields.day), "Orders of this day and later: dd-mm-yyyy, UTC"),
  orderDateTo: described(Schema.optionalKey(Fields.day), "Orders of this day and earlier: dd-mm-yyyy, UTC")
})

type Query = typeof ShipmentQuery.Type

const missing = (field: string, message: string) => validationFailed([{ path: `/${field}`, code: "REQUIRED", message }])

/**
 * The shipments that a query of the info read selects. A list needs an order status, and no location: it covers all
 * locations of the token. Source: docs/reference/shipments.md#info.
 */
export const infoQueryOf = (sent: Query) => {
  const { locationCode, orderDateFrom, orderDateTo, orderId, orderStatus, orderingChannel } = sent
  if (orderId === undefined && orderStatus === undefined) {
    return missing("orderStatus", "is required when there is no orderId")
  }
  if (
    orderId === undefined &&
    orderDateFrom !== undefined &&
    orderDateTo !== undefined &&
    orderDateFrom > orderDateTo
  ) {
    return validationFailed([
      { path: "/orderDateFrom", code: "OUT_OF_RANGE", message: "must not be after orderDateTo" }
    ])
  }
  const query: Shipments.ShipmentQuery = {
    ...(locationCode === undefined ? {} : { location: locationCode }),
    ...(orderId === undefined ? {} : { id: orderId }),
    ...(orderStatus === undefined ? {} : { orderStatus }),
    ...(orderingChannel === undefined ? {} : { marketplace: orderingChannel }),
    ...(orderDateFrom === undefined ? {} : { from: orderDateFrom / Instant.dayMillis }),
    ...(orderDateTo === undefined ? {} : { to: orderDateTo / Instant.dayMillis })
  }
  return Effect.succeed(query)
}

/**
 * The same of the order read: with a company-level token, a list needs a location too.
 */
export const queryOf = (caller: Caller<Integration>, sent: Query) => {
  const { locationCode, orderId, orderStatus } = sent
  return orderId === undefined &&
    orderStatus !== undefined &&
    locationCode === undefined &&
    caller.principal.locations === null
    ? missing("locationCode", "is required with a token for the whole company")
    : infoQueryOf(sent)
}
