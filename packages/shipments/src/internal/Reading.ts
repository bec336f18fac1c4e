/**
 * Use cases: read shipments.
 */
import { type Caller, Directory, Forbidden, type Integration, mayUse, UnknownLocation } from "@crossdock/access"
import type { Page, StorageError } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import { Couriers } from "../Couriers.ts"
import type { Shipment } from "../Shipment.ts"
import { type ShipmentFilter, ShipmentStore } from "../ShipmentStore.ts"
import * as AwbNumber from "./AwbNumber.ts"

/**
 * A shipment and the courier's page that shows where it is; null when there is no such page.
 */
export interface Tracking {
  readonly shipment: Shipment
  readonly url: string | null
}

/**
 * Which shipments a caller wants to read. `location` is the code of one of its locations. With an `id` the other filters
 * and the page don't count: a caller that always sends a status must not lose its shipment at the next move.
 */
export interface ShipmentQuery extends Omit<ShipmentFilter, "locations"> {
  readonly location?: string
}

/**
 * Makes the use cases.
 */
export const make = Effect.gen(function* () {
  const store = yield* ShipmentStore
  const directory = yield* Directory
  const couriers = yield* Couriers

  const read = Effect.fn("Shipments.read")(function* (caller: Caller<Integration>, ids: ReadonlyArray<string>) {
    const { companyId } = caller.principal
    const found = ids.length === 0 ? [] : yield* store.withOrders(companyId, ids)
    return found.filter(({ shipment }) => mayUse(caller.principal, shipment.location))
  })

  const track = (
    caller: Caller<Integration>,
    sought: { readonly shipmentId: string } | { readonly awbNumber: string }
  ): Effect.Effect<Tracking | undefined, StorageError> =>
    Effect.map(
      "shipmentId" in sought
        ? Effect.map(read(caller, [sought.shipmentId]), (found) => found.map(({ shipment }) => shipment))
        : store.byAwb(caller.principal.companyId, AwbNumber.stored(sought.awbNumber)),
      (found) => {
        const shipment = found.find(({ location }) => mayUse(caller.principal, location))
        return shipment === undefined ? undefined : { shipment, url: couriers.trackingUrl(shipment) }
      }
    )

  const locationsOf = (caller: Caller<Integration>, location: string | undefined) =>
    Effect.gen(function* () {
      const { companyId, locations } = caller.principal
      if (location === undefined) return locations
      if (!mayUse(caller.principal, location)) {
        return yield* new Forbidden({
          reason: `The token does not cover location ${location}. Use a token for it, or one for the whole company.`
        })
      }
      const known = yield* directory.locations([companyId])
      return known.some(({ code }) => code === location) ? [location] : yield* new UnknownLocation({ location })
    })

  const page = Effect.fn("Shipments.page")(function* (
    caller: Caller<Integration>,
    { location, ...filter }: ShipmentQuery,
    page: Page.Page
  ) {
    const { companyId, locations: own } = caller.principal
    const locations = yield* locationsOf(caller, location)
    return filter.id === undefined
      ? yield* store.page(companyId, { ...filter, locations }, page)
      : yield* store.page(companyId, { id: filter.id, locations: own }, { ...page, number: 1 })
  })

  return { read, track, page }
})
