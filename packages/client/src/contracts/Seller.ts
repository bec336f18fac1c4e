/**
 * The seller interface on the wire. Written by scripts/client-contracts.mjs from the contracts of @crossdock/http: change those.
 */
import type { Table } from "../Operation.ts"

/** A fault of a part of the request */
export type Violation = {
  /** JSON Pointer to its place in the request */
  readonly path: string
  /** What is wrong, in UPPER_SNAKE_CASE; never changes */
  readonly code:
    | "CURRENCY_MISMATCH"
    | "DUPLICATE_LINE"
    | "DUPLICATE_RECORD"
    | "DUPLICATE_SIZE"
    | "EMPTY_REQUEST"
    | "GTIN_CHECK_DIGIT"
    | "IMMUTABLE_FIELD"
    | "IN400"
    | "IN403"
    | "INSUFFICIENT_STOCK"
    | "INVALID_CURRENCY"
    | "INVALID_RECORD"
    | "INVALID_TEXT"
    | "INVALID_TYPE"
    | "INVALID_VALUE"
    | "ITEM_CODE_TAKEN"
    | "L400"
    | "L403"
    | "NOT_FOUND"
    | "OPEN_SHIPMENTS"
    | "ORDER_EXISTS"
    | "OUT_OF_RANGE"
    | "PRICE_EFFECTIVE_ABOVE_PRICE"
    | "PROCESSING_FAILED"
    | "REQUIRED"
    | "RESERVED_STOCK"
    | "SKU_TAKEN"
    | "SLUG_TAKEN"
    | "TEMPLATE_MISMATCH"
    | "TOO_LONG"
    | "TOO_MANY_DECIMALS"
    | "TOO_SHORT"
    | "TOTAL_MISMATCH"
    | "UNKNOWN_BRAND"
    | "UNKNOWN_CATEGORY"
    | "UNKNOWN_DEPARTMENT"
    | "UNKNOWN_HS_CODE"
    | "UNKNOWN_LOCATION"
    | "UNKNOWN_PARAMETER"
    | "UNKNOWN_PRODUCT"
    | "UNKNOWN_SKU"
    | "UNKNOWN_TAX_RULE"
    | "UNKNOWN_TEMPLATE"
    | "USERNAME_TAKEN"
  /** What is wrong, for a person; may change */
  readonly message: string
  /** The value that was probably meant */
  readonly suggestion?: string
}

/** A shipment */
export type ShipmentKey = {
  /** Id of the shipment: 20 digits, as text */
  readonly orderId: string
}

/** Look at failedCount first: 200 is also the answer when some records were rejected, or all. The outcome of the records of a shipment operation */
export type MovesResult = {
  /** Records in the request */
  readonly payloadCount: number
  /** Records that were applied */
  readonly successCount: number
  /** Records that were rejected; errors has each of them */
  readonly failedCount: number
  /** Outcome of the whole request */
  readonly status: BulkStatus
  /** The rejected records, in the order of the request */
  readonly errors: ReadonlyArray<FailedMove>
}

/** A rejected record of a shipment operation */
export type FailedMove = {
  /** Place of the record in the request, from 0 */
  readonly index: number
  /** What is wrong; never changes */
  readonly code:
    | "A400"
    | "A404"
    | "A409"
    | "A422"
    | "C404"
    | "CR400"
    | "CR401"
    | "CR404"
    | "CR422"
    | "D400"
    | "D401"
    | "D404"
    | "D422"
    | "IN400"
    | "IN401"
    | "IN403"
    | "IN422"
    | "IN453"
    | "INVALID_RECORD"
    | "INVALID_TEXT"
    | "L400"
    | "L403"
    | "O400"
    | "O404"
    | "O409"
    | "O422"
    | "R400"
    | "R404"
    | "R409"
    | "R422"
    | "S400"
    | "S404"
    | "S409"
    | "S422"
    | "SHIPMENT_LOCKED"
    | "VALIDATION_FAILED"
    | "X400"
    | "X404"
    | "X409"
    | "X422"
  /** What is wrong, for a person; may change */
  readonly message: string
  /** JSON Pointer to the fault in the whole request, such as /1/quantity */
  readonly path?: string
  /** The record's orderId, as it was sent */
  readonly orderId?: unknown
  /** The record's order_id, as it was sent */
  readonly order_id?: unknown
  /** The shipment's operational status */
  readonly current?:
    | "placed"
    | "bag_confirmed"
    | "bag_invoiced"
    | "dp_assigned"
    | "bag_packed"
    | "bag_picked"
    | "out_for_delivery"
    | "delivery_attempt_failed"
    | "delivery_reattempt_requested"
    | "rejected_by_customer"
    | "handed_over_to_customer"
    | "delivery_done"
    | "rto_in_transit"
    | "rto_bag_delivered"
    | "return_initiated"
    | "return_dp_assigned"
    | "return_bag_in_transit"
    | "return_bag_delivered"
    | "return_accepted"
    | "credit_note_generated"
    | "deadstock"
    | "bag_lost"
    | "cancelled_customer"
    | "cancelled_seller"
  /** What the caller may do with the shipment now */
  readonly allowed?: ReadonlyArray<string>
  /** The shortest way to what was asked, when there is one */
  readonly steps?: ReadonlyArray<string>
  /** Of the status operation: the status that was asked for */
  readonly target?: string
  /** Of the status operation: the present status does not lead to the one that was asked for */
  readonly reason?: "INVALID_TRANSITION"
}

/** SUCCESS when every record was applied, PARTIAL_SUCCESS when some were, FAILED when none was */
export type BulkStatus = "SUCCESS" | "PARTIAL_SUCCESS" | "FAILED"

/** The quality check of a return */
export type ReturnRecord = {
  /** Id of the shipment: 20 digits, as text */
  readonly orderId: string
  /** The units and their result; absent: all units without a result */
  readonly orderItems?: ReadonlyArray<{
    /** Id of the item, from the shipment's orderItems */
    readonly orderItemId: string
    /** Units */
    readonly quantity: number
    /** Why units are bad, a number or its digits as text: 106 stain found on product, 110 looks different, 113 damaged, 118 wrong product delivered, 120 used product delivered, 122 product looks different from image, 124 missing items or partially received. Another code is kept and not shown */
    readonly reasonCode?: unknown
    /** true: these units are bad; false: good */
    readonly badQc?: boolean | null
  }> | null
  /** The result of items that don't say it themselves; false when absent */
  readonly badQc?: boolean | null
}

/** The tracking of a shipment */
export type Tracking = {
  /** Always SUCCESS */
  readonly status: "SUCCESS"
  /** Where the shipment is */
  readonly data: {
    /** Name of the courier */
    readonly courier: string | null
    /** The order status */
    readonly current_status:
      | "CREATED"
      | "CONFIRMED"
      | "PROCESSING"
      | "COMPLETED"
      | "TRANSIT"
      | "HANDED_OVER_TO_CUSTOMER"
      | "DELIVERED"
      | "RETURN_PROCESSING"
      | "RETURN_DELIVERED"
      | "CANCELLED"
    /** Last change of status, ISO 8601 in UTC */
    readonly last_updated: string
    /** The last estimated_delivery_date that was reported */
    readonly eta: string | null
    /** The last one that was reported, else the order's deliver_by */
    readonly promised_delivery_date: string | null
    /** The courier's tracking page */
    readonly tracking_url: string | null
    /** The last dpLocation that was reported */
    readonly location: string | null
    /** Id of the shipment */
    readonly shipment_id: string
    /** The courier's number of the parcel */
    readonly awb_number: string | null
    /** The operational status */
    readonly operational_status:
      | "placed"
      | "bag_confirmed"
      | "bag_invoiced"
      | "dp_assigned"
      | "bag_packed"
      | "bag_picked"
      | "out_for_delivery"
      | "delivery_attempt_failed"
      | "delivery_reattempt_requested"
      | "rejected_by_customer"
      | "handed_over_to_customer"
      | "delivery_done"
      | "rto_in_transit"
      | "rto_bag_delivered"
      | "return_initiated"
      | "return_dp_assigned"
      | "return_bag_in_transit"
      | "return_bag_delivered"
      | "return_accepted"
      | "credit_note_generated"
      | "deadstock"
      | "bag_lost"
      | "cancelled_customer"
      | "cancelled_seller"
    /** The way out, or the way back */
    readonly journey: "forward" | "return"
    /** Every status it had, oldest first */
    readonly events: ReadonlyArray<TrackingEvent>
    /** What it belongs to */
    readonly meta: {
      /** Id of the forward shipment */
      readonly forward_id: string
      /** The order's id at the marketplace */
      readonly marketplace_order_id: string
      /** The return's id at the marketplace */
      readonly marketplace_return_id: string | null
      /** Code of the courier */
      readonly courier_code: string | null
    }
  }
}

/** A status that a shipment had */
export type TrackingEvent = {
  /** The operational status that was reached */
  readonly status:
    | "placed"
    | "bag_confirmed"
    | "bag_invoiced"
    | "dp_assigned"
    | "bag_packed"
    | "bag_picked"
    | "out_for_delivery"
    | "delivery_attempt_failed"
    | "delivery_reattempt_requested"
    | "rejected_by_customer"
    | "handed_over_to_customer"
    | "delivery_done"
    | "rto_in_transit"
    | "rto_bag_delivered"
    | "return_initiated"
    | "return_dp_assigned"
    | "return_bag_in_transit"
    | "return_bag_delivered"
    | "return_accepted"
    | "credit_note_generated"
    | "deadstock"
    | "bag_lost"
    | "cancelled_customer"
    | "cancelled_seller"
  /** When, ISO 8601 in UTC */
  readonly timestamp: string
  /** Where the parcel was */
  readonly location: string | null
  /** A note */
  readonly remark: string | null
}

