/**
 * The body of an order, and the order draft that it becomes. Source: docs/reference/orders.md#create.
 */

import type { OrderDraft } from "@crossdock/orders"
import type { Address } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Failure } from "../Failure.ts"
import type * as Body from "../internal/Body.ts"
import * as Decode from "../internal/Decode.ts"
import * as Fields from "../internal/Fields.ts"
import { Limits } from "../Limits.ts"

const optionalText = Fields.optional(Fields.text())

export const AddressBody = Schema.Struct({
  name: Fields.name,
  phone: Fields.name,
  email: Fields.optional(Fields.email),
  address1: Fields.name,
  address2: optionalText,
  landmark: optionalText,
  city: Fields.name,
  state: Fields.name,
  pincode: Fields.name,
  country: Fields.name
}).annotate({ identifier: "OrderAddress" })

const Tax = Schema.Struct({ rate: Fields.percent, amount: Fields.amount })

const Line = Schema.Struct({
  external_line_id: optionalText,
  sku: Fields.name,
  quantity: Fields.integer(1, Limits.quantity),
  mrp: Fields.optional(Fields.amount),
  esp: Fields.amount,
  discount: Fields.optional(Fields.amount),
  coupon_discount: Fields.optional(Fields.amount),
  delivery_charge: Fields.optional(Fields.amount),
  tax: Fields.optional(Tax)
}).annotate({ identifier: "OrderLine" })

const Delivery = Schema.Struct({
  pack_after: Fields.optional(Fields.instant),
  pack_by: Fields.optional(Fields.instant),
  dispatch_by: Fields.optional(Fields.instant),
  deliver_by: Fields.optional(Fields.instant)
})

const ShipmentBody = Schema.Struct({
  external_shipment_id: Fields.name,
  location_id: Fields.name,
  fulfillment_type: Fields.optional(Fields.oneOf("SELLER", "MARKETPLACE")),
  is_self_ship: Fields.optional(Fields.flag),
  delivery: Fields.optional(Delivery),
  lines: Fields.list(Line)
}).annotate({ identifier: "OrderShipment" })

/**
 * Amounts are decimal numbers of `ordering_currency`.
 */
export const OrderBody = Schema.Struct({
  external_order_id: Fields.name,
  ordering_currency: Fields.name,
  order_date: Fields.optional(Fields.instant),
  payment: Schema.Struct({
    mode: Fields.oneOf("COD", "PREPAID"),
    methods: Fields.optional(
      Schema.Array(Schema.Struct({ mode: Fields.name, name: Fields.name, amount: Fields.amount }))
    )
  }),
  customer: Fields.optional(
    Schema.Struct({ name: Fields.name, phone: optionalText, email: Fields.optional(Fields.email) })
  ),
  billing_address: AddressBody,
  shipping_address: AddressBody,
  coupon: Fields.optional(
    Schema.Struct({ code: Fields.name, amount: Fields.amount, ownership: Fields.oneOf("SELLER", "MARKETPLACE") })
  ),
  charges: Fields.optional(
    Schema.Array(
      Schema.Struct({ name: Fields.name, type: Fields.name, amount: Fields.amount, tax: Fields.optional(Tax) })
    )
  ),
  tax_info: Fields.optional(Schema.Struct({ gstin: Fields.optional(Fields.gstin) })),
  total_amount: Fields.optional(Fields.amount),
  shipments: Fields.records(ShipmentBody).pipe(
    Schema.check(
      Schema.makeFilter((shipments) => {
        const at = Fields.repeatedAt(shipments.map((one) => one.external_shipment_id))
        return at === undefined
          ? undefined
          : {
              path: [at, "external_shipment_id"],
              issue: "[DUPLICATE_RECORD] appears earlier in this order; give each shipment its own"
            }
      })
    )
  ),
  meta: Fields.optional(Fields.freeForm)
}).annotate({ identifier: "Order" })

type OrderBody = typeof OrderBody.Type

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

const lineOf = (
  line: OrderBody["shipments"][number]["lines"][number]
): OrderDraft["shipments"][number]["lines"][number] => ({
  externalLineId: line.external_line_id ?? null,
  sku: line.sku,
  quantity: line.quantity,
  mrp: line.mrp ?? null,
  esp: line.esp,
  discount: line.discount ?? 0,
  couponDiscount: line.coupon_discount ?? 0,
  deliveryCharge: line.delivery_charge ?? 0,
  tax: line.tax ?? null
})

const shipmentOf = (one: OrderBody["shipments"][number]): OrderDraft["shipments"][number] => {
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
    lines: one.lines.map(lineOf)
  }
}

/**
 * A blank number counts as absent; otherwise a consumer's order would become one between businesses.
 */
const gstinOf = (text: string): string | null => (text.trim() === "" ? null : text)

const draftOf = (body: OrderBody): OrderDraft => ({
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
  gstin: gstinOf(body.tax_info?.gstin ?? ""),
  totalAmount: body.total_amount ?? null,
  shipments: body.shipments.map(shipmentOf),
  meta: body.meta ?? null
})

const decode = Decode.whole(OrderBody)

/**
 * The order draft of a body. Fails with all violations at once.
 */
export const read = (body: Body.Body | undefined): Effect.Effect<OrderDraft, Failure> =>
  Effect.map(decode(body?.json), draftOf)
