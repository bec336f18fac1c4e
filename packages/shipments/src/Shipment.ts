/** A shipment as plain data. Absent values are `null`, so that a shipment that was stored as JSON equals the original. */
import type { LocationAddress } from "@crossdock/access"
import { type CompanyId, frozen, type Money } from "@crossdock/kernel"
import type { LineAmounts, LineUnits, QcReason } from "@crossdock/returns"
import type { AddedStatus, AnyStatus } from "./ShipmentStatus.ts"

/** A party that acts on a shipment or runs its logistics. `courier` means the host's courier port. */
export type Party = "seller" | "marketplace" | "courier"

/** The courier of a bag. `code` is null when only the name is known. */
export interface Courier {
  readonly name: string
  readonly code: string | null
  readonly awbNumbers: ReadonlyArray<string>
}

/** The seller as papers show it: the company's legal name, and the name and address of the shipping location. */
export interface PaperSeller {
  readonly legalName: string
  readonly name: string
  readonly address: LocationAddress | null
}

/** An invoice or a credit note. `at` is in epoch milliseconds. Source: docs/reference/shipments.md#invoice-update. */
export interface Invoice {
  readonly number: string
  readonly at: number
  readonly irn: string | null
  readonly qrCode: string | null
  readonly signedInvoice: string | null
  readonly ackNumber: string | null
  readonly ackDate: string | null
  /** The seller at the time when the document got its number. It is absent in documents of earlier releases. */
  readonly seller?: PaperSeller
}

/** The number of packages of a shipment, and their total weight. The weight is null if a package has no weight. */
export interface Parcel {
  readonly packages: number
  readonly weightGrams: number | null
}

/** A label at the time when it got its number, which is its AWBs, or the shipment's id if there is no AWB. */
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

/** A status of the shipment, and the details that were reported with the status. `at` is in epoch milliseconds. */
export interface HistoryEntry {
  readonly status: AnyStatus
  readonly at: number
  readonly location: string | null
  readonly remark: string | null
  readonly reasonCode: number | null
}

/** A line, in minor units: `esp` and `mrp` per unit, the other amounts per line. Source: docs/reference/orders.md#totals. */
export interface ShipmentItem extends LineUnits, LineAmounts.LineAmounts {
  /** The id of the line, with 20 digits. A cancelled part and a return keep the ids of their lines. */
  readonly id: string
  readonly externalLineId: string | null
  readonly sku: string
  /** The storage's key of the sold size (`Level.sizeId`). Items of earlier releases don't have it. */
  readonly sizeId?: number
  readonly title: string
  readonly hsCode: string | null
  /** The number of cancelled units that became a shipment of their own. */
  readonly splitOff: number
  /** The number of units on the sale's invoice. A later cancellation doesn't change it. */
  readonly invoiced: number
  readonly mrp: Money.MinorUnits | null
  /** The tax rate in percent. */
  readonly taxRate: number | null
  /** The tax on the preceding units of the order line. It is needed to divide the tax exactly. */
  readonly taxBefore: Money.MinorUnits
  readonly qcReasons: ReadonlyArray<QcReason>
  /** The reason codes of failed units that aren't known, as they were sent. */
  readonly unmappedReasons: ReadonlyArray<string>
  /** The serial numbers on the sale's invoice. For a return, these are the serial numbers on its credit note. */
  readonly imei: ReadonlyArray<string>
  /** The serial numbers on the credit note. Only recording the credit note sets them. */
  readonly creditedImei?: ReadonlyArray<string>
  /** The weight of one unit in grams at the time of the order, if it was known. Lines of earlier releases don't have it. */
  readonly weight?: number | null
  /** The customer's reason for the return, in the marketplace's words. */
  readonly returnReason: string | null
  readonly customFields?: CustomValues
}

/** The values of the host's custom fields, by name: docs/guides/extend.md#custom-fields. */
export type CustomValues = Readonly<Record<string, unknown>>

/** The amounts of a line from which its total is computed. */
export type Amounts = Omit<LineAmounts.LineAmounts, "taxAmount">

/** What the customer pays for the line, in minor units: esp × quantity − discount − coupon discount + delivery charge. */
export const lineTotal = ({ couponDiscount, deliveryCharge, discount, esp, ordered }: Amounts): number =>
  esp * ordered - discount - couponDiscount + deliveryCharge