/** The shipment to track, by its id or AWB number */
export type TrackBody = {
  /** Id of the shipment; counts when both are given */
  readonly shipment_id?: string | null
  /** The courier's number of the parcel */
  readonly awb_number?: string | null
}

/** In the place of a shipment that does not exist */
export type UnknownCourier = {
  /** The orderId as it was sent */
  readonly orderId: unknown
  /** C404, or INVALID_RECORD for a record of the wrong shape */
  readonly code: "C404" | "INVALID_RECORD" | "INVALID_TEXT"
  /** What is wrong, for a person */
  readonly message: string
}

/** The courier of a shipment */
export type Courier = {
  /** Name of the courier; null before there is one */
  readonly courierName: string | null
  /** Code of the courier; null before there is one */
  readonly courierCode: string | null
  /** The courier's numbers of the parcels */
  readonly awbNumber: ReadonlyArray<string>
  /** What else the courier says */
  readonly additionalInfo: string
  /** Id of the shipment */
  readonly orderId: string
}

/** Shipments with their orderType */
export type ShipmentInfoList = {
  /** The shipments, newest first */
  readonly orders: ReadonlyArray<ShipmentInfo>
}

/** A shipment with its orderType */
export type ShipmentInfo = {
  /** Id of the shipment: 20 digits, as text; every operation calls it orderId */
  readonly id: string
  /** Id of the forward shipment: its own, unless it is a return or a part that was cancelled */
  readonly forwardId: string
  /** The order's external_order_id */
  readonly marketplaceOrderId: string
  /** The return's id at the marketplace; null for a forward shipment */
  readonly marketplaceReturnId: string | null
  /** Always null */
  readonly marketplaceInvoiceNumber: string | null
  /** Where it goes */
  readonly shippingAddress: Address
  /** Who is billed */
  readonly billingAddress: Address
  /** Whether it has more than one package */
  readonly multiPackShipment: boolean
  /** The packages of invoiceUpdate */
  readonly packages: ReadonlyArray<Package>
  /** Who fulfils the order */
  readonly fulfillmentType: "sellerFulfilled" | "marketplaceFulfilled"
  /** Whether it has its sale invoice */
  readonly sellerInvoiced: boolean
  /** Name of the courier; null before there is one */
  readonly courierName: string | null
  /** Code of the courier; null before there is one */
  readonly courierCode: string | null
  /** The courier's numbers of the parcels */
  readonly awbNumber: ReadonlyArray<string>
  /** What else the courier says */
  readonly additionalInfo: string
  /** Prices of the shipment */
  readonly orderPrice: OrderPrice
  /** Its items */
  readonly orderItems: ReadonlyArray<OrderItem>
  /** The order status; several operational statuses show as one */
  readonly orderStatus:
    | "CREATED"
    | "CONFIRMED"
    | "PROCESSING"
    | "COMPLETED"
    | "TRANSIT"
    | "HANDED_OVER_TO_CUSTOMER"
    | "DELIVERED"
    | "RETURN_PROCESSING"
    | "RETURN_DELIVERED"
    | "CANCELLED"
  /** Date of the order, ISO 8601 in UTC */
  readonly orderDate: string
  /** Last change of status, ISO 8601 in UTC */
  readonly modifiedDate: string
  /** How the customer pays */
  readonly paymentType: "COD" | "Prepaid"
  /** Whether every line of the order said that its tax is 0 */
  readonly taxExempted: boolean
  /** The buyer's GSTIN */
  readonly gstin: string | null
  /** Pack after this time, ISO 8601 in UTC */
  readonly packAfterDate: string | null
  /** Pack by this time, ISO 8601 in UTC */
  readonly packByDate: string | null
  /** Always empty */
  readonly pickUpSlots: ReadonlyArray<unknown>
  /** The marketplace's slug */
  readonly orderingChannel: string
  /** Link to the label on A4, which opens without a token until the end of the next day in UTC; null while it does not exist */
  readonly labelPdfUrl: string | null
  /** The same on A6 */
  readonly labelA6PdfUrl: string | null
  /** Always null */
  readonly purchaseOrderPdfUrl: string | null
  /** Number of the invoice */
  readonly invoiceNumber: string | null
  /** Number of the credit note */
  readonly returnInvoiceNumber: string | null
  /** Invoice reference number of the sale's e-invoice */
  readonly irnNumber: string | null
  /** Text of the sale's QR code */
  readonly invoiceQrCode: string | null
  /** The sale's signed e-invoice */
  readonly signedInvoice: string | null
  /** B2B when the order has a GSTIN */
  readonly orderBusinessType: "B2B" | "B2C"
  /** Whether it is locked: a locked shipment rejects every move */
  readonly lockStatus: boolean
  /** Always null */
  readonly fulfillmentPriority: string | null
  /** The way out, or the way back */
  readonly journeyType: "forward" | "return"
  /** When invoiceUpdate recorded the invoice, ISO 8601 in UTC */
  readonly invoiceGenerationDate: string | null
  /** partial_cancellation for a part that was cancelled */
  readonly shipmentTags: ReadonlyArray<"partial_cancellation">
  /** Pack by this time: order time and the location's handling hours, ISO 8601 in UTC */
  readonly sla: string
  /** Always false */
  readonly cformProvided: boolean
  /** The first line's id at the marketplace, else the external_shipment_id */
  readonly channel_bag_id: string
  /** The external_shipment_id */
  readonly channel_shipment_id: string
  /** Link to the invoice or credit note on A4; null while it does not exist */
  readonly A4invoicePdfUrl: string | null
  /** The same on A6 */
  readonly A6invoicePdfUrl: string | null
  /** Whether none of its products can come back */
  readonly is_returnless: boolean
  /** Whether the seller ships it itself */
  readonly is_self_ship: boolean
  /** The same as orderBusinessType */
  readonly orderType: "B2B" | "B2C"
}

/** An item of a shipment */
export type OrderItem = {
  /** Id of the item */
  readonly orderItemId: string
  /** The line's id at the marketplace */
  readonly external_line_id: string | null
  /** The SKU */
  readonly sku: string
  /** The product's name when it was ordered */
  readonly title: string
  /** Units that are not cancelled */
  readonly quantity: number
  /** Units that were cancelled */
  readonly cancelledQuantity: number
  /** Prices of the item */
  readonly orderItemPrice: OrderItemPrice
  /** CANCELLED when no unit is left, else the shipment's order status */
  readonly status:
    | "CREATED"
    | "CONFIRMED"
    | "PROCESSING"
    | "COMPLETED"
    | "TRANSIT"
    | "HANDED_OVER_TO_CUSTOMER"
    | "DELIVERED"
    | "RETURN_PROCESSING"
    | "RETURN_DELIVERED"
    | "CANCELLED"
  /** The quality check, after one */
  readonly qc?: QualityCheck
}

/** The result of a quality check */
export type QualityCheck = {
  /** Units that passed */
  readonly good: number
  /** Units that failed */
  readonly bad: number
  /** Why units failed */
  readonly reasons: ReadonlyArray<{
    /** Reason code */
    readonly code: number
    /** The reason in words */
    readonly reason: string
  }>
}

/** Amounts are in the currency's main unit */
export type OrderItemPrice = {
  /** The location's currency */
  readonly currency: Currency
  /** Maximum retail price of one unit */
  readonly mrp: number | null
  /** Selling price of one unit */
  readonly sellingPrice: number
  /** Discount on all units that are left */
  readonly discount: number
  /** Coupon discount on all units that are left */
  readonly couponDiscount: number
  /** Delivery charge of all units that are left */
  readonly shippingCharges: number
  /** Rate of the tax in percent */
  readonly taxRate: number | null
  /** Tax in totalPrice */
  readonly taxAmount: number
  /** Price of all units that are left, with tax */
  readonly totalPrice: number
  /** What the seller is due for them */
  readonly amountDueToSeller: number
}

