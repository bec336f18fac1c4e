export * as AddressGuard from "./AddressGuard.ts"
export * as Signature from "./Signature.ts"
export * as WebhookSender from "./WebhookSender.ts"
export * as WebhookWorker from "./WebhookWorker.ts"
