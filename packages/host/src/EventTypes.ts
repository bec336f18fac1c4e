/** The types of all events in a host's feeds. Source: docs/reference/events.md. */
import { CompanyEvent, FeedRestored } from "@crossdock/audit"
import { BillingFeed } from "@crossdock/billing"
import { CustomFields, ProductFeed } from "@crossdock/catalog"
import { StockFeed } from "@crossdock/inventory"
import { MarketplaceFeed } from "@crossdock/marketplaces"
import { OrderFeed } from "@crossdock/orders"
import { PriceFeed } from "@crossdock/pricing"
import { ShipmentFeed } from "@crossdock/shipments"
import * as Schema from "effect/Schema"

const locations = Schema.Array(Schema.String).annotate({ description: "The codes of its locations." })

/** The event of a company that was registered or changed. */
export const registered = CompanyEvent.define({
  type: "company.registered",
  description: "A company or some of its locations were registered or changed.",
  data: Schema.Struct({
    isNew: Schema.Boolean,
    locations: Schema.Array(Schema.String).annotate({ description: "The codes of the locations that were written." }),
    customFields: CustomFields.inEvent,
    locationFields: Schema.optionalKey(
      Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)).annotate({
        description: "The values of the host's own fields of these locations, by location code, without personal ones."
      })
    )
  }),
  example: { isNew: true, locations: ["BLR1", "DEL1"] }
})

const ofLocations = { data: Schema.Struct({ locations }), example: { locations: ["BLR1", "DEL1"] } }

/** The event of a company that was closed. */
export const closed = CompanyEvent.define({
  ...ofLocations,
  type: "company.closed",
  description: "The company was closed: its accounts can't sign in, and no marketplace sells its stock."
})

/** The event of a company that was reopened. */
export const reopened = CompanyEvent.define({
  ...ofLocations,
  type: "company.reopened",
  description: "A closed company was reopened."
})

/** All types of events, in all versions. */
export const all = [
  ...FeedRestored.types,
  registered,
  closed,
  reopened,
  ...ProductFeed.types,
  ...PriceFeed.types,
  ...StockFeed.types,
  ...OrderFeed.types,
  ...ShipmentFeed.types,
  ...MarketplaceFeed.types,
  ...BillingFeed.types
] as const

/** An event of one of these types. `type` decides which fields `data` has. */
export type HostEvent = CompanyEvent.EventOf<(typeof all)[number]>

/**
 * Gives an event its type. The result is undefined if the type or version is unknown, as in events of later releases.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { EventTypes } from "@crossdock/host"
 * import { CompanyId } from "@crossdock/kernel"
 *
 * const read = { companyId: CompanyId.make(1), number: 1, change: 1, at: 0, type: "order.erased", version: 1 }
 * const event = EventTypes.known({ ...read, data: { orderId: "o1", marketplace: "bazaar", shipmentIds: [] } })
 * if (event?.type === "order.erased") strictEqual(event.data.orderId, "o1")
 * strictEqual(EventTypes.known({ ...read, version: 7, data: {} }), undefined)
 * ```
 */
export const known: (event: CompanyEvent.CompanyEvent) => HostEvent | undefined = CompanyEvent.knowing(all)