/** A currency code of ISO 4217 */
export type Currency =
  | "BIF"
  | "CLP"
  | "DJF"
  | "GNF"
  | "ISK"
  | "JPY"
  | "KMF"
  | "KRW"
  | "PYG"
  | "RWF"
  | "UGX"
  | "UYI"
  | "VND"
  | "VUV"
  | "XAF"
  | "XOF"
  | "XPF"
  | "AED"
  | "AFN"
  | "ALL"
  | "AMD"
  | "ANG"
  | "AOA"
  | "ARS"
  | "AUD"
  | "AWG"
  | "AZN"
  | "BAM"
  | "BBD"
  | "BDT"
  | "BGN"
  | "BMD"
  | "BND"
  | "BOB"
  | "BOV"
  | "BRL"
  | "BSD"
  | "BTN"
  | "BWP"
  | "BYN"
  | "BZD"
  | "CAD"
  | "CDF"
  | "CHE"
  | "CHF"
  | "CHW"
  | "CNY"
  | "COP"
  | "COU"
  | "CRC"
  | "CUP"
  | "CVE"
  | "CZK"
  | "DKK"
  | "DOP"
  | "DZD"
  | "EGP"
  | "ERN"
  | "ETB"
  | "EUR"
  | "FJD"
  | "FKP"
  | "GBP"
  | "GEL"
  | "GHS"
  | "GIP"
  | "GMD"
  | "GTQ"
  | "GYD"
  | "HKD"
  | "HNL"
  | "HTG"
  | "HUF"
  | "IDR"
  | "ILS"
  | "INR"
  | "IRR"
  | "JMD"
  | "KES"
  | "KGS"
  | "KHR"
  | "KPW"
  | "KYD"
  | "KZT"
  | "LAK"
  | "LBP"
  | "LKR"
  | "LRD"
  | "LSL"
  | "MAD"
  | "MDL"
  | "MGA"
  | "MKD"
  | "MMK"
  | "MNT"
  | "MOP"
  | "MRU"
  | "MUR"
  | "MVR"
  | "MWK"
  | "MXN"
  | "MXV"
  | "MYR"
  | "MZN"
  | "NAD"
  | "NGN"
  | "NIO"
  | "NOK"
  | "NPR"
  | "NZD"
  | "PAB"
  | "PEN"
  | "PGK"
  | "PHP"
  | "PKR"
  | "PLN"
  | "QAR"
  | "RON"
  | "RSD"
  | "RUB"
  | "SAR"
  | "SBD"
  | "SCR"
  | "SDG"
  | "SEK"
  | "SGD"
  | "SHP"
  | "SLE"
  | "SOS"
  | "SRD"
  | "SSP"
  | "STN"
  | "SVC"
  | "SYP"
  | "SZL"
  | "THB"
  | "TJS"
  | "TMT"
  | "TOP"
  | "TRY"
  | "TTD"
  | "TWD"
  | "TZS"
  | "UAH"
  | "USD"
  | "USN"
  | "UYU"
  | "UZS"
  | "VED"
  | "VES"
  | "WST"
  | "XCD"
  | "XCG"
  | "YER"
  | "ZAR"
  | "ZMW"
  | "ZWG"
  | "BHD"
  | "IQD"
  | "JOD"
  | "KWD"
  | "LYD"
  | "OMR"
  | "TND"
  | "CLF"
  | "UYW"

/** Amounts are in the currency's main unit and leave out cancelled units */
export type OrderPrice = {
  /** The location's currency */
  readonly currency: Currency
  /** Always 0 */
  readonly totalCashOnDeliveryCharges: number
  /** Discounts and coupon discounts of the items */
  readonly totalDiscount: number
  /** Always 0 */
  readonly totalGiftCharges: number
  /** Always 0 */
  readonly totalStoreCredit: number
  /** The shipment's share of what was paid before delivery */
  readonly totalPrepaidAmount: number
  /** Delivery charges of the items */
  readonly totalShippingCharges: number
  /** Taxes in totalPrice */
  readonly totalTax: number
  /** Price of all units that are left, with tax */
  readonly totalPrice: number
  /** Who bears the coupon discounts */
  readonly couponOwnership: "SELLER" | "MARKETPLACE" | null
  /** What the seller is due for the shipment */
  readonly amountDueToSeller: number
}

/** A package of a shipment */
export type Package = {
  /** The seller's id of the package */
  readonly packageId: string | null
  /** Length in centimetres */
  readonly packageLengthCm: number | null
  /** Width in centimetres */
  readonly packageWidthCm: number | null
  /** Height in centimetres */
  readonly packageHeightCm: number | null
  /** Weight in grams */
  readonly packageWeightGms: number | null
}

/** An address */
export type Address = {
  /** Name of the person */
  readonly name: string
  /** Phone number */
  readonly phone: string
  /** E-mail address */
  readonly email: string | null
  /** First line */
  readonly addressLine1: string
  /** Second line */
  readonly addressLine2: string | null
  /** A landmark near it */
  readonly landmark: string | null
  /** City */
  readonly city: string
  /** State */
  readonly state: string
  /** Postal code */
  readonly pincode: string
  /** Country */
  readonly country: string
}

/** Look at data.failed_count first: 200 is also the answer when some records were rejected, or all. The outcome of the records of an awb or status operation */
export type EnvelopeResult = {
  /** The outcome of the records */
  readonly data: {
    /** Records in the request */
    readonly payload_count: number
    /** Records that were applied */
    readonly success_count: number
    /** Records that were rejected; errors has each of them */
    readonly failed_count: number
    /** The rejected records, in the order of the request */
    readonly errors: ReadonlyArray<FailedMove>
  }
  /** About this answer */
  readonly meta: {
    /** Id of this answer: 16 hex characters, a hyphen, epoch milliseconds */
    readonly trace_id: string
    /** Time of the answer, ISO 8601 in UTC */
    readonly time: string
    /** Outcome of the whole request */
    readonly status: BulkStatus
  }
}

/** A status that a shipment has reached */
export type StatusRecord = {
  /** Id of the shipment: 20 digits, as text */
  readonly orderId: string
  /** The operational status that was reached */
  readonly orderStatus:
    | "placed"
    | "bag_confirmed"
    | "bag_invoiced"
    | "dp_assigned"
    | "bag_packed"
    | "bag_picked"
    | "out_for_delivery"
    | "delivery_attempt_failed"
    | "delivery_reattempt_requested"
    | "rejected_by_customer"
    | "handed_over_to_customer"
    | "delivery_done"
    | "rto_in_transit"
    | "rto_bag_delivered"
    | "return_initiated"
    | "return_dp_assigned"
    | "return_bag_in_transit"
    | "return_bag_delivered"
    | "return_accepted"
    | "credit_note_generated"
    | "deadstock"
    | "bag_lost"
    | "cancelled_customer"
    | "cancelled_seller"
  /** What else is known of it */
  readonly meta?: {
    /** A note, shown among the tracking events */
    readonly remark?: string | null
    /** The caller's code of the reason */
    readonly reasonCode?: number | null
    /** Where the parcel is */
    readonly dpLocation?: string | null
    /** A day (2026-01-31 or 31-01-2026) or an ISO 8601 date and time, kept as text */
    readonly promised_delivery_date?: string | null
    /** The same, as now estimated */
    readonly estimated_delivery_date?: string | null
  } | null
}

/** The AWB number and courier of a shipment */
export type AwbRecord = {
  /** The courier's number of the parcel */
  readonly awbNumber: string
  /** Name of the courier */
  readonly courierName: string
  /** Id of the shipment: 20 digits, as text */
  readonly orderId: string
  /** true dispatches the shipment too; a return takes only false */
  readonly autoDispatch: boolean
}

/** A shipment that was handed to its courier */
export type DispatchRecord = {
  /** Id of the shipment: 20 digits, as text */
  readonly orderId: string
  /** The items that are in the parcel; absent: all */
  readonly orderItems?: ReadonlyArray<{
    /** Id of the item, from the shipment's orderItems */
    readonly orderItemId: string
    /** Units */
    readonly quantity: number
  }> | null
}

/** The invoice or credit note of a shipment */
export type InvoiceRecord = {
  /** Id of the shipment: 20 digits, as text */
  readonly orderId: string
  /** Number of the invoice or credit note, unique in the company */
  readonly invoiceNumber: string
  /** sale: an invoice; return: a credit note */
  readonly invoiceType: "sale" | "return"
  /** Text of the invoice's QR code */
  readonly invoiceQrCode?: string | null
  /** Invoice reference number of the e-invoice */
  readonly irnNumber?: string | null
  /** The signed e-invoice */
  readonly signedInvoice?: string | null
  /** Acknowledgement number of the e-invoice */
  readonly ackNumber?: string | null
  /** Acknowledgement date of the e-invoice, as text */
  readonly ackDate?: string | null
  /** The items with their serial numbers; items that are left out are invoiced too */
  readonly orderItems?: ReadonlyArray<{
    /** Id of the item, from the shipment's orderItems */
    readonly orderItemId: string
    /** Units; all that are left of the item */
    readonly quantity?: number | null
    /** Serial numbers of the units, at most one each, all different */
    readonly imeiSerialNumber?: ReadonlyArray<string> | null
  }> | null
  /** All packages of the shipment; they replace those of before */
  readonly packages?: ReadonlyArray<{
    /** The seller's id of the package */
    readonly packageId?: string | null
    /** Length in centimetres */
    readonly packageLengthCm?: number | null
    /** Width in centimetres */
    readonly packageWidthCm?: number | null
    /** Height in centimetres */
    readonly packageHeightCm?: number | null
    /** Weight in grams */
    readonly packageWeightGms?: number | null
  }> | null
}

/** A shipment to cancel, as a whole or in part */
export type CancelRecord = {
  /** Id of the shipment: 20 digits, as text */
  readonly orderId: string
  /** The items and units to cancel; all of them cancel the shipment */
  readonly orderItems: ReadonlyArray<{
    /** Id of the item, from the shipment's orderItems */
    readonly orderItemId: string
    /** Units */
    readonly quantity: number
    /** Why: a code of your own, kept in the audit trail */
    readonly reasonCode?: string | number | null
  }>
}

/** A shipment to confirm */
export type ConfirmRecord = {
  /** Id of the shipment: 20 digits, as text */
  readonly orderId: string
  /** Every item with all units that are not cancelled */
  readonly orderItems: ReadonlyArray<{
    /** Id of the item, from the shipment's orderItems */
    readonly orderItemId: string
    /** Units */
    readonly quantity: number
  }>
}

