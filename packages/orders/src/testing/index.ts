/** Builders of orders, for tests of the rules. They need no test framework. */
import type { Address } from "@crossdock/shipments"
import type { OrderDraft, OrderLineDraft, OrderShipmentDraft } from "../Order.ts"

const address: Address = {
  name: "A Customer",
  phone: "+919876543210",
  email: null,
  address1: "1 Road",
  address2: null,
  landmark: null,
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}

/** A line with one unit of `SKU-1` at 100, without discounts, charges or tax. `changes` replaces any field. */
export const orderLine = (changes: Partial<OrderLineDraft> = {}): OrderLineDraft => ({
  externalLineId: null,
  sku: "SKU-1",
  quantity: 1,
  mrp: null,
  esp: 100,
  discount: 0,
  couponDiscount: 0,
  deliveryCharge: 0,
  tax: null,
  ...changes
})

/** A shipment with one `orderLine` from the location `BLR1`. It isn't shipped by the seller. */
export const orderShipment = (changes: Partial<OrderShipmentDraft> = {}): OrderShipmentDraft => ({
  externalShipmentId: "S1",
  location: "BLR1",
  fulfillment: "SELLER",
  selfShip: false,
  packAfter: null,
  packBy: null,
  dispatchBy: null,
  deliverBy: null,
  lines: [orderLine()],
  ...changes
})

/** A prepaid order in INR with one `orderShipment`. */
export const orderDraft = (changes: Partial<OrderDraft> = {}): OrderDraft => ({
  externalOrderId: "X1",
  currency: "INR",
  orderDate: null,
  payment: { mode: "PREPAID", methods: [] },
  customer: null,
  billingAddress: address,
  shippingAddress: address,
  coupon: null,
  charges: [],
  gstin: null,
  totalAmount: null,
  shipments: [orderShipment()],
  meta: null,
  ...changes
})
