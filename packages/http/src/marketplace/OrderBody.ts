/** The body of an order. Source: docs/reference/orders.md#create. */
import * as Schema from "effect/Schema"
import * as Fields from "../internal/Fields.ts"
import { field, nested, nullableField, nullableList, nullableNested } from "../internal/Fields.ts"
import { Limits } from "../Limits.ts"

const optionalText = Fields.optional(Fields.text())

/** The fields of an address, in a sent order and in a read one. */
export const addressFields = <Text extends Schema.Top, Optional extends Schema.Top>(
  text: Text,
  optional: Optional
) => ({
  name: field(text, "Name of the person"),
  phone: field(text, "Phone number"),
  email: field(optional, "E-mail address"),
  address1: field(text, "First line"),
  address2: field(optional, "Second line"),
  landmark: field(optional, "Landmark"),
  city: field(text, "City"),
  state: field(text, "State"),
  pincode: field(text, "Postal code"),
  country: field(text, "Country")
})

export const AddressBody = Schema.Struct({
  ...addressFields(Fields.name, optionalText),
  email: nullableField(Fields.email, "E-mail address; blank counts as absent")
}).annotate({ identifier: "OrderAddress", description: "An address" })

const Tax = Schema.Struct({
  rate: field(Fields.percent, "Rate in percent"),
  amount: field(Fields.amount, "The tax, included in the price")
}).annotate({ identifier: "OrderTax", description: "A tax contained in a price" })

const Line = Schema.Struct({
  external_line_id: optionalText,
  sku: field(Fields.name, "The primary_identifier of a size in the catalog"),
  quantity: field(Fields.integer(1, Limits.quantity), "Units"),
  mrp: nullableField(Fields.amount, "Maximum retail price of one unit"),
  esp: field(Fields.amount, "Selling price of one unit, with its tax"),
  discount: nullableField(Fields.amount, "Discount on the whole line"),
  coupon_discount: nullableField(Fields.amount, "Coupon discount on the whole line"),
  delivery_charge: nullableField(Fields.amount, "Delivery charge of the whole line"),
  tax: nullableField(Tax, "Tax included in the line's total"),
  custom_fields: Fields.customFields
}).annotate({ identifier: "OrderLine", description: "A SKU and its units in a shipment" })

const Delivery = Schema.Struct({
  pack_after: nullableField(Fields.instant, "Pack after this time"),
  pack_by: nullableField(Fields.instant, "Pack by this time"),
  dispatch_by: nullableField(Fields.instant, "Dispatch by this time"),
  deliver_by: nullableField(Fields.instant, "Deliver by this time")
})

const ShipmentBody = Schema.Struct({
  external_shipment_id: field(Fields.name, "The marketplace's id of the shipment, unique in the order"),
  location_id: field(Fields.name, "The marketplace's own code for the location"),
  fulfillment_type: nullableField(Fields.oneOf("SELLER", "MARKETPLACE"), "Who fulfils it; SELLER when absent"),
  is_self_ship: Fields.optional(Fields.flag),
  delivery: nullableField(Delivery, "When it is due"),
  lines: field(Fields.list(Line), "Its lines"),
  custom_fields: Fields.customFields
}).annotate({ identifier: "OrderShipment", description: "The part of an order sent by one location" })

/** Amounts are decimal numbers of `ordering_currency`. */
export const OrderBody = Schema.Struct({
  external_order_id: field(Fields.name, "The marketplace's id of the order, unique per marketplace"),
  ordering_currency: field(Fields.currency, "The locations' currency"),
  order_date: nullableField(Fields.instant, "Time of the order; absent: the time of the request"),
  payment: nested("How the customer pays", {
    mode: field(Fields.oneOf("COD", "PREPAID"), "COD is paid on delivery, PREPAID before"),
    methods: nullableList("The methods; their amounts must add up to the order's total", {
      mode: field(Fields.name, "COD is collected on delivery; every other method is prepaid"),
      name: field(Fields.name, "Name of the method"),
      amount: field(Fields.amount, "Amount paid by this method")
    })
  }),
  customer: nullableNested("Who ordered", {
    name: field(Fields.name, "Name"),
    phone: field(optionalText, "Phone number"),
    email: nullableField(Fields.email, "E-mail address; blank counts as absent")
  }),
  billing_address: field(AddressBody, "Who is billed"),
  shipping_address: field(AddressBody, "Where it goes"),
  coupon: nullableNested("The coupon used", {
    code: field(Fields.name, "The coupon's code"),
    amount: field(Fields.amount, "Amount off; totals use only the lines' coupon_discount"),
    ownership: field(Fields.oneOf("SELLER", "MARKETPLACE"), "Who bears the lines' coupon discounts")
  }),
  charges: nullableList("Charges of the whole order", {
    name: field(Fields.name, "Name"),
    type: field(Fields.name, "The marketplace's type of the charge"),
    amount: field(Fields.amount, "The charge, with its tax"),
    tax: nullableField(Tax, "Its tax")
  }),
  tax_info: nullableNested("A GSTIN makes the order B2B", {
    gstin: nullableField(Fields.gstin, "The buyer's GSTIN of 15 characters; blank counts as absent")
  }),
  total_amount: nullableField(Fields.amount, "If sent, must equal the sum of all lines and charges"),
  shipments: Fields.records(ShipmentBody).check(
    Fields.distinct(
      "external_shipment_id",
      "[DUPLICATE_RECORD] appears earlier in this order; give each shipment its own"
    )
  ),
  meta: nullableField(Fields.freeForm, "The marketplace's own data, returned with the order"),
  custom_fields: Fields.customFields
}).annotate({ identifier: "Order" })
