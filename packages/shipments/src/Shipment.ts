/**
 * The shipment aggregate: what is stored and what the rules judge.
 *
 * Plain data, kept by a storage as one JSON body beside its key columns. Absence is therefore `null`, not `Option`: the
 * aggregate is read and written by the hundred, and what JSON gives back is equal to what went in.
 */
import type { CompanyId } from "@crossdock/kernel"
import type { OperationalStatus } from "./OperationalStatus.ts"
import type { ShipmentItem } from "./ShipmentItem.ts"

/**
 * Who acts on a shipment, and who runs its logistics: `courier` is the courier port of the host.
 */
export type Party = "seller" | "marketplace" | "courier"

export interface Courier {
  readonly name: string
  readonly code: string | null
  readonly awbNumbers: ReadonlyArray<string>
}

/**
 * A tax document: the sale's invoice or its credit note. `irn`, `ackNumber`, `ackDate` serve e-invoicing between
 * businesses (document 2, orders, rule 4).
 */
export interface Invoice {
  readonly number: string
  readonly at: number
  readonly irn: string | null
  readonly qrCode: string | null
  readonly signedInvoice: string | null
  readonly ackNumber: string | null
  readonly ackDate: string | null
}

export interface Package {
  readonly id: string | null
  readonly lengthCm: number | null
  readonly widthCm: number | null
  readonly heightCm: number | null
  readonly weightGrams: number | null
}

/**
 * What comes along with a status (document 2, the status operation).
 */
export interface ReportMeta {
  readonly remark: string | null
  readonly reasonCode: number | null
  readonly dpLocation: string | null
  readonly promisedDeliveryDate: string | null
  readonly estimatedDeliveryDate: string | null
}

export const noMeta: ReportMeta = {
  remark: null,
  reasonCode: null,
  dpLocation: null,
  promisedDeliveryDate: null,
  estimatedDeliveryDate: null
}

/**
 * A status that the shipment reached, and what was told with it.
 */
export interface HistoryEntry {
  readonly status: OperationalStatus
  readonly at: number
  readonly location: string | null
  readonly remark: string | null
  readonly reasonCode: number | null
}

/**
 * Instants are epoch milliseconds. `forwardId` is the shipment's own id, for a return or a cancelled part the id of the
 * shipment it comes from.
 */
export interface Shipment {
  /** 20 digits, growing with time. */
  readonly id: string
  readonly companyId: CompanyId
  /** The code of the seller's location that ships. */
  readonly location: string
  /** The slug of the marketplace: the ordering channel. */
  readonly marketplace: string
  readonly orderId: string
  readonly externalOrderId: string
  readonly externalShipmentId: string
  readonly forwardId: string
  readonly journey: "forward" | "return"
  readonly status: OperationalStatus
  /** Grows with every event; a write is conditional on the version that was read. */
  readonly version: number
  readonly locked: boolean
  readonly fulfillment: "SELLER" | "MARKETPLACE"
  readonly selfShip: boolean
  readonly currency: string
  /** What the order's lines before those of this shipment come to, in minor units: its place among them. */
  readonly linesBefore: number
  readonly items: ReadonlyArray<ShipmentItem>
  readonly courier: Courier | null
  readonly additionalInfo: string | null
  readonly invoice: Invoice | null
  readonly creditNote: Invoice | null
  /** The marketplace's own id of the return (`meta.return_id`). */
  readonly returnId: string | null
  readonly packages: ReadonlyArray<Package>
  /** Oldest first. */
  readonly events: ReadonlyArray<HistoryEntry>
  /** The last that a status told, as it was sent. */
  readonly promisedDeliveryDate: string | null
  readonly estimatedDeliveryDate: string | null
  readonly lastLocation: string | null
  readonly packAfter: number | null
  readonly packBy: number | null
  readonly dispatchBy: number | null
  readonly deliverBy: number | null
  /** By when it must be packed: order time and the location's handling hours. */
  readonly sla: number
  readonly orderDate: number
  readonly createdAt: number
  readonly modifiedAt: number
}

/**
 * What an order says of a shipment; everything else of it begins empty.
 */
export type ShipmentDraft = Pick<
  Shipment,
  | "id"
  | "companyId"
  | "location"
  | "marketplace"
  | "orderId"
  | "externalOrderId"
  | "externalShipmentId"
  | "fulfillment"
  | "selfShip"
  | "currency"
  | "linesBefore"
  | "items"
  | "packAfter"
  | "packBy"
  | "dispatchBy"
  | "deliverBy"
  | "sla"
  | "orderDate"
>

/**
 * A new shipment with its first entry of history: `placed` for an order's shipment, another status for what splits off a
 * shipment later.
 */
export const beginShipment = (
  draft: ShipmentDraft,
  at: number,
  status: OperationalStatus = "placed",
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
 * Who runs the logistics: the seller when it ships itself, else the marketplace or the courier port by fulfilment.
 * Source: contract, section 6.
 */
export const logistics = (shipment: Pick<Shipment, "fulfillment" | "selfShip">): Party =>
  shipment.selfShip ? "seller" : shipment.fulfillment === "MARKETPLACE" ? "marketplace" : "courier"

export const isCancelled = (shipment: Pick<Shipment, "status">): boolean =>
  shipment.status === "cancelled_seller" || shipment.status === "cancelled_customer"

/**
 * A customer's return, or a shipment that turned back to its origin (RTO).
 */
export const isOnTheWayBack = (shipment: Pick<Shipment, "journey" | "events">): boolean =>
  shipment.journey === "return" ||
  shipment.events.some(({ status }) => status === "rto_in_transit" || status === "rto_bag_delivered")

/**
 * When the shipment last changed its status (`modifiedDate` of document 2); `modifiedAt` is its last change of any kind.
 */
export const statusChangedAt = (shipment: Pick<Shipment, "events" | "createdAt">): number =>
  shipment.events.at(-1)?.at ?? shipment.createdAt
