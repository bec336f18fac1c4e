/**
 * The stored bodies of orders: the order, and what its shipments show of it.
 */
import { StoredBody } from "@crossdock/kernel"
import type { Order } from "@crossdock/orders"
import type { Address, ShipmentOrder } from "@crossdock/shipments"

const address: StoredBody.Fields<Address> = {
  name: true,
  phone: true,
  email: true,
  address1: true,
  address2: true,
  landmark: true,
  city: true,
  state: true,
  pincode: true,
  country: true
}

export const orders = StoredBody.make<Order>({
  name: "order",
  fields: {
    id: true,
    marketplace: true,
    total: true,
    orderDate: true,
    createdAt: true,
    draft: {
      externalOrderId: true,
      currency: true,
      orderDate: true,
      payment: { mode: true, methods: [{ mode: true, name: true, amount: true }] },
      customer: { name: true, phone: true, email: true },
      billingAddress: address,
      shippingAddress: address,
      coupon: { code: true, amount: true, ownership: true },
      charges: [{ name: true, type: true, amount: true, tax: true }],
      gstin: true,
      totalAmount: true,
      shipments: [
        {
          externalShipmentId: true,
          location: true,
          fulfillment: true,
          selfShip: true,
          packAfter: true,
          packBy: true,
          dispatchBy: true,
          deliverBy: true,
          lines: [
            {
              externalLineId: true,
              sku: true,
              quantity: true,
              mrp: true,
              esp: true,
              discount: true,
              couponDiscount: true,
              deliveryCharge: true,
              tax: true
            }
          ]
        }
      ],
      meta: true
    },
    shipments: [{ externalShipmentId: true, shipmentId: true }]
  }
})

export const facts = StoredBody.make<ShipmentOrder>({
  name: "order of shipment",
  fields: {
    shippingAddress: address,
    billingAddress: address,
    paymentMode: true,
    methods: { cod: true, prepaid: true, lines: true, units: true },
    gstin: true,
    couponOwner: true,
    taxExempt: true
  }
})
