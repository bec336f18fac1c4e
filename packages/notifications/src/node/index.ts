export * as EventReceiver from "./EventReceiver.ts"
export * as ReceiverKit from "./ReceiverKit.ts"
export * as Signature from "./Signature.ts"
export * as WebhookSenderNode from "./WebhookSenderNode.ts"
