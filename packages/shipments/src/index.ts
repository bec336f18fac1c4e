export * from "./AmountDue.ts"
export * from "./AwbNumbers.ts"
export * as Couriers from "./Couriers.ts"
export type { GuardInput } from "./Guards.ts"
export * as IssuedDocuments from "./IssuedDocuments.ts"
export * as Lifecycle from "./Lifecycle.ts"
export * from "./LifecycleExtension.ts"
export * as MoveBatch from "./MoveBatch.ts"
export type { OperationFamily } from "./Operations.ts"
export * as PaperNumbers from "./PaperNumbers.ts"
export * from "./RejectionCodes.ts"
export { isReturnless } from "./ReturnShipment.ts"
export * from "./Shipment.ts"
export * from "./ShipmentCommand.ts"
export * from "./ShipmentErasure.ts"
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
export { commandRecord, eventRecord } from "./ShipmentEvent.ts"
export * as ShipmentFeed from "./ShipmentFeed.ts"
export { remaining, slice } from "./ShipmentPart.ts"
export * from "./ShipmentStatus.ts"
export * from "./ShipmentStore.ts"
export * as Shipments from "./Shipments.ts"
export type { StockEffect } from "./StockMoves.ts"
export * as StockMoves from "./StockMoves.ts"
