/**
 * The shipment aggregate, and the fields of its order that it shows. It is plain data, stored as one JSON body beside its key
 * columns. Absence is `null`, not `Option`: a shipment equals itself after being stored as JSON.
 */
import type { LocationAddress } from "@crossdock/access"
import { type CompanyId, frozen, type Money, Text } from "@crossdock/kernel"
import type { LineAmounts, LineUnits, QcReason } from "@crossdock/returns"
import type { AddedStatus, AnyStatus } from "./ShipmentStatus.ts"

/** A party that acts on a shipment or runs its logistics. `courier` is the host's courier port. */
export type Party = "seller" | "marketplace" | "courier"

/** The courier of a bag. `code` is null when only the name is known. */
export interface Courier {
  readonly name: string
  readonly code: string | null
  readonly awbNumbers: ReadonlyArray<string>
}

/** An AWB number for storage and look-up: normalized letters, single spaces and none around. Case counts. */
export const storedAwb = (awb: string): string => awb.normalize().replace(/\s+/gu, " ").trim()

/** A courier's name for comparison, in any case, composition, width and white space. Upper case also equates "ß" and "SS". */
export const comparableCourier = (name: string): string =>
  Text.folded(Text.folded(name).toUpperCase()).replace(/\s+/gu, " ").trim()

/** The seller on papers: the company's legal name, and the shipping location's name and address. */
export interface PaperSeller {
  readonly legalName: string
  readonly name: string
  readonly address: LocationAddress | null
}

/**
 * The sale's invoice or its credit note. `at` is epoch milliseconds. `irn`, `ackNumber` and `ackDate` are for e-invoicing
 * between businesses. Source: docs/reference/shipments.md#invoice-update.
 */
export interface Invoice {
  readonly number: string
  readonly at: number
  readonly irn: string | null
  readonly qrCode: string | null
  readonly signedInvoice: string | null
  readonly ackNumber: string | null
  readonly ackDate: string | null
  /** As of the number's time. Absent in documents of earlier releases. */
  readonly seller?: PaperSeller
}

/** A shipment's number of packages, and their total weight; null unless each has a weight. */
export interface Parcel {
  readonly packages: number
  readonly weightGrams: number | null
}

/** A label as of its number: the AWBs, or the shipment's id before it has any. `packages` replaces `parcel` in older labels. */
export interface LabelFacts {
  readonly number: string
  readonly seller: PaperSeller
  readonly parcel?: Parcel
  readonly packages?: ReadonlyArray<Package>
}

/** A package of a shipment. Source: docs/reference/shipments.md#invoice-items. */
export interface Package {
  readonly id: string | null
  readonly lengthCm: number | null
  readonly widthCm: number | null
  readonly heightCm: number | null
  readonly weightGrams: number | null
}

/** The details reported with a status. Source: docs/reference/shipments.md#meta. */
export interface ReportMeta {
  readonly remark: string | null
  readonly reasonCode: number | null
  readonly dpLocation: string | null
  readonly promisedDeliveryDate: string | null
  readonly estimatedDeliveryDate: string | null
}

/** A report without details. */
export const noMeta: ReportMeta = /* @__PURE__ */ frozen({
  remark: null,
  reasonCode: null,
  dpLocation: null,
  promisedDeliveryDate: null,
  estimatedDeliveryDate: null
})

/** A status of the shipment, and the details reported with it. `at` is epoch milliseconds. */
export interface HistoryEntry {
  readonly status: AnyStatus
  readonly at: number
  readonly location: string | null
  readonly remark: string | null
  readonly reasonCode: number | null
}

/**
 * One line of a shipment, in minor units: `esp` and `mrp` per unit; `discount`, `couponDiscount`, `deliveryCharge` and
 * `taxAmount` for all units `ordered`. Source: docs/reference/orders.md#totals.
 */
