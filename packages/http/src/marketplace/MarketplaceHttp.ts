/** The marketplace interface with its handlers, as a layer for a host. */
import type { Caller, MarketplaceCaller } from "@crossdock/access"
import { CustomFields } from "@crossdock/catalog"
import { Ids } from "@crossdock/kernel"
import { type OrderDraft, Orders } from "@crossdock/orders"
import { type Address, type MoveBatch, Shipments } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Authentication from "../Authentication.ts"
import type { Listed } from "../internal/BulkOperation.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import { Reply } from "../Reply.ts"
import * as TokenHandlers from "../TokenHandlers.ts"
import { OrdersGroup } from "./MarketplaceApi.ts"
import { awbs, statuses } from "./MarketplaceRecords.ts"
import type { AddressBody, OrderBody } from "./OrderBody.ts"
import { orderView } from "./OrderView.ts"

type Sent = (typeof OrderBody.Type)["shipments"][number]

const addressOf = (one: typeof AddressBody.Type): Address => ({
  name: one.name,
  phone: one.phone,
  email: one.email ?? null,
  address1: one.address1,
  address2: one.address2 ?? null,
  landmark: one.landmark ?? null,
  city: one.city,
  state: one.state,
  pincode: one.pincode,
  country: one.country
})

type Taken = CustomFields.CustomFields["taken"]

const lineOf = (line: Sent["lines"][number], taken: Taken): OrderDraft["shipments"][number]["lines"][number] => ({
  externalLineId: line.external_line_id ?? null,
  sku: line.sku,
  quantity: line.quantity,
  mrp: line.mrp ?? null,
  esp: line.esp,
  discount: line.discount ?? 0,
  couponDiscount: line.coupon_discount ?? 0,
  deliveryCharge: line.delivery_charge ?? 0,
  tax: line.tax ?? null,
  ...taken("item", line.custom_fields)
})

const shipmentOf = (one: Sent, taken: Taken): OrderDraft["shipments"][number] => {
  const fulfillment = one.fulfillment_type ?? "SELLER"
  return {
    externalShipmentId: one.external_shipment_id,
    location: one.location_id,
    fulfillment,
    selfShip: one.is_self_ship ?? fulfillment === "SELLER",
    packAfter: one.delivery?.pack_after ?? null,
    packBy: one.delivery?.pack_by ?? null,
    dispatchBy: one.delivery?.dispatch_by ?? null,
    deliverBy: one.delivery?.deliver_by ?? null,
    lines: one.lines.map((line) => lineOf(line, taken)),
    ...taken("shipment", one.custom_fields)
  }
}

/** The order draft of a body, with the custom fields that the host has declared. */
export const draftOf = (body: typeof OrderBody.Type, fields: CustomFields.CustomFields): OrderDraft => {
  const taken: Taken = fields === CustomFields.none ? () => ({}) : fields.taken
  return {
    externalOrderId: body.external_order_id,
    currency: body.ordering_currency,
    orderDate: body.order_date ?? null,
    payment: { mode: body.payment.mode, methods: body.payment.methods ?? [] },
    customer:
      body.customer === undefined || body.customer === null
        ? null
        : { name: body.customer.name, phone: body.customer.phone ?? null, email: body.customer.email ?? null },
    billingAddress: addressOf(body.billing_address),
    shippingAddress: addressOf(body.shipping_address),
    coupon: body.coupon ?? null,
    charges: (body.charges ?? []).map(({ tax, ...charge }) => ({ ...charge, tax: tax ?? null })),
    gstin: body.tax_info?.gstin ?? null,
    totalAmount: body.total_amount ?? null,
    shipments: body.shipments.map((one) => shipmentOf(one, taken)),
    meta: body.meta ?? null,
    ...taken("order", body.custom_fields)
  }
}

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
