export { type CouponOwner, dueToSeller, lineTotal, paymentOf } from "./AmountDue.ts"
export * as AwbUse from "./AwbUse.ts"
export * as Couriers from "./Couriers.ts"
export type { GuardInput } from "./Guards.ts"
export * as Lifecycle from "./Lifecycle.ts"
export { Limits } from "./Limits.ts"
export * as MoveBatch from "./MoveBatch.ts"
export {
  closedStatuses,
  isOpen,
  isOperationalStatus,
  mayMoveStock,
  type OperationalStatus,
  operationalStatuses
} from "./OperationalStatus.ts"
export { type OrderStatus, orderStatuses, orderStatusOf, orderStatusValues } from "./OrderStatus.ts"
export * as Papers from "./Papers.ts"
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
  beginShipment,
  type Courier,
  type HistoryEntry,
  type Invoice,
  isCancelled,
  isOnTheWayBack,
  type LabelFacts,
  logistics,
  noMeta,
  type Package,
  type PaperSeller,
  type Parcel,
  type Party,
  type ReportMeta,
  type Shipment,
  type ShipmentDraft,
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
export { remaining, type ShipmentItem, slice } from "./ShipmentItem.ts"
export type { Address, OrderedShipment, PaymentMethods, ShipmentOrder } from "./ShipmentOrder.ts"
export { dayMillis, type OpenAwb, type ShipmentChange, type ShipmentFilter, ShipmentStore } from "./ShipmentStore.ts"
export * as Shipments from "./Shipments.ts"
export type { StockEffect, StockKind } from "./StockEffect.ts"
export * as StockMoves from "./StockMoves.ts"
