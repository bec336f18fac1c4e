/** The marketplace interface with its handlers, as a layer for a host. */
import type { Caller, MarketplaceCaller } from "@crossdock/access"
import { CustomFields } from "@crossdock/catalog"
import { Ids } from "@crossdock/kernel"
import { Orders } from "@crossdock/orders"
import { type MoveBatch, Shipments } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Authentication from "../Authentication.ts"
import type { Listed } from "../internal/BulkOperation.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import { Reply } from "../Reply.ts"
import * as TokenHandlers from "../TokenHandlers.ts"
import { OrdersGroup } from "./MarketplaceApi.ts"
import { awbs, statuses } from "./MarketplaceRecords.ts"
import { draftOf } from "./OrderBody.ts"
import { orderView } from "./OrderView.ts"

const placedView = ({ id, shipments }: Orders.PlacedOrder) => ({
  platform_order_id: id,
  shipments: shipments.map(({ externalShipmentId, shipmentId }) => ({
    external_shipment_id: externalShipmentId,
    shipment_id: shipmentId
  }))
})

const orders = Endpoints.group(OrdersGroup, function* (handlers) {
  const orders = yield* Orders.Orders
  const shipments = yield* Shipments.Shipments
  const reply = yield* Reply
  const fields = yield* CustomFields.Policy
  const services = { caller: Authentication.MarketplaceUser, ids: yield* Ids.Ids, reply }

  const moveAs =
    (family: "awb" | "status") =>
    (caller: Caller<MarketplaceCaller>, moves: Listed<MoveBatch.MoveRequest>["decoded"]) =>
      shipments.moveAsMarketplace(caller, family, moves)

  return handlers({
    create: ({ payload }) =>
      Effect.flatMap(Authentication.MarketplaceUser, (caller) =>
        reply.write({ caller }, (body) =>
          payload(body).pipe(
            Effect.flatMap((order) => orders.place(caller, draftOf(order, fields))),
            Effect.map(placedView)
          )
        )
      ),
    read: Effect.fnUntraced(function* ({ query }) {
      const caller = yield* Authentication.MarketplaceUser
      const { marketplace, order, shipments } = yield* orders.read(caller, query.platform_order_id)
      return orderView(order, marketplace, shipments)
    }),
    awb: awbs.handler(services, moveAs("awb")),
    status: statuses.handler(services, moveAs("status"))
  })
})

/** The marketplace interface without sign-in, for a host with its own `Authentication.MarketplaceAuthentication`. */
export const routes = Layer.merge(TokenHandlers.marketplace, orders)

/** The marketplace interface with the sign-in of `@crossdock/access`. Needs the services of orders and shipments. */
export const layer = Layer.provide(routes, Authentication.marketplaceLayer)
