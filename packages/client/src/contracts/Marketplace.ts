/**
 * The marketplace interface on the wire. Written by scripts/client-contracts.mjs from the contracts of @crossdock/http: change those.
 */
import type { Table } from "../Operation.ts"

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

/** SUCCESS when every record was applied, PARTIAL_SUCCESS when some were, FAILED when none was */
export type BulkStatus = "SUCCESS" | "PARTIAL_SUCCESS" | "FAILED"

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

/** A status that a shipment has reached */
export type MarketplaceStatus = {
  /** The shipment_id: 20 digits, as text */
  readonly order_id: string
  /** Always true: the marketplace speaks for the courier */
  readonly isSelfShip: true
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
    /** With return_initiated: the marketplace's id of the return */
    readonly return_id?: string | null
    /** With return_initiated: the units that come back; absent: all that have not come back yet */
    readonly items?: ReadonlyArray<{
      /** The line, by its external_line_id */
      readonly external_line_id?: string | null
      /** The line, by its bag_id */
      readonly orderItemId?: string | null
      /** Units */
      readonly quantity: number
      /** Why they come back */
      readonly reason?: string | null
    }> | null
  } | null
}

/** The AWB number and courier of a shipment */
export type MarketplaceAwb = {
  /** The shipment_id: 20 digits, as text */
  readonly orderId: string
  /** The courier's number of the parcel */
  readonly awbNumber: string
  /** Name of the courier */
  readonly courierName: string
  /** Always false */
  readonly autoDispatch: false
  /** Always true: the marketplace speaks for the courier */
  readonly isSelfShip: true
}

/** An order as its marketplace reads it. Amounts are in the currency's main unit */
export type OrderView = {
  /** Id of the order, 24 hex characters */
  readonly platform_order_id: string
  /** The marketplace's id of the order */
  readonly external_order_id: string
  /** The order's currency */
  readonly ordering_currency: Currency
  /** When it was placed, ISO 8601 in UTC */
  readonly order_date: string
  /** When the service took it, ISO 8601 in UTC */
  readonly created_at: string
  /** The amounts that it was placed with */
  readonly pricing: {
    /** Total of lines and charges */
    readonly total: number
    /** Discounts of the lines */
    readonly discount: number
    /** Coupon discounts of the lines */
    readonly coupon_discount: number
    /** Delivery charges of the lines */
    readonly delivery_charge: number
    /** What the sellers are due */
    readonly amount_due_to_seller: number
    /** Charges of the order beside its lines */
    readonly charges: ReadonlyArray<{
      /** Name */
      readonly name: string
      /** The marketplace's kind of the charge */
      readonly type: string
      /** The charge, with its tax */
      readonly amount: number
      /** Its tax */
      readonly tax: OrderViewTax | null
    }>
    /** The coupon that was used */
    readonly coupon: {
      /** The coupon's code */
      readonly code: string
      /** What it takes off */
      readonly amount: number
      /** Who bears the lines' coupon discounts */
      readonly ownership: "SELLER" | "MARKETPLACE"
    } | null
  }
  /** How the customer pays */
  readonly payment: {
    /** COD is paid on delivery, PREPAID before */
    readonly mode: "COD" | "PREPAID"
    /** The methods */
    readonly methods: ReadonlyArray<{
      /** COD is collected on delivery; any other was paid before */
      readonly mode: string
      /** Name of the method */
      readonly name: string
      /** What is paid by it */
      readonly amount: number
    }>
  }
  /** Taxes in the total */
  readonly taxes: {
    /** The buyer's GSTIN */
    readonly gstin: string | null
    /** Taxes of lines and charges */
    readonly amount: number
  }
  /** Who ordered */
  readonly customer: {
    /** Name */
    readonly name: string
    /** Phone number */
    readonly phone: string | null
    /** E-mail address */
    readonly email: string | null
  } | null
  /** Who is billed */
  readonly billing_address: OrderViewAddress
  /** Where it goes */
  readonly shipping_address: OrderViewAddress
  /** Every shipment, returns too */
  readonly shipments: ReadonlyArray<ShipmentOfOrder>
  /** The marketplace's own data, as it was sent */
  readonly meta: {
    readonly [key: string]: unknown
  } | null
}

