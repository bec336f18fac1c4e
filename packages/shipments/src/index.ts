export { dueToSeller, paymentOf } from "./AmountDue.ts"
export * as AwbUse from "./AwbUse.ts"
export * as Couriers from "./Couriers.ts"
export * as DocumentFacts from "./DocumentFacts.ts"
export type { GuardInput } from "./Guards.ts"
export * as Lifecycle from "./Lifecycle.ts"
export * as MoveBatch from "./MoveBatch.ts"
export {
  faultyPortion,
  type ItemFault,
  invalidRecord,
  type OperationFamily,
  type RecordField,
  type Rejection,
  type RejectionCase,
  type RejectionCode,
  type RejectionDetails,
  rejectionCode,
  rejectionCodes,
  shipmentLocked
} from "./Rejection.ts"
export {
  type Address,
  beginShipment,
  type CouponOwner,
  type Courier,
  type HistoryEntry,
  type Invoice,
  type LabelFacts,
  lineTotal,
  logistics,
  noMeta,
  type OrderedShipment,
  type Package,
  type PaperSeller,
  type Parcel,
  type Party,
  type PaymentMethods,
  type ReportMeta,
  type Shipment,
  type ShipmentDraft,
  type ShipmentItem,
  type ShipmentOrder,
  statusChangedAt
} from "./Shipment.ts"
export {
  type AssignAwb,
  type AssignCourier,
  type Cancel,
  type CheckQuality,
  type Confirm,
  type CreditNote,
  type Dispatch,
  type InitiateReturn,
  type InvoiceSale,
  type Lock,
  type Pack,
  type Report,
  type ReturnLine,
  reportOrReturn,
  type ShipmentCommand,
  type Unlock
} from "./ShipmentCommand.ts"
export { erasedShipment, isErased } from "./ShipmentErasure.ts"
export type {
  CourierNamed,
  InvoiceRecorded,
  LockChanged,
  Moved,
  PartCancelled,
  QualityChecked,
  ReturnOpened,
  ShipmentEvent
} from "./ShipmentEvent.ts"
export * as ShipmentFeed from "./ShipmentFeed.ts"
export { remaining, slice } from "./ShipmentPart.ts"
export {
  closedStatuses,
  isCancelled,
  isOnTheWayBack,
  isOpen,
  isOperationalStatus,
  mayMoveStock,
  type OperationalStatus,
  type OrderStatus,
  operationalStatuses,
  orderStatuses,
  orderStatusOf,
  orderStatusValues
} from "./ShipmentStatus.ts"
export { type OpenAwb, type ShipmentChange, type ShipmentFilter, ShipmentStore } from "./ShipmentStore.ts"
export * as Shipments from "./Shipments.ts"
export type { StockEffect } from "./StockMoves.ts"
export * as StockMoves from "./StockMoves.ts"
