export {
  type Order,
  type OrderDraft,
  type OrderLineDraft,
  type OrderShipmentDraft,
  OrderStore,
  withEachOrder
} from "./Order.ts"
export * as OrderConsistency from "./OrderConsistency.ts"
export * as OrderDifference from "./OrderDifference.ts"
export * as OrderErasure from "./OrderErasure.ts"
export * as OrderFeed from "./OrderFeed.ts"
export * as OrderPricing from "./OrderPricing.ts"
export { OrderInProgress, OrderNotFound, OrderRejected } from "./OrderRejected.ts"
export * as OrderReservation from "./OrderReservation.ts"
export { shipmentOrderOf } from "./OrderShipments.ts"
export * as Orders from "./Orders.ts"
