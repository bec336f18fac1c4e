/**
 * Handlers: orders of a marketplace.
 */

import { Ids } from "@crossdock/kernel"
import { Orders } from "@crossdock/orders"
import { Shipments } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import { MarketplaceUser } from "../Authentication.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import * as Outcome from "../internal/Outcome.ts"
import * as Records from "../internal/Records.ts"
import { Limits } from "../Limits.ts"
import { Reply } from "../Reply.ts"
import { MarketplaceApi } from "./MarketplaceApi.ts"
import * as MarketplaceRecords from "./MarketplaceRecords.ts"
import * as OrderBody from "./OrderBody.ts"
import { orderView } from "./OrderView.ts"

const placedView = ({ id, shipments }: Orders.PlacedOrder) => ({
  platform_order_id: id,
  shipments: shipments.map(({ externalShipmentId, shipmentId }) => ({
    external_shipment_id: externalShipmentId,
    shipment_id: shipmentId
  }))
})

export const layer = Endpoints.group(MarketplaceApi, "orders", (handlers) =>
  Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const shipments = yield* Shipments.Shipments
    const reply = yield* Reply
    const envelope = Outcome.envelope(yield* Ids.Ids)

    const move = (family: "awb" | "status", decode: typeof MarketplaceRecords.status, key: string) => {
      const handled = Records.bulk(reply, MarketplaceUser, [key])(
        Records.listed(decode, Limits.shipmentRecords),
        (caller, records) => shipments.moveAsMarketplace(caller, family, records),
        envelope
      )
      return () => handled
    }

    const create = Effect.flatMap(MarketplaceUser, (caller) =>
      reply.write({ caller }, (body) =>
        OrderBody.read(body).pipe(
          Effect.flatMap((draft) => orders.place(caller, draft)),
          Effect.map(placedView)
        )
      )
    )

    return handlers({
      create: () => create,
      read: ({ query }) =>
        Effect.gen(function* () {
          const caller = yield* MarketplaceUser
          const { marketplace, order, shipments } = yield* orders.read(caller, query.platform_order_id)
          return orderView(order, marketplace, shipments)
        }),
      awb: move("awb", MarketplaceRecords.awb, "orderId"),
      status: move("status", MarketplaceRecords.status, "order_id")
    })
  })
)
