/** The schemas with which the handwritten programs check requests. */
const text = { type: "string", minLength: 1, maxLength: 2000 }
export const stockSchema = {
  type: "array",
  minItems: 1,
  maxItems: 500,
  items: {
    type: "object",
    required: ["location_id", "sku", "quantity"],
    properties: { location_id: text, sku: text, quantity: { type: "integer", minimum: 0, maximum: 1_000_000_000 } }
  }
}
const amount = { type: "number", minimum: 0 }
const object = (required: ReadonlyArray<string>, properties: Readonly<Record<string, unknown>>) => ({
  type: "object",
  required,
  properties
})
const list = (items: unknown) => ({ type: "array", minItems: 1, items })
export const leastOrder = object(["external_order_id", "shipments"], {
  external_order_id: text,
  shipments: list(
    object(["location_id", "lines"], {
      location_id: text,
      lines: list(
        object(["sku", "quantity", "esp"], { sku: text, quantity: { type: "integer", minimum: 1 }, esp: amount })
      )
    })
  )
})
const address = object(["name", "phone", "address1", "city", "state", "pincode", "country"], {
  name: text,
  phone: text,
  email: text,
  address1: text,
  address2: text,
  landmark: text,
  city: text,
  state: text,
  pincode: text,
  country: text
})
const tax = object(["rate", "amount"], { rate: { type: "number", minimum: 0, maximum: 100 }, amount })
export const sameOrder = object(
  ["external_order_id", "ordering_currency", "payment", "billing_address", "shipping_address", "shipments"],
  {
    external_order_id: text,
    ordering_currency: { type: "string", pattern: "^[A-Z]{3}$" },
    order_date: text,
    payment: object(["mode"], {
      mode: { enum: ["COD", "PREPAID"] },
      methods: { type: "array", items: object(["mode", "name", "amount"], { mode: text, name: text, amount }) }
    }),
    customer: object(["name"], { name: text, phone: text, email: text }),
    billing_address: address,
    shipping_address: address,
    coupon: object(["code", "amount", "ownership"], {
      code: text,
      amount,
      ownership: { enum: ["SELLER", "MARKETPLACE"] }
    }),
    charges: { type: "array", items: object(["name", "type", "amount"], { name: text, type: text, amount, tax }) },
    tax_info: object([], { gstin: text }),
    total_amount: amount,
    shipments: list(
      object(["external_shipment_id", "location_id", "lines"], {
        external_shipment_id: text,
        location_id: text,
        fulfillment_type: { enum: ["SELLER", "MARKETPLACE"] },
        is_self_ship: { type: "boolean" },
        delivery: object([], { pack_after: text, pack_by: text, dispatch_by: text, deliver_by: text }),
        lines: list(
          object(["sku", "quantity", "esp"], {
            external_line_id: text,
            sku: text,
            quantity: { type: "integer", minimum: 1, maximum: 1_000_000_000 },
            mrp: amount,
            esp: amount,
            discount: amount,
            coupon_discount: amount,
            delivery_charge: amount,
            tax
          })
        )
      })
    ),
    meta: { type: "object" }
  }
)
export const confirmSchema = {
  type: "array",
  minItems: 1,
  maxItems: 20,
  items: { type: "object", required: ["orderId"], properties: { orderId: text } }
}
