/**
 * What may be asked of the order read, and which shipments it means (document 2, rules 1 and 2; contract, section 6).
 */
import { type Caller, type Directory, Forbidden, type Integration } from "@crossdock/access"
import { dayMillis, OrderStatus, type ShipmentFilter } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Failure, validationFailed } from "../Failure.ts"
import * as Fields from "../Fields.ts"

export const ShipmentQuery = Schema.Struct({
  orderId: Schema.optionalKey(Fields.name),
  orderingChannel: Schema.optionalKey(Fields.text()),
  orderStatus: Schema.optionalKey(Fields.oneOf(...OrderStatus.literals)),
  pageNumber: Fields.withDefault(Fields.queryInteger(1, 1_000_000_000), 1),
  pageSize: Fields.withDefault(Fields.queryInteger(1, 100), 20),
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
 * Which locations a read may see: the one named, if it is the caller's to name.
 */
const locationsOf = (directory: typeof Directory.Service, caller: Caller<Integration>, code: string | undefined) =>
  Effect.gen(function* () {
    const { companyId, locations } = caller.principal
    if (code === undefined) return locations
    if (locations !== null && !locations.includes(code)) {
      return yield* new Forbidden({ reason: "The token is for another location" })
    }
    const known = yield* directory.locations(companyId)
    if (known.some((location) => location.code === code)) return [code]
    return yield* new Failure({ status: 400, code: "UNKNOWN_LOCATION", message: `There is no location ${code}` })
  })

/**
 * The shipments that a query means. A list needs an order status, and a location from a company-level token.
 */
export const filterOf = (directory: typeof Directory.Service, caller: Caller<Integration>, query: Query) =>
  Effect.gen(function* () {
    const { locationCode, orderDateFrom, orderDateTo, orderId, orderStatus, orderingChannel } = query
    const locations = yield* locationsOf(directory, caller, locationCode)
    if (orderId === undefined && orderStatus === undefined) {
      return yield* missing("orderStatus", "is required when there is no orderId")
    }
    if (orderId === undefined && locations === null) {
      return yield* missing("locationCode", "is required with company-level authorization")
    }
    const filter: ShipmentFilter = {
      locations,
      ...(orderId === undefined ? {} : { id: orderId }),
      ...(orderStatus === undefined ? {} : { orderStatus }),
      ...(orderingChannel === undefined ? {} : { marketplace: orderingChannel }),
      ...(orderDateFrom === undefined ? {} : { from: orderDateFrom / dayMillis }),
      ...(orderDateTo === undefined ? {} : { to: orderDateTo / dayMillis })
    }
    return filter
  })

/**
 * The shipments that an info read means: one by its id, or all of a status.
 */
export const infoFilterOf = (caller: Caller<Integration>, { orderId, orderStatus }: typeof InfoQuery.Type) => {
  const filter: ShipmentFilter = {
    locations: caller.principal.locations,
    ...(orderId === undefined ? {} : { id: orderId }),
    ...(orderStatus === undefined ? {} : { orderStatus })
  }
  return orderId === undefined && orderStatus === undefined
    ? missing("orderStatus", "is required when there is no orderId")
    : Effect.succeed(filter)
}