export interface ShipmentItem extends LineUnits, LineAmounts.LineAmounts {
  /** 20 digits; a cancelled part and a return keep their line's id. */
  readonly id: string
  readonly externalLineId: string | null
  readonly sku: string
  /** The storage's key of the sold size, `Level.sizeId`. Items of earlier releases lack it. */
  readonly sizeId?: number
  readonly title: string
  readonly hsCode: string | null
  /** Cancelled units that became a shipment of their own. */
  readonly splitOff: number
  /** Units on the sale's invoice; a later cancellation does not change them. */
  readonly invoiced: number
  readonly mrp: Money.MinorUnits | null
  /** Percent. */
  readonly taxRate: number | null
  /** The tax of the order line's units before these, so that the tax divides exactly. */
  readonly taxBefore: Money.MinorUnits
  readonly qcReasons: ReadonlyArray<QcReason>
  /** Unknown reason codes of failed units, as sent. */
  readonly unmappedReasons: ReadonlyArray<string>
  /** The serial numbers on the sale's invoice; of a return, those on its credit note. */
  readonly imei: ReadonlyArray<string>
  /** The serial numbers on the credit note of a sale that came back or was cancelled. Only its recording sets them. */
  readonly creditedImei?: ReadonlyArray<string>
  /** Grams of one unit at the time of the order, if known. Lines of earlier releases lack it. */
  readonly weight?: number | null
  /** Why the customer sent it back, in the marketplace's words. */
  readonly returnReason: string | null
  readonly customFields?: CustomValues
}

/** The values of the host's own fields, by name: docs/guides/extend.md#custom-fields. */
export type CustomValues = Readonly<Record<string, unknown>>

/** The amounts of a line that make its total. */
export type Amounts = Omit<LineAmounts.LineAmounts, "taxAmount">

/** The customer's total of the line, in minor units: esp × quantity − discount − coupon discount + delivery charge. */
export const lineTotal = ({ couponDiscount, deliveryCharge, discount, esp, ordered }: Amounts): number =>
  esp * ordered - discount - couponDiscount + deliveryCharge

/** The fields that a shipment gets from its order; all others begin empty. */
export interface ShipmentDraft {
  /** 20 digits, growing with time. */
  readonly id: string
  readonly companyId: CompanyId
  /** The code of the shipping location. */
  readonly location: string
  /** The slug of the marketplace: the ordering channel. */
  readonly marketplace: string
  readonly orderId: string
  readonly externalOrderId: string
  readonly externalShipmentId: string
  readonly fulfillment: "SELLER" | "MARKETPLACE"
  readonly selfShip: boolean
  readonly currency: string
  /** The total of the order's lines before this shipment's, in minor units. */
  readonly linesBefore: number
  /** The units of the order's lines before this shipment's. Absent in shipments of earlier releases. */
  readonly unitsBefore?: number
  readonly items: ReadonlyArray<ShipmentItem>
  readonly packAfter: number | null
  readonly packBy: number | null
  readonly dispatchBy: number | null
  readonly deliverBy: number | null
  /** When it must be packed: the order's time plus the location's handling hours. */
  readonly sla: number
  readonly orderDate: number
  readonly customFields?: CustomValues
  /** The custom fields of its order. */
  readonly orderFields?: CustomValues
  /** The texts of custom fields by which it is found: `order.po_number=4711`. */
  readonly filters?: ReadonlyArray<string>
}

/** A shipment. Instants are epoch milliseconds. `forwardId` is its own id; a return or a cancelled part has its origin's. */
export interface Shipment extends ShipmentDraft {
  readonly forwardId: string
  readonly journey: "forward" | "return"
  readonly status: AnyStatus
  /** Of a status that the host added; null once the shipment has left it. */
  readonly added?: AddedStatus | null
  /** Grows with every event; a write is conditional on it. */
  readonly version: number
  readonly locked: boolean
  readonly courier: Courier | null
  readonly additionalInfo: string | null
  readonly invoice: Invoice | null
  readonly creditNote: Invoice | null
  /** One for each number that its label ever had. Shipments of earlier releases lack them until moved. */
  readonly labels?: ReadonlyArray<LabelFacts>
  /** The marketplace's own id of the return (`meta.return_id`). */
  readonly returnId: string | null
  readonly packages: ReadonlyArray<Package>
  /** Oldest first. */
  readonly events: ReadonlyArray<HistoryEntry>
  /** As last reported with a status. */
  readonly promisedDeliveryDate: string | null
  readonly estimatedDeliveryDate: string | null
  readonly lastLocation: string | null
  readonly createdAt: number
  readonly modifiedAt: number
}