/** A shipment as its seller reads it */
export type Shipment = {
  /** Id of the shipment: 20 digits, as text; every operation calls it orderId */
  readonly id: string
  /** Id of the forward shipment: its own, unless it is a return or a part that was cancelled */
  readonly forwardId: string
  /** The order's external_order_id */
  readonly marketplaceOrderId: string
  /** The return's id at the marketplace; null for a forward shipment */
  readonly marketplaceReturnId: string | null
  /** Always null */
  readonly marketplaceInvoiceNumber: string | null
  /** Where it goes */
  readonly shippingAddress: Address
  /** Who is billed */
  readonly billingAddress: Address
  /** Whether it has more than one package */
  readonly multiPackShipment: boolean
  /** The packages of invoiceUpdate */
  readonly packages: ReadonlyArray<Package>
  /** Who fulfils the order */
  readonly fulfillmentType: "sellerFulfilled" | "marketplaceFulfilled"
  /** Whether it has its sale invoice */
  readonly sellerInvoiced: boolean
  /** Name of the courier; null before there is one */
  readonly courierName: string | null
  /** Code of the courier; null before there is one */
  readonly courierCode: string | null
  /** The courier's numbers of the parcels */
  readonly awbNumber: ReadonlyArray<string>
  /** What else the courier says */
  readonly additionalInfo: string
  /** Prices of the shipment */
  readonly orderPrice: OrderPrice
  /** Its items */
  readonly orderItems: ReadonlyArray<OrderItem>
  /** The order status; several operational statuses show as one */
  readonly orderStatus:
    | "CREATED"
    | "CONFIRMED"
    | "PROCESSING"
    | "COMPLETED"
    | "TRANSIT"
    | "HANDED_OVER_TO_CUSTOMER"
    | "DELIVERED"
    | "RETURN_PROCESSING"
    | "RETURN_DELIVERED"
    | "CANCELLED"
  /** Date of the order, ISO 8601 in UTC */
  readonly orderDate: string
  /** Last change of status, ISO 8601 in UTC */
  readonly modifiedDate: string
  /** How the customer pays */
  readonly paymentType: "COD" | "Prepaid"
  /** Whether every line of the order said that its tax is 0 */
  readonly taxExempted: boolean
  /** The buyer's GSTIN */
  readonly gstin: string | null
  /** Pack after this time, ISO 8601 in UTC */
  readonly packAfterDate: string | null
  /** Pack by this time, ISO 8601 in UTC */
  readonly packByDate: string | null
  /** Always empty */
  readonly pickUpSlots: ReadonlyArray<unknown>
  /** The marketplace's slug */
  readonly orderingChannel: string
  /** Link to the label on A4, which opens without a token until the end of the next day in UTC; null while it does not exist */
  readonly labelPdfUrl: string | null
  /** The same on A6 */
  readonly labelA6PdfUrl: string | null
  /** Always null */
  readonly purchaseOrderPdfUrl: string | null
  /** Number of the invoice */
  readonly invoiceNumber: string | null
  /** Number of the credit note */
  readonly returnInvoiceNumber: string | null
  /** Invoice reference number of the sale's e-invoice */
  readonly irnNumber: string | null
  /** Text of the sale's QR code */
  readonly invoiceQrCode: string | null
  /** The sale's signed e-invoice */
  readonly signedInvoice: string | null
  /** B2B when the order has a GSTIN */
  readonly orderBusinessType: "B2B" | "B2C"
  /** Whether it is locked: a locked shipment rejects every move */
  readonly lockStatus: boolean
  /** Always null */
  readonly fulfillmentPriority: string | null
  /** The way out, or the way back */
  readonly journeyType: "forward" | "return"
  /** When invoiceUpdate recorded the invoice, ISO 8601 in UTC */
  readonly invoiceGenerationDate: string | null
  /** partial_cancellation for a part that was cancelled */
  readonly shipmentTags: ReadonlyArray<"partial_cancellation">
  /** Pack by this time: order time and the location's handling hours, ISO 8601 in UTC */
  readonly sla: string
  /** Always false */
  readonly cformProvided: boolean
  /** The first line's id at the marketplace, else the external_shipment_id */
  readonly channel_bag_id: string
  /** The external_shipment_id */
  readonly channel_shipment_id: string
  /** Link to the invoice or credit note on A4; null while it does not exist */
  readonly A4invoicePdfUrl: string | null
  /** The same on A6 */
  readonly A6invoicePdfUrl: string | null
  /** Whether none of its products can come back */
  readonly is_returnless: boolean
  /** Whether the seller ships it itself */
  readonly is_self_ship: boolean
}

/** About an answer */
export type Meta = {
  /** Id of this answer, 24 hex characters */
  readonly ack_id: string
  /** Id of the integration that called */
  readonly integrationId: string
  /** Time of the answer, ISO 8601 in UTC */
  readonly time: string
  /** Outcome of the whole request */
  readonly status: BulkStatus
}

/** Stock and prices of one SKU at one location */
export type Listing = {
  /** The primary_identifier of a size in the company's catalog */
  readonly sku: string
  /** Code of the location */
  readonly location_id: string
  /** The product's item code */
  readonly item_code: string
  /** The product's name */
  readonly name: string
  /** The brand's name */
  readonly brand: string
  /** The size's name */
  readonly size: string
  /** Maximum retail price of one unit in the currency's main unit; null without a price */
  readonly mrp: number | null
  /** Effective selling price of one unit in the currency's main unit; null without a price */
  readonly esp: number | null
  /** The location's currency */
  readonly currency: Currency
  /** Stock on hand in units */
  readonly quantity: number
  /** Units reserved for open shipments */
  readonly reserved: number
  /** Units that can be ordered: on hand less reserved, never below 0 */
  readonly sellable: number
  /** Units that came back and failed the quality check */
  readonly unsellable: number
  /** Whether the article is tracked by batches */
  readonly batch: boolean
  /** Last change of the row, ISO 8601 in UTC */
  readonly modified_on: string
}

/** Look at data.failed_count first: 200 is also the answer when some records were rejected, or all. The outcome of the records of a price or stock update */
export type BulkResult = {
  /** The outcome of the records */
  readonly data: {
    /** Records in the request */
    readonly payload_count: number
    /** Records that were applied */
    readonly success_count: number
    /** Records that were rejected; errors has each of them */
    readonly failed_count: number
    /** The rejected records, in the order of the request */
    readonly errors: ReadonlyArray<FailedRecord>
  }
  /** About this answer */
  readonly meta: Meta
}

/** A rejected record of a price or stock update */
export type FailedRecord = {
  /** Place of the record in the request, from 0 */
  readonly index: number
  /** What is wrong; never changes */
  readonly code:
    | "CURRENCY_MISMATCH"
    | "DUPLICATE_RECORD"
    | "ESP_ABOVE_MRP"
    | "INVALID_CURRENCY"
    | "INVALID_RECORD"
    | "INVALID_TEXT"
    | "NEGATIVE_STOCK"
    | "STALE_QUANTITY"
    | "TOO_MANY_DECIMALS"
    | "UNKNOWN_LOCATION"
    | "UNKNOWN_SKU"
  /** What is wrong, for a person; may change */
  readonly message: string
  /** JSON Pointer to the fault in the whole request, such as /1/quantity */
  readonly path?: string
  /** The record's sku, as it was sent */
  readonly sku?: unknown
  /** The record's location_id, as it was sent */
  readonly location_id?: unknown
  /** With STALE_QUANTITY: the stock on hand */
  readonly current_quantity?: number
}

/** The stock of one SKU at one location */
export type StockRecord = {
  /** Code of a location of the company, within the token's access */
  readonly location_id: string
  /** The primary_identifier of a size in the company's catalog */
  readonly sku: string
  /** Whole units. With the integration's policy set: the stock on hand, 0 or more. With adjust: added to the stock on hand, may be negative; on hand stays within 0 and 1,000,000,000 */
  readonly quantity: number
  /** Makes the write a compare-and-set: it happens only when the stock on hand is this number of units. Null or absent: no condition */
  readonly expected_quantity?: number | null
}

/** The prices of one SKU at one location */
export type PriceRecord = {
  /** Code of a location of the company, within the token's access */
  readonly location_id: string
  /** The primary_identifier of a size in the company's catalog */
  readonly sku: string
  /** Effective selling price of one unit, above 0 and at most mrp, in the currency's main unit with at most its decimals */
  readonly esp: number
  /** Maximum retail price of one unit, above 0, in the currency's main unit with at most its decimals */
  readonly mrp: number
  /** The location's currency */
  readonly currency: Currency
}

/** How far a catalog write is: when it is COMPLETED, look at failed first */
export type CatalogStatusResult = {
  /** Follow the write with it: 16 hex characters, a hyphen, epoch milliseconds */
  readonly trace_id: string
  /** Products in the request */
  readonly total: number
  /** Products that were accepted, or processed */
  readonly success: number
  /** Products that were rejected; errors has each of them */
  readonly failed: number
  /** The rejected products, by their index in the request as text */
  readonly errors: {
    readonly [key: string]: FailedProduct
  }
  /** COMPLETED when nothing is left to process */
  readonly stage: "RUNNING" | "COMPLETED"
  /** Id of the company */
  readonly company_id: number
  /** RUNNING while products are processed, then the outcome */
  readonly status: "RUNNING" | "SUCCESS" | "PARTIAL_SUCCESS" | "FAILED"
  /** The status for a person */
  readonly message: string
  /** Last progress, ISO 8601 in UTC */
  readonly last_updated_on: string
}