/** The fields that a shipment gets from its order. All other fields are empty at first. */
export interface ShipmentDraft {
  /** The shipment's id: 20 digits that grow with time. */
  readonly id: string
  readonly companyId: CompanyId
  /** The code of the shipping location. */
  readonly location: string
  /** The slug of the marketplace, which is the ordering channel. */
  readonly marketplace: string
  readonly orderId: string
  readonly externalOrderId: string
  readonly externalShipmentId: string
  readonly fulfillment: "SELLER" | "MARKETPLACE"
  readonly selfShip: boolean
  readonly currency: string
  /** The total, in minor units, of those lines of the order that precede this shipment's lines. */
  readonly linesBefore: number
  /** The number of units in the order's earlier lines. It is absent in shipments of earlier releases. */
  readonly unitsBefore?: number
  readonly items: ReadonlyArray<ShipmentItem>
  readonly packAfter: number | null
  readonly packBy: number | null
  readonly dispatchBy: number | null
  readonly deliverBy: number | null
  /** The time by which the shipment must be packed: the order's time plus the location's handling hours. */
  readonly sla: number
  readonly orderDate: number
  readonly customFields?: CustomValues
  /** The values of the order's custom fields. */
  readonly orderFields?: CustomValues
  /** The texts of custom fields by which the shipment can be searched, such as `order.po_number=4711`. */
  readonly filters?: ReadonlyArray<string>
}

/** A shipment. Times are in epoch milliseconds. A return or cancelled part has its original shipment's id as `forwardId`. */
export interface Shipment extends ShipmentDraft {
  readonly forwardId: string
  readonly journey: "forward" | "return"
  readonly status: AnyStatus
  /** The data of the status, if the host added the status. It is null once the shipment has another status. */
  readonly added?: AddedStatus | null
  /** The version grows with every event. A write succeeds only if the stored version is still the version that was read. */
  readonly version: number
  readonly locked: boolean
  readonly courier: Courier | null
  readonly additionalInfo: string | null
  readonly invoice: Invoice | null
  readonly creditNote: Invoice | null
  /** The facts of each label. Shipments of earlier releases have none until their next move. */
  readonly labels?: ReadonlyArray<LabelFacts>
  /** The marketplace's own id of the return (`meta.return_id`). */
  readonly returnId: string | null
  readonly packages: ReadonlyArray<Package>
  /** The history, oldest entry first. */
  readonly events: ReadonlyArray<HistoryEntry>
  /** The date that was last reported with a status. */
  readonly promisedDeliveryDate: string | null
  readonly estimatedDeliveryDate: string | null
  readonly lastLocation: string | null
  readonly createdAt: number
  readonly modifiedAt: number
}

/** A new shipment with its first history entry. `at` is in epoch milliseconds. */
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
 * The party that runs the logistics: seller, marketplace, or courier port. Source: docs/reference/shipments.md#logistics.
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

/** The time of the last change of status, in epoch milliseconds. Source: docs/reference/shipments.md#view. */
export const statusChangedAt = (shipment: Pick<Shipment, "events" | "createdAt">): number =>
  shipment.events.at(-1)?.at ?? shipment.createdAt

/** The party that bears a coupon's discount. Source: docs/reference/orders.md#coupon-ownership. */
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

/** An order's payment in minor units, and the totals of its lines when placed. Source: docs/reference/orders.md#payment. */
export interface PaymentMethods {
  readonly cod: number
  readonly prepaid: number
  readonly lines: number
  readonly units: number
}

/** A charge on an order's papers, in minor units. The amount includes the tax. */
export interface OrderCharge {
  readonly name: string
  /** The HS or SAC code. */
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
  /** The buyer's tax number. If it is present, the order is between businesses. */
  readonly gstin: string | null
  /** The party that bears the coupon's discount. It is null for an order without a coupon. */
  readonly couponOwner: CouponOwner | null
  /** Whether every line of the order has a stated tax of 0. */
  readonly taxExempt: boolean
  /** The charges on papers. They are absent if there are no charges. */
  readonly charges?: ReadonlyArray<OrderCharge>
}

/** A shipment, with the fields of its order that it shows. */
export interface OrderedShipment {
  readonly shipment: Shipment
  readonly order: ShipmentOrder
}