/** A shipment as its marketplace reads it */
export type ShipmentOfOrder = {
  /** Id of the shipment: 20 digits, as text */
  readonly shipment_id: string
  /** The marketplace's id of the shipment */
  readonly external_shipment_id: string
  /** Id of the forward shipment: its own, unless it is a return or a part that was cancelled */
  readonly forward_shipment_id: string
  /** The marketplace's code of the location */
  readonly location_id: string
  /** The way out, or the way back */
  readonly journey_type: "forward" | "return"
  /** The operational status */
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
  /** The order status, as the seller reads it */
  readonly order_status:
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
  /** Who fulfils it */
  readonly fulfillment_type: "SELLER" | "MARKETPLACE"
  /** Whether the seller ships it */
  readonly is_self_ship: boolean
  /** Name of the courier */
  readonly courier_name: string | null
  /** The courier's numbers of the parcels */
  readonly awb_number: ReadonlyArray<string>
  /** Number of the invoice */
  readonly invoice_number: string | null
  /** Number of the credit note */
  readonly credit_note_number: string | null
  /** The return's id at the marketplace */
  readonly return_id: string | null
  /** When it is due */
  readonly delivery: {
    /** Pack after this time, ISO 8601 in UTC */
    readonly pack_after: string | null
    /** Pack by this time, ISO 8601 in UTC */
    readonly pack_by: string | null
    /** Dispatch by this time, ISO 8601 in UTC */
    readonly dispatch_by: string | null
    /** Deliver by this time, ISO 8601 in UTC */
    readonly deliver_by: string | null
  }
  /** Every status it had, oldest first */
  readonly events: ReadonlyArray<TrackingEvent>
  /** Its lines */
  readonly bags: ReadonlyArray<Bag>
}