/** A rejected product of a catalog write */
export type FailedProduct = {
  /** Place of the record in the request, from 0 */
  readonly index: number
  /** What is wrong; never changes */
  readonly code:
    | "CURRENCY_MISMATCH"
    | "DUPLICATE_LINE"
    | "DUPLICATE_RECORD"
    | "DUPLICATE_SIZE"
    | "EMPTY_REQUEST"
    | "GTIN_CHECK_DIGIT"
    | "IMMUTABLE_FIELD"
    | "INSUFFICIENT_STOCK"
    | "INVALID_CURRENCY"
    | "INVALID_RECORD"
    | "INVALID_TEXT"
    | "INVALID_TYPE"
    | "INVALID_VALUE"
    | "ITEM_CODE_TAKEN"
    | "NOT_FOUND"
    | "OPEN_SHIPMENTS"
    | "ORDER_EXISTS"
    | "OUT_OF_RANGE"
    | "PRICE_EFFECTIVE_ABOVE_PRICE"
    | "PROCESSING_FAILED"
    | "REQUIRED"
    | "RESERVED_STOCK"
    | "SKU_TAKEN"
    | "SLUG_TAKEN"
    | "TEMPLATE_MISMATCH"
    | "TOO_LONG"
    | "TOO_MANY_DECIMALS"
    | "TOO_SHORT"
    | "TOTAL_MISMATCH"
    | "UNKNOWN_BRAND"
    | "UNKNOWN_CATEGORY"
    | "UNKNOWN_DEPARTMENT"
    | "UNKNOWN_HS_CODE"
    | "UNKNOWN_LOCATION"
    | "UNKNOWN_PARAMETER"
    | "UNKNOWN_PRODUCT"
    | "UNKNOWN_SKU"
    | "UNKNOWN_TAX_RULE"
    | "UNKNOWN_TEMPLATE"
    | "USERNAME_TAKEN"
  /** What is wrong, for a person; may change */
  readonly message: string
  /** JSON Pointer to the fault in the whole request, such as /1/quantity */
  readonly path?: string
  /** The record's item_code, as it was sent */
  readonly item_code?: unknown
  /** The value that was probably meant */
  readonly suggestion?: string
  /** All faults of the product, when it has several */
  readonly errors?: ReadonlyArray<Violation>
}

/** Look at failed first: 200 is also the answer when some products were rejected, or all. Accepted products are processed in the background, so read the status by trace_id; a dry run has none */
export type CatalogWriteResult = {
  /** Follow the write with it: 16 hex characters, a hyphen, epoch milliseconds */
  readonly trace_id?: string
  /** Products in the request */
  readonly total: number
  /** Products that were accepted, or processed */
  readonly success: number
  /** Products that were rejected; errors has each of them */
  readonly failed: number
  /** The rejected products, by their index in the request as text */
  readonly errors: {
    readonly [key: string]: FailedProduct
  }
  /** COMPLETED when nothing is left to process */
  readonly stage: "RUNNING" | "COMPLETED"
  /** Id of the company */
  readonly company_id: number
  /** Outcome by the counts */
  readonly status: BulkStatus
}

/** A product, or sizes of it, to delete, found by item_code, else by slug with brand: one of the two is required */
export type ProductDelete = {
  /** The seller's code */
  readonly item_code?: null | string
  /** Address part */
  readonly slug?: null | string
  /** Brand's name */
  readonly brand?: null | string
  /** Brand's uid */
  readonly brand_uid?: null | number | string
  /** Name */
  readonly name?: null | string
  /** Sizes to delete; absent: the whole product */
  readonly sizes?: null | ReadonlyArray<{
    /** The SKU */
    readonly primary_identifier: string
    /** The size's name */
    readonly size?: null | string
    /** Trade item numbers: accepted and not used */
    readonly identifiers?: null | ReadonlyArray<{
      /** Accepted and not used */
      readonly gtin_value?: null | string
      /** Accepted and not used */
      readonly gtin_type?: null | string
      /** Accepted and not used */
      readonly primary?: null | boolean
    }>
  }>
}

/** A product to update, found by item_code, else by slug with brand, else by the primary_identifier of a size. Fields and sizes that are left out stay as they are */
export type ProductUpdate = {
  /** The seller's code */
  readonly item_code?: null | string
  /** Address part */
  readonly slug?: null | string
  /** Brand's name */
  readonly brand?: null | string
  /** Brand's uid */
  readonly brand_uid?: null | number | string
  /** Kind of item */
  readonly item_type: "standard" | "set" | "composite" | "digital"
  /** Name */
  readonly name: string
  /** Departments' uids */
  readonly departments: ReadonlyArray<number | string>
  /** A level 3 category's name */
  readonly category: string
  /** Country of origin */
  readonly country_of_origin: string
  /** Tax rule */
  readonly tax_identifier: {
    /** A tax rule's id */
    readonly tax_rule_id: string
  }
  /** HS or SAC code */
  readonly hs_code: string
  /** Sizes to change or add */
  readonly sizes: ReadonlyArray<{
    /** The SKU */
    readonly primary_identifier: string
    /** The size's name */
    readonly size: string
    /** Original price */
    readonly price: number
    /** Selling price, at most the price */
    readonly price_effective: number
    /** Length in centimetres */
    readonly item_length?: null | number
    /** Width in centimetres */
    readonly item_width?: null | number
    /** Height in centimetres */
    readonly item_height?: null | number
    /** Weight in grams */
    readonly item_weight?: null | number
    /** Whether stock is kept */
    readonly track_inventory?: null | boolean
    /** Trade item numbers */
    readonly identifiers?: null | ReadonlyArray<{
      /** The number */
      readonly gtin_value: string
      /** Its kind */
      readonly gtin_type: string
      /** Whether it is the main one */
      readonly primary?: null | boolean
    }>
  }>
  /** Who makes, packs or sells it */
  readonly trader?: null | ReadonlyArray<{
    /** Role */
    readonly type: "Manufacturer" | "Importer" | "Packer" | "Seller"
    /** Name */
    readonly name: string
    /** Address, line by line */
    readonly address: ReadonlyArray<string>
  }>
  /** The category's attributes */
  readonly attributes?: null | {
    readonly [key: string]: unknown
  }
  /** Whether it depends on another product */
  readonly is_dependent?: null | boolean | "Yes" | "No" | "true" | "false"
  /** What is in it */
  readonly net_quantity?: null | {
    /** Unit */
    readonly unit?: null | string
    /** Quantity */
    readonly value?: null | number
  }
  /** Boxes */
  readonly no_of_boxes?: null | number
  /** Pictures and the like */
  readonly media?: null | ReadonlyArray<{
    /** Address */
    readonly url: string
    /** Kind */
    readonly type?: null | string
  }>
  /** In a line */
  readonly short_description?: null | string
  /** In full */
  readonly description?: null | string
  /** What to point out */
  readonly highlights?: null | ReadonlyArray<string>
  /** When it goes online */
  readonly product_publish?: null | {
    /** When */
    readonly product_online_date?: null | string
    /** Whether the date counts */
    readonly is_set?: null | boolean
  }
  /** Words to find it by */
  readonly tags?: null | ReadonlyArray<string>
  /** Returns */
  readonly return_config?: null | {
    /** Whether it can come back */
    readonly returnable?: null | boolean | string
    /** For how long */
    readonly time?: null | number
    /** Unit of the time */
    readonly unit?: null | string
  }
  /** Made to order */
  readonly custom_order?: null | {
    /** Whether it is made to order */
    readonly is_custom_order?: null | boolean | string
    /** How long that takes */
    readonly manufacturing_time?: null | number
    /** Unit of the time */
    readonly manufacturing_time_unit?: null | string
  }
}