/** A new shipment and its first history entry. Parts and returns don't begin as `placed`. `at` is epoch milliseconds. */
export const beginShipment = (
  draft: ShipmentDraft,
  at: number,
  status: AnyStatus = "placed",
  meta: ReportMeta = noMeta
): Shipment => ({
  ...draft,
  forwardId: draft.id,
  journey: "forward",
  status,
  version: 1,
  locked: false,
  courier: null,
  additionalInfo: null,
  invoice: null,
  creditNote: null,
  labels: [],
  returnId: null,
  packages: [],
  events: [{ status, at, location: meta.dpLocation, remark: meta.remark, reasonCode: meta.reasonCode }],
  promisedDeliveryDate: meta.promisedDeliveryDate,
  estimatedDeliveryDate: meta.estimatedDeliveryDate,
  lastLocation: meta.dpLocation,
  createdAt: at,
  modifiedAt: at
})

/**
 * The party that runs the logistics: the seller if it ships on its own, else the marketplace or the courier port, by `fulfillment`.
 * Source: docs/reference/shipments.md#logistics.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { logistics } from "@crossdock/shipments"
 *
 * const parties = [
 *   logistics({ fulfillment: "MARKETPLACE", selfShip: true }),
 *   logistics({ fulfillment: "MARKETPLACE", selfShip: false }),
 *   logistics({ fulfillment: "SELLER", selfShip: false })
 * ]
 * deepStrictEqual(parties, ["seller", "marketplace", "courier"])
 * ```
 */
export const logistics = (shipment: Pick<Shipment, "fulfillment" | "selfShip">): Party =>
  shipment.selfShip ? "seller" : shipment.fulfillment === "MARKETPLACE" ? "marketplace" : "courier"

/** The last change of status in epoch milliseconds, unlike `modifiedAt`. Source: docs/reference/shipments.md#view. */
export const statusChangedAt = (shipment: Pick<Shipment, "events" | "createdAt">): number =>
  shipment.events.at(-1)?.at ?? shipment.createdAt

/** Who bears a coupon's discount. Source: docs/reference/orders.md#coupon-ownership. */
export type CouponOwner = "SELLER" | "MARKETPLACE"

/** An address as the marketplace sent it. Source: docs/reference/marketplace.md#order-address. */
export interface Address {
  readonly name: string
  readonly phone: string
  readonly email: string | null
  readonly address1: string
  readonly address2: string | null
  readonly landmark: string | null
  readonly city: string
  readonly state: string
  readonly pincode: string
  readonly country: string
}

/**
 * An order's payment, in minor units: collected on delivery, and prepaid. `lines` and `units` are totals of all its shipments'
 * lines when it was placed. Source: docs/reference/orders.md#payment.
 */
export interface PaymentMethods {
  readonly cod: number
  readonly prepaid: number
  readonly lines: number
  readonly units: number
}

/** A charge on an order's papers, in minor units. Its amount includes its tax. */
export interface OrderCharge {
  readonly name: string
  /** HS or SAC. */
  readonly code: string | null
  readonly amount: number
  readonly taxRate: number | null
  readonly taxAmount: number
}

/** The fields of an order that its shipments show. */
export interface ShipmentOrder {
  readonly shippingAddress: Address
  readonly billingAddress: Address
  readonly paymentMode: "COD" | "PREPAID"
  readonly methods: PaymentMethods
  /** The buyer's tax number; it makes the order business to business. */
  readonly gstin: string | null
  /** Null without a coupon. */
  readonly couponOwner: CouponOwner | null
  /** Whether every line of the order stated a tax of 0. */
  readonly taxExempt: boolean
  /** The charges on papers; absent without any. */
  readonly charges?: ReadonlyArray<OrderCharge>
}

/** A shipment and the fields of its order that it shows. */
export interface OrderedShipment<S> {
  readonly shipment: S
  readonly order: ShipmentOrder
}