/** A line of a shipment, with all its units */
export type Bag = {
  /** Id of the bag */
  readonly bag_id: string
  /** The marketplace's id of the line */
  readonly external_line_id: string | null
  /** The SKU */
  readonly sku: string
  /** The product's name when it was ordered */
  readonly title: string
  /** Units that are not cancelled */
  readonly quantity: number
  /** Units that were cancelled */
  readonly cancelled_quantity: number
  /** Operational status of the shipment */
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
  /** Prices of the bag */
  readonly prices: {
    /** Maximum retail price of one unit */
    readonly mrp: number | null
    /** Selling price of one unit, with its tax */
    readonly esp: number
    /** Discount on the units that are left */
    readonly discount: number
    /** Coupon discount on the units that are left */
    readonly coupon_discount: number
    /** Delivery charge of the units that are left */
    readonly delivery_charge: number
    /** Price of the units that are left */
    readonly total: number
    /** What the seller is due for them */
    readonly amount_due_to_seller: number
  }
  /** Tax of the bag */
  readonly tax: {
    /** Rate in percent */
    readonly rate: number | null
    /** Tax of the units that are left */
    readonly amount: number
  }
  /** The quality check; all 0 before one */
  readonly qc: QualityCheck
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

/** An address */
export type OrderViewAddress = {
  /** Name of the person */
  readonly name: string
  /** Phone number */
  readonly phone: string
  /** E-mail address */
  readonly email: string | null
  /** First line */
  readonly address1: string
  /** Second line */
  readonly address2: string | null
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

/** A tax that a price contains */
export type OrderViewTax = {
  /** Rate in percent */
  readonly rate: number
  /** The tax itself, which is part of the price */
  readonly amount: number
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

/** The ids of an order that was placed */
export type PlacedOrder = {
  /** Id of the order, 24 hex characters; read the order by it */
  readonly platform_order_id: string
  /** The shipments, in the order of the request */
  readonly shipments: ReadonlyArray<{
    /** The marketplace's id of the shipment */
    readonly external_shipment_id: string
    /** Id of the shipment for awb and status: 20 digits, as text */
    readonly shipment_id: string
  }>
}

/** An order to place. Amounts are decimal numbers of ordering_currency, in its main unit */
export type Order = {
  /** The marketplace's id of the order, unique per marketplace */
  readonly external_order_id: string
  /** The currency in which the locations sell */
  readonly ordering_currency: Currency
  /** When it was placed; the time of the request when absent */
  readonly order_date?: string | null
  /** How the customer pays */
  readonly payment: {
    /** COD is paid on delivery, PREPAID before */
    readonly mode: "COD" | "PREPAID"
    /** The methods; their amounts come to the order's total */
    readonly methods?: ReadonlyArray<{
      /** COD is collected on delivery; any other was paid before */
      readonly mode: string
      /** Name of the method */
      readonly name: string
      /** What is paid by it */
      readonly amount: number
    }> | null
  }
  /** Who ordered */
  readonly customer?: {
    /** Name */
    readonly name: string
    /** Phone number */
    readonly phone?: string | null
    /** E-mail address; blank counts as none */
    readonly email?: string | null
  } | null
  /** Who is billed */
  readonly billing_address: OrderAddress
  /** Where it goes */
  readonly shipping_address: OrderAddress
  /** The coupon that was used */
  readonly coupon?: {
    /** The coupon's code */
    readonly code: string
    /** What it takes off */
    readonly amount: number
    /** Who bears the lines' coupon discounts */
    readonly ownership: "SELLER" | "MARKETPLACE"
  } | null
  /** Charges of the order beside its lines */
  readonly charges?: ReadonlyArray<{
    /** Name */
    readonly name: string
    /** The marketplace's kind of the charge */
    readonly type: string
    /** The charge, with its tax */
    readonly amount: number
    /** Its tax */
    readonly tax?: OrderTax | null
  }> | null
  /** A GSTIN makes it an order between businesses */
  readonly tax_info?: {
    /** The buyer's tax number of 15 characters; blank counts as none */
    readonly gstin?: string | null
  } | null
  /** The order's total: its lines and charges */
  readonly total_amount?: number | null
  /** The shipments, one for each parcel's way */
  readonly shipments: ReadonlyArray<OrderShipment>
  /** The marketplace's own data, returned with the order */
  readonly meta?: {
    readonly [key: string]: unknown
  } | null
}

/** What is sent from one location */
export type OrderShipment = {
  /** The marketplace's id of the shipment, unique in the order */
  readonly external_shipment_id: string
  /** The marketplace's own code of a location that is mapped to it */
  readonly location_id: string
  /** Who fulfils it; SELLER when absent */
  readonly fulfillment_type?: "SELLER" | "MARKETPLACE" | null
  /** Whether the seller ships it; when absent, true for SELLER and false for MARKETPLACE */
  readonly is_self_ship?: boolean | null
  /** When it is due */
  readonly delivery?: {
    /** Pack after this time */
    readonly pack_after?: string | null
    /** Pack by this time */
    readonly pack_by?: string | null
    /** Dispatch by this time */
    readonly dispatch_by?: string | null
    /** Deliver by this time */
    readonly deliver_by?: string | null
  } | null
  /** What it consists of */
  readonly lines: ReadonlyArray<OrderLine>
}

/** A SKU and its units in a shipment */
export type OrderLine = {
  /** The marketplace's id of the line, once in a shipment; returns name lines by it */
  readonly external_line_id?: string | null
  /** The primary_identifier of a size in the catalog */
  readonly sku: string
  /** Units */
  readonly quantity: number
  /** Maximum retail price of one unit */
  readonly mrp?: number | null
  /** Selling price of one unit, with its tax */
  readonly esp: number
  /** Discount on the whole line */
  readonly discount?: number | null
  /** Coupon discount on the whole line */
  readonly coupon_discount?: number | null
  /** Delivery charge of the whole line */
  readonly delivery_charge?: number | null
  /** The tax of the whole line; a line without one says nothing of its tax */
  readonly tax?: OrderTax | null
}

/** A tax that a price contains */
export type OrderTax = {
  /** Rate in percent, 0 to 100 */
  readonly rate: number
  /** The tax itself, which is part of the price */
  readonly amount: number
}

/** An address */
export type OrderAddress = {
  /** Name of the person */
  readonly name: string
  /** Phone number */
  readonly phone: string
  /** E-mail address; blank counts as none */
  readonly email?: string | null
  /** First line */
  readonly address1: string
  /** Second line */
  readonly address2?: string | null
  /** A landmark near it */
  readonly landmark?: string | null
  /** City */
  readonly city: string
  /** State */
  readonly state: string
  /** Postal code */
  readonly pincode: string
  /** Country */
  readonly country: string
}

/** The operations by group, with the types of what they take and answer. */
export interface Operations {
  readonly orders: {
    /** Place an order */
    readonly create: { readonly input: { readonly payload: Order }; readonly success: PlacedOrder }
    /** Read an order */
    readonly read: {
      readonly input: {
        readonly query: {
          /** From the answer to create */
          readonly platform_order_id: string
        }
      }
      readonly success: OrderView
    }
    /** Set AWB numbers */
    readonly awb: {
      readonly input: { readonly payload: ReadonlyArray<MarketplaceAwb> }
      readonly success: EnvelopeResult
      readonly record: MarketplaceAwb
      readonly failed: FailedMove
    }
    /** Report the status of shipments */
    readonly status: {
      readonly input: { readonly payload: ReadonlyArray<MarketplaceStatus> }
      readonly success: EnvelopeResult
      readonly record: MarketplaceStatus
      readonly failed: FailedMove
    }
  }
}

/** Where a client signs in. */
export const signInPath = "/auth/{marketplace_slug}/token"

export const operations: Table<Operations> = {
  orders: {
    create: { method: "POST", path: "/order/api/v1/{marketplace_slug}/create", key: true },
    read: { method: "GET", path: "/order/api/v1/{marketplace_slug}/order" },
    awb: { method: "PUT", path: "/order/api/v1/{marketplace_slug}/awb", key: true, bulk: { list: "", most: 20 } },
    status: { method: "PUT", path: "/order/api/v1/{marketplace_slug}/status", key: true, bulk: { list: "", most: 20 } }
  }
}
