export * as AddressGuard from "./AddressGuard.ts"
export * as DeliveryAttempts from "./DeliveryAttempts.ts"
export * as EndpointRegistration from "./EndpointRegistration.ts"
export * as EventDeliveries from "./EventDeliveries.ts"
export * as EventEndpoint from "./EventEndpoint.ts"
export { EventEndpointStore, type StoredEndpoint } from "./EventEndpoint.ts"
export * as EventEndpoints from "./EventEndpoints.ts"
export * as EventWebhookWorker from "./EventWebhookWorker.ts"
export * as InventoryEvent from "./InventoryEvent.ts"
export { Limits } from "./Limits.ts"
export * as NotificationChannel from "./NotificationChannel.ts"
export { NotificationStore } from "./NotificationChannel.ts"
export * as NotificationCursor from "./NotificationCursor.ts"
export * as Notifications from "./Notifications.ts"
export * as WebhookSecrets from "./WebhookSecrets.ts"
export {
  type StoredMessage,
  sendStored,
  type WebhookAnswer,
  type WebhookMessage,
  WebhookSender
} from "./WebhookSender.ts"
export * as WebhookWorker from "./WebhookWorker.ts"
