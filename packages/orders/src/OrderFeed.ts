/** The events of orders in a company's change feed. Source: docs/reference/events.md. */
import { CompanyEvent } from "@crossdock/audit"
import { CustomFields } from "@crossdock/catalog"
import { frozen } from "@crossdock/kernel"
import type { Shipment } from "@crossdock/shipments"
import * as Schema from "effect/Schema"
import type { Order, OrderDraft } from "./Order.ts"

const customFields = CustomFields.inEvent

export const placed = CompanyEvent.define({
  type: "order.placed",
  description:
    "A marketplace placed an order. Each company that ships a part of it has its own event, with its own shipments.",
  data: Schema.Struct({
    orderId: Schema.String,
    externalOrderId: Schema.String.annotate({ description: "The marketplace's own id of the order." }),
    marketplace: Schema.String,
    currency: Schema.String.annotate({ description: "ISO 4217." }),
    shipments: Schema.Array(
      Schema.Struct({
        shipmentId: Schema.String,
        location: Schema.String.annotate({ description: "The company's own code for the shipping location." }),
        lines: Schema.Array(
          Schema.Struct({
            itemId: Schema.String,
            sku: Schema.String,
            quantity: Schema.Int,
            esp: Schema.Int.annotate({ description: "The selling price of a unit, in minor units of the currency." }),
            customFields
          })
        ),
        customFields
      })
    ),
    customFields
  }),
  example: {
    orderId: "65f0c2a9d4b3e1f2a7c8d9e0",
    externalOrderId: "BZ-10045",
    marketplace: "bazaar",
    currency: "INR",
    shipments: [
      {
        shipmentId: "17000000000000000001",
        location: "BLR1",
        lines: [{ itemId: "17000000000000000002", sku: "85123A", quantity: 2, esp: 24900 }]
      }
    ]
  }
})

export const erased = CompanyEvent.define({
  type: "order.erased",
  description: "The personal data of an order was erased. Erase your copies too.",
  data: Schema.Struct({
    orderId: Schema.String,
    marketplace: Schema.String,
    shipmentIds: Schema.Array(Schema.String).annotate({ description: "The company's shipments of the order." })
  }),
  example: { orderId: "65f0c2a9d4b3e1f2a7c8d9e0", marketplace: "bazaar", shipmentIds: ["17000000000000000001"] }
})

export const types = /* @__PURE__ */ frozen([placed, erased] as const)

/**
 * The event of a new order for one company, with that company's `shipments`.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { OrderFeed } from "@crossdock/orders"
 * import { orderDraft } from "@crossdock/orders/testing"
 * import { placedShipment } from "@crossdock/shipments/testing"
 *
 * const order = { id: "o1", marketplace: "bazaar", draft: orderDraft() }
 * strictEqual(OrderFeed.placedOf(order, [placedShipment()]).type, "order.placed")
 * ```
 */
export const placedOf = (
  { draft, id, marketplace }: Pick<Order, "draft" | "id" | "marketplace">,
  shipments: ReadonlyArray<Shipment>,
  { kept }: CustomFields.CustomFields = CustomFields.none
): CompanyEvent.EventDraft => {
  const own = (record: CustomFields.RecordName, { customFields }: Pick<OrderDraft, "customFields">) =>
    customFields === undefined ? {} : { customFields: kept(record, customFields) }
  return CompanyEvent.draft(placed, {
    orderId: id,
    externalOrderId: draft.externalOrderId,
    marketplace,
    currency: draft.currency,
    shipments: shipments.map((shipment) => ({
      shipmentId: shipment.id,
      location: shipment.location,
      lines: shipment.items.map((item) => ({
        itemId: item.id,
        sku: item.sku,
        quantity: item.ordered,
        esp: item.esp,
        ...own("item", item)
      })),
      ...own("shipment", shipment)
    })),
    ...own("order", draft)
  })
}