/** A product to create. The keys of `attributes` are those of its category, which `GET /v3/catalog/product-attributes` lists with their types, allowed values, ranges and formats, and keys of your own */
export type ProductCreate = {
  /** Kind of item */
  readonly item_type?: null | "standard" | "set" | "composite" | "digital"
  /** Name */
  readonly name: string
  /** Address part, unique in its brand */
  readonly slug: string
  /** Departments' uids */
  readonly departments: ReadonlyArray<number | string>
  /** A level 3 category's name */
  readonly category: string
  /** A brand's name */
  readonly brand: string
  /** The seller's code, unique */
  readonly item_code: string
  /** Country of origin */
  readonly country_of_origin: string
  /** Tax rule */
  readonly tax_identifier: {
    /** A tax rule's id */
    readonly tax_rule_id: string
  }
  /** HS or SAC code */
  readonly hs_code: string
  /** What is sold */
  readonly sizes: ReadonlyArray<{
    /** The SKU */
    readonly primary_identifier: string
    /** The size's name */
    readonly size: string
    /** Original price */
    readonly price: number
    /** Selling price, at most the price */
    readonly price_effective: number
    /** Length in centimetres */
    readonly item_length?: null | number
    /** Width in centimetres */
    readonly item_width?: null | number
    /** Height in centimetres */
    readonly item_height?: null | number
    /** Weight in grams */
    readonly item_weight?: null | number
    /** Whether stock is kept */
    readonly track_inventory?: null | boolean
    /** Trade item numbers */
    readonly identifiers?: null | ReadonlyArray<{
      /** The number */
      readonly gtin_value: string
      /** Its kind */
      readonly gtin_type: string
      /** Whether it is the main one */
      readonly primary?: null | boolean
    }>
  }>
  /** Who makes, packs or sells it */
  readonly trader: ReadonlyArray<{
    /** Role */
    readonly type: "Manufacturer" | "Importer" | "Packer" | "Seller"
    /** Name */
    readonly name: string
    /** Address, line by line */
    readonly address: ReadonlyArray<string>
  }>
  /** The category's attributes */
  readonly attributes: {
    readonly [key: string]: unknown
  }
  /** Whether it depends on another product */
  readonly is_dependent: boolean
  /** What is in it */
  readonly net_quantity?: null | {
    /** Unit */
    readonly unit?: null | string
    /** Quantity */
    readonly value?: null | number
  }
  /** Boxes */
  readonly no_of_boxes?: null | number
  /** Pictures and the like */
  readonly media?: null | ReadonlyArray<{
    /** Address */
    readonly url: string
    /** Kind */
    readonly type?: null | string
  }>
  /** In a line */
  readonly short_description?: null | string
  /** In full */
  readonly description?: null | string
  /** What to point out */
  readonly highlights?: null | ReadonlyArray<string>
  /** When it goes online */
  readonly product_publish?: null | {
    /** When */
    readonly product_online_date?: null | string
    /** Whether the date counts */
    readonly is_set?: null | boolean
  }
  /** Words to find it by */
  readonly tags?: null | ReadonlyArray<string>
  /** Returns */
  readonly return_config?: null | {
    /** Whether it can come back */
    readonly returnable?: null | boolean | string
    /** For how long */
    readonly time?: null | number
    /** Unit of the time */
    readonly unit?: null | string
  }
  /** Made to order */
  readonly custom_order?: null | {
    /** Whether it is made to order */
    readonly is_custom_order?: null | boolean | string
    /** How long that takes */
    readonly manufacturing_time?: null | number
    /** Unit of the time */
    readonly manufacturing_time_unit?: null | string
  }
}

/** A product as it is stored: the fields of a create, and those that the service adds */
export type Product = {
  /** Id of the product */
  readonly uid: number
  /** Id of its company */
  readonly company_id: number
  /** Uid of its brand */
  readonly brand_uid: number
  /** Slug of its template */
  readonly template: string
  /** Kind of item */
  readonly item_type?: null | "standard" | "set" | "composite" | "digital"
  /** Name */
  readonly name: string
  /** Address part, unique in its brand */
  readonly slug: string
  /** Departments' uids */
  readonly departments: ReadonlyArray<number | string>
  /** A level 3 category's name */
  readonly category: string
  /** A brand's name */
  readonly brand: string
  /** The seller's code, unique */
  readonly item_code: string
  /** Country of origin */
  readonly country_of_origin: string
  /** Tax rule */
  readonly tax_identifier: {
    /** A tax rule's id */
    readonly tax_rule_id: string
  }
  /** HS or SAC code */
  readonly hs_code: string
  /** What is sold */
  readonly sizes: ReadonlyArray<{
    /** The SKU */
    readonly primary_identifier: string
    /** The size's name */
    readonly size: string
    /** Original price */
    readonly price: number
    /** Selling price, at most the price */
    readonly price_effective: number
    /** Length in centimetres */
    readonly item_length?: null | number
    /** Width in centimetres */
    readonly item_width?: null | number
    /** Height in centimetres */
    readonly item_height?: null | number
    /** Weight in grams */
    readonly item_weight?: null | number
    /** Whether stock is kept */
    readonly track_inventory?: null | boolean
    /** Trade item numbers */
    readonly identifiers?: null | ReadonlyArray<{
      /** The number */
      readonly gtin_value: string
      /** Its kind */
      readonly gtin_type: string
      /** Whether it is the main one */
      readonly primary?: null | boolean
    }>
  }>
  /** Who makes, packs or sells it */
  readonly trader: ReadonlyArray<{
    /** Role */
    readonly type: "Manufacturer" | "Importer" | "Packer" | "Seller"
    /** Name */
    readonly name: string
    /** Address, line by line */
    readonly address: ReadonlyArray<string>
  }>
  /** The category's attributes */
  readonly attributes: {
    readonly [key: string]: unknown
  }
  /** Whether it depends on another product */
  readonly is_dependent: boolean
  /** What is in it */
  readonly net_quantity?: null | {
    /** Unit */
    readonly unit?: null | string
    /** Quantity */
    readonly value?: null | number
    readonly [key: string]: unknown
  }
  /** Boxes */
  readonly no_of_boxes?: null | number
  /** Pictures and the like */
  readonly media?: null | ReadonlyArray<{
    readonly [key: string]: unknown
  }>
  /** In a line */
  readonly short_description?: null | string
  /** In full */
  readonly description?: null | string
  /** What to point out */
  readonly highlights?: null | ReadonlyArray<string>
  /** When it goes online */
  readonly product_publish?: null | {
    /** When */
    readonly product_online_date?: null | string
    /** Whether the date counts */
    readonly is_set?: null | boolean
    readonly [key: string]: unknown
  }
  /** Words to find it by */
  readonly tags?: null | ReadonlyArray<string>
  /** Returns */
  readonly return_config?: null | {
    /** Whether it can come back */
    readonly returnable?: null | boolean | string
    /** For how long */
    readonly time?: null | number
    /** Unit of the time */
    readonly unit?: null | string
    readonly [key: string]: unknown
  }
  /** Made to order */
  readonly custom_order?: null | {
    /** Whether it is made to order */
    readonly is_custom_order?: null | boolean | string
    /** How long that takes */
    readonly manufacturing_time?: null | number
    /** Unit of the time */
    readonly manufacturing_time_unit?: null | string
    readonly [key: string]: unknown
  }
  /** When it was created, ISO 8601 in UTC */
  readonly created_on: string
  /** When it was last changed, ISO 8601 in UTC */
  readonly modified_on: string
}

/** A tax rule and its versions */
export type TaxRule = {
  /** Id, for a product's tax_identifier */
  readonly id: string
  /** Name */
  readonly name: string
  /** Such as ACTIVE */
  readonly status: string
  /** Its versions */
  readonly versions: ReadonlyArray<{
    /** Such as CURRENT or FUTURE */
    readonly version_status: string
    /** Day from which it applies, as yyyy-mm-dd */
    readonly applicable_from: string
    /** The taxes that it is made of */
    readonly components: ReadonlyArray<{
      /** Name of the tax */
      readonly name: string
      /** Rate in percent */
      readonly rate: number
      /** Applies to unit prices above this amount */
      readonly threshold?: number
    }>
  }>
}

/** A code of goods (HS) or of services (SAC) */
export type HsCode = {
  /** 4, 6 or 8 digits */
  readonly hs_code: string
  /** HS for goods, SAC for services */
  readonly type: "HS" | "SAC"
  /** What it covers */
  readonly description: string
  /** Country whose code it is */
  readonly country_code: string
}

/** What a category asks of its products; a product has its value in attributes, under the slug */
export type Attribute = {
  /** Key of the attribute in a product's attributes */
  readonly slug: string
  /** Name */
  readonly name: string
  /** What its values must be like */
  readonly schema: {
    /** Type of its values: text, whole number, number, boolean, or day as yyyy-mm-dd */
    readonly type: "str" | "int" | "float" | "bool" | "date"
    /** Whether a product of the category needs it */
    readonly mandatory: boolean
    /** Whether its value is a list */
    readonly multi: boolean
    /** The only values that it can have */
    readonly allowed_values?: ReadonlyArray<string | number>
    /** Bounds of a number, both included */
    readonly range?: {
      /** Smallest value */
      readonly min?: number
      /** Largest value */
      readonly max?: number
    }
    /** Regular expression that a text must match */
    readonly format?: string
  }
}

/** The blueprint of a kind of product, for some departments and categories */
export type Template = {
  /** Id of the template */
  readonly slug: string
  /** Name */
  readonly name: string
  /** Slugs of its departments */
  readonly departments: ReadonlyArray<string>
  /** Names of its level 3 categories */
  readonly categories: ReadonlyArray<string>
  /** Whether products can be created with it */
  readonly is_active: boolean
}

/** A brand of the company */
export type Brand = {
  /** Id of the brand */
  readonly uid: number
  /** Name */
  readonly name: string
}

/** A category of one of three levels. Levels 1 and 2 are common to all channels */
export type Category = {
  /** Id of the category */
  readonly uid: number
  /** Name */
  readonly name: string
  /** Unique name in addresses */
  readonly slug: string
  /** 1, 2 or 3; products belong to a category of level 3 */
  readonly level: 1 | 2 | 3
  /** Uids of its departments */
  readonly departments: ReadonlyArray<number>
  /** Uid of the category above it */
  readonly parent?: number
  /** Uid of its level 1 category */
  readonly l1?: number
  /** Uid of its level 2 category */
  readonly l2?: number
  /** Whether products can be created in it */
  readonly is_active: boolean
  /** Of a level 3 category: its names at marketplaces, by their slugs */
  readonly channels?: {
    readonly [key: string]: string
  }
}

/** A top-level grouping of categories */
export type Department = {
  /** Id of the department */
  readonly uid: number
  /** Name */
  readonly name: string
  /** Unique name in addresses */
  readonly slug: string
  /** Whether products can be created in it */
  readonly is_active: boolean
  /** Address of its logo */
  readonly logo?: string
}

/** The operations by group, with the types of what they take and answer. */
export interface Operations {
  readonly catalog: {
    /** List departments */
    readonly departments: {
      readonly input: {
        readonly query?: {
          /** Page, from 1 */
          readonly page_number?: number
          /** Records on a page */
          readonly page_size?: number
          /** Part of the name, in any case */
          readonly name?: string
          /** The whole slug */
          readonly slug?: string
          /** Only active or only inactive ones */
          readonly is_active?: boolean
        }
      }
      readonly success: {
        /** The records on this page */
        readonly items: ReadonlyArray<Department>
        /** This page, from 1 */
        readonly page_number: number
        /** Most records on a page */
        readonly page_size: number
        /** Records on all pages */
        readonly total: number
      }
      readonly item: Department
    }
    /** List categories */
    readonly categories: {
      readonly input: {
        readonly query?: {
          /** Page, from 1 */
          readonly page_number?: number
          /** Records on a page */
          readonly page_size?: number
          /** The whole slug */
          readonly slug?: string
          /** Only this level */
          readonly level?: number
          /** A department's uid */
          readonly department?: number
          /** Uids of level 3 categories, comma-separated, at most 200 */
          readonly cat3_id?: ReadonlyArray<string | number>
        }
      }
      readonly success: {
        /** The records on this page */
        readonly items: ReadonlyArray<Category>
        /** This page, from 1 */
        readonly page_number: number
        /** Most records on a page */
        readonly page_size: number
        /** Records on all pages */
        readonly total: number
      }
      readonly item: Category
    }
    /** List brands */
    readonly brands: {
      readonly input: {
        readonly query?: {
          /** Page, from 1 */
          readonly page_number?: number
          /** Records on a page */
          readonly page_size?: number
          /** Part of the name, in any case */
          readonly brand_name?: string
        }
      }
      readonly success: {
        /** The records on this page */
        readonly items: ReadonlyArray<Brand>
        /** This page, from 1 */
        readonly page_number: number
        /** Most records on a page */
        readonly page_size: number
        /** Records on all pages */
        readonly total: number
      }
      readonly item: Brand
    }
    /** List product templates */
    readonly templates: {
      readonly input: {
        readonly query?: {
          /** Page, from 1 */
          readonly page_number?: number
          /** Records on a page */
          readonly page_size?: number
          /** A department's slug */
          readonly department?: string
        }
      }
      readonly success: {
        /** The records on this page */
        readonly items: ReadonlyArray<Template>
        /** This page, from 1 */
        readonly page_number: number
        /** Most records on a page */
        readonly page_size: number
        /** Records on all pages */
        readonly total: number
      }
      readonly item: Template
    }
    /** List a category's attributes */
    readonly attributes: {
      readonly input: {
        readonly query: {
          /** A level 3 category's name, in its exact case */
          readonly category: string
        }
      }
      readonly success: {
        /** The attributes; none when there is no such category */
        readonly items: ReadonlyArray<Attribute>
      }
    }
    /** Search HS and SAC codes */
    readonly hsCodes: {
      readonly input: {
        readonly query?: {
          /** Page, from 1 */
          readonly page_number?: number
          /** Records on a page */
          readonly page_size?: number
          /** Part of the code or of the description, in any case */
          readonly search?: string
          /** Only HS or only SAC codes */
          readonly type?: "HS" | "SAC"
        }
      }
      readonly success: {
        /** The records on this page */
        readonly items: ReadonlyArray<HsCode>
        /** This page, from 1 */
        readonly page_number: number
        /** Most records on a page */
        readonly page_size: number
        /** Records on all pages */
        readonly total: number
      }
      readonly item: HsCode
    }
    /** List tax rules */
    readonly taxRules: {
      readonly input: {
        readonly query?: {
          /** Page, from 1 */
          readonly page_number?: number
          /** Records on a page */
          readonly page_size?: number
          /** Such as ACTIVE */
          readonly status?: string
          /** Such as CURRENT or FUTURE; only versions with this status are shown */
          readonly version_status?: string
          /** Part of the name, in any case */
          readonly rule_name?: string
        }
      }
      readonly success: {
        /** The records on this page */
        readonly items: ReadonlyArray<TaxRule>
        /** This page, from 1 */
        readonly page_number: number
        /** Most records on a page */
        readonly page_size: number
        /** Records on all pages */
        readonly total: number
      }
      readonly item: TaxRule
    }
    /** List products */
    readonly products: {
      readonly input: {
        readonly query?: {
          /** Page, from 1 */
          readonly page_number?: number
          /** Records on a page */
          readonly page_size?: number
          /** Part of the name, in any case */
          readonly name?: string
          /** The whole slug */
          readonly slug?: string
          /** Item codes, comma-separated, at most 200 */
          readonly item_code?: ReadonlyArray<string | number>
          /** Newest first by this date */
          readonly sort_on?: "modified_on" | "created"
        }
      }
      readonly success: {
        /** The records on this page */
        readonly items: ReadonlyArray<Product>
        /** This page, from 1 */
        readonly page_number: number
        /** Most records on a page */
        readonly page_size: number
        /** Records on all pages */
        readonly total: number
      }
      readonly item: Product
    }
  }
  readonly products: {
    /** Create products */
    readonly create: {
      readonly input: {
        readonly query?: {
          /** Judge the request and write nothing */
          readonly dry_run?: boolean
        }
        readonly payload: {
          /** Slug of a template of the products' departments */
          readonly template?: string
          /** The products, 1 to 100 */
          readonly products: ReadonlyArray<ProductCreate>
        }
      }
      readonly success: CatalogWriteResult
      readonly record: ProductCreate
      readonly failed: FailedProduct
      readonly rest: {
        readonly query?: {
          /** Judge the request and write nothing */
          readonly dry_run?: boolean
        }
        readonly payload?: {
          /** Slug of a template of the products' departments */
          readonly template?: string
        }
      }
    }
    /** Update products */
    readonly update: {
      readonly input: {
        readonly query?: {
          /** Judge the request and write nothing */
          readonly dry_run?: boolean
        }
        readonly payload: {
          /** Slug of a template of the products' departments */
          readonly template?: string
          /** The products, 1 to 100 */
          readonly products: ReadonlyArray<ProductUpdate>
        }
      }
      readonly success: CatalogWriteResult
      readonly record: ProductUpdate
      readonly failed: FailedProduct
      readonly rest: {
        readonly query?: {
          /** Judge the request and write nothing */
          readonly dry_run?: boolean
        }
        readonly payload?: {
          /** Slug of a template of the products' departments */
          readonly template?: string
        }
      }
    }
    /** Delete products */
    readonly delete: {
      readonly input: {
        readonly query?: {
          /** Judge the request and write nothing */
          readonly dry_run?: boolean
        }
        readonly payload: {
          /** Slug of a template of the products' departments */
          readonly template?: string
          /** The products, 1 to 100 */
          readonly products: ReadonlyArray<ProductDelete>
        }
      }
      readonly success: CatalogWriteResult
      readonly record: ProductDelete
      readonly failed: FailedProduct
      readonly rest: {
        readonly query?: {
          /** Judge the request and write nothing */
          readonly dry_run?: boolean
        }
        readonly payload?: {
          /** Slug of a template of the products' departments */
          readonly template?: string
        }
      }
    }
    /** Read the status of a catalog write */
    readonly status: {
      readonly input: {
        readonly query: {
          /** The trace_id of the write's answer */
          readonly trace_id: string
        }
      }
      readonly success: CatalogStatusResult
    }
  }
  readonly price: {
    /** Update prices */
    readonly update: {
      readonly input: { readonly payload: ReadonlyArray<PriceRecord> }
      readonly success: BulkResult
      readonly record: PriceRecord
      readonly failed: FailedRecord
    }
  }
  readonly stock: {
    /** Update stock */
    readonly update: {
      readonly input: { readonly payload: ReadonlyArray<StockRecord> }
      readonly success: BulkResult
      readonly record: StockRecord
      readonly failed: FailedRecord
    }
  }
  readonly listings: {
    /** List stock and prices */
    readonly page: {
      readonly input: {
        readonly query?: {
          /** Page, from 1 */
          readonly page_no?: number
          /** Rows on a page */
          readonly page_size?: number
          /** SKUs, comma-separated, at most 10 */
          readonly skus?: ReadonlyArray<string | number>
        }
      }
      readonly success: {
        /** One row per SKU and location, by SKU and then location */
        readonly data: ReadonlyArray<Listing>
        /** About this answer */
        readonly meta: Meta
      }
      readonly item: Listing
    }
    /** Count the listings */
    readonly count: {
      readonly input: {
        readonly headers?: {
          /** TRUE counts batch-tracked articles too */
          readonly "x-batch-product"?: "TRUE" | "FALSE"
        }
      }
      readonly success: {
        /** The count */
        readonly data: {
          /** Number of rows */
          readonly listing_count: number
        }
        /** About this answer */
        readonly meta: Meta
      }
    }
  }
  readonly shipments: {
    /** Read shipments */
    readonly read: {
      readonly input: {
        readonly query?: {
          /** One shipment, by its id; the other filters and the page are then not applied */
          readonly orderId?: string
          /** A marketplace's slug */
          readonly orderingChannel?: string
          /** Only shipments with this status; required unless orderId is given */
          readonly orderStatus?:
            | "CREATED"
            | "CONFIRMED"
            | "PROCESSING"
            | "COMPLETED"
            | "TRANSIT"
            | "HANDED_OVER_TO_CUSTOMER"
            | "DELIVERED"
            | "RETURN_PROCESSING"
            | "RETURN_DELIVERED"
            | "CANCELLED"
          /** Page, from 1 */
          readonly pageNumber?: number
          /** Shipments on a page */
          readonly pageSize?: number
          /** A location of the company */
          readonly locationCode?: string
          /** Orders of this day and later: dd-mm-yyyy, UTC */
          readonly orderDateFrom?: string
          /** Orders of this day and earlier: dd-mm-yyyy, UTC */
          readonly orderDateTo?: string
        }
      }
      readonly success: ReadonlyArray<Shipment>
      readonly item: Shipment
    }
    /** Confirm shipments */
    readonly confirm: {
      readonly input: { readonly payload: ReadonlyArray<ConfirmRecord> }
      readonly success: MovesResult
      readonly record: ConfirmRecord
      readonly failed: FailedMove
    }
    /** Cancel shipments or items */
    readonly cancel: {
      readonly input: { readonly payload: ReadonlyArray<CancelRecord> }
      readonly success: MovesResult
      readonly record: CancelRecord
      readonly failed: FailedMove
    }
    /** Record invoices and credit notes */
    readonly invoiceUpdate: {
      readonly input: { readonly payload: ReadonlyArray<InvoiceRecord> }
      readonly success: MovesResult
      readonly record: InvoiceRecord
      readonly failed: FailedMove
    }
    /** Mark shipments as packed */
    readonly pack: {
      readonly input: { readonly payload: ReadonlyArray<ShipmentKey> }
      readonly success: MovesResult
      readonly record: ShipmentKey
      readonly failed: FailedMove
    }
    /** Dispatch shipments */
    readonly dispatch: {
      readonly input: { readonly payload: ReadonlyArray<DispatchRecord> }
      readonly success: MovesResult
      readonly record: DispatchRecord
      readonly failed: FailedMove
    }
    /** Set AWB numbers */
    readonly awb: {
      readonly input: { readonly payload: ReadonlyArray<AwbRecord> }
      readonly success: EnvelopeResult
      readonly record: AwbRecord
      readonly failed: FailedMove
    }
    /** Report the status of shipments */
    readonly status: {
      readonly input: { readonly payload: ReadonlyArray<StatusRecord> }
      readonly success: EnvelopeResult
      readonly record: StatusRecord
      readonly failed: FailedMove
    }
    /** Read shipments at all locations */
    readonly info: {
      readonly input: {
        readonly query?: {
          /** One shipment, by its id; the other filters and the page are then not applied */
          readonly orderId?: string
          /** A marketplace's slug */
          readonly orderingChannel?: string
          /** Only shipments with this status; required unless orderId is given */
          readonly orderStatus?:
            | "CREATED"
            | "CONFIRMED"
            | "PROCESSING"
            | "COMPLETED"
            | "TRANSIT"
            | "HANDED_OVER_TO_CUSTOMER"
            | "DELIVERED"
            | "RETURN_PROCESSING"
            | "RETURN_DELIVERED"
            | "CANCELLED"
          /** Page, from 1 */
          readonly pageNumber?: number
          /** Shipments on a page */
          readonly pageSize?: number
          /** A location of the company */
          readonly locationCode?: string
          /** Orders of this day and later: dd-mm-yyyy, UTC */
          readonly orderDateFrom?: string
          /** Orders of this day and earlier: dd-mm-yyyy, UTC */
          readonly orderDateTo?: string
        }
      }
      readonly success: ShipmentInfoList
      readonly item: ShipmentInfo
    }
    /** Read couriers and AWB numbers */
    readonly courierDetails: {
      readonly input: { readonly payload: ReadonlyArray<ShipmentKey> }
      readonly success: ReadonlyArray<Courier | UnknownCourier>
    }
    /** Track a shipment */
    readonly track: { readonly input: { readonly payload: TrackBody }; readonly success: Tracking }
    /** Record the quality check of returns */
    readonly return: {
      readonly input: {
        readonly query?: {
          /** The result of what does not say it itself; false when absent */
          readonly badQc?: "true" | "false"
        }
        readonly payload:
          | ReadonlyArray<ReturnRecord>
          | {
              /** The result of records and items that don't say it themselves */
              readonly badQc?: boolean | null
              /** The records */
              readonly shipments: ReadonlyArray<ReturnRecord>
            }
      }
      readonly success: MovesResult
      readonly record: ReturnRecord
      readonly failed: FailedMove
      readonly rest: {
        readonly query?: {
          /** The result of what does not say it itself; false when absent */
          readonly badQc?: "true" | "false"
        }
      }
    }
  }
  readonly documents: {
    /** Print shipping labels */
    readonly labels: {
      readonly input: {
        readonly query?: {
          /** Size of the sheets; a6 for labels and a4 for invoices when absent */
          readonly printSize?: "a4" | "a6" | "A4" | "A6"
        }
        readonly payload: ReadonlyArray<ShipmentKey>
      }
      readonly success: Uint8Array
    }
    /** Print invoices and credit notes */
    readonly invoice: {
      readonly input: {
        readonly query?: {
          /** Size of the sheets; a6 for labels and a4 for invoices when absent */
          readonly printSize?: "a4" | "a6" | "A4" | "A6"
        }
        readonly payload: ReadonlyArray<ShipmentKey>
      }
      readonly success: Uint8Array
    }
  }
}

/** Where a client signs in. */
export const signInPath = "/aggregator/v1/token"

export const operations: Table<Operations> = {
  catalog: {
    departments: {
      method: "GET",
      path: "/v3/catalog/departments",
      page: { number: "page_number", size: "page_size", most: 200, items: "items" }
    },
    categories: {
      method: "GET",
      path: "/v3/catalog/category",
      page: { number: "page_number", size: "page_size", most: 200, items: "items" }
    },
    brands: {
      method: "GET",
      path: "/v3/catalog/company-brand",
      page: { number: "page_number", size: "page_size", most: 200, items: "items" }
    },
    templates: {
      method: "GET",
      path: "/v3/catalog/product/template",
      page: { number: "page_number", size: "page_size", most: 200, items: "items" }
    },
    attributes: { method: "GET", path: "/v3/catalog/product-attributes" },
    hsCodes: {
      method: "GET",
      path: "/v3/catalog/taxes/hscodes",
      page: { number: "page_number", size: "page_size", most: 200, items: "items" }
    },
    taxRules: {
      method: "GET",
      path: "/v3/catalog/taxes/rules",
      page: { number: "page_number", size: "page_size", most: 200, items: "items" }
    },
    products: {
      method: "GET",
      path: "/v3/catalog/product",
      page: { number: "page_number", size: "page_size", most: 200, items: "items" }
    }
  },
  products: {
    create: { method: "POST", path: "/v3/catalog/product", key: true, bulk: { list: "products", most: 100 } },
    update: { method: "PUT", path: "/v3/catalog/product", key: true, bulk: { list: "products", most: 100 } },
    delete: { method: "DELETE", path: "/v3/catalog/product", key: true, bulk: { list: "products", most: 100 } },
    status: { method: "GET", path: "/v3/catalog/status" }
  },
  price: { update: { method: "PUT", path: "/ims/v3/price", key: true, bulk: { list: "", most: 500 } } },
  stock: { update: { method: "PUT", path: "/ims/v3/inventory", key: true, bulk: { list: "", most: 500 } } },
  listings: {
    page: {
      method: "GET",
      path: "/ims/v3/listings",
      page: { number: "page_no", size: "page_size", most: 500, items: "data" }
    },
    count: { method: "GET", path: "/ims/v3/listings/count" }
  },
  shipments: {
    read: {
      method: "GET",
      path: "/oms/v3/shipment",
      page: { number: "pageNumber", size: "pageSize", most: 100, items: "" }
    },
    confirm: { method: "POST", path: "/oms/v3/shipment/confirm", key: true, bulk: { list: "", most: 20 } },
    cancel: { method: "POST", path: "/oms/v3/shipment/cancel", key: true, bulk: { list: "", most: 20 } },
    invoiceUpdate: { method: "POST", path: "/oms/v3/shipment/invoiceUpdate", key: true, bulk: { list: "", most: 20 } },
    pack: { method: "POST", path: "/oms/v3/shipment/pack", key: true, bulk: { list: "", most: 20 } },
    dispatch: { method: "POST", path: "/oms/v3/shipment/dispatch", key: true, bulk: { list: "", most: 20 } },
    awb: { method: "PUT", path: "/oms/v3/shipment/awb", key: true, bulk: { list: "", most: 20 } },
    status: { method: "PUT", path: "/oms/v3/shipment/status", key: true, bulk: { list: "", most: 20 } },
    info: {
      method: "GET",
      path: "/oms/v3/shipment/info",
      page: { number: "pageNumber", size: "pageSize", most: 100, items: "orders" }
    },
    courierDetails: { method: "POST", path: "/oms/v3/shipment/courierDetails" },
    track: { method: "POST", path: "/oms/v3/shipment/track" },
    return: { method: "POST", path: "/oms/v3/shipment/return", key: true, bulk: { list: "", most: 20 } }
  },
  documents: {
    labels: { method: "POST", path: "/oms/v3/shipment/labels", bytes: true },
    invoice: { method: "POST", path: "/oms/v3/shipment/invoice", bytes: true }
  }
}
